"""The locked plan: what was fixed before the first judgment, and where an analysis departs from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from analysis.errors import InputError, plain
from analysis.policy import Policy
from analysis.settings import Settings
from analysis.study import Study

# Term and part -> where study.yaml, as the bundle keeps it, says what is so now.
_CONFIGURED: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("gate", "rule"): ("controls", "rule"),
    ("gate", "per"): ("controls", "per"),
    ("gate", "controls"): ("place", "controls"),
    ("exclusion", "on_fail"): ("controls", "on_fail"),
    ("stopping", "k"): ("plan", "k"),
    ("stopping", "repeat_share"): ("plan", "repeat_share"),
    ("stopping", "cap"): ("budget", "cap"),
    ("stopping", "currency"): ("place", "currency"),
}
_WHERE: Final = "manifest.json: lock"


@dataclass(frozen=True)
class Lock:
    """A lock.

    Attributes:
        sha256: of the terms.
        at: when, in UTC.
        terms: policies, choices, level and interval by policy, margin, gate, exclusion, stopping and others.
    """

    sha256: str
    at: str
    terms: Mapping[str, Any]

    @property
    def margin(self) -> float | None:
        """By how much a source may be worse and still be as good; None where none was locked."""
        found = self.terms.get("margin")
        return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def read_lock(study: Study) -> Lock | None:
    """The study's lock; None where it has none.

    Raises:
        InputError: what the manifest holds is no lock.
    """
    found = study.manifest.get("lock")
    if found is None:
        return None
    if not isinstance(found, Mapping) or not isinstance(found.get("terms"), Mapping):
        raise InputError("not a lock", where=_WHERE, got=plain(found)[:120], expected="sha256, at, terms")
    return Lock(str(found.get("sha256")), str(found.get("at")), found["terms"])


def margin_of(study: Study, asked: float | None) -> float | None:
    """The margin of non-inferiority: what is asked for, else what was locked, else what study.yaml says."""
    if asked is not None:
        return asked
    lock = read_lock(study)
    if lock is not None and lock.margin is not None:
        return lock.margin
    found = _configured(study, "analysis", "margin")
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def margin_notes(study: Study, margin: float | None) -> list[str]:
    """Whether the margin was fixed before anybody could see the data."""
    lock = read_lock(study)
    if margin is None or (lock is not None and lock.margin == margin):
        return []
    late = f"The margin {margin:g} was not locked before the first judgment"
    return [f"{late}: 'as good as' within it is no confirmatory finding."]


def departures(study: Study, policies: Sequence[Policy], settings: Settings) -> list[str]:
    """Where the analysis, and the study as it ran, differ from what was locked; a sentence each.

    Empty too where there is no lock: whoever reports says that there is none.

    Raises:
        InputError: the manifest's lock is none.
    """
    lock = read_lock(study)
    if lock is None:
        return []
    return list(_departures(study, lock, policies, settings))


def _departures(study: Study, lock: Lock, policies: Sequence[Policy], settings: Settings) -> Iterator[str]:
    text = json.dumps(lock.terms, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    if hashlib.sha256(text.encode()).hexdigest() != lock.sha256:
        yield "The terms in the bundle are not those whose hash was locked."
    yield from _before(study, lock)
    yield from _policies(lock, policies)
    for policy in policies:
        yield from _choices(lock, policy, settings)
    margin = margin_of(study, settings.margin)
    if margin != lock.margin:
        yield f"The margin is {_said(margin)}; locked was {_said(lock.margin)}."
    yield from _study_as_it_ran(study, lock)


def _before(study: Study, lock: Lock) -> Iterator[str]:
    at = pd.to_datetime(lock.at, utc=True, errors="coerce")
    submitted = study["assignments"]["submitted"]
    early = int((submitted < at).sum()) if not pd.isna(at) else 0
    if early:
        yield f"{early} assignments were handed in before the lock."


def _policies(lock: Lock, policies: Sequence[Policy]) -> Iterator[str]:
    locked = [str(name) for name in lock.terms.get("policies") or ()]
    used = [policy.name.partition("+")[0] for policy in policies]
    for name in used:
        if name not in locked:
            yield f"The policy {name} was not locked; locked was {', '.join(locked) or 'none'}."
    for name in locked:
        if name not in used:
            yield f"The policy {name} was locked and is not reported."
    if used and locked and used[0] != locked[0] and used[0] in locked:
        yield f"The policy {used[0]} leads; locked was {locked[0]}."


def _choices(lock: Lock, policy: Policy, settings: Settings) -> Iterator[str]:
    name = policy.name.partition("+")[0]
    locked = (lock.terms.get("choices") or {}).get(name)
    for choice, value in (locked or {}).items():
        now = policy.choices.get(choice)
        if now != value:
            yield f"{name}: {choice} is {now}; locked was {value}."
    used: dict[str, Any] = {
        "interval": settings.interval or policy.interval,
        "level": policy.level if settings.level is None else settings.level,
    }
    for what, now in used.items():
        value = (lock.terms.get(what) or {}).get(name)
        if value is not None and value != now:
            yield f"{name}: the {what} is {_said(now)}; locked was {_said(value)}."
    if settings.cluster is not None:
        yield f"{name}: intervals by {settings.cluster} were asked for; the lock leaves them to the policy."


def _study_as_it_ran(study: Study, lock: Lock) -> Iterator[str]:
    """What study.yaml said at export, and how the study was sampled, against the terms."""
    for (term, part), place in _CONFIGURED.items():
        held = lock.terms.get(term)
        if not isinstance(held, Mapping) or part not in held or not _has(study, *place):
            continue
        now = _configured(study, *place)
        if str(now) != str(held[part]):
            yield f"{'.'.join(place)} is {_said(now)}; locked was {_said(held[part])}."
    planned = study.manifest.get("plan_sha256")
    if planned and lock.terms.get("plan") not in (None, planned):
        yield "The plan is not the one that was locked: more was planned, or a control was retired, since."
    if "sampling" in lock.terms and lock.terms["sampling"] != study.manifest.get("sampling"):
        yield "The sample is not the one that was locked."


def _has(study: Study, section: str, key: str) -> bool:
    config = study.manifest.get("config")
    found = config.get(section) if isinstance(config, Mapping) else None
    return isinstance(found, Mapping) and key in found


def _configured(study: Study, section: str, key: str) -> Any:
    return study.manifest["config"][section][key] if _has(study, section, key) else None


def _said(value: Any) -> str:
    return "none" if value is None else str(value)
