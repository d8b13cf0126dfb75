"""Runs the benches named, or all, and prints what they measured."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import time
from typing import TextIO

from tests.bench.rows import Row, table

BENCHES = (
    "metrics",
    "command",
    "large",
    "agreement",
    "importing",
    "reading",
    "planning",
    "drawing",
    "search",
    "serving",
    "browsing",
    "hosting",
    "prolific",
)


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}; default: all")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in BENCHES]:
        parser.error(f"no such bench: {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    # A study in the environment of whoever measures is none of ours.
    for name in [name for name in os.environ if name.startswith("POSTHOC_")]:
        del os.environ[name]
    found: dict[str, list[Row]] = {}
    start = time.monotonic()
    for name in asked.names or BENCHES:
        _say(f"{name} ...", sys.stderr)
        found[name] = importlib.import_module(f"tests.bench.{name}").run()
        if not asked.json:
            _say(table(name, found[name]))
    if asked.json:
        _say(json.dumps(_document(found, time.monotonic() - start), indent=1))
    else:
        took = time.monotonic() - start
        _say(f"\n{_machine()}; {took:.0f} s; a ratio above 1 says how many times better ours is")
    return 0


def _say(text: str, stream: TextIO = sys.stdout) -> None:
    stream.write(f"{text}\n")
    stream.flush()


def _machine() -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, load {load}"


def _document(found: dict[str, list[Row]], took: float) -> dict[str, object]:
    rows = [{"bench": name} | row.to_json() for name, several in found.items() for row in several]
    return {"machine": _machine(), "seconds": round(took, 1), "rows": rows}


if __name__ == "__main__":
    sys.exit(main())
