"""The sockets of a local MTurk: one for requesters, one, and so another origin, for workers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlsplit

from analysis.errors import InputError, StateError
from verifier.crowd.localmturk.errors import Refused
from verifier.crowd.localmturk.service import Service
from verifier.crowd.localmturk.site import Page, Site
from verifier.crowd.localmturk.state import State, packed

HOST: Final = "127.0.0.1"
_LARGEST: Final = 1 << 20
_SIGNED: Final = "AWS4-HMAC-SHA256"


class LocalMTurk:
    """A local MTurk that listens on this machine alone; it answers while it is open.

    Args:
        state: the file of its state; None: in memory.
        balance: in cents, when the file is new.
        port: for requesters; 0: any that is free. Workers have the next one.

    Raises:
        StateError: a port is taken, or the file cannot be used.
    """

    def __init__(self, state: Path | None = None, *, balance: int = 1_000_000, port: int = 0) -> None:
        self.service = Service(State(state, balance))
        self._requesters = _listen(port, _Requesters)
        self._workers = _listen(port + 1 if port else 0, _Workers)
        self._requesters.told = self.service
        self._workers.told = Site(self.service.state, self.site)
        self._threads = [
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
            for server in (self._requesters, self._workers)
        ]

    @property
    def endpoint(self) -> str:
        """What a client is given as endpoint_url."""
        return f"http://{HOST}:{self._requesters.server_port}"

    @property
    def site(self) -> str:
        """Where workers go."""
        return f"http://{HOST}:{self._workers.server_port}"

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self._requesters, self._workers):
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()
        self.service.state.close()

    def wait(self) -> None:
        """Answer until interrupted."""
        for thread in self._threads:
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    told: Any = None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes: with Nagle's algorithm the second would wait for the first.
    disable_nagle_algorithm = True
    timeout = 60

    def log_message(self, *_: object) -> None:
        """Nothing is logged: addresses hold the ids of workers."""

    @property
    def told(self) -> Any:
        """Who answers."""
        return self.server.told  # type: ignore[attr-defined]  # our servers have it

    def body(self) -> bytes | None:
        """The body of the request; None, and already answered, if its length is missing or too great."""
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdecimal() and int(length) <= _LARGEST):
            self.close_connection = True
            self.send_error(413)
            return None
        return self.rfile.read(int(length))

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        """Answer."""
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class _Requesters(_Handler):
    """MTurk's interface, and beside it, under /_local/, what a test asks for."""

    def do_POST(self) -> None:
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

    def do_GET(self) -> None:
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


class _Workers(_Handler):
    """The worker side."""

    def do_GET(self) -> None:
        """A page."""
        parts = urlsplit(self.path)
        self._page(self.told.get(parts.path, dict(parse_qsl(parts.query))))

    def do_POST(self) -> None:
        """A form."""
        body = self.body()
        if body is not None:
            fields = parse_qsl(body.decode(errors="replace"), keep_blank_values=True)
            self._page(self.told.post(urlsplit(self.path).path, fields))

    def _page(self, page: Page) -> None:
        headers = {"Location": page.location} if page.location else {}
        self.reply(page.status, page.html.encode(), Content_Type="text/html; charset=utf-8", **headers)


def _listen(port: int, handler: type[_Handler]) -> _Server:
    try:
        return _Server((HOST, port), handler)
    except OSError as error:
        raise StateError(
            "the port cannot be listened on",
            where=f"{HOST}:{port}",
            got=error.strerror or str(error),
            remedy="Name another one with --port.",
        ) from None
