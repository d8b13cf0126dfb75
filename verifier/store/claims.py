"""What drawing reads and writes: open slots in their order, leases, and the open counts of the strata.

Every change of a slot's state goes through this module, so that `stratum.open` always equals the number of
open slots. Writers touch slots first and strata last, strata in the order of their names, so that none waits
for another in a circle.

Statements are built once, here: building them anew for each draw would cost more than running them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Integer, bindparam, func, insert, or_, select, text, update
from sqlalchemy.orm import Session

from verifier.store.models import (
    AssignmentRow,
    AssignmentTask,
    Base,
    Place,
    SegmentRow,
    StratumRow,
    TaskRow,
    TaskSlot,
    Worker,
)


def _table(model: type[Base]) -> Any:
    return model.__table__


_SLOT: Final = _table(TaskSlot)
_STRATUM: Final = _table(StratumRow)
_TASK: Final = _table(TaskRow)
_SEGMENT: Final = _table(SegmentRow)
_DRAWN: Final = _table(AssignmentTask)
_ASSIGNMENT: Final = _table(AssignmentRow)
_PLACE: Final = _table(Place)
_WORKER: Final = _table(Worker)

# One number for PostgreSQL's advisory lock: draws hold it shared, those that must see every open slot alone.
_TURN: Final = 0x64726177
_SHARED: Final = text(f"select pg_advisory_xact_lock_shared({_TURN})")
_ALONE: Final = text(f"select pg_advisory_xact_lock({_TURN})")

_COLUMNS: Final = (_SLOT.c.id, _SLOT.c.task_id, _SLOT.c.passage_id, _SLOT.c.stratum, _SLOT.c.position)
_PAGE: Final = (
    select(*_COLUMNS)
    .where(
        _SLOT.c.state == "open",
        _SLOT.c.stratum == bindparam("named"),
        _SLOT.c.position > bindparam("last"),
    )
    .order_by(_SLOT.c.position)
    .limit(bindparam("size", type_=Integer))
    .with_for_update(skip_locked=True)
)
_ALL_OPEN: Final = (
    select(*_COLUMNS).where(_SLOT.c.state == "open").order_by(_SLOT.c.position, _SLOT.c.id).with_for_update()
)
_HELD: Final = (
    select(*_COLUMNS)
    .where(_SLOT.c.assignment_id == bindparam("assignment"))
    .order_by(_SLOT.c.id)
    .with_for_update()
)
_FILLABLE: Final = (
    select(*_COLUMNS, _SLOT.c.state)
    .where(_SLOT.c.id.in_(select(_DRAWN.c.slot_id).where(_DRAWN.c.assignment_id == bindparam("assignment"))))
    .where(or_(_SLOT.c.assignment_id == bindparam("assignment"), _SLOT.c.state == "open"))
    .order_by(_SLOT.c.id)
    .with_for_update()
)
_LEASE: Final = (
    update(_SLOT)
    .where(_SLOT.c.id.in_(bindparam("slots", expanding=True)))
    .values(state="leased", assignment_id=bindparam("assignment"), leased_until=bindparam("until"))
)
_PROLONG: Final = (
    update(_ASSIGNMENT).where(_ASSIGNMENT.c.id == bindparam("one")).values(deadline=bindparam("later"))
)
_KEEP: Final = (
    update(_SLOT)
    .where(_SLOT.c.assignment_id == bindparam("assignment"), _SLOT.c.state == "leased")
    .values(leased_until=bindparam("until"))
)
_FILL: Final = (
    update(_SLOT)
    .where(_SLOT.c.id.in_(bindparam("slots", expanding=True)))
    .values(state="done", assignment_id=bindparam("assignment"), leased_until=None)
)
_REOPEN: Final = (
    update(_SLOT)
    .where(_SLOT.c.id == bindparam("slot"))
    .values(state="open", assignment_id=None, leased_until=None, position=bindparam("place"))
)
_COUNTS: Final = select(_STRATUM.c.name, _STRATUM.c.open).order_by(_STRATUM.c.name)
_COUNT_ON: Final = (
    update(_STRATUM)
    .where(_STRATUM.c.name == bindparam("named"))
    .values(open=_STRATUM.c.open + bindparam("change"))
)
_SEEN: Final = (
    select(_SEGMENT.c.passage_id)
    .join(_TASK, _TASK.c.segment_id == _SEGMENT.c.id)
    .join(_DRAWN, _DRAWN.c.task_id == _TASK.c.id)
    .join(_ASSIGNMENT, _ASSIGNMENT.c.id == _DRAWN.c.assignment_id)
    .where(_ASSIGNMENT.c.worker_id == bindparam("worker"))
)
_HOLD_WORKER: Final = select(_WORKER.c.id).where(_WORKER.c.id == bindparam("worker")).with_for_update()
_HOLD_PLACE: Final = (
    select(_PLACE.c.state, _PLACE.c.origin).where(_PLACE.c.id == bindparam("place")).with_for_update()
)
_OPEN: Final = insert(_ASSIGNMENT)
_LATEST: Final = select(func.max(_ASSIGNMENT.c.id))
_TAKE_PLACE: Final = update(_PLACE).where(_PLACE.c.id == bindparam("place")).values(state="taken")


class Slot(NamedTuple):
    """An open slot, as drawing sees it."""

    id: int
    task: int
    passage: int
    stratum: str
    position: int


def take_turn(session: Session, *, alone: bool) -> bool:
    """Wait for a turn to draw; held until the transaction ends.

    Returns:
        Whether no other draw runs meanwhile: on SQLite, where writers queue, always.
    """
    if session.get_bind().dialect.name == "sqlite":
        return True
    _run(session, _ALONE if alone else _SHARED)
    return alone


def hold(session: Session, worker_id: int, place_id: int) -> tuple[str, str] | None:
    """Hold a worker and a place: one worker draws once at a time, one place is claimed once.

    Returns:
        The place's state and origin; None if there is no such worker or place.
    """
    if _run(session, _HOLD_WORKER, worker=worker_id).first() is None:
        return None
    row = _run(session, _HOLD_PLACE, place=place_id).first()
    return None if row is None else (row.state, row.origin)


def open_counts(session: Session) -> dict[str, int]:
    """Stratum -> open slots, by name."""
    return {row.name: row.open for row in _run(session, _COUNTS)}


def seen_passages(session: Session, worker_id: int) -> set[int]:
    """The passages of every task, controls too, of every assignment the worker ever had."""
    return {row.passage_id for row in _run(session, _SEEN, worker=worker_id)}


def in_order(session: Session, stratum: str, first: int) -> Iterator[Slot]:
    """The open slots of a stratum in their drawing order; those that another draw holds are passed over.

    Read in pages, so that a draw never loads much more than it looks at.

    Args:
        session: writing.
        stratum: its name.
        first: how many to ask for at first.
    """
    last, size = -1, first
    while True:
        page = [Slot._make(row) for row in _run(session, _PAGE, named=stratum, last=last, size=size)]
        yield from page
        if len(page) < size:
            return
        last, size = page[-1].position, 2 * size


def all_open(session: Session) -> list[Slot]:
    """Every open slot, held. For the last ten places' worth, by who draws alone."""
    return [Slot._make(row) for row in _run(session, _ALL_OPEN)]


