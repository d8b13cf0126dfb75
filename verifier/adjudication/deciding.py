"""What an expert decides on an item: kept as judgments of his own on every display of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from analysis.decisions import DECISIONS, EDIT, Decision, derive
from analysis.errors import InputError
from verifier.store import experts, redirects

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

USUAL: Final = "1"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._]{0,19}")
_DAY: Final = 86400.0


@dataclass(frozen=True)
class Choice:
    """A decision as given.

    Attributes:
        display: one of the item's displays.
        action: what was decided.
        entity: of an edit, the entity as chosen, typed or pasted.
        seconds: how long it took.
        opened: whether the article was opened.
    """

    display: int
    action: str
    entity: str | None = None
    seconds: float = 0.0
    opened: bool = False


def named(expert: str) -> str:
    """The name of an expert, as given.

    Raises:
        InputError: it cannot be one.
    """
    name = expert.strip()
    if not _NAME.fullmatch(name):
        raise InputError(
            "no name for an expert",
            where="expert",
            got=ascii(expert)[:60],
            expected="up to 20 letters (A to Z), digits, dots and underscores; initials will do",
        )
    return name


def decide(
    study: Study, expert: str, choice: Choice, *, understand: Callable[[str, str], str], now: datetime
) -> bool:
    """Keep a decision on all displays of an item; False if the expert's last word on it is just this.

    Args:
        study: open.
        expert: whose it is.
        choice: what he decided.
        understand: the key that is meant by a text, given the dataset's language.
        now: when.

    Raises:
        InputError: there is no such display or decision, or the entity is not understood.
    """
    name = named(expert)
    with study.write(alone=True) as session:
        return decide_within(session, study, name, choice, understand=understand, now=now)


def decide_within(
    session: Session,
    study: Study,
    expert: str,
    choice: Choice,
    *,
    understand: Callable[[str, str], str],
    now: datetime,
) -> bool:
    """As `decide`, within a writing session and under a name that is known to be one."""
    case = experts.case(session, choice.display)
    if case is None:
        raise InputError("there is no such item", where="item", got=str(choice.display))
    decision, key = _meant(session, case, choice, understand)
    displays = experts.alike(session, choice.display)
    before = {one.display: (one.decision, one.key) for one in _his(session, expert, displays)}
    if all(before.get(display) == (decision, key) for display in displays):
        return False
    assignment = experts.assignment_of(session, expert, study.config.place.currency, now)
    values = {
        "decision": decision,
        "key": key,
        "raw": choice.entity if choice.action == EDIT else None,
        "opened": choice.opened,
        "seconds": round(min(max(choice.seconds, 0.0), _DAY), 3),
    }
    experts.put(session, assignment, displays, values, now)
    return True


def _his(session: Session, expert: str, displays: list[int]) -> list[experts.Decided]:
    return [one for one in experts.standing(session, displays) if one.expert == expert]


def _meant(
    session: Session, case: experts.Case, choice: Choice, understand: Callable[[str, str], str]
) -> tuple[Decision, str | None]:
    """The decision that follows from what is shown and what was chosen, and the key of an edit."""
    action = next((known for known in DECISIONS if known == choice.action), None)
    if action is None:
        raise InputError(
            "no decision", where="decision", got=ascii(choice.action)[:40], expected=", ".join(DECISIONS)
        )
    if action != EDIT:
        return action, None
    key = redirects.resolve(session, understand(choice.entity or "", case.language))
    decision = derive(EDIT, redirects.resolve(session, case.key), key)
    return decision, key if decision == EDIT else None
