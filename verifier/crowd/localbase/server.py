"""The sockets of a local platform: one for researchers' programs, one, and so another origin, for people."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self

from analysis.errors import StateError
from verifier.crowd.localbase.state import State

HOST: Final = "127.0.0.1"
_LARGEST: Final = 1 << 20


class Platform:
    """A platform that listens on this machine alone; it answers while it is open.

    Args:
        state: of the platform; closed with it.
        handlers: what answers programs, and what answers people.
        port: for programs; 0: any that is free. People have the next one.

    Raises:
        StateError: a port is taken.
    """

    def __init__(self, state: State, handlers: tuple[type[Handler], type[Handler]], port: int = 0) -> None:
        self._state = state
        self.programs = listen(port, handlers[0])
        self.people = listen(port + 1 if port else 0, handlers[1])
        self._threads = [
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
            for server in (self.programs, self.people)
        ]

    @property
    def endpoint(self) -> str:
        """Where programs call."""
        return f"http://{HOST}:{self.programs.server_port}"

    @property
    def site(self) -> str:
        """Where people go."""
        return f"http://{HOST}:{self.people.server_port}"

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self.programs, self.people):
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()
        self._state.close()

    def wait(self) -> None:
        """Answer until interrupted."""
        for thread in self._threads:
            thread.join()


class Server(ThreadingHTTPServer):
    """A server; `told` answers for it."""

    daemon_threads = True
    request_queue_size = 128
    told: Any = None


class Handler(BaseHTTPRequestHandler):
    """Takes requests apart and sends answers."""

    protocol_version = "HTTP/1.1"
    # Head and body are two writes: with Nagle's algorithm the second would wait for the first.
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        """Answer a request for something."""
        self.get()

    def do_POST(self) -> None:
        """Answer a request that changes something."""
        self.post()

    def get(self) -> None:
        """Answer a GET."""
        self.send_error(405)

    def post(self) -> None:
        """Answer a POST."""
        self.send_error(405)

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


def listen(port: int, handler: type[Handler]) -> Server:
    """A server on a port of this machine; 0: any that is free.

    Raises:
        StateError: the port is taken.
    """
    try:
        return Server((HOST, port), handler)
    except OSError as error:
        raise StateError(
            "the port cannot be listened on",
            where=f"{HOST}:{port}",
            got=error.strerror or str(error),
            remedy="Name another one with --port.",
        ) from None
