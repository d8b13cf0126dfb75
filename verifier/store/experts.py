"""Experts and what they decided: assignments of their own, unpaid, in no count of the crowd's work."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import func, literal, select
from sqlalchemy.orm import Session

from verifier.store import crowd, redirects
from verifier.store.joins import placed
from verifier.store.models import (
    AssignmentRow,
    CardRow,
    Dataset,
    DisplayRow,
    DocumentRow,
    JudgmentRow,
    Place,
    SegmentRow,
    TaskRow,
    Worker,
)

# The platform of places that nobody pays: an expert's assignment lies in one.
PLATFORM: Final = "adjudication"
# Before an expert's name in his pseudonym. A worker's has no hyphen.
PREFIX: Final = "expert-"
EXPERT: Final = "expert"


@dataclass(frozen=True)
class Decided:
    """What an expert decided on a display; `sequence` numbers all that he ever decided."""

    expert: str
    display: int
    decision: str
    key: str | None
    sequence: int
    made: datetime


@dataclass(frozen=True)
class Case:
    """What an expert looks at: one annotation in its text, with its card; offsets into the text."""

    display: int
    control: bool
    task: int
    dataset: str
    document: str
    language: str
    text: str
    start: int
    end: int
    document_start: int
    key: str
    title: str | None
    description: str | None
    extract: str | None
    image: str | None
    image_credit: str | None
    url: str | None

    @property
    def mention(self) -> str:
        """The highlighted text."""
        return self.text[self.start : self.end]


def case(session: Session, display: int) -> Case | None:
    """The annotation that a display shows; None if there is no such display."""
    query = _placed(DisplayRow, TaskRow, SegmentRow, DocumentRow, Dataset, CardRow).outerjoin(
        CardRow, CardRow.id == DisplayRow.card_id
    )
    found = session.execute(query.where(DisplayRow.id == display)).one_or_none()
    if found is None:
        return None
    row, task, segment, document, dataset, card = found
    return Case(
        display=row.id,
        control=task.kind == "control",
        task=task.id,
        dataset=dataset.name,
        document=document.name,
        language=dataset.language,
        text=document.text[segment.start : segment.end],
        start=row.start - segment.start,
        end=row.end - segment.start,
        document_start=row.start,
        key=row.key,
        title=card.title if card else None,
        description=card.description if card else None,
        extract=card.extract if card else None,
        image=card.image if card else None,
        image_credit=card.image_credit if card else None,
        url=card.url if card else None,
    )


def alike(session: Session, display: int) -> list[int]:
    """The displays of the item that a display shows, whichever source's; of a control itself alone."""
    columns = (DisplayRow.start, DisplayRow.end, DisplayRow.key, SegmentRow.document_id, TaskRow.kind)
    start, end, key, document, kind = session.execute(_placed(*columns).where(DisplayRow.id == display)).one()
    if kind == "control":
        return [display]
    rows = session.execute(
        _placed(DisplayRow.id, DisplayRow.key)
        .where(SegmentRow.document_id == document, TaskRow.kind == "real")
        .where(DisplayRow.start == start, DisplayRow.end == end)
        .order_by(DisplayRow.id)
    )
    shown = redirects.resolve(session, key)
    return [row.id for row in rows if redirects.resolve(session, row.key) == shown]


def standing(session: Session, displays: Sequence[int] | None = None) -> list[Decided]:
    """What every expert decided last on each display, of these displays or of all."""
    query = (
        select(Worker.pseudonym, JudgmentRow)
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .join(Worker, Worker.id == AssignmentRow.worker_id)
        .join(Place, Place.id == AssignmentRow.place_id)
        .where(Place.platform == PLATFORM)
        .order_by(AssignmentRow.id, JudgmentRow.sequence)
    )
    if displays is not None:
        query = query.where(JudgmentRow.display_id.in_(displays))
    last = {
        (worker, row.display_id): Decided(
            worker.removeprefix(PREFIX), row.display_id, row.decision, row.key, row.sequence, row.made
        )
        for worker, row in session.execute(query)
    }
    return list(last.values())


def count(session: Session) -> int:
    """How many judgments experts made: it changes whenever one decides."""
    query = (
        select(func.count(JudgmentRow.id))
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .join(Place, Place.id == AssignmentRow.place_id)
        .where(Place.platform == PLATFORM)
    )
    return session.scalar(query) or 0


def put(
    session: Session, assignment: int, displays: Sequence[int], values: dict[str, Any], now: datetime
) -> None:
    """Store one decision on every display of an item, after all that the expert decided before."""
    last = session.scalar(
        select(func.max(JudgmentRow.sequence)).where(JudgmentRow.assignment_id == assignment)
    )
    for sequence, display in enumerate(displays, (last or 0) + 1):
        session.add(
            JudgmentRow(
                assignment_id=assignment,
                display_id=display,
                sequence=sequence,
                role=EXPERT,
                made=now,
                **values,
            )
        )
    session.flush()


def assignment_of(session: Session, expert: str, currency: str, now: datetime) -> int:
    """The assignment of an expert, made when he first decides; locked until the transaction ends.

    It is in the state of one that was asked for no consent and handed nothing in, so that no query for
    the crowd's work finds it; it has no task and no pay.
    """
    named = PREFIX + expert
    found = session.scalar(
        select(AssignmentRow.id)
        .join(Worker, Worker.id == AssignmentRow.worker_id)
        .where(Worker.pseudonym == named)
        .with_for_update()
    )
    if found is not None:
        return found
    worker = Worker(pseudonym=named)
    origin = crowd.origin(session)
    place = Place(
        platform=PLATFORM,
        reward="0",
        fee="0",
        currency=currency,
        state="closed",
        origin=origin,
        created=now,
    )
    session.add_all([worker, place])
    session.flush()
    row = AssignmentRow(
        place_id=place.id,
        worker_id=worker.id,
        token=secrets.token_urlsafe(32),
        state="no_consent",
        origin=origin,
        claimed=now,
        deadline=now,
        step=PLATFORM,
    )
    session.add(row)
    session.flush()
    return row.id


def _placed(*columns: Any) -> Any:
    """Columns of displays, with their tasks, segments, documents and datasets."""
    shown = select(*(columns or (literal(1),))).select_from(DisplayRow)
    return placed(shown.join(TaskRow, TaskRow.id == DisplayRow.task_id))
