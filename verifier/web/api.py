"""The JSON API of the worker's page. Displays are named "T.D"; no database id ever leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, jsonify, request

from analysis.decisions import EDIT, VERIFY
from analysis.errors import InputError, StateError
from verifier import clock
from verifier.crowd.submission import Undecided, submit, submitted
from verifier.kb.local import Candidate
from verifier.plan import draw
from verifier.store import asides, judging, work
from verifier.store.current import UNDO
from verifier.store.work import AtWork
from verifier.web import desk, finding, requests, steps, views
from verifier.web.state import state

if TYPE_CHECKING:
    from verifier.store import Session

blueprint = Blueprint("api", __name__, url_prefix="/api/<token>")

_CANDIDATES = 8


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """An answer other than 200: status, code, message and what else belongs to it."""

    def __init__(self, status: int, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.body = status, {"error": code, "message": message, **more}


@blueprint.errorhandler(Refused)
def refused(error: Refused) -> tuple[Response, int]:
    """The answer of a refusal."""
    body = error.body | {"message": state().texts.told(error.body["message"])}
    return jsonify(body), error.status


@blueprint.errorhandler(InputError)
def unreadable(error: InputError) -> tuple[Response, int]:
    """The answer to a request that is not of the form asked for."""
    return jsonify(error="bad_request", message=str(error)), 400


@blueprint.get("/state")
def current_state(token: str) -> Response:
    """Step, progress, the highest sequence number, the deadline and, once submitted, the code."""
    study = state().study
    with study.read() as session:
        assignment = assignment_of(session, token)
        tasks = work.progress(session, assignment.id)
        highest = work.highest_sequence(session, assignment.id)
    done = submitted(study, token)
    return jsonify(
        step="thanks" if done else _step(assignment),
        state=assignment.state,
        tasks=views.progress(tasks),
        sequence=highest,
        options=options_of(assignment),
        deadline=assignment.deadline.isoformat(),
        **desk.time_left(assignment.deadline),
        code=done.code if done else None,
        finish_url=done.finish_url if done else None,
    )


@blueprint.get("/tasks/<ordinal>")
def task(token: str, ordinal: str) -> Response:
    """One task: text, displays, and the judgments that stand."""
    with state().study.read() as session:
        assignment = working(assignment_of(session, token))
        number = requests.number(ordinal)
        found = None if number is None else desk.task(session, assignment, number)
    if found is None:
        abort(404)
    return jsonify(found)


@blueprint.post("/judgments")
def judgments(token: str) -> Response:
    """Store judgments; each is committed before this answers."""
    here, now = state(), clock.now()
    new = requests.judgments(request)
    if here.shelf.live:
        look_up(token, [(one.display, one.entity) for one in new if one.action == EDIT])

    def save(session: Session) -> list[judging.Saved]:
        assignment = working(assignment_of(session, token, lock=True))
        _check_looked_at(session, assignment, new)
        return judging.save_judgments(session, assignment.id, new, understand=here.understand, now=now)

    try:
        saved = here.together.do(save)
    except judging.SequenceConflictError as error:
        titles = here.titles(item.key for item in error.saved)
        more = {"sequence": error.highest, "taken": error.taken}
        message = "Other judgments have these numbers."
        raise Refused(409, "conflict", message, saved=views.saved(error.saved, titles), **more) from None
    except (judging.NotUnderstoodError, judging.NameFirstError) as error:
        raise Refused(422, error.code, error.problems[0].what, display=error.display) from None
    return jsonify(saved=views.saved(saved, here.titles(item.key for item in saved)))


@blueprint.get("/search")
def search(token: str) -> Response:
    """Entities that the query may mean; what was searched and offered is kept."""
    study, now = state().study, clock.now()
    query, reference = request.args.get("q", "")[:2000], request.args.get("display", "")[:20]
    with study.read() as session:
        assignment = assignment_of(session, token)
        shown = work.shown_as(session, assignment.id, [reference]).get(reference)
    found, reason = finding.find(query, _CANDIDATES, shown.language if shown else "en")
    same = _shown_now(assignment, shown, found)
    # Who edits looks for another entity.
    found.sort(key=lambda candidate: candidate.key in same)
    with_images = bool(options_of(assignment).get("images", True))
    body = {
        "candidates": views.candidates(found, with_images=with_images, shown=same),
        "message": reason and state().texts.told(reason),
    }
    if assignment.state == "claimed" and query.strip() and requests.storable(query + reference):
        data = {"display": reference, "query": query, "candidates": [candidate.key for candidate in found]}
        state().together.do(lambda session: work.log_event(session, assignment.id, "search", data, now))
    return jsonify(body)


@blueprint.post("/events")
def events(token: str) -> Response:
    """Keep what else happened."""
    found, now = requests.events(request), clock.now()

    def keep(session: Session) -> None:
        assignment = working(assignment_of(session, token, lock=True))
        for kind, data in found:
            if kind == UNDO:
                judging.undo(session, assignment.id, data["sequence"], data, now)
            else:
                work.log_event(session, assignment.id, kind, data, now)

    state().together.do(keep)
    return jsonify(saved=len(found))


@blueprint.post("/submit")
def submission(token: str) -> Response:
    """Hand the work in; sending it twice gives the same code."""
    study = state().study
    with study.read() as session:
        assignment = assignment_of(session, token)
        missing = [] if assignment.state == "submitted" else work.undecided(session, assignment.id)
    if assignment.state != "submitted":
        working(assignment)
    if missing:
        raise _undecided(missing)
    try:
        done = submit(study, token, clock.now())
    except Undecided as error:
        raise _undecided(list(error.displays)) from None
    return jsonify(code=done.code, finish_url=done.finish_url)


@blueprint.post("/return")
def give_back(token: str) -> Response:
    """The worker must stop: his place goes to somebody else."""
    study = state().study
    with study.read() as session:
        assignment = assignment_of(session, token)
    if assignment.state == "submitted":
        raise _closed(assignment)
    if assignment.state == "claimed":
        draw.release(study, assignment.id, state="returned", now=clock.now())
    return jsonify(returned=True)


@blueprint.post("/time")
def time(token: str) -> Response:
    """More time for who needs it; sent twice, it is given once."""
    study = state().study
    with study.read() as session:
        assignment = working(assignment_of(session, token))
    if not desk.gives_time():
        raise Refused(409, "not_offered", "The platform sets the time for this work.")
    try:
        deadline = draw.prolong(study, assignment.id, clock.now())
    except StateError:
        raise Refused(409, "closed", "This work cannot be changed.") from None
    return jsonify(deadline=deadline.isoformat(), **desk.time_left(deadline))


def assignment_of(session: Any, token: str, *, lock: bool = False) -> AtWork:
    """The assignment with this token; locked until the transaction ends, if asked.

    Raises:
        Refused: there is none.
    """
    assignment = work.at_work(session, token, lock=lock)
    if assignment is None:
        raise Refused(404, "not_found", "There is no such assignment.")
    return assignment


def options_of(assignment: AtWork) -> Mapping[str, Any]:
    """The page's options for this assignment; for one from before they were put down, as the study says."""
    if assignment.options is not None:
        return assignment.options
    return {"require_open": state().study.config.pages.require_open}


