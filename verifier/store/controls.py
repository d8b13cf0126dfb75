"""Controls as a whole: where each comes from, whether a person confirmed it, whether it was retired."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from verifier.store.models import ControlAnswer, ControlRow, DisplayRow, TaskRow

GENERATED = "generated"
GIVEN = "given"


@dataclass(frozen=True)
class State:
    """A control: its task and segment, and how it stands.

    Attributes:
        task, segment: ids.
        origin: `generated`, or `given` in a file.
        confirmed, retired: when; None: not.
        reason: why it was retired.
        replaces: the retired control whose place it takes; None: no such.
    """

    task: int
    segment: int
    origin: str
    confirmed: datetime | None
    retired: datetime | None
    reason: str | None
    replaces: int | None = None

    @property
    def word(self) -> str:
        """How it stands, in one word."""
        if self.retired:
            return "retired"
        return "confirmed" if self.confirmed else "unconfirmed"


def states(session: Session) -> list[State]:
    """Every control, by its task."""
    row = ControlRow
    rows = session.execute(
        select(
            row.task_id,
            TaskRow.segment_id,
            row.origin,
            row.confirmed,
            row.retired,
            row.reason,
            row.replaces,
        )
        .join(TaskRow, TaskRow.id == row.task_id)
        .order_by(row.task_id)
    )
    return [State(*found) for found in rows]


def unconfirmed(session: Session) -> int:
    """How many controls are in use that were generated and that nobody has confirmed."""
    waiting = select(func.count()).where(ControlRow.confirmed.is_(None), ControlRow.retired.is_(None))
    return session.scalar(waiting) or 0


def confirm(session: Session, tasks: Collection[int], now: datetime) -> int:
    """Confirm those of the controls that are not yet; how many that were."""
    wanted = ControlRow.task_id.in_(tasks), ControlRow.confirmed.is_(None), ControlRow.retired.is_(None)
    waiting = list(session.scalars(select(ControlRow.task_id).where(*wanted)))
    session.execute(update(ControlRow).where(ControlRow.task_id.in_(waiting)).values(confirmed=now))
    return len(waiting)


def retire(session: Session, tasks: Collection[int], now: datetime, reason: str) -> list[int]:
    """Retire those of the controls that are not yet; which that were."""
    wanted = ControlRow.task_id.in_(tasks), ControlRow.retired.is_(None)
    left = list(session.scalars(select(ControlRow.task_id).where(*wanted).order_by(ControlRow.task_id)))
    session.execute(update(ControlRow).where(ControlRow.task_id.in_(left)).values(retired=now, reason=reason))
    return left


def segments(session: Session) -> set[int]:
    """The segments that have a control, in use or retired."""
    return {state.segment for state in states(session)}


def task_of(session: Session) -> dict[int, int]:
    """The control of each display whose answer is known."""
    rows = session.execute(
        select(DisplayRow.id, DisplayRow.task_id).join(
            ControlAnswer, ControlAnswer.display_id == DisplayRow.id
        )
    )
    return {row[0]: row[1] for row in rows}
