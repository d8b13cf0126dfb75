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
        server.task_dispatcher.shutdown()


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
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        # In its own thread: that one would fail where a socket that it waits for is closed by another.
        server.trigger.pull_trigger(lambda: wasyncore.close_all(server._map))
        thread.join()


def put(patch: pytest.MonkeyPatch) -> None:
    """Commands that start a task server of their own have it in this process."""
    for module in (serving, campaign):
        patch.setattr(module, "served", served)
