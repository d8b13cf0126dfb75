"""Where values stand inside a JSON text that goes over many lines, so that a fault can name its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

_SPACE: Final = re.compile(r"\s*")
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)
_DECODER: Final = json.JSONDecoder()


def members(text: str, place: int) -> Iterator[tuple[str | int, int]]:
    """The keys of an object, or places in a list, with where their values begin; nothing for other values.

    Args:
        text: with valid JSON, and something after it.
        place: where that begins.
    """
    opened, number = text[place], 0
    place = _skip(text, place + 1)
    while opened in "[{" and text[place] not in "]}":
        key: str | int = number
        if opened == "{":
            key, place = _DECODER.raw_decode(text, place)
            place = _skip(text, _skip(text, place) + 1)
        yield key, place
        place = _skip(text, _DECODER.raw_decode(text, place)[1])
        if text[place] == ",":
            place = _skip(text, place + 1)
        number += 1


def place_of(text: str, place: int, *path: str | int) -> int:
    """Where the value at a path begins, or the deepest one on the way that is there.

    Args:
        text: with valid JSON at `place`, white space before it at most.
        place: where the outermost value begins.
        path: keys of objects and places in lists, from the outermost value in.
    """
    place = _skip(text, place)
    for step in path:
        found = [where for key, where in members(text, place) if key == step]
        if not found:
            break
        place = found[-1]  # of two of one name the last counts, as in reading
    return place


def twice(text: str, place: int) -> tuple[str, int, int] | None:
    """The first key that is there twice in one object of a value, and the lines of both; None if none is."""
    seen: dict[str | int, int] = {}
    for key, where in members(text, place):
        if key in seen:
            return str(key), line_of(text, seen[key]), line_of(text, where)
        seen[key] = where
        if found := twice(text, where):
            return found
    return None


def line_of(text: str, place: int) -> int:
    """The line of a place, 1-based."""
    return text.count("\n", 0, place) + 1


def before(text: str, place: int) -> int:
    """The line on which what stands before a place ends: where a fault may be that shows only after it."""
    return line_of(text, len(text[:place].rstrip()))


def damage(error: json.JSONDecodeError) -> str:
    """Where a text is no JSON, in words: what stands there, where what was read ends, and what is open."""
    ends = before(error.doc, error.pos)
    after = f", after line {ends}" if ends != error.lineno else ""
    found = error.doc[error.pos : error.pos + 20]
    return f"{found!r} at column {error.colno}{after}{_open(error.doc, error.pos)}"


def _open(text: str, place: int) -> str:
    """The innermost list or object that is open at a place, whose end may be what is missing."""
    above: list[re.Match[str]] = []
    for match in _BRACKETS.finditer(text, 0, place):
        if match[0] in "[{":
            above.append(match)
        elif match[0] in "]}" and above:
            above.pop()
    if not above:
        return ""
    what = "list" if above[-1][0] == "[" else "object"
    return f", in the {what} that begins in line {line_of(text, above[-1].start())}"


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place
