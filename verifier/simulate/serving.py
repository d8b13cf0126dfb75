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
    return command("serve", str(study), "--port", str(port))


def command(*arguments: str) -> subprocess.Popen[str]:
    """Start a command of ours as a process of its own; what it says can be `heard`."""
    program = "from verifier.cli import main; main()"
    return subprocess.Popen(  # noqa: S603 - our own program, arguments as a list
        [sys.executable, "-c", program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def listening(process: subprocess.Popen[str]) -> str:
    """Wait until a server listens; its address. What else it says is read, so that it never waits.

    Raises:
        StateError: it ended, or took too long.
    """
    return heard(process, _LISTENING)[0]


def heard(process: subprocess.Popen[str], *wanted: re.Pattern[str]) -> list[str]:
    """Wait until a process has said something of each pattern, one after the other; the first group of each.

    Raises:
        StateError: it ended, or took too long.
    """
    if process.stderr is None:
        raise ValueError("the server's messages are not piped")
    lines: queue.Queue[str | None] = queue.Queue()
    done = threading.Event()
    threading.Thread(target=_read, args=(process.stderr, lines, done), daemon=True).start()
    said: list[str] = []
    found: list[str] = []
    while len(found) < len(wanted):
        try:
            line = lines.get(timeout=_START_SECONDS)
        except queue.Empty:
            line = None
        if line is None:
            raise StateError("the task server did not start", got=" ".join(said).strip() or "no message")
        if match := wanted[len(found)].search(line):
            found.append(match[1])
        else:
            said.append(line)
    done.set()
    return found


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


def _read(stream: IO[str], lines: queue.Queue[str | None], done: threading.Event) -> None:
    """Pass on what a server says while somebody waits for it; read the rest all the same."""
    try:
        for line in stream:
            if not done.is_set():
                lines.put(line)
    except ValueError:  # closed while reading
        return
    lines.put(None)
