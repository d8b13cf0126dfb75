"""Reads what pages send: JSON in, checked values out; anything else is a bad request."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from flask import Request

from analysis.decisions import DECISIONS, EDIT
from analysis.errors import InputError
from verifier.kb.understand import LONGEST
from verifier.store.work import NewJudgment

MOST_JUDGMENTS: Final = 500
MOST_EVENTS: Final = 100
_LARGEST_EVENT: Final = 4000
_HIGHEST: Final = 2**53
_DAY: Final = 86_400.0
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
        kind, data = item.get("kind"), item.get("data") or {}
        if kind not in _KINDS:
            raise InputError("kind", got=repr(kind), expected=", ".join(sorted(_KINDS)))
        if not isinstance(data, dict) or len(json.dumps(data)) > _LARGEST_EVENT:
            raise InputError("data", expected=f"an object of at most {_LARGEST_EVENT} characters")
        if kind == "undo" and not _whole(data.get("sequence")):
            raise InputError("data.sequence", expected="the number of the judgment undone")
        found.append((kind, data))
    return found


def _items(asked: Request, name: str, most: int) -> list[dict[str, Any]]:
    body = asked.get_json(silent=True, force=True)
    items = body.get(name) if isinstance(body, dict) else None
    if not isinstance(items, list) or len(items) > most or not all(isinstance(item, dict) for item in items):
        raise InputError(name, expected=f"JSON with {name!r}: a list of at most {most} objects")
    return items


def _judgment(item: dict[str, Any]) -> NewJudgment:
    sequence, display, action = item.get("sequence"), item.get("display"), item.get("action")
    entity, seconds = item.get("entity"), item.get("seconds", 0)
    if not isinstance(sequence, int) or not _whole(sequence):
        raise InputError("sequence", got=repr(sequence), expected="a whole number from 1")
    if not isinstance(display, str):
        raise InputError("display", got=repr(display), expected='such as "0.1"')
    if action not in DECISIONS:
        raise InputError("action", got=repr(action), expected=", ".join(DECISIONS))
    if entity is not None and (not isinstance(entity, str) or len(entity) > LONGEST or not storable(entity)):
        raise InputError("entity", expected=f"text of at most {LONGEST} characters, or null")
    if action == EDIT and not entity:
        raise InputError("entity", expected="the entity that is meant, or NIL")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not math.isfinite(seconds):
        raise InputError("seconds", got=repr(seconds), expected="a number")
    return NewJudgment(
        sequence=sequence,
        display=display,
        action=action,
        entity=entity if action == EDIT else None,
        opened=item.get("opened") is True,
        seconds=round(min(max(float(seconds), 0.0), _DAY), 3),
    )


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < _HIGHEST


def storable(text: str) -> bool:
    """Whether every database can hold it: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