def open_by_passage(session: Session) -> dict[int, int]:
    """Passage -> open slots, of passages that have any."""
    counted = select(_SLOT.c.passage_id, func.count()).where(_SLOT.c.state == "open")
    return {row[0]: row[1] for row in _run(session, counted.group_by(_SLOT.c.passage_id))}


def open_assignment(
    session: Session,
    *,
    place_id: int,
    worker_id: int,
    token: str,
    origin: str,
    claimed: datetime,
    deadline: datetime,
    options: dict[str, Any],
) -> int:
    """A new claimed assignment, whose place is taken with it; its id."""
    opened = _run(
        session,
        _OPEN,
        place_id=place_id,
        worker_id=worker_id,
        token=token,
        origin=origin,
        claimed=claimed,
        deadline=deadline,
        options=options,
    )
    _run(session, _TAKE_PLACE, place=place_id)
    return int(opened.inserted_primary_key[0])


def lease(session: Session, assignment_id: int, slots: Sequence[Slot], until: datetime) -> None:
    """Give open slots to an assignment until a time."""
    _run(session, _LEASE, slots=[slot.id for slot in slots], assignment=assignment_id, until=until)
    _change_counts(session, {name: -n for name, n in Counter(slot.stratum for slot in slots).items()})


def put_tasks(
    session: Session, assignment_id: int, tasks: Sequence[tuple[int, int | None]], arms: Sequence[str | None]
) -> None:
    """The tasks of an assignment, (task, slot), in the order shown, and the arm of each."""
    rows = [
        {"assignment_id": assignment_id, "ordinal": ordinal, "task_id": task, "slot_id": slot, "arm": arm}
        for ordinal, ((task, slot), arm) in enumerate(zip(tasks, arms, strict=True))
    ]
    session.connection().execute(insert(_DRAWN), rows)


