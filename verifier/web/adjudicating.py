"""The adjudication queue on the dashboard: one item at a time, the votes hidden until it is decided."""

from __future__ import annotations

import time
from typing import Any, Final

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from analysis.decisions import DECISIONS
from analysis.errors import InputError, Problem, StateError
from verifier import clock
from verifier.adjudication import deciding
from verifier.adjudication.queue import ALL, QUEUES
from verifier.crowd import counting
from verifier.kb.understand import LONGEST
from verifier.plan import confirming
from verifier.store import Session, controls, experts
from verifier.store.shown import judgments_on
from verifier.web import finding, requests, views
from verifier.web.snapshots import Snapshot, counts
from verifier.web.state import state
from verifier.web.texts import english

# Within the dashboard's blueprint, which lets nobody in without a session.
blueprint = Blueprint("adjudicate", __name__, url_prefix="/adjudicate")

_HITS: Final = 8
_NUMBER: Final = 12
_FOUND_WRONG: Final = "found wrong by an expert"
_SEARCH_WORDS: Final = (
    *("found_n", "found_none", "search_failed", "search_results", "choose_one", "only_shown"),
    *("nil", "nil_title", "linked_now", "images_by"),
)


@blueprint.get("")
def following() -> str | Answer | tuple[str, int]:
    """The queues, and the next item of one."""
    given = _given()
    found = counts().latest()
    if found is None:
        return render_template("admin/counting.html", here="adjudicate", **_common(), counts=counts())
    after = requests.number(request.args.get("after", ""))
    left = found.queue.left(given["queue"], given["expert"])
    upcoming = next(_after(left, after), None)
    if upcoming is None and after is not None:
        return redirect(_address("following", given), 303)
    return _page(given, found, upcoming)


@blueprint.get("/<number>")
def item(number: str) -> str | Answer | tuple[str, int]:
    """One item: to be decided, or with the votes if this expert has decided it."""
    found = counts().latest()
    if found is None:
        return redirect(_address("following", _given()), 303)
    return _page(_given(), found, _number(number))


@blueprint.post("/<number>")
def decide(number: str) -> Answer | str | tuple[str, int]:
    """Keep a decision, and show the votes."""
    display, given = _number(number), _given(request.form)
    choice = deciding.Choice(
        display,
        request.form.get("decision", ""),
        request.form.get("entity", "")[: LONGEST + 1],
        _seconds(request.form.get("seconds", "")),
        request.form.get("opened") == "yes",
    )
    if choice.entity and state().shelf.live:
        with state().study.read() as session:
            case = experts.case(session, display)
        state().look_up([(choice.entity, case.language)] if case else [])
    with state().study.read() as session:
        case = experts.case(session, display)
    if case is None:
        abort(404)
    if choice.entity:
        state().look_up([(choice.entity, case.language)])
    try:
        deciding.decide(
            state().study, given["expert"], choice, understand=state().understand, now=clock.now()
        )
    except InputError as error:
        found = counts().latest()
        problem = error.problems[0]
        said = f"{problem.what[:1].upper()}{problem.what[1:].rstrip('.')}."
        if problem.expected:
            said += f" Expected: {problem.expected}."
        return _page(given, found, display, problem=said, typed=choice.entity or ""), 400
    counts().decided(given["expert"], display)
    return redirect(_address("item", given, number=display), 303)


@blueprint.post("/<number>/retire")
def retire(number: str) -> Answer | str | tuple[str, int]:
    """Retire the control that an item belongs to, and grade anew whoever had it.

    Its page says from then on why, and what took its place.
    """
    display, given = _number(number), _given(request.form)
    study = state().study
    with study.read() as session:
        case = experts.case(session, display)
    if case is None or not case.control:
        abort(404)
    reason = " ".join(request.form.get("reason", "").split()) or _FOUND_WRONG
    try:
        found = confirming.retire(study, [case.task], reason, clock.now())
        if found.affected:
            counting.regrade(study, clock.now(), of=found.affected)
    except (InputError, StateError) as error:
        problem = f"Not retired: {_refusal(error.problems[0])}"
        return _page(given, counts().latest(), display, problem=problem, reason=reason), 400
    counts().latest(newer_than=time.monotonic())
    return redirect(_address("item", given, number=display), 303)


