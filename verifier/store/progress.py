"""How a study stands, as counts: work, judgments, people, money. What status, dashboard and review read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Select, func, literal, null, select
from sqlalchemy.orm import Session

from verifier.store.current import current_judgments
from verifier.store.experts import PLATFORM as ADJUDICATION
from verifier.store.joins import placed
from verifier.store.models import (
    AssignmentRow,
    Dataset,
    DisplayRow,
    JudgmentRow,
    Place,
    SourceRow,
    TaskRow,
    TaskSlot,
    Worker,
)

POOLED: Final = "pooled"


@dataclass(frozen=True)
class Work:
    """What is to be judged of one dataset and source, in tasks, displays and slots by state."""

    dataset: str
    source: str
    tasks: int
    displays: int
    open: int
    leased: int
    done: int


@dataclass(frozen=True)
class Labels:
    """How many counted judgments of one display came to one decision."""

    dataset: str
    source: str
    display: int
    decision: str
    n: int


@dataclass(frozen=True)
class Person:
    """One assignment with what a review needs to know about it; the worker by pseudonym."""

    assignment: int
    worker_id: int
    worker: str
    excluded: str | None
    state: str
    origin: str
    claimed: datetime
    submitted: datetime | None
    counted: bool | None
    reason: str | None
    decision: str | None
    active_seconds: float | None
    judgments: int
    seconds_each: float | None
    reward: Decimal
    fee: Decimal
    currency: str
    code: str | None
    platform_state: str | None


@dataclass(frozen=True)
class Spending:
    """Places of one state, and their pay and fees."""

    state: str
    places: int
    amount: Decimal


def work(session: Session) -> list[Work]:
    """What is to be judged, by dataset and source; pooled tasks are of the source `pooled`."""
    displays = dict(
        _pairs(session, _real(func.count(DisplayRow.id)).join(DisplayRow, DisplayRow.task_id == TaskRow.id))
    )
    slots: dict[tuple[str, str], dict[str, int]] = {}
    by_state = _real(TaskSlot.state, func.count()).join(TaskSlot, TaskSlot.task_id == TaskRow.id)
    for dataset, source, state, n in session.execute(by_state.group_by(TaskSlot.state)):
        slots.setdefault((dataset, source or POOLED), {})[state] = n
    return [
        Work(
            *cell,
            tasks=tasks,
            displays=displays.get(cell, 0),
            open=slots.get(cell, {}).get("open", 0),
            leased=slots.get(cell, {}).get("leased", 0),
            done=slots.get(cell, {}).get("done", 0),
        )
        for cell, tasks in _pairs(session, _real(func.count(TaskRow.id)))
    ]


def labels(session: Session) -> list[Labels]:
    """Counted judgments that stand, by display and decision."""
    current = current_judgments()
    query = (
        _real(DisplayRow.id, JudgmentRow.decision, func.count())
        .join(DisplayRow, DisplayRow.task_id == TaskRow.id)
        .join(JudgmentRow, JudgmentRow.display_id == DisplayRow.id)
        .join(current, current.c.id == JudgmentRow.id)
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .where(AssignmentRow.state == "submitted", AssignmentRow.counted.is_(True))
        .group_by(DisplayRow.id, JudgmentRow.decision)
        .order_by(DisplayRow.id, JudgmentRow.decision)
    )
    return [Labels(d, s or POOLED, *rest) for d, s, *rest in session.execute(query)]


def people(session: Session) -> list[Person]:
    """All assignments, oldest first, each with its worker, place and what was judged."""
    current = current_judgments()
    judged = (
        select(
            JudgmentRow.assignment_id,
            func.count().label("n"),
            func.avg(JudgmentRow.seconds).label("seconds"),
        )
        .join(current, current.c.id == JudgmentRow.id)
        .group_by(JudgmentRow.assignment_id)
        .subquery()
    )
    query = (
        select(AssignmentRow, Worker, Place, judged.c.n, judged.c.seconds)
        .join(Worker, Worker.id == AssignmentRow.worker_id)
        .join(Place, Place.id == AssignmentRow.place_id)
        .outerjoin(judged, judged.c.assignment_id == AssignmentRow.id)
        .where(Place.platform != ADJUDICATION)
        .order_by(AssignmentRow.id)
    )
    return [_person(*row) for row in session.execute(query)]


def assignments(session: Session) -> list[Person]:
    """All assignments as `people` has them, quickly: without what was judged in them."""
    row, place = AssignmentRow, Place
    query = (
        select(
            row.id,
            row.worker_id,
            Worker.pseudonym,
            Worker.excluded,
            row.state,
            row.origin,
            row.claimed,
            row.submitted,
            row.counted,
            row.counted_reason,
            row.decision,
            row.active_seconds,
            literal(0),
            null(),
            place.reward,
            place.fee,
            place.currency,
            row.completion_code,
            row.platform_state,
        )
        .join(Worker, Worker.id == row.worker_id)
        .join(place, place.id == row.place_id)
        .where(place.platform != ADJUDICATION)
        .order_by(row.id)
    )
    amounts: dict[str | None, Decimal] = {None: Decimal(0)}
    found = []
    for *first, reward, fee, currency, code, said in session.execute(query):
        for amount in (reward, fee):
            if amount not in amounts:
                amounts[amount] = Decimal(amount or 0)
        values: list[Any] = [*first, amounts[reward], amounts[fee], currency, code, said]
        found.append(Person(*values))
    return found


def slots(session: Session) -> dict[str, dict[str, int]]:
    """Stratum -> state -> how many slots; an index answers it, however many there are."""
    counted = select(TaskSlot.stratum, TaskSlot.state, func.count()).group_by(
        TaskSlot.state, TaskSlot.stratum
    )
    found: dict[str, dict[str, int]] = {}
    for stratum, state, n in session.execute(counted):
        found.setdefault(stratum, {})[state] = n
    return found


def decisions(session: Session) -> list[tuple[int, str, int]]:
    """Worker, decision, and how many of his judgments that stand on real tasks came to it."""
    current = current_judgments()
    query = (
        select(AssignmentRow.worker_id, JudgmentRow.decision, func.count())
        .join(current, current.c.id == JudgmentRow.id)
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .join(DisplayRow, DisplayRow.id == JudgmentRow.display_id)
        .join(TaskRow, TaskRow.id == DisplayRow.task_id)
        .where(TaskRow.kind == "real")
        .group_by(AssignmentRow.worker_id, JudgmentRow.decision)
    )
    return [(worker, decision, n) for worker, decision, n in session.execute(query)]


def spending(session: Session) -> list[Spending]:
    """Places by state, with their pay and fees; money is added as decimals, never by the database."""
    query = (
        select(Place.state, Place.reward, Place.fee, func.count())
        .where(Place.platform != ADJUDICATION)
        .group_by(Place.state, Place.reward, Place.fee)
    )
    sums: dict[str, tuple[int, Decimal]] = {}
    for state, reward, fee, n in session.execute(query):
        places, amount = sums.get(state, (0, Decimal(0)))
        sums[state] = (places + n, amount + n * (Decimal(reward) + Decimal(fee or 0)))
    return [Spending(state, *sums[state]) for state in sorted(sums)]


def seconds(session: Session) -> Sequence[float]:
    """Active seconds of every counted judgment that stands, controls' too, ascending."""
    current = current_judgments()
    query = (
        select(JudgmentRow.seconds)
        .join(current, current.c.id == JudgmentRow.id)
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .where(AssignmentRow.counted.is_(True))
        .order_by(JudgmentRow.seconds)
    )
    return session.scalars(query).all()


