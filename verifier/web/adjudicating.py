"""The adjudication queue on the dashboard: one item at a time, the votes hidden until it is decided."""

from __future__ import annotations

import time
from typing import Any, Final

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from analysis.decisions import DECISIONS
from analysis.errors import InputError, StateError
from verifier import clock
from verifier.adjudication import deciding
from verifier.adjudication.queue import ALL, QUEUES
from verifier.crowd import counting
from verifier.kb.understand import LONGEST, is_address, is_identifier
from verifier.plan import confirming
from verifier.store import experts
from verifier.store.shown import judgments_on
from verifier.web import requests
from verifier.web.snapshots import Snapshot, counts
from verifier.web.state import state

# Within the dashboard's blueprint, which lets nobody in without a session.
blueprint = Blueprint("adjudicate", __name__, url_prefix="/adjudicate")

_HITS: Final = 8
_NUMBER: Final = 12
_FOUND_WRONG: Final = "found wrong by an expert"


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
        said = f"{problem.what[:1].upper()}{problem.what[1:]}."
        if problem.expected:
            said += f" Expected: {problem.expected}."
        return _page(given, found, display, problem=said, typed=choice.entity or ""), 400
    counts().decided(given["expert"], display)
    return redirect(_address("item", given, number=display), 303)


@blueprint.post("/<number>/retire")
def retire(number: str) -> Answer | str | tuple[str, int]:
    """Retire the control that an item belongs to, and grade anew whoever had it."""
    display, given = _number(number), _given(request.form)
    study = state().study
    with study.read() as session:
        case = experts.case(session, display)
    if case is None or not case.control:
        abort(404)
    try:
        found = confirming.retire(study, [case.task], _FOUND_WRONG, clock.now())
        if found.affected:
            counting.regrade(study, clock.now(), of=found.affected)
    except (InputError, StateError) as error:
        return _page(given, counts().latest(), display, problem=f"Not retired: {error.problems[0]}"), 400
    counts().latest(newer_than=time.monotonic())
    return redirect(_address("item", given, number=display), 303)


@blueprint.get("/search")
def search() -> Response:
    """Entities that a name, an address or an identifier may mean."""
    query = request.args.get("q", "").strip()[:LONGEST]
    language = request.args.get("language", "")[:20] or "en"
    if is_address(query) or is_identifier(query):
        try:
            found = [state().candidate(state().understand(query, language), language)]
        except InputError as error:
            return jsonify(candidates=[], message=error.problems[0].what)
        return jsonify(candidates=[_candidate(one) for one in found], message=None)
    hits, message = state().search(query, _HITS, language) if query else ([], None)
    if query and not hits and message is None:
        message = "Nothing of this name."
    return jsonify(candidates=[_candidate(one) for one in hits], message=message)


def _address(endpoint: str, given: dict[str, str], **values: Any) -> str:
    return url_for(f"admin.adjudicate.{endpoint}", **values, **dict[str, Any](given))


def _candidate(found: Any) -> dict[str, Any]:
    return {"key": found.key, "title": found.title, "description": found.description}


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
        keys = [case.key, *(one.key for one in decided), *(vote.key for vote in votes)]
        shown = {
            "case": case,
            "mine": mine,
            "votes": votes,
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
        **shown,
    )


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
