"""A study's app behind waitress, on a socket of its own."""

from __future__ import annotations

import logging
import secrets
import socket
from typing import Self

from waitress.server import create_server  # type: ignore[import-untyped]  # ships no types

from analysis.errors import StateError
from verifier.config import LinkPlatform
from verifier.study import Study
from verifier.web.app import create_app
from verifier.web.state import NAME, State

# waitress refuses connections above its default of 100, which browsers that keep theirs open soon reach.
_CONNECTIONS = 4000
_BACKLOG = 1024
_IDLE_SECONDS = 60


class Listening:
    """A server that listens, and answers once it is `run`.

    Raises:
        StateError: the address cannot be listened on.
    """

    def __init__(self, study: Study, *, host: str, port: int, threads: int) -> None:
        self._dashboard_key = secrets.token_urlsafe(24)
        self._app = create_app(study, dashboard_key=self._dashboard_key)
        self._socket = _listen(host, port)
        self._host = host
        self._study = study
        # That a request waits for a thread is everyday life here, and nothing that its reader could act on.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        self._server = create_server(
            self._app,
            sockets=[self._socket],
            threads=threads,
            connection_limit=_CONNECTIONS,
            backlog=_BACKLOG,
            channel_timeout=_IDLE_SECONDS,
            ident="posthoc",
            clear_untrusted_proxy_headers=False,
        )

    @property
    def url(self) -> str:
        """Where it listens on this machine."""
        port = self._socket.getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{port}"

    @property
    def entry(self) -> str:
        """The link for workers: a stand-in for the participant's id in it, if it is theirs to fill in."""
        platform = self._study.config.platform
        if isinstance(platform, LinkPlatform):
            return f"{self._public}/start?{platform.parameter}=ID"
        return f"{self._public}/start"

    @property
    def dashboard(self) -> str:
        """The link that opens the dashboard once."""
        return f"{self._public}/admin/enter?key={self._dashboard_key}"

    @property
    def _public(self) -> str:
        return (self._study.config.server.public_url or self.url).rstrip("/")

    def run(self) -> None:
        """Answer until interrupted."""
        self._server.run()

    def close(self) -> None:
        """Answer what was asked, then listen no more."""
        self._server.task_dispatcher.shutdown(cancel_pending=False, timeout=5)
        self._server.close()
        self._socket.close()
        state: State = self._app.extensions[NAME]
        state.shelf.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
            listening.setblocking(False)
        except OSError:
            listening.close()
            raise
    except (OSError, UnicodeError, OverflowError) as error:
        raise StateError(
            "cannot listen there",
            where=f"{host}:{port}",
            got=_why(error),
            remedy="Choose another with --port (0: any that is free) or --host.",
        ) from None
    return listening


def _why(error: OSError | UnicodeError | OverflowError) -> str:
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError):
        return "no address of this machine, and no name of one"
    return error.strerror or str(error)
