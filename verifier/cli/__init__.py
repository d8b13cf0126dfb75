"""The command line: a module per command, found by `app`; each parses, calls, prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The program `posthoc`."""
    try:
        from analysis.interrupts import LeaveAtOnce, status_of

        with LeaveAtOnce():
            from verifier.cli.app import main as run
        status = status_of(lambda: run(arguments))
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