def _real(*columns: Any) -> Select[Any]:
    """Real tasks by dataset and source: a query to be joined further."""
    return (
        placed(select(Dataset.name, SourceRow.name, *columns).select_from(TaskRow))
        .outerjoin(SourceRow, SourceRow.id == TaskRow.source_id)
        .where(TaskRow.kind == "real")
        .group_by(Dataset.name, SourceRow.name)
        .order_by(Dataset.name, SourceRow.name)
    )


def _pairs(session: Session, query: Select[Any]) -> list[tuple[tuple[str, str], int]]:
    return [((dataset, source or POOLED), n) for dataset, source, n in session.execute(query)]


def _person(
    row: AssignmentRow, worker: Worker, place: Place, judgments: int | None, each: float | None
) -> Person:
    return Person(
        assignment=row.id,
        worker_id=worker.id,
        worker=worker.pseudonym,
        excluded=worker.excluded,
        state=row.state,
        origin=row.origin,
        claimed=row.claimed,
        submitted=row.submitted,
        counted=row.counted,
        reason=row.counted_reason,
        decision=row.decision,
        active_seconds=row.active_seconds,
        judgments=judgments or 0,
        seconds_each=None if each is None else float(each),
        reward=Decimal(place.reward),
        fee=Decimal(place.fee or 0),
        currency=place.currency,
        code=row.completion_code,
        platform_state=row.platform_state,
    )
