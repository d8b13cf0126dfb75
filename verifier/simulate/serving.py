"""A task server of our own while it is needed: `posthoc serve` in another process, on a free port."""

from __future__ import annotations

import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from analysis.errors import StateError

_LISTENING: Final = re.compile(r"Listening on (http://\S+)")
_START_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 15.0


@contextmanager
def served(study: Path, *, port: int = 0) -> Iterator[str]:
    """Serve the study on this machine; the address.

    Raises:
        StateError: the server did not start; what it said is told.
    """
    process = start(study, port=port)
    try:
        yield listening(process)
    finally:
        stop(process)


def start(study: Path, *, port: int = 0) -> subprocess.Popen[str]:
    """Start a server; `listening` tells where."""
    program = "from verifier.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", str(study), "--port", str(port)]
    return subprocess.Popen(  # noqa: S603 - our own program, arguments as a list
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def listening(process: subprocess.Popen[str]) -> str:
    """Wait until a server listens; its address. What else it says is read, so that it never waits.

    Raises:
        StateError: it ended, or took too long.
    """
    if process.stderr is None:
        raise ValueError("the server's messages are not piped")
    heard: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read, args=(process.stderr, heard), daemon=True).start()
    said: list[str] = []
    while True:
        try:
            line = heard.get(timeout=_START_SECONDS)
        except queue.Empty:
            line = None
        if line is None:
            raise StateError("the task server did not start", got=" ".join(said).strip() or "no message")
        if found := _LISTENING.search(line):
            return found[1]
        said.append(line)


def stop(process: subprocess.Popen[str]) -> None:
    """End a server: ask first, then insist."""
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stderr is not None:
        process.stderr.close()


def _read(stream: IO[str], heard: queue.Queue[str | None]) -> None:
    """Pass on what a server says until it has said where it listens; read the rest all the same."""
    waited_for = True
    try:
        for line in stream:
            if waited_for:
                heard.put(line)
                waited_for = not _LISTENING.search(line)
    except ValueError:  # closed while reading
        return
    heard.put(None)