def held(session: Session, assignment_id: int) -> list[Slot]:
    """The slots that an assignment holds, leased or done."""
    return [Slot._make(row) for row in _run(session, _HELD, assignment=assignment_id)]


def give_back(session: Session, slots: Sequence[tuple[Slot, int]]) -> None:
    """Open slots again, each at its new position."""
    if not slots:
        return
    session.connection().execute(_REOPEN, [{"slot": slot.id, "place": place} for slot, place in slots])
    _change_counts(session, Counter(slot.stratum for slot, _ in slots))


def complete(session: Session, assignment_id: int) -> tuple[int, list[int]]:
    """Mark done the slots of a submitted assignment: those it holds, and any it lost that nobody took since.

    Returns:
        How many are done by it now, and which of them it had lost.
    """
    rows = _run(session, _FILLABLE, assignment=assignment_id).all()
    _run(session, _FILL, slots=[row.id for row in rows], assignment=assignment_id)
    lost = [row for row in rows if row.state == "open"]
    _change_counts(session, {name: -n for name, n in Counter(row.stratum for row in lost).items()})
    return len(rows), [row.id for row in lost]


def latest(session: Session) -> int:
    """The number of the latest assignment; 0 before the first."""
    return session.scalar(_LATEST) or 0


def times(session: Session, assignment_id: int) -> tuple[datetime, datetime] | None:
    """When a claimed assignment began and is to end, held until the transaction ends; None for any other."""
    row = session.get(AssignmentRow, assignment_id, with_for_update=True)
    return (row.claimed, row.deadline) if row is not None and row.state == "claimed" else None


def prolong(session: Session, assignment_id: int, deadline: datetime, until: datetime) -> None:
    """Let an assignment end later, and keep its slots for it until a time."""
    _run(session, _PROLONG, one=assignment_id, later=deadline)
    _run(session, _KEEP, assignment=assignment_id, until=until)


def overdue(session: Session, before: datetime) -> list[int]:
    """Claimed assignments whose deadline lies before a time."""
    query = (
        select(AssignmentRow.id)
        .where(AssignmentRow.state == "claimed", AssignmentRow.deadline < before)
        .order_by(AssignmentRow.deadline, AssignmentRow.id)
    )
    return list(session.scalars(query))


def end(session: Session, assignment_id: int, state: str) -> str | None:
    """Put a claimed assignment into a state that ends it without submission; its place is open again.

    Returns:
        The state it was in; None if there is no such assignment. Only a claimed one is changed.
    """
    assignment = session.get(AssignmentRow, assignment_id, with_for_update=True)
    if assignment is None:
        return None
    before = assignment.state
    if before == "claimed":
        assignment.state = state
        place = session.get(Place, assignment.place_id, with_for_update=True)
        if place is not None and place.state == "taken":
            place.state = "open"
        session.flush()
    return before


def miscounted(session: Session) -> list[str]:
    """Strata whose open count is not the number of their open slots: none, unless something went wrong."""
    counted = select(_SLOT.c.stratum, func.count()).where(_SLOT.c.state == "open").group_by(_SLOT.c.stratum)
    found = {row[0]: row[1] for row in _run(session, counted)}
    kept = open_counts(session)
    return sorted(name for name in found.keys() | kept.keys() if found.get(name, 0) != kept.get(name, 0))


def _change_counts(session: Session, changes: Mapping[str, int]) -> None:
    if changes:
        values = [{"named": name, "change": change} for name, change in sorted(changes.items())]
        session.connection().execute(_COUNT_ON, values)


def _run(session: Session, statement: Any, **values: Any) -> Any:
    # What the session has changed but not yet written must be there for Core to see.
    session.flush()
    return session.connection().execute(statement, values)
