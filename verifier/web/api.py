"""The JSON API of the worker's page. Displays are named "T.D"; no database id ever leaves."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, abort, jsonify, request

from analysis.decisions import VERIFY
from analysis.errors import InputError
from verifier import clock
from verifier.crowd.submission import Undecided, submit, submitted
from verifier.kb.understand import is_address, is_identifier
from verifier.plan import draw
from verifier.store import redirects, work
from verifier.store.current import UNDO
from verifier.store.models import AssignmentRow
from verifier.web import requests, steps, views
from verifier.web.state import state

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
    return jsonify(error.body), error.status


@blueprint.errorhandler(InputError)
def unreadable(error: InputError) -> tuple[Response, int]:
    """The answer to a request that is not of the form asked for."""
    return jsonify(error="bad_request", message=str(error)), 400


@blueprint.get("/state")
def current_state(token: str) -> Response:
    """Step, progress, the highest sequence number, the deadline and, once submitted, the code."""
    study = state().study
    with study.read() as session:
        assignment = _assignment(session, token)
        tasks = work.progress(session, assignment.id)
        highest = work.highest_sequence(session, assignment.id)
    done = submitted(study, token)
    return jsonify(
        step="thanks" if done else _step(assignment),
        state=assignment.state,
        tasks=views.progress(tasks),
        sequence=highest,
        deadline=assignment.deadline.isoformat(),
        code=done.code if done else None,
        finish_url=done.finish_url if done else None,
    )


@blueprint.get("/tasks/<ordinal>")
def task(token: str, ordinal: str) -> Response:
    """One task: text, displays, and the judgments that stand."""
    with state().study.read() as session:
        assignment = _working(_assignment(session, token))
        number = requests.number(ordinal)
        view = None if number is None else work.task_view(session, assignment.id, number)
    if view is None:
        abort(404)
    keys = (shown.judgment.key for shown in view.displays if shown.judgment)
    return jsonify(views.task(view, state().titles(keys)))


@blueprint.post("/judgments")
def judgments(token: str) -> Response:
    """Store judgments; each is committed before this answers."""
    study, now = state().study, clock.now()
    new = requests.judgments(request)
    with study.write() as session:
        assignment = _working(_assignment(session, token, lock=True))
        _check_opened(new)
        try:
            saved = work.save_judgments(session, assignment.id, new, understand=state().understand, now=now)
        except work.SequenceConflictError as error:
            titles = state().titles(item.key for item in error.saved)
            more = {"sequence": error.highest, "taken": error.taken}
            message = "Other judgments have these numbers."
            raise Refused(409, "conflict", message, saved=views.saved(error.saved, titles), **more) from None
        except work.NotUnderstoodError as error:
            raise Refused(422, error.code, error.problems[0].what, display=error.display) from None
    return jsonify(saved=views.saved(saved, state().titles(item.key for item in saved)))


@blueprint.get("/search")
def search(token: str) -> Response:
    """Entities that the query may mean; what was searched and offered is kept."""
    study, now = state().study, clock.now()
    query, reference = request.args.get("q", "")[:2000], request.args.get("display", "")[:20]
    with study.read() as session:
        assignment = _assignment(session, token)
        language = work.language_of(session, assignment.id, reference) or "en"
    found, reason = _find(query, language)
    body = {"candidates": views.candidates(found), "message": reason}
    if assignment.state == "claimed" and query.strip() and requests.storable(query + reference):
        data = {"display": reference, "query": query, "candidates": [candidate.key for candidate in found]}
        with study.write() as session:
            work.log_event(session, assignment.id, "search", data, now)
    return jsonify(body)


@blueprint.post("/events")
def events(token: str) -> Response:
    """Keep what else happened."""
    found, now = requests.events(request), clock.now()
    with state().study.write() as session:
        assignment = _working(_assignment(session, token, lock=True))
        for kind, data in found:
            if kind == UNDO:
                work.undo(session, assignment.id, data["sequence"], data, now)
            else:
                work.log_event(session, assignment.id, kind, data, now)
    return jsonify(saved=len(found))


@blueprint.post("/submit")
def submission(token: str) -> Response:
    """Hand the work in; sending it twice gives the same code."""
    study = state().study
    with study.read() as session:
        assignment = _assignment(session, token)
        missing = [] if assignment.state == "submitted" else work.undecided(session, assignment.id)
    if assignment.state != "submitted":
        _working(assignment)
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
        assignment = _assignment(session, token)
    if assignment.state == "submitted":
        raise _closed(assignment)
    if assignment.state == "claimed":
        draw.release(study, assignment.id, state="returned", now=clock.now())
    return jsonify(returned=True)


def _assignment(session: Any, token: str, *, lock: bool = False) -> AssignmentRow:
    assignment = work.assignment_by_token(session, token, lock=lock)
    if assignment is None:
        raise Refused(404, "not_found", "There is no such assignment.")
    return assignment


def _working(assignment: AssignmentRow) -> AssignmentRow:
    """The assignment, if its worker is at the tasks now."""
    if assignment.state != "claimed":
        raise _closed(assignment)
    if _step(assignment) != "tasks":
        raise Refused(409, "not_yet", "The steps before the tasks are not done.")
    return assignment


def _step(assignment: AssignmentRow) -> str:
    return steps.current(assignment.step, state().study.config.pages)


def _closed(assignment: AssignmentRow) -> Refused:
    return Refused(409, assignment.state, f"This work cannot be changed: it is {assignment.state}.")


def _undecided(displays: list[str]) -> Refused:
    return Refused(409, "undecided", "Some annotations are not decided.", displays=displays)


def _check_opened(new: list[work.NewJudgment]) -> None:
    if not state().study.config.pages.require_open:
        return
    for judgment in new:
        if judgment.action == VERIFY and not judgment.opened:
            raise Refused(422, "open_first", "Please open the article first.", display=judgment.display)


def _find(query: str, language: str) -> tuple[list[Any], str | None]:
    """What a search or a pasted address finds, and else the reason why nothing."""
    if not (is_address(query) or is_identifier(query)):
        return state().search(query, _CANDIDATES)
    try:
        key = state().understand(query, language)
    except InputError as error:
        return [], error.problems[0].what
    with state().study.read() as session:
        return [state().candidate(redirects.resolve(session, key))], None
