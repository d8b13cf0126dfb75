"""Qualification requirements: whether they can be, and whether a worker meets them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from verifier.crowd.localmturk.errors import invalid
from verifier.crowd.localmturk.state import State

LOCALE: Final = "00000000000000000071"
APPROVED: Final = "00000000000000000040"
PERCENT: Final = "000000000000000000L0"
# Assumed: what a worker of whom nothing else was told is like.
PROFILE: Final[dict[str, Any]] = {LOCALE: {"Country": "US"}, APPROVED: 1000, PERCENT: 99}

_MOST: Final = 10
_SETS: Final = ("In", "NotIn")
_BARE: Final = ("Exists", "DoesNotExist")
_ORDERS: Final = ("LessThan", "LessThanOrEqualTo", "GreaterThan", "GreaterThanOrEqualTo")
_INTEGERS: Final = 15
_LOCALES: Final = 30
# What each guard keeps from a worker who does not meet it.
_GUARDS: Final = {
    "Accept": ("accept",),
    "PreviewAndAccept": ("accept", "preview"),
    "DiscoverPreviewAndAccept": ("accept", "preview", "discover"),
}


def check(rules: Sequence[dict[str, Any]]) -> None:
    """Refuse requirements that MTurk's documentation does not allow."""
    if len(rules) > _MOST:
        raise invalid(f"A HIT type has at most {_MOST} qualification requirements.")
    for rule in rules:
        integers, locales = rule.get("IntegerValues") or [], rule.get("LocaleValues") or []
        values = locales if rule["QualificationTypeId"] == LOCALE else integers
        other = integers if rule["QualificationTypeId"] == LOCALE else locales
        most = _LOCALES if values is locales else _INTEGERS
        if rule["Comparator"] in _BARE:
            right = not integers and not locales
        elif rule["Comparator"] in _SETS:
            right = not other and 1 <= len(values) <= most
        else:
            right = not other and len(values) == 1
        if rule["QualificationTypeId"] == LOCALE and rule["Comparator"] in _ORDERS:
            right = False
        if not right:
            raise invalid(f"The values do not fit the comparator {rule['Comparator']}.")
        if rule.get("RequiredToPreview") is not None and rule.get("ActionsGuarded") is not None:
            raise invalid("RequiredToPreview and ActionsGuarded are not used together.")


def allowed(state: State, worker: str, rules: Iterable[dict[str, Any]], action: str) -> bool:
    """Whether a worker may do `action`: discover, preview or accept."""
    return all(_meets(state, worker, rule) for rule in rules if action in _guarded(rule))


def _guarded(rule: dict[str, Any]) -> tuple[str, ...]:
    if rule.get("RequiredToPreview"):
        return _GUARDS["PreviewAndAccept"]
    return _GUARDS[rule.get("ActionsGuarded") or "Accept"]


def _meets(state: State, worker: str, rule: dict[str, Any]) -> bool:
    value = _value(state, worker, rule["QualificationTypeId"])
    comparator: str = rule["Comparator"]
    if comparator in _BARE:
        return (value is None) == (comparator == "DoesNotExist")
    if value is None:
        # Assumed: who has no value is unequal to every one, and fails every other comparison.
        return comparator in ("NotEqualTo", "NotIn")
    if isinstance(value, dict):
        among = any(_lies_in(value, locale) for locale in rule.get("LocaleValues") or [])
        return among == (comparator in ("EqualTo", "In"))
    return _compare(value, comparator, rule.get("IntegerValues") or [])


def _compare(value: int, comparator: str, given: Sequence[int]) -> bool:
    match comparator:
        case "LessThan":
            return value < given[0]
        case "LessThanOrEqualTo":
            return value <= given[0]
        case "GreaterThan":
            return value > given[0]
        case "GreaterThanOrEqualTo":
            return value >= given[0]
        case "EqualTo" | "In":
            return value in given
        case _:
            return value not in given


def _lies_in(place: dict[str, Any], wider: dict[str, Any]) -> bool:
    return bool(place["Country"] == wider["Country"]) and wider.get("Subdivision") in (
        None,
        place.get("Subdivision"),
    )


def _value(state: State, worker: str, kind: str) -> Any:
    row = state.first("select profile from worker where id = ?", worker)
    profile = {**PROFILE, **(json.loads(row["profile"]) if row else {})}
    if kind in profile:
        return profile[kind]
    query = "select value from qualification where type = ? and worker = ? and status = 'Granted'"
    granted = state.first(query, kind, worker)
    return None if granted is None else granted["value"]
