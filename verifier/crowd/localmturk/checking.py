"""Checks a value against a shape of the service model, strictly: enum, pattern, least and most too."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final

from verifier.crowd.localmturk.model import model

_RANGES: Final = {"integer": (-(2**31), 2**31 - 1), "long": (-(2**63), 2**63 - 1)}
# Year 1 to 9999: what a client can make a date of.
_TIMES: Final = (-62135596800, 253402300799)


def faults(value: Any, shape: str, path: str = "") -> Iterator[str]:
    """What is wrong with `value`, as it stands in JSON, as a `shape`; nothing if it is right."""
    told = model().shapes[shape]
    match told["type"]:
        case "structure":
            yield from _structure(value, told, path or shape)
        case "list":
            yield from _list(value, told, path or shape)
        case "string":
            yield from _string(value, told, path or shape)
        case "integer" | "long":
            yield from _number(value, told, path or shape)
        case "boolean":
            if not isinstance(value, bool):
                yield f"{path}: not true or false"
        case "timestamp":
            yield from _time(value, path or shape)
        case other:
            yield f"{path}: the type {other} is not known"


def _structure(value: Any, told: dict[str, Any], path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: not an object"
        return
    members = told["members"]
    for name in told.get("required", ()):
        if value.get(name) is None:
            yield f"{path}.{name}: missing"
    for name, inner in value.items():
        if name not in members:
            yield f"{path}.{name}: unknown"
        elif inner is not None:
            yield from faults(inner, members[name]["shape"], f"{path}.{name}")


def _list(value: Any, told: dict[str, Any], path: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{path}: not a list"
        return
    yield from _size(len(value), told, path)
    for number, item in enumerate(value):
        yield from faults(item, told["member"]["shape"], f"{path}[{number}]")


def _string(value: Any, told: dict[str, Any], path: str) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{path}: not a string"
        return
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        yield f"{path}: half of a surrogate pair"
    yield from _size(len(value), told, path)
    if (allowed := told.get("enum")) and value not in allowed:
        yield f"{path}: not one of {', '.join(allowed)}"
    if (pattern := told.get("pattern")) and re.fullmatch(pattern, value) is None:
        yield f"{path}: does not match {pattern}"


def _number(value: Any, told: dict[str, Any], path: str) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int):
        yield f"{path}: not a whole number"
        return
    low, high = _RANGES[told["type"]]
    if not low <= value <= high:
        yield f"{path}: outside the range of {told['type']}"
    yield from _size(value, told, path)


def _time(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        yield f"{path}: not a time in seconds"
    elif not _TIMES[0] <= value <= _TIMES[1]:
        yield f"{path}: a time that no calendar has"


def _size(size: int, told: dict[str, Any], path: str) -> Iterator[str]:
    if size < told.get("min", size):
        yield f"{path}: under {told['min']}"
    if size > told.get("max", size):
        yield f"{path}: over {told['max']}"
