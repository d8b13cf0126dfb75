"""The sockets of a local MTurk: one for requesters, one, and so another origin, for workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from analysis.errors import InputError
from verifier.crowd.localbase.server import Handler, Platform
from verifier.crowd.localmturk.errors import Refused
from verifier.crowd.localmturk.service import Service
from verifier.crowd.localmturk.site import Page, Site
from verifier.crowd.localmturk.state import State, packed

_SIGNED: Final = "AWS4-HMAC-SHA256"


class LocalMTurk(Platform):
    """A local MTurk; `endpoint` is what a client is given as endpoint_url, `site` is where workers go.

    Args:
        state: the file of its state; None: in memory.
        balance: in cents, when the file is new.
        port: for requesters; 0: any that is free. Workers have the next one.

    Raises:
        StateError: a port is taken, or the file cannot be used.
    """

    def __init__(self, state: Path | None = None, *, balance: int = 1_000_000, port: int = 0) -> None:
        self.service = Service(State(state, balance))
        super().__init__(self.service.state, (_Requesters, _Workers), port)
        self.programs.told = self.service
        self.people.told = Site(self.service.state, self.site)


class _Requesters(Handler):
    """MTurk's interface, and beside it, under /_local/, what a test asks for."""

    def post(self) -> None:
        """A call, or a wish of a test."""
        body = self.body()
        if body is None:
            return
        if self.path.startswith("/_local/"):
            self._wish(body)
            return
        if not self.headers.get("Authorization", "").startswith(_SIGNED):
            unsigned = Refused(
                "NotAuthorized", "The request is not signed.", kind="MissingAuthenticationToken"
            )
            self._json(403, unsigned.body)
            return
        answer = self.told.answer(self.headers.get("X-Amz-Target", ""), body)
        if answer.dropped:
            self.close_connection = True
            return
        self._json(answer.status, answer.body)

    def get(self) -> None:
        """The statement of account."""
        if self.path == "/_local/statement":
            self._json(200, self.told.statement())
        else:
            self._json(404, {"Message": "There is nothing here."})

    def _wish(self, body: bytes) -> None:
        try:
            wish = json.loads(body or b"{}")
            match self.path:
                case "/_local/clock":
                    self.told.state.advance(float(wish["advance"]))
                case "/_local/faults":
                    self.told.faults.ask(wish["operation"], wish["kind"], int(wish.get("times", 1)))
                case "/_local/worker":
                    self.told.state.run(
                        "insert or replace into worker values (?, ?)", wish["id"], packed(wish["profile"])
                    )
                case _:
                    self._json(404, {"Message": "There is nothing here."})
                    return
        except (ValueError, KeyError, TypeError, InputError) as error:
            self._json(400, {"Message": f"Not understood: {error}"})
            return
        self._json(200, {})

    def _json(self, status: int, value: dict[str, Any]) -> None:
        self.reply(status, json.dumps(value).encode(), Content_Type="application/x-amz-json-1.1")


class _Workers(Handler):
    """The worker side."""

    def get(self) -> None:
        """A page."""
        parts = urlsplit(self.path)
        self._page(self.told.get(parts.path, dict(parse_qsl(parts.query))))

    def post(self) -> None:
        """A form."""
        body = self.body()
        if body is not None:
            fields = parse_qsl(body.decode(errors="replace"), keep_blank_values=True)
            self._page(self.told.post(urlsplit(self.path).path, fields))

    def _page(self, page: Page) -> None:
        headers = {"Location": page.location} if page.location else {}
        self.reply(page.status, page.html.encode(), Content_Type="text/html; charset=utf-8", **headers)