@blueprint.get("/search")
def search() -> Response:
    """Entities that a name, an address or an identifier may mean."""
    query, shown = request.args.get("q", "").strip()[:LONGEST], request.args.get("shown", "")
    language = request.args.get("language", "")[:20] or "en"
    found, message = finding.find(query, _HITS, language) if query else ([], None)
    same = finding.same(shown, found) if found and requests.storable(shown) else set()
    found.sort(key=lambda candidate: candidate.key in same)
    made = views.candidates(found, with_images=state().study.config.pages.images, shown=same)
    # An expert is to see keys, a worker is not.
    for one in made:
        one["description"] = " · ".join(filter(None, (one["description"], one["key"])))
    return jsonify(candidates=made, message=message)


def _address(endpoint: str, given: dict[str, str], **values: Any) -> str:
    return url_for(f"admin.adjudicate.{endpoint}", **values, **dict[str, Any](given))


def _after(left: Any, after: int | None) -> Any:
    """What comes after an item that is put off; from the start if it is not there."""
    if after is None:
        yield from left
        return
    for display in left:
        if display == after:
            break
    yield from left


def _page(
    given: dict[str, str],
    found: Snapshot | None,
    display: int | None,
    *,
    problem: str = "",
    typed: str = "",
    reason: str = "",
) -> str:
    """The page of an item; without one, that there is nothing left."""
    shown: dict[str, Any] = {}
    if display is not None:
        with state().study.read() as session:
            case = experts.case(session, display)
            if case is None:
                abort(404)
            alike = experts.alike(session, display)
            decided = [one for one in experts.standing(session, alike) if one.display == display]
            mine = next((one for one in decided if one.expert == given["expert"]), None)
            votes = judgments_on(session, alike) if mine else []
            fate = _fate(session, case.task) if mine and case.control else None
        keys = [case.key, *(one.key for one in decided), *(vote.key for vote in votes)]
        shown = {
            "case": case,
            "mine": mine,
            "votes": votes,
            "fate": fate,
            "others": [one for one in decided if one.expert != given["expert"]] if mine else [],
            "titles": state().titles(keys, case.language),
            "kind": found.queue.kind(display) if found and mine else "",
            "audited": _audit(found, display) if found and mine and case.control else None,
        }
    return render_template(
        "admin/adjudicate.html",
        here="adjudicate",
        **_common(),
        given=given,
        queues=QUEUES,
        decisions=DECISIONS,
        counts=found.queue.counts(given["expert"]) if found else {},
        at=found.at if found else None,
        simulated=bool(found and found.status.origin == "simulated"),
        problem=problem,
        typed=typed,
        reason=reason,
        longest_reason=confirming.LONGEST_REASON,
        words=_words(),
        **shown,
    )


def _refusal(problem: Problem) -> str:
    """A problem as a sentence, without the name of the option of a command."""
    expected = problem.expected and f"expected {problem.expected}"
    details = "; ".join(filter(None, (problem.got, expected)))
    return f"{problem.what}{f' ({details})' if details else ''}. {problem.remedy}".strip()


def _fate(session: Session, task: int) -> dict[str, Any]:
    """How a control stands, and which one has taken its place, if it is retired."""
    states = {one.task: one for one in controls.states(session)}
    return {
        "control": states[task],
        "successor": next((one for one in states.values() if one.replaces == task), None),
    }


def _words() -> dict[str, str]:
    """What the search says; the dashboard is in English."""
    return {name: english()[name] for name in _SEARCH_WORDS} | {"chosen": "Chosen: {title}"}


def _audit(found: Snapshot, display: int) -> Any:
    return next((one for one in found.audited if one.display == display), None)


def _common() -> dict[str, Any]:
    return {"study": state().study.config.study.name}


def _given(values: Any = None) -> dict[str, str]:
    """Queue and expert of a request; what they cannot be is as if it were not there."""
    values = request.args if values is None else values
    name = values.get("queue", ALL)
    expert = values.get("expert", "")
    try:
        expert = deciding.named(expert) if expert else deciding.USUAL
    except InputError:
        expert = deciding.USUAL
    return {"queue": name if name in QUEUES else ALL, "expert": expert}


def _number(text: str) -> int:
    if (found := requests.number(text)) is None:
        abort(404)
    return found


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdecimal() and len(text) < _NUMBER else 0.0
