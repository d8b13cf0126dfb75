"""The sockets of a local Prolific: one for researchers' programs, one, and so another origin, for people."""

from __future__ import annotations

import json
from decimal import Decimal
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from analysis.errors import InputError
from verifier.crowd.localbase.server import Handler, Platform
from verifier.crowd.localprolific.service import Service
from verifier.crowd.localprolific.site import COOKIE, Page, Site
from verifier.crowd.localprolific.state import FEE_PERCENT, State


class LocalProlific(Platform):
    """A local Prolific; `endpoint` is what a study names as api_url, `site` is where participants go.

    Args:
        state: the file of its state; None: in memory.
        balance: in cents, when the file is new.
        port: for researchers' programs; 0: any that is free. Participants have the next one.
        fee_percent: what it takes, in percent of what is paid, when the file is new.
        currency: of the account, when the file is new.

    Raises:
        StateError: a port is taken, or the file cannot be used.
    """

    def __init__(
        self,
        state: Path | None = None,
        *,
        balance: int = 1_000_000,
        port: int = 0,
        fee_percent: Decimal = FEE_PERCENT,
        currency: str = "USD",
    ) -> None:
        self.service = Service(State(state, balance, fee_percent, currency))
        super().__init__(self.service.state, (_Programs, _People), port)
        self.service.origin = self.endpoint
        self.programs.told = self.service
        self.people.told = Site(self.service.state)


class _Programs(Handler):
    """Prolific's interface, and beside it, under /_local/, what a test asks for."""

    def do_PATCH(self) -> None:  # noqa: N802 - named by the server's class
        """A change."""
        self._call()

    def do_DELETE(self) -> None:  # noqa: N802 - named by the server's class
        """A removal."""
        self._call()

    def get(self) -> None:
        """A request for something, or the statement of account."""
        if self.path == "/_local/statement":
            self._json(200, self.told.statement())
        else:
            self._call()

    def post(self) -> None:
        """A call, or a wish of a test."""
        if self.path.startswith("/_local/"):
            self._wish()
        else:
            self._call()

    def _call(self) -> None:
        body = self.body()
        if body is None:
            return
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        token = self.headers.get("Authorization", "")
        answer = self.told.answer(self.command, parts.path, query, token, body)
        if answer.dropped:
            self.close_connection = True
            return
        self._json(answer.status, answer.body)

    def _wish(self) -> None:
        body = self.body()
        if body is None:
            return
        try:
            wish = json.loads(body or b"{}")
            match self.path:
                case "/_local/clock":
                    self.told.state.advance(float(wish["advance"]))
                case "/_local/faults":
                    self.told.faults.ask(wish["operation"], wish["kind"], int(wish.get("times", 1)))
                case "/_local/remove":
                    self.told.remove(str(wish["study"]))
                case _:
                    self._json(404, {"detail": "There is nothing here."})
                    return
        except (ValueError, KeyError, TypeError, InputError) as error:
            self._json(400, {"detail": f"Not understood: {error}"})
            return
        self._json(200, {})

    def _json(self, status: int, value: Any) -> None:
        body = b"" if value is None else json.dumps(value).encode()
        self.reply(status, body, Content_Type="application/json")


class _People(Handler):
    """The participants' side."""

    def get(self) -> None:
        """A page."""
        parts = urlsplit(self.path)
        self._page(self.told.get(parts.path, dict(parse_qsl(parts.query)), self._participant()))

    def post(self) -> None:
        """A form."""
        body = self.body()
        if body is not None:
            fields = dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))
            self._page(self.told.post(urlsplit(self.path).path, fields, self._participant()))

    def _participant(self) -> str:
        try:
            found = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        except CookieError:
            return ""
        return found.value if found else ""

    def _page(self, page: Page) -> None:
        headers = {"Location": page.location} if page.location else {}
        if page.cookie:
            headers["Set_Cookie"] = f"{COOKIE}={page.cookie}; Path=/; HttpOnly; SameSite=Lax"
        self.reply(page.status, page.html.encode(), Content_Type="text/html; charset=utf-8", **headers)
