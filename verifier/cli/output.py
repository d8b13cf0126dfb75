"""What commands say: results on standard output, everything else on standard error, JSON when asked."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from analysis.errors import PosthocError

T = TypeVar("T")


def say(text: str = "") -> None:
    """A line of the result, for people."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """A line beside the result: what was found, done or should be known."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def say_json(value: Any) -> None:
    """The result as one JSON document; what is not finite or not defined is null, never NaN."""
    json.dump(plain(value), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def plain(value: Any) -> Any:
    """`value` in the types that JSON has: money and times as text, dataclasses as objects."""
    match value:
        case Mapping():
            known: Any = {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            known = [plain(item) for item in value]
        case set() | frozenset():
            known = [plain(item) for item in sorted(value)]
        case Decimal() | Path():
            known = str(value)
        case datetime():
            known = value.isoformat()
        case float() if not math.isfinite(value):
            known = None
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            known = {item.name: plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
        case _:
            known = value
    return known


def complain(error: PosthocError) -> None:
    """Say what is wrong, a line each, and how much of it."""
    for problem in error:
        note(f"error: {problem}")
    if len(error.problems) > 1:
        note(f"{len(error.problems)} problems found.")


@contextmanager
def progress(items: Iterable[T], label: str, total: int | None = None) -> Iterator[Iterable[T]]:
    """`items`, with a bar on a terminal while they are gone through; silent in a pipe."""
    if not sys.stderr.isatty():
        yield items
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield bar.track(items, description=label, total=total)
