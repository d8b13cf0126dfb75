"""Tasks as workers saw them, with the judgments made on them: what the researcher looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from verifier.store.current import current_judgments
from verifier.store.models import (
    AssignmentRow,
    AssignmentTask,
    CardRow,
    ControlAnswer,
    Dataset,
    DisplayRow,
    DocumentRow,
    JudgmentRow,
    SegmentRow,
    SourceRow,
    TaskRow,
    Worker,
)
from verifier.store.progress import POOLED


@dataclass(frozen=True)
class Listed:
    """A task in the list: where it comes from, and how many submitted assignments held it."""

    task: int
    dataset: str
    document: str
    source: str
    control: bool
    assignments: int


@dataclass(frozen=True)
class Made:
    """A judgment that stands on a display."""

    worker: str
    decision: str
    key: str | None
    seconds: float
    opened: bool
    counted: bool | None
    state: str
    made: datetime


@dataclass(frozen=True)
class ShownDisplay:
    """A display with its card and judgments; offsets into the task's text; `expected`: of a control."""

    start: int
    end: int
    key: str
    title: str | None
    description: str | None
    extract: str | None
    expected: str | None
    acceptable: tuple[str, ...]
    judgments: tuple[Made, ...]


@dataclass(frozen=True)
class ShownTask:
    """A task as a worker saw it, and what he did not see: its source, and whether it is a control."""

    task: int
    dataset: str
    document: str
    source: str
    control: bool
    language: str
    text: str
    displays: tuple[ShownDisplay, ...]


def judged_tasks(session: Session, limit: int, offset: int = 0) -> tuple[list[Listed], int]:
    """Tasks that submitted assignments held, in the order planned, a page of them; and how many there are."""
    n = func.count(AssignmentTask.assignment_id)
    query = (
        _where_from(TaskRow.id, Dataset.name, DocumentRow.name, SourceRow.name, TaskRow.kind, n)
        .join(AssignmentTask, AssignmentTask.task_id == TaskRow.id)
        .join(AssignmentRow, AssignmentRow.id == AssignmentTask.assignment_id)
        .where(AssignmentRow.state == "submitted")
        .group_by(TaskRow.id, Dataset.name, DocumentRow.name, SourceRow.name, TaskRow.kind)
    )
    total = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    page = session.execute(query.order_by(TaskRow.id).limit(limit).offset(offset))
    return [
        Listed(task, dataset, document, source or POOLED, kind == "control", held)
        for task, dataset, document, source, kind, held in page
    ], total


def shown_task(session: Session, task_id: int) -> ShownTask | None:
    """The task with this number; None if there is none."""
    columns = (Dataset, DocumentRow, SegmentRow, SourceRow.name, TaskRow.kind)
    found = session.execute(_where_from(*columns).where(TaskRow.id == task_id)).one_or_none()
    if found is None:
        return None
    dataset, document, segment, source, kind = found
    query = (
        select(DisplayRow, CardRow, ControlAnswer)
        .outerjoin(CardRow, CardRow.id == DisplayRow.card_id)
        .outerjoin(ControlAnswer, ControlAnswer.display_id == DisplayRow.id)
        .where(DisplayRow.task_id == task_id)
        .order_by(DisplayRow.start, DisplayRow.end.desc(), DisplayRow.ordinal)
    )
    rows = session.execute(query).all()
    judged = _judgments(session, task_id)
    return ShownTask(
        task=task_id,
        dataset=dataset.name,
        document=document.name,
        source=source or POOLED,
        control=kind == "control",
        language=dataset.language,
        text=document.text[segment.start : segment.end],
        displays=tuple(
            _display(row, card, answer, segment.start, judged.get(row.id, ())) for row, card, answer in rows
        ),
    )


def _where_from(*columns: Any) -> Select[Any]:
    return (
        select(*columns)
        .select_from(TaskRow)
        .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .join(DocumentRow, DocumentRow.id == SegmentRow.document_id)
        .join(Dataset, Dataset.id == DocumentRow.dataset_id)
        .outerjoin(SourceRow, SourceRow.id == TaskRow.source_id)
    )


def _judgments(session: Session, task_id: int) -> dict[int, list[Made]]:
    held = session.scalars(
        select(AssignmentTask.assignment_id).where(AssignmentTask.task_id == task_id)
    ).all()
    current = current_judgments(held)
    query = (
        select(JudgmentRow, AssignmentRow, Worker.pseudonym)
        .join(current, current.c.id == JudgmentRow.id)
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .join(Worker, Worker.id == AssignmentRow.worker_id)
        .join(DisplayRow, DisplayRow.id == JudgmentRow.display_id)
        .where(DisplayRow.task_id == task_id)
        .order_by(AssignmentRow.id)
    )
    found: dict[int, list[Made]] = {}
    for row, assignment, worker in session.execute(query):
        found.setdefault(row.display_id, []).append(
            Made(
                worker=worker,
                decision=row.decision,
                key=row.key,
                seconds=row.seconds,
                opened=row.opened,
                counted=assignment.counted,
                state=assignment.state,
                made=row.made,
            )
        )
    return found


def _display(
    row: DisplayRow,
    card: CardRow | None,
    answer: ControlAnswer | None,
    offset: int,
    judgments: Sequence[Made],
) -> ShownDisplay:
    return ShownDisplay(
        start=row.start - offset,
        end=row.end - offset,
        key=row.key,
        title=card.title if card else None,
        description=card.description if card else None,
        extract=card.extract if card else None,
        expected=answer.expected if answer else None,
        acceptable=tuple(answer.acceptable or ()) if answer else (),
        judgments=tuple(judgments),
    )
