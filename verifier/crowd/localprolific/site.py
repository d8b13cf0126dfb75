"""The participants' side, on an origin of its own: log in, find studies, take part, complete, return."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from jinja2 import Environment

from verifier.crowd.localprolific import studies, taking
from verifier.crowd.localprolific.errors import Refused
from verifier.crowd.localprolific.state import State

COMPLETE: Final = "/submissions/complete"
COOKIE: Final = "participant"
_ID: Final = re.compile(r"[0-9a-f]{24}")
_PAGES: Final = Environment(autoescape=True)
_HEAD: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{{ title }} - local Prolific</title>
<style>:root{color-scheme:light dark}
body{font:1rem/1.5 sans-serif;margin:1rem auto;max-width:48rem;padding:0 1rem}
td,th{padding:.3rem .6rem;text-align:left;vertical-align:top}form{display:inline}
input,button{font:inherit;padding:.3rem .6rem;max-width:100%;box-sizing:border-box}
.wide{overflow-x:auto}</style></head><body><h1>{{ title }}</h1>"""
_HOME: Final = _PAGES.from_string(
    _HEAD
    + """<form method="post" action="/login"><label>Your participant id
<input name="id" required pattern="[0-9a-f]{24}" size="26" value="{{ proposed }}"></label>
<button>Log in</button></form></body></html>"""
)
_LIST: Final = _PAGES.from_string(
    _HEAD
    + """{% if open %}<div class="wide"><table><tr><th>Study</th><th>Pays</th><th></th></tr>
{% for study in open %}<tr><td><b>{{ study.name }}</b><br>{{ study.description }}<br>
{{ study.minutes }} minutes, {{ study.left }} places</td><td>{{ study.reward }} {{ currency }}</td>
<td><form method="post" action="/studies/{{ study.id }}/take"><button>Take part</button></form></td></tr>
{% endfor %}</table></div>{% else %}<p>There are no studies for you now.</p>{% endif %}
{% if mine %}<h2>Your submissions</h2>
<div class="wide"><table><tr><th>Submission</th><th>Status</th><th></th></tr>
{% for row in mine %}<tr><td>{{ row.id[:6] }}...</td><td>{{ row.status }}
{% if row.return_requested %}(you are asked to return it){% endif %}</td><td>
{% if row.status in ("ACTIVE", "AWAITING REVIEW") %}
<form method="post" action="/submissions/{{ row.id }}/return"><button>Return</button></form>{% endif %}
{% if row.status == "ACTIVE" %}
<form method="post" action="/studies/{{ row.study }}/take"><button>Go on</button></form>
<form method="post" action="/submissions/complete"><label>Code <input name="cc" size="12"></label>
<button>Complete</button></form>{% endif %}</td></tr>{% endfor %}</table></div>{% endif %}</body></html>"""
)
_SAID: Final = _PAGES.from_string(
    _HEAD + """<p>{{ text }}</p><p><a href="/studies">All studies</a></p></body></html>"""
)


@dataclass(frozen=True)
class Page:
    """An answer of the site: a page, or where to go on; `cookie` is who is logged in from now on."""

    status: int
    html: str = ""
    location: str | None = None
    cookie: str | None = None


class Site:
    """The participants' side without its socket."""

    def __init__(self, state: State) -> None:
        self._state = state

    def get(self, path: str, query: Mapping[str, str], participant: str) -> Page:
        """Answer a GET of who is logged in; empty: nobody."""
        if path == "/":
            return Page(200, _HOME.render(title="Log in", proposed=participant))
        if not participant:
            return Page(303, location="/")
        try:
            if path == "/studies":
                return self._list(participant)
            if path == COMPLETE:
                return self._complete(participant, query.get("cc", ""))
        except Refused as refused:
            return _said(str(refused), 400)
        return _said("There is nothing here.", 404)

    def post(self, path: str, fields: Mapping[str, str], participant: str) -> Page:
        """Answer a form of who is logged in."""
        if path == "/login":
            name = fields.get("id", "")
            if _ID.fullmatch(name) is None:
                return _said("A participant id is 24 of the digits 0-9 and letters a-f.", 400)
            return Page(303, location="/studies", cookie=name)
        if not participant:
            return Page(303, location="/")
        try:
            return self._post(path.strip("/").split("/"), fields, participant)
        except Refused as refused:
            return _said(str(refused), 400)

    def _post(self, path: list[str], fields: Mapping[str, str], participant: str) -> Page:
        match path:
            case ["studies", study, "take"]:
                _, address = taking.take(self._state, participant, study)
                return Page(303, location=address)
            case ["submissions", "complete"]:
                return self._complete(participant, fields.get("cc", "") or taking.NO_CODE)
            case ["submissions", submission, "return"]:
                taking.give_back(self._state, participant, submission)
                return Page(303, location="/studies")
        return _said("There is nothing here.", 404)

    def _list(self, participant: str) -> Page:
        found = [taking.told(self._state, row) for row in taking.open_to(self._state, participant)]
        rows = taking.mine(self._state, participant)
        return Page(200, _LIST.render(title="Studies", open=found, mine=rows, currency=self._state.currency))

    def _complete(self, participant: str, code: str) -> Page:
        row = taking.complete(self._state, participant, code)
        name = studies.settings_of(studies.find(self._state, row["study"]))["name"]
        if row["return_requested"]:
            return _said(f"{name}: please return your submission.")
        return _said(f"{name}: your submission is complete and waits for review.")


def _said(text: str, status: int = 200) -> Page:
    return Page(status, _SAID.render(title="Local Prolific", text=text))
