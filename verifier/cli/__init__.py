"""The command line: a module per command, found by `app`; each parses, calls, prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """The program `posthoc`."""
    from verifier.cli.app import main as run

    sys.exit(run(arguments))
