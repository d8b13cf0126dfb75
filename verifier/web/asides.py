"""The API of what a worker may say beside his judgments, where the study asks for it.

Each request can be sent again after an answer was lost: what is kept already is not kept twice.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, request

from analysis.errors import InputError
from verifier import clock
from verifier.store import asides, redirects, work
from verifier.store.judging import HIDDEN
from verifier.store.work import AtWork, TaskView
from verifier.web import requests, views
from verifier.web.api import Refused, assignment_of, look_up, options_of, refused, unreadable, working
from verifier.web.state import state

blueprint = Blueprint("asides", __name__, url_prefix="/api/<token>")
blueprint.register_error_handler(Refused, refused)
blueprint.register_error_handler(InputError, unreadable)


@blueprint.post("/name")
def name(token: str) -> Response:
    """Keep the entity that the worker names, and show him the link that was hidden until then."""
    display, raw, seconds = requests.naming(request)
    if state().shelf.live:
        look_up(token, [(display, raw)])
    with state().study.write() as session:
        assignment = working(assignment_of(session, token, lock=True))
        shown = work.shown_as(session, assignment.id, [display]).get(display)
        if shown is None or shown.arm != HIDDEN:
            raise Refused(422, "not_hidden", "There is no hidden link here.", display=display)
        key = _understood(session, raw, shown.language, display=display)
        stands = asides.name(
            session, assignment.id, shown.display, key=key, raw=raw, seconds=seconds, now=clock.now()
        )
        view = work.task_view(session, assignment.id, shown.task)
        same = redirects.resolve(session, shown.key) == stands
    displays = view.displays if view else ()
    pictured = bool(options_of(assignment).get("images", True))
    found = (views.card(d.key, d.card, with_images=pictured) for d in displays if d.display == shown.display)
    named = views.entity(stands, state().titles([stands], shown.language))
    return jsonify(display=display, named=named, card=next(found, None), same=same)


@blueprint.post("/comments")
def comments(token: str) -> Response:
    """Keep what the worker says about highlights; an empty text takes a comment back."""
    new = requests.comments(request)
    with state().study.write() as session:
        assignment = _offered(working(assignment_of(session, token, lock=True)), "comments")
        found = work.shown_as(session, assignment.id, [display for display, _ in new])
        for display, text in new:
            if display not in found:
                raise Refused(422, "not_understood", "There is no such annotation.", display=display)
            asides.comment(session, assignment.id, found[display].display, text, clock.now())
    return jsonify(saved=len(new))


@blueprint.post("/missing")
def missing(token: str) -> Response:
    """Keep the mentions that the worker misses; they are no judgments, and no number counts them as such."""
    new = requests.missing(request)
    with state().study.write() as session:
        assignment = _offered(working(assignment_of(session, token, lock=True)), "missing_mentions")
        for mention in new:
            _mark(session, assignment.id, mention)
    return jsonify(saved=len(new))


def _mark(session: Any, assignment_id: int, mention: requests.NewMissing) -> None:
    view = work.task_view(session, assignment_id, mention.task)
    span = _span(view, mention) if view else None
    if view is None or span is None:
        raise Refused(422, "not_understood", "This is no stretch of the text.", display=None)
    keep = asides.take_back if mention.withdrawn else asides.mark
    keep(session, assignment_id, view.row, span, clock.now())


def _span(view: TaskView, mention: requests.NewMissing) -> tuple[int, int] | None:
    """The stretch of the document that is meant; None if it is blank or lies outside the text."""
    units = views.Utf16(view.text)
    start, end = units.back(mention.start), units.back(mention.end)
    if mention.end > units(len(view.text)) or not view.text[start:end].strip():
        return None
    return view.offset + start, view.offset + end


def _understood(session: Any, raw: str, language: str, *, display: str) -> str:
    try:
        return redirects.resolve(session, state().understand(raw, language))
    except InputError as error:
        raise Refused(422, "not_understood", error.problems[0].what, display=display) from None


def _offered(assignment: AtWork, option: str) -> AtWork:
    if not (assignment.options or {}).get(option):
        raise Refused(409, "not_offered", "This study does not ask for that.")
    return assignment
