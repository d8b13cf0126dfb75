"""Reads what pages send: JSON in, checked values out; anything else is a bad request."""

from __future__ import annotations

import json
import reprlib
from dataclasses import dataclass
from typing import Any, Final

from flask import Request

from analysis.decisions import DECISIONS, EDIT
from analysis.errors import InputError
from verifier.kb.understand import LONGEST
from verifier.store.judging import NewJudgment

MOST_JUDGMENTS: Final = 500
MOST_EVENTS: Final = 100
LONGEST_COMMENT: Final = 500
_LARGEST_EVENT: Final = 4000
# What every database and every browser can hold as a whole number.
_HIGHEST: Final = 2**31 - 1
_DIGITS: Final = 9
_DEEPEST: Final = 8
_DAY: Final = 86_400.0
_LARGEST_NUMBER: Final = 1e15
_KINDS: Final = frozenset({"undo", "hidden", "visible", "blur", "focus", "paste", "error", "open"})


def judgments(asked: Request) -> list[NewJudgment]:
    """The judgments in a request.

    Raises:
        InputError: it is not of that form.
    """
    return [_judgment(item) for item in _items(asked, "judgments", MOST_JUDGMENTS)]


def events(asked: Request) -> list[tuple[str, dict[str, Any]]]:
    """Kind and data of the events in a request.

    Raises:
        InputError: it is not of that form.
    """
    found = []
    for item in _items(asked, "events", MOST_EVENTS):
        kind, data = item.get("kind"), item.get("data")
        data = {} if data is None else data
        if not isinstance(kind, str) or kind not in _KINDS:
            raise InputError("kind", got=_cut(kind), expected=", ".join(sorted(_KINDS)))
        if not isinstance(data, dict) or not _keepable(data) or len(json.dumps(data)) > _LARGEST_EVENT:
            raise InputError(
                "data", expected=f"an object of plain values, at most {_LARGEST_EVENT} characters"
            )
        if kind == "undo" and not _whole(data.get("sequence")):
            raise InputError("data.sequence", expected="the number of the judgment undone")
        found.append((kind, data))
    return found


def _items(asked: Request, name: str, most: int) -> list[dict[str, Any]]:
    body = _body(asked)
    items = body.get(name) if isinstance(body, dict) else None
    if not isinstance(items, list) or len(items) > most or not all(isinstance(item, dict) for item in items):
        raise InputError(name, expected=f"JSON with {name!r}: a list of at most {most} objects")
    return items


def _body(asked: Request) -> Any:
    """The JSON of a request; None if it is none, whatever is the matter with it."""
    try:
        return json.loads(asked.get_data(cache=False), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    """NaN and Infinity, which Python reads, are no JSON."""
    raise ValueError(name)


def _keepable(value: Any, depth: int = 0) -> bool:
    """Whether every database can hold a value as JSON."""
    if depth > _DEEPEST:
        return False
    if isinstance(value, dict):
        return all(storable(key) and _keepable(item, depth + 1) for key, item in value.items())
    if isinstance(value, list):
        return all(_keepable(item, depth + 1) for item in value)
    if isinstance(value, str):
        return storable(value)
    return value is None or isinstance(value, bool) or _finite(value)


def _finite(value: Any) -> bool:
    """Whether it is a number, of a size that computing with it stands."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST_NUMBER


def _cut(value: Any) -> str:
    """A value for a message, which never holds more of it than can be read."""
    return (
        reprlib.repr(value) if not isinstance(value, int) or abs(value) < _LARGEST_NUMBER else "a huge number"
    )


def _judgment(item: dict[str, Any]) -> NewJudgment:
    sequence, action = item.get("sequence"), item.get("action")
    entity, seconds = item.get("entity"), item.get("seconds", 0)
    if not isinstance(sequence, int) or not _whole(sequence):
        raise InputError("sequence", got=_cut(sequence), expected=f"a whole number from 1 to {_HIGHEST}")
    display = _display(item)
    if not isinstance(action, str) or action not in DECISIONS:
        raise InputError("action", got=_cut(action), expected=", ".join(DECISIONS))
    entity = _entity(entity)
    if action == EDIT and not entity:
        raise InputError("entity", expected="the entity that is meant, or NIL")
    return NewJudgment(
        sequence=sequence,
        display=display,
        action=action,
        entity=entity if action == EDIT else None,
        opened=item.get("opened") is True,
        seconds=_seconds(seconds),
    )


def _entity(value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or len(value) > LONGEST or not storable(value)):
        raise InputError("entity", expected=f"text of at most {LONGEST} characters, or null")
    return value


def _seconds(value: Any) -> float:
    if not _finite(value):
        raise InputError("seconds", got=_cut(value), expected="a number")
    return round(min(max(float(value), 0.0), _DAY), 3)


def _display(item: dict[str, Any]) -> str:
    display = item.get("display")
    if not isinstance(display, str):
        raise InputError("display", got=_cut(display), expected='such as "0.1"')
    return display


def naming(asked: Request) -> tuple[str, str, float]:
    """Display, entity and seconds of a naming.

    Raises:
        InputError: it is not of that form.
    """
    body = _body(asked)
    if not isinstance(body, dict):
        raise InputError("naming", expected="a JSON object")
    entity = _entity(body.get("entity"))
    if not entity:
        raise InputError("entity", expected="the entity that is meant, or NIL")
    return _display(body), entity, _seconds(body.get("seconds", 0))


def comments(asked: Request) -> list[tuple[str, str]]:
    """Display and text of each comment.

    Raises:
        InputError: it is not of that form.
    """
    found = []
    for item in _items(asked, "comments", MOST_EVENTS):
        text = item.get("text")
        if not isinstance(text, str) or len(text) > LONGEST_COMMENT or not storable(text):
            raise InputError("text", expected=f"text of at most {LONGEST_COMMENT} characters")
        found.append((_display(item), text.strip()))
    return found


@dataclass(frozen=True)
class NewMissing:
    """A mention that a worker misses, or misses no more; offsets in UTF-16 units of the task's text."""

    task: int
    start: int
    end: int
    withdrawn: bool


def missing(asked: Request) -> list[NewMissing]:
    """The missing mentions in a request.

    Raises:
        InputError: it is not of that form.
    """
    found = []
    for item in _items(asked, "missing", MOST_EVENTS):
        numbers = [item.get(name) for name in ("task", "start", "end")]
        task, start, end = (n if isinstance(n, int) and not isinstance(n, bool) else -1 for n in numbers)
        if not 0 <= task <= _HIGHEST or not 0 <= start < end <= _HIGHEST:
            raise InputError("task, start, end", expected="whole numbers, start before end")
        found.append(NewMissing(task, start, end, item.get("withdrawn") is True))
    return found


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _HIGHEST


def number(text: str) -> int | None:
    """The number that a part of an address stands for; None if it is none, or larger than any of ours."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None


def storable(text: str) -> bool:
    """Whether every database can hold it: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