def working(assignment: AtWork) -> AtWork:
    """The assignment, if its worker is at the tasks now.

    Raises:
        Refused: he is not.
    """
    if assignment.state != "claimed":
        raise _closed(assignment)
    if _step(assignment) != "tasks":
        raise Refused(409, "not_yet", "The steps before the tasks are not done.")
    return assignment


def _step(assignment: AtWork) -> str:
    return steps.current(assignment.step, state().study.config.pages)


def _closed(assignment: AtWork) -> Refused:
    return Refused(409, assignment.state, f"This work cannot be changed: it is {assignment.state}.")


def _undecided(displays: list[str]) -> Refused:
    return Refused(409, "undecided", "Some annotations are not decided.", displays=displays)


def _check_looked_at(session: Any, assignment: AtWork, new: list[judging.NewJudgment]) -> None:
    """Refuse to have verified what was not looked at, where the study asks for that.

    Either will do where it asks for both: the article opened, or enough time.
    """
    options = options_of(assignment)
    opening = bool(options.get("require_open"))
    wanted = float(options.get("verify_after_seconds", 0))
    verified = [judgment for judgment in new if judgment.action == VERIFY]
    if not verified or not (opening or wanted):
        return
    shown = work.shown_as(session, assignment.id, [judgment.display for judgment in verified])
    spent = judging.seconds_on(session, assignment.id, [one.display for one in shown.values()])
    for judgment in verified:
        one = shown.get(judgment.display)
        before = spent.get(one.display, 0.0) if one else 0.0
        if opening and judgment.opened:
            continue
        if wanted and before + judgment.seconds >= wanted:
            continue
        if opening:
            raise Refused(422, "open_first", "Please open the article first.", display=judgment.display)
        message = "Please take more time to look at it."
        raise Refused(422, "too_soon", message, display=judgment.display)


def look_up(token: str, given: Sequence[tuple[str, str | None]]) -> None:
    """Have a live knowledge base tell what is meant on displays, while nobody waits for the database."""
    with state().study.read() as session:
        assignment = assignment_of(session, token)
        shown = work.shown_as(session, assignment.id, [display for display, _ in given])
    state().look_up((raw, shown[name].language) for name, raw in given if raw and name in shown)


def _shown_now(assignment: AtWork, shown: work.Shown | None, found: Sequence[Candidate]) -> set[str]:
    """Which of the entities found are the one that is shown, whatever its key; none where it is hidden."""
    if shown is None or not found:
        return set()
    with state().study.read() as session:
        if shown.arm == judging.HIDDEN and shown.display not in asides.namings(session, assignment.id):
            return set()
    return finding.same(shown.key, found)
