"""A task server in a thread of this process: real, but without the seconds in which a process starts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask
from waitress import wasyncore
from waitress.server import TcpWSGIServer, create_server

from verifier.simulate import campaign, serving
from verifier.study import Study
from verifier.web.server import Listening


@contextmanager
def answering(app: Flask) -> Iterator[str]:
    """The address of a server of the app."""
    server = create_server(app, host="127.0.0.1", port=0, threads=8)
    with _running(server):
        yield f"http://127.0.0.1:{server.effective_port}"


@contextmanager
def served(folder: Path, *, port: int = 0) -> Iterator[str]:
    """In place of `verifier.simulate.serving.served`."""
    with (
        Study.open(folder) as study,
        Listening(study, host="127.0.0.1", port=port, threads=8) as listening,
        _running(listening._server),
    ):
        yield listening.url


@contextmanager
def _running(server: TcpWSGIServer) -> Iterator[None]:
    """A server that runs; at the end its threads end one after the other, and only then its sockets close.

    What they wake each other by is a pipe: closed while one still writes, it would be a bad descriptor, or by
    then somebody else's.
    """
    ending = threading.Event()

    def run() -> None:
        while not ending.is_set():
            wasyncore.loop(timeout=1, map=server._map, count=1)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        server.pull_trigger()
        thread.join()
        server.task_dispatcher.shutdown()
        wasyncore.close_all(server._map)


def put(patch: pytest.MonkeyPatch) -> None:
    """Commands that start a task server of their own have it in this process."""
    for module in (serving, campaign):
        patch.setattr(module, "served", served)
