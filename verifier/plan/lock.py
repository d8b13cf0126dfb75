"""The lock: what will be analysed and how, written down and hashed before the first judgment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from analysis.errors import StateError
from analysis.policy import get_policy
from verifier.config import StudyConfig
from verifier.store import facts, plans

if TYPE_CHECKING:
    from verifier.store import Session

FACT: Final = "lock"
_PLAN: Final = "plan_sha256"
_SAMPLING: Final = "sampling"


@dataclass(frozen=True)
class Lock:
    """A lock.

    Attributes:
        sha256: of the terms, as `digest` writes them.
        at: when, in UTC.
        terms: what was written down.
    """

    sha256: str
    at: str
    terms: Mapping[str, Any]


def terms(session: Session, config: StudyConfig) -> dict[str, Any]:
    """What a lock holds fast: policies and their choices, gate, exclusion, stopping, margin, sample, plan."""
    policies = [get_policy(name) for name in config.analysis.policies]
    sampling = facts.get(session, _SAMPLING)
    cap = config.budget.cap
    return {
        "policies": [policy.name for policy in policies],
        "choices": {policy.name: policy.choices for policy in policies},
        "interval": {policy.name: policy.interval for policy in policies},
        "level": {policy.name: policy.level for policy in policies},
        "margin": config.analysis.margin,
        "gate": {
            "rule": config.controls.rule,
            "per": config.controls.per,
            "controls": config.place.controls,
        },
        "exclusion": {
            "not_counted": "assignments that were not handed in, or failed the gate",
            "on_fail": config.controls.on_fail,
        },
        "stopping": {
            "rule": "every task has its counted judgments, or the cap is reached",
            "k": config.plan.k,
            "repeat_share": config.plan.repeat_share,
            "cap": None if cap is None else str(cap),
            "currency": config.place.currency,
        },
        "show": config.plan.show,
        "sampling": json.loads(sampling) if sampling else None,
        "seed": int(facts.get(session, "seed") or 0),
        "plan": facts.get(session, _PLAN),
    }


def digest(held: Mapping[str, Any]) -> str:
    """The sha256 of terms: of their JSON with sorted keys, no spaces, in UTF-8."""
    text = json.dumps(held, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def put(session: Session, config: StudyConfig, now: datetime) -> Lock:
    """Lock the study, in place of a lock made before; part of the plan's own transaction.

    Raises:
        StateError: somebody has judged already; or study.yaml names another lock than this comes to.
    """
    refuse_if_judged(session)
    made = drafted(session, config, now)
    facts.put(session, FACT, json.dumps(asdict(made), sort_keys=True, ensure_ascii=False))
    return made


def drafted(session: Session, config: StudyConfig, now: datetime) -> Lock:
    """The lock that would be put; the one there is if it holds the same terms."""
    held = terms(session, config)
    sha256, before = digest(held), current(session)
    wanted = config.analysis.lock
    if wanted is not None and wanted != sha256:
        raise StateError(
            "study.yaml names another lock than the one that this comes to",
            where="study.yaml, analysis.lock",
            got=wanted,
            expected=sha256,
            remedy="Put back what was changed, or set analysis.lock to null and lock again.",
        )
    if before is not None and before.sha256 == sha256:
        return before
    return Lock(sha256, now.isoformat(timespec="seconds"), held)


def refuse_if_judged(session: Session) -> None:
    """Refuse to lock what somebody may have looked at already.

    Raises:
        StateError: there are judgments.
    """
    if judged := plans.judgment_count(session):
        raise StateError(
            "a study is locked before the first judgment",
            where="--lock",
            got=f"{judged} judgments",
            remedy="Lock the next study before anybody works on it; the report of this one says it has none.",
        )


def current(session: Session) -> Lock | None:
    """The study's lock; None if it has none."""
    text = facts.get(session, FACT)
    return Lock(**json.loads(text)) if text else None


def notices(session: Session, config: StudyConfig) -> Iterator[str]:
    """What study.yaml says otherwise than the lock."""
    found = current(session)
    wanted = config.analysis.lock
    if found is None:
        if wanted is not None:
            yield "study.yaml names a lock, and the study has none: posthoc plan STUDY --lock"
        return
    if wanted not in (None, found.sha256):
        yield f"study.yaml names the lock {wanted}; the study's is {found.sha256}."
    now = terms(session, config)
    for key, value in found.terms.items():
        if now.get(key) != value:
            yield (
                f"Locked was {key} {_said(value)}; now it is {_said(now.get(key))}. Reports list it as a"
                " departure."
            )


def _said(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
