"""Forgetting who people were: the vault emptied, and with it whatever a platform could tell them by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from verifier.store import facts
from verifier.store.models import AssignmentRow, PlatformCall, Vault

# The fact that says on which day the vault was emptied.
FORGOTTEN: Final = "forgotten"


@dataclass(frozen=True)
class Unfinished:
    """What can only be finished while people are known, as counts."""

    at_work: int
    undecided: int
    unpaid: int

    @property
    def any(self) -> bool:
        """Whether there is something."""
        return bool(self.at_work or self.undecided or self.unpaid)


def known(session: Session) -> int:
    """How many platform ids the vault holds."""
    return session.scalar(select(func.count()).select_from(Vault)) or 0


def unfinished(session: Session) -> Unfinished:
    """What would be left undone: work in hand, what waits for a decision, calls without an outcome."""
    states = select(func.count()).select_from(AssignmentRow)
    at_work = session.scalar(states.where(AssignmentRow.state == "claimed"))
    undecided = session.scalar(
        states.where(AssignmentRow.decision.is_(None)).where(
            or_(AssignmentRow.state == "submitted", AssignmentRow.platform_state.is_not(None))
        )
    )
    calls = select(func.count()).select_from(PlatformCall)
    unpaid = session.scalar(calls.where(PlatformCall.state.in_(("intent", "unknown"))))
    return Unfinished(at_work or 0, undecided or 0, unpaid or 0)


def forget(session: Session, day: str) -> int:
    """Empty the vault, and take away participations' platform ids and codes; how many people it held."""
    found = known(session)
    session.execute(delete(Vault))
    session.execute(update(AssignmentRow).values(platform_assignment=None, completion_code=None))
    facts.put(session, FORGOTTEN, day)
    return found
