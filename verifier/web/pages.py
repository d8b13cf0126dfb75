"""The worker's pages: consent, instructions, example, tasks, thanks; and what else may have to be said."""

from __future__ import annotations

import re
from typing import Any, Final

from flask import Blueprint, abort, redirect, render_template, request, send_file, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from verifier import clock
from verifier.crowd.leaving import leaving
from verifier.crowd.submission import submitted
from verifier.plan import draw
from verifier.store import work
from verifier.store.models import AssignmentRow
from verifier.web import api, desk, steps
from verifier.web.languages import AUTO
from verifier.web.state import state

blueprint = Blueprint("pages", __name__)

_ENDED = ("returned", "expired", "no_consent")
_HEADING: Final = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL | re.IGNORECASE)


@blueprint.get("/w/<token>")
def show(token: str) -> str:
    """The page of the current step."""
    assignment = _assignment(token)
    if assignment.state in _ENDED:
        return message(assignment.state, token=token)
    if assignment.state == "submitted":
        return _thanks(token)
    step = steps.current(assignment.step, state().study.config.pages)
    if step == "tasks":
        return _tasks(token)
    if step == "example":
        return sample(step, token)
    film = _film_addresses() if step == "instructions" else None
    return _render("step.html", step=step, token=token, text=state().texts.page(step), film=film)


@blueprint.post("/w/<token>/step")
def advance(token: str) -> Response:
    """On to the next step. A form sent twice, or from an old page, changes nothing."""
    study, now = state().study, clock.now()
    here = redirect(url_for("pages.show", token=token), 303)
    declined = None
    with study.write() as session:
        assignment = work.assignment_by_token(session, token, lock=True)
        if assignment is None:
            abort(404)
        step = steps.current(assignment.step, _pages())
        if assignment.state != "claimed" or step != request.form.get("step") or step in ("tasks", "thanks"):
            return here
        agree = request.form.get("agree")
        if step == "consent" and agree == "no":
            declined = assignment.id
        elif step != "consent" or agree == "yes":
            consent = _consent() if step == "consent" else None
            work.advance_step(session, assignment, steps.following(step, _pages()), consent=consent, now=now)
    if declined is not None:
        draw.release(study, declined, state="no_consent", now=now)
    return here


@blueprint.get("/film/<name>")
def film(name: str) -> Response:
    """The film above the instructions, or its captions; a browser may ask for parts of it."""
    found = state().texts.film
    names = {path.name: path for path in (found, found.with_suffix(".vtt"))} if found else {}
    if name not in names:
        abort(404)
    kind = "text/vtt; charset=utf-8" if name.endswith(".vtt") else None
    return send_file(names[name].absolute(), mimetype=kind, conditional=True)


def _film_addresses() -> dict[str, str] | None:
    found = state().texts.film
    if found is None:
        return None
    names = {"film": found.name, "captions": found.with_suffix(".vtt").name}
    return {what: url_for("pages.film", name=name) for what, name in names.items()}


def message(name: str | None, *, title: str = "", text: str = "", token: str = "") -> str:
    """A page that only says something: the text `name`, or title and text as given."""
    told = leaving(state().study, name, request.args, token) if name else None
    values = {"code": told and told.code, "finish_url": told and told.redirect_url}
    body = state().texts.page(name, **values) if name else None
    heading = _heading(body) if body is not None else title
    return _render("message.html", step="message", text=body, title=title, plain=text, heading=heading)


def sample(step: str, token: str | None = None) -> str:
    """The worked example: as a step of an assignment, or as the preview."""
    texts = state().texts
    text = texts.page(step)
    heading = _heading(text)
    return _render("example.html", step=step, token=token, text=text, example=texts.example, heading=heading)


def _heading(text: Markup) -> str:
    """The words of a text's heading, which tell its page from others; empty without one."""
    found = _HEADING.search(text)
    return Markup(found[1]).striptags() if found else ""  # noqa: S704 - a part of what is safe already


def _tasks(token: str) -> str:
    """The desk, with all that its scripts need to begin: a slow line is waited for once."""
    with state().study.read() as session:
        assignment = work.at_work(session, token)
        if assignment is None:
            abort(404)
        beginning = desk.beginning(session, assignment)
    options = api.options_of(assignment)
    return _render("tasks.html", step="tasks", token=token, options=options, beginning=beginning)


def _thanks(token: str) -> str:
    # The code was kept before it was given: the last page can be opened as often as needed.
    done = submitted(state().study, token)
    if done is None:
        abort(404)
    text = state().texts.page("thanks", code=done.code, finish_url=done.finish_url, fields=done.fields)
    return _render("step.html", step="thanks", token=token, text=text, film=None)


def _consent() -> str:
    """The text agreed to, as it is recorded: with its language where that is not one for all."""
    consent: str = _pages().consent
    return f"{consent} ({state().texts.language})" if _pages().language == AUTO else consent


def _assignment(token: str) -> AssignmentRow:
    with state().study.read() as session:
        assignment = work.assignment_by_token(session, token)
    if assignment is None:
        abort(404)
    return assignment


def words() -> dict[str, str]:
    """Every word of the pages, in the language of the worker whose request is answered."""
    return state().texts.words


def _pages() -> Any:
    return state().study.config.pages


def _render(template: str, **values: Any) -> str:
    texts = state().texts
    shown = steps.enabled(_pages())
    values = {
        "words": texts.words,
        "language": texts.language,
        "steps": shown,
        "study": state().nonce,
        **values,
    }
    return render_template(template, **values)
