"""Tasks as workers saw them, with the judgments made on them: what the researcher looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from verifier.store import experts
from verifier.store.current import UNDO
from verifier.store.joins import placed
from verifier.store.models import (
    AssignmentRow,
    CardRow,
    ControlAnswer,
    Dataset,
    DisplayRow,
    DocumentRow,
    Event,
    JudgmentRow,
    SegmentRow,
    SourceRow,
    TaskRow,
    Worker,
)
from verifier.store.progress import POOLED

# What stands for a source where controls alone are wanted; no source has a slash in its name.
CONTROLS: Final = "/controls"
# Judgments of a task that are shown: a control has one of nearly everybody.
MOST: Final = 500


@dataclass(frozen=True)
class Listed:
    """A task in the list: where it comes from."""

    task: int
    dataset: str
    document: str
    source: str
    control: bool


@dataclass(frozen=True)
class Made:
    """A judgment that stands on a display, and whose annotations its task shows."""

    display: int
    worker: str
    source: str
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
    image: str | None
    image_credit: str | None
    expected: str | None
    acceptable: tuple[str, ...]
    judgments: tuple[Made, ...]
    display: int
    experts: tuple[experts.Decided, ...]


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


def judged_tasks(
    session: Session, limit: int, after: int = 0, *, dataset: str = "", source: str = ""
) -> list[Listed]:
    """Tasks that somebody has judged something of, in the order planned, from after a task on.

    Args:
        session: reading.
        limit: so many at most.
        after: the last task that is not wanted any more.
        dataset: of this dataset alone; empty: of all.
        source: of this source alone, or `CONTROLS`; empty: of all.
    """
    judged = (
        select(JudgmentRow.id)
        .join(DisplayRow, DisplayRow.id == JudgmentRow.display_id)
        .where(DisplayRow.task_id == TaskRow.id, JudgmentRow.role == "worker")
        .exists()
    )
    query = _where_from(TaskRow.id, Dataset.name, DocumentRow.name, SourceRow.name, TaskRow.kind).where(
        TaskRow.id > after, judged
    )
    if dataset:
        query = query.where(Dataset.name == dataset)
    if source == CONTROLS:
        query = query.where(TaskRow.kind == "control")
    elif source:
        named = SourceRow.name.is_(None) if source == POOLED else SourceRow.name == source
        query = query.where(TaskRow.kind == "real", named)
    return [
        Listed(task, of, document, made_by or POOLED, kind == "control")
        for task, of, document, made_by, kind in session.execute(query.order_by(TaskRow.id).limit(limit))
    ]


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
    judged: dict[int, list[Made]] = {}
    for made in judgments_on(session, [row.id for row, *_ in rows], MOST):
        judged.setdefault(made.display, []).append(made)
    experts_said: dict[int, list[experts.Decided]] = {}
    for one in experts.standing(session, [row.id for row, *_ in rows]):
        experts_said.setdefault(one.display, []).append(one)
    return ShownTask(
        task=task_id,
        dataset=dataset.name,
        document=document.name,
        source=source or POOLED,
        control=kind == "control",
        language=dataset.language,
        text=document.text[segment.start : segment.end],
        displays=tuple(
            replace(
                _display(row, card, answer, segment.start),
                judgments=tuple(judged.get(row.id, ())),
                experts=tuple(experts_said.get(row.id, ())),
            )
            for row, card, answer in rows
        ),
    )


def _where_from(*columns: Any) -> Select[Any]:
    return placed(select(*columns).select_from(TaskRow)).outerjoin(
        SourceRow, SourceRow.id == TaskRow.source_id
    )


def judgments_on(session: Session, displays: Sequence[int], most: int | None = None) -> list[Made]:
    """The workers' judgments that stand on some displays, in the order of their assignments.

    Args:
        session: reading.
        displays: ids.
        most: of each display, so many at most.
    """
    query = (
        select(JudgmentRow, AssignmentRow, Worker.pseudonym, SourceRow.name)
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .join(Worker, Worker.id == AssignmentRow.worker_id)
        .join(DisplayRow, DisplayRow.id == JudgmentRow.display_id)
        .join(TaskRow, TaskRow.id == DisplayRow.task_id)
        .outerjoin(SourceRow, SourceRow.id == TaskRow.source_id)
        .where(JudgmentRow.display_id.in_(displays), JudgmentRow.role == "worker")
        .order_by(JudgmentRow.assignment_id, JudgmentRow.sequence)
    )
    if most is not None:
        query = query.limit(most)
    last: dict[tuple[int, int], Any] = {}
    for found in session.execute(query):
        last[found[0].assignment_id, found[0].display_id] = found
    gone = _undone(session, [assignment for assignment, _ in last])
    return [
        Made(
            display=row.display_id,
            worker=worker,
            source=source or POOLED,
            decision=row.decision,
            key=row.key,
            seconds=row.seconds,
            opened=row.opened,
            counted=assignment.counted,
            state=assignment.state,
            made=row.made,
        )
        for row, assignment, worker, source in last.values()
        if (row.assignment_id, row.sequence) not in gone
    ]


def _undone(session: Session, assignments: Sequence[int]) -> set[tuple[int, int]]:
    query = select(Event.assignment_id, Event.data).where(
        Event.kind == UNDO, Event.assignment_id.in_(set(assignments))
    )
    return {(made, int(data.get("sequence", 0))) for made, data in session.execute(query) if made}


def _display(
    row: DisplayRow,
    card: CardRow | None,
    answer: ControlAnswer | None,
    offset: int,
) -> ShownDisplay:
    return ShownDisplay(
        start=row.start - offset,
        end=row.end - offset,
        key=row.key,
        title=card.title if card else None,
        description=card.description if card else None,
        extract=card.extract if card else None,
        image=card.image if card else None,
        image_credit=card.image_credit if card else None,
        expected=answer.expected if answer else None,
        acceptable=tuple(answer.acceptable or ()) if answer else (),
        judgments=(),
        display=row.id,
        experts=(),
    )
