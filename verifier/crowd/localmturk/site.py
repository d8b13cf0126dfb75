"""The worker side, on an origin of its own: HITs are found, looked at, accepted, returned and submitted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment

from verifier.crowd.localmturk import hits, questions, work
from verifier.crowd.localmturk.errors import Refused
from verifier.crowd.localmturk.state import State

SUBMIT: Final = "/mturk/externalSubmit"
NOT_ACCEPTED: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
_WORKER: Final = re.compile(r"A[A-Z0-9]{0,63}")
_PAGES: Final = Environment(autoescape=True)
_HEAD: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{{ title }} - local MTurk</title>
<style>:root{color-scheme:light dark}
body{font:1rem/1.5 sans-serif;margin:1rem auto;max-width:70rem;padding:0 1rem}
iframe{border:1px solid #888;width:100%}form{display:inline}td,th{padding:.3rem .8rem;text-align:left}</style>
</head><body><h1>{{ title }}</h1>"""
_HOME: Final = _PAGES.from_string(
    _HEAD
    + """<form action="/worker"><label>Your worker id <input name="id" required pattern="A[A-Z0-9]*"
maxlength="64"></label> <button>Go in</button></form></body></html>"""
)
_LIST: Final = _PAGES.from_string(
    _HEAD
    + """{% if groups %}<table><tr><th>HIT</th><th>Pays</th><th></th></tr>
{% for group in groups %}<tr><td><b>{{ group.Title }}</b><br>{{ group.Description }}</td>
<td>${{ group.Reward }}</td><td><a href="/worker/{{ worker }}/hit/{{ group.hit }}">Preview</a></td></tr>
{% endfor %}</table>{% else %}<p>There are no HITs for you now.</p>{% endif %}</body></html>"""
)
_FRAME: Final = _PAGES.from_string(
    _HEAD
    + """<p>{% if assignment %}<form method="post"
action="/worker/{{ worker }}/assignment/{{ assignment }}/return">
<button id="return">Return</button></form>{% else %}
<form method="post"
action="/worker/{{ worker }}/hit/{{ hit }}/accept"><button id="accept">Accept</button></form>
{% endif %} <a href="/worker/{{ worker }}">All HITs</a></p>
<iframe id="question" title="The HIT" src="{{ source }}" height="{{ height or 700 }}"
sandbox="allow-scripts allow-same-origin allow-forms allow-popups
allow-top-navigation-by-user-activation"></iframe></body></html>"""
)
_SAID: Final = _PAGES.from_string(
    _HEAD + """<p>{{ text }}</p><p><a href="{{ back }}" target="_top">All HITs</a></p></body></html>"""
)


@dataclass(frozen=True)
class Page:
    """An answer of the site: a page, or where to go on."""

    status: int
    html: str = ""
    location: str | None = None


class Site:
    """The worker side without its socket.

    Args:
        state: of the platform.
        origin: of the site, told to the pages in the frame as turkSubmitTo.
    """

    def __init__(self, state: State, origin: str) -> None:
        self._state = state
        self._origin = origin

    def get(self, path: str, query: Mapping[str, str]) -> Page:
        """Answer a GET."""
        try:
            return self._get(path.strip("/").split("/"), query)
        except Refused as refused:
            return _said(str(refused), 409)

    def post(self, path: str, fields: Sequence[tuple[str, str]]) -> Page:
        """Answer a POST."""
        try:
            return self._post(path, fields)
        except Refused as refused:
            return _said(str(refused), 409)

    def _get(self, parts: list[str], query: Mapping[str, str]) -> Page:  # noqa: PLR0911 - one a page
        match parts:
            case [""]:
                return Page(200, _HOME.render(title="Who are you?"))
            case ["worker"]:
                return Page(303, location=f"/worker/{_worker(query.get('id', ''))}")
            case ["worker", worker]:
                found = work.groups(self._state, _worker(worker))
                return Page(200, _LIST.render(title="HITs", worker=worker, groups=found))
            case ["worker", worker, "hit", hit]:
                return self._frame(_worker(worker), hit, None)
            case ["worker", worker, "assignment", assignment]:
                with self._state.change():
                    row = work.at_work(self._state, assignment)
                if row["worker"] != _worker(worker):
                    raise Refused("NotYours", "This is not your assignment.")
                return self._frame(worker, row["hit"], assignment)
            case ["content", hit]:
                with self._state.change():
                    html = questions.read(hits.find(self._state, hit)["question"]).html
                return Page(200, html) if html is not None else _said("There is no such page.", 404)
            case _:
                return _said("There is no such page.", 404)

    def _post(self, path: str, fields: Sequence[tuple[str, str]]) -> Page:
        if path == SUBMIT:
            assignment = dict(fields).get("assignmentId", "")
            worker = work.submit(self._state, assignment, fields)
            return _said("Your work was submitted.", 200, f"/worker/{worker}")
        match path.strip("/").split("/"):
            case ["worker", worker, "hit", hit, "accept"]:
                assignment = work.accept(self._state, _worker(worker), hit)
                return Page(303, location=f"/worker/{worker}/assignment/{assignment}")
            case ["worker", worker, "assignment", assignment, "return"]:
                work.give_back(self._state, _worker(worker), assignment)
                return Page(303, location=f"/worker/{worker}")
            case _:
                return _said("There is no such page.", 404)

    def _frame(self, worker: str, hit: str, assignment: str | None) -> Page:
        """The page around a question, in its frame."""
        if assignment is None:
            row = work.preview(self._state, worker, hit)
        else:
            with self._state.change():
                row = hits.find(self._state, hit)
        with self._state.change():
            title = hits.terms(self._state, row["type"])["Title"]
        question = questions.read(row["question"])
        address = question.url or f"/content/{hit}"
        html = _FRAME.render(
            title=title,
            worker=worker,
            hit=hit,
            assignment=assignment,
            source=address
            + ("&" if "?" in address else "?")
            + urlencode(self._told(worker, hit, assignment)),
            height=question.height,
        )
        return Page(200, html)

    def _told(self, worker: str, hit: str, assignment: str | None) -> dict[str, Any]:
        """What the address in the frame is told; in a preview, not who looks."""
        if assignment is None:
            return {"assignmentId": NOT_ACCEPTED, "hitId": hit}
        return {
            "assignmentId": assignment,
            "hitId": hit,
            "workerId": worker,
            "turkSubmitTo": self._origin,
        }


def _worker(text: str) -> str:
    if _WORKER.fullmatch(text) is None:
        raise Refused("NotAWorker", "A worker id is an A and more capital letters and digits.")
    return text


def _said(text: str, status: int, back: str = "/") -> Page:
    return Page(status, _SAID.render(title="Local MTurk", text=text, back=back))
