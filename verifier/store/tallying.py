"""What a running tally reads: numbers alone, and only of assignments that it has not read before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sqlalchemy import and_, case, func, select
from sqlalchemy.orm import Session

from analysis.keys import NIL
from verifier.store import redirects
from verifier.store.current import UNDO
from verifier.store.models import (
    AnnotationRow,
    ControlAnswer,
    ControlRow,
    Dataset,
    DisplayRow,
    DocumentRow,
    Event,
    JudgmentRow,
    RedirectSnapshot,
    SegmentRow,
    SourceDocument,
    SourceRow,
    TaskRow,
)
from verifier.store.progress import POOLED

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
# Together one number for a judgment: its assignment and its number in it, which is below this.
_SEQUENCES: Final = 2**31
# Read as plain rows: what maps them to objects would take longer than the database.
_JUDGMENT: Final[Any] = JudgmentRow.__table__


@dataclass(frozen=True)
class Question:
    """A control's display with its known answer; keys after redirects."""

    display: int
    control: int
    expected: str
    acceptable: tuple[str, ...]
    use: str


@dataclass(frozen=True)
class Judged:
    """The judgments that stand of some assignments, in columns; `key`: of edits, by row."""

    assignment: Ints
    display: Ints
    decision: Ints
    seconds: Floats
    key: dict[int, str]


def plan_state(session: Session) -> tuple[int, int, int]:
    """What changes when there is more to judge: the newest display, annotation and redirects."""
    newest = (DisplayRow.id, AnnotationRow.id, RedirectSnapshot.id)
    display, annotation, snapshot = (session.scalar(select(func.max(column))) or 0 for column in newest)
    return display, annotation, snapshot


def displays(session: Session) -> list[Any]:
    """Every display: id, kind of task, dataset, source, document, start, end, key; by id."""
    query = (
        select(
            DisplayRow.id,
            TaskRow.kind,
            Dataset.name,
            SourceRow.name,
            SegmentRow.document_id,
            DisplayRow.start,
            DisplayRow.end,
            DisplayRow.key,
        )
        .join(TaskRow, TaskRow.id == DisplayRow.task_id)
        .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .join(DocumentRow, DocumentRow.id == SegmentRow.document_id)
        .join(Dataset, Dataset.id == DocumentRow.dataset_id)
        .outerjoin(SourceRow, SourceRow.id == TaskRow.source_id)
        .order_by(DisplayRow.id)
    )
    rows = session.connection().execute(query)
    return [(*row[:3], row[3] or POOLED, *row[4:]) for row in rows]


def truth(session: Session) -> tuple[set[int], list[Any]]:
    """Documents on which a ground truth ran, and its links there: document, start, end, key."""
    ran = session.scalars(
        select(SourceDocument.document_id)
        .join(SourceRow, SourceRow.id == SourceDocument.source_id)
        .where(SourceRow.role == "ground_truth", SourceDocument.ran.is_(True))
    )
    links = session.execute(
        select(AnnotationRow.document_id, AnnotationRow.start, AnnotationRow.end, AnnotationRow.key)
        .join(SourceRow, SourceRow.id == AnnotationRow.source_id)
        .join(DocumentRow, DocumentRow.id == AnnotationRow.document_id)
        .where(SourceRow.role == "ground_truth", AnnotationRow.kind == "link")
        .where(AnnotationRow.start >= DocumentRow.evaluation_start)
        .where(AnnotationRow.end <= DocumentRow.evaluation_end)
        .order_by(AnnotationRow.id)
    )
    return set(ran), list(links)


def questions(session: Session) -> list[Question]:
    """Every question of a control in use, by display."""
    query = (
        select(ControlAnswer, DisplayRow.task_id)
        .join(DisplayRow, DisplayRow.id == ControlAnswer.display_id)
        .outerjoin(ControlRow, ControlRow.task_id == DisplayRow.task_id)
        .where(ControlRow.retired.is_(None))
        .order_by(ControlAnswer.display_id)
    )
    return [
        Question(
            row.display_id,
            task,
            row.expected,
            tuple(key if key == NIL else redirects.resolve(session, key) for key in row.acceptable or ()),
            row.use,
        )
        for row, task in session.execute(query)
    ]


def judged(session: Session, assignments: Sequence[int]) -> Judged:
    """The workers' judgments that stand of these assignments: of each display the last, unless undone."""
    made, run = _JUDGMENT.c, session.connection().execute
    mine = and_(made.assignment_id.in_(assignments), made.role == "worker")
    code = case((made.decision == "verify", 0), (made.decision == "edit", 1), else_=2)
    columns = (made.assignment_id, made.display_id, made.sequence, code, made.seconds)
    rows = run(select(*columns).where(mine)).all()
    table = np.fromiter(chain.from_iterable(rows), dtype=np.float64, count=5 * len(rows)).reshape(-1, 5)
    assignment, display, sequence, decision = (table[:, at].astype(np.int64) for at in range(4))
    order = np.lexsort((sequence, display, assignment))
    assignment, display, sequence = assignment[order], display[order], sequence[order]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (assignment[1:] != assignment[:-1]) | (display[1:] != display[:-1])
    number = assignment * _SEQUENCES + sequence
    last &= ~np.isin(number, _undone(session, assignments))
    number = number[last]
    edits = run(select(made.assignment_id, made.sequence, made.key).where(mine, made.key.is_not(None)))
    named = {holder * _SEQUENCES + at: key for holder, at, key in edits}
    by_number = np.argsort(number)
    wanted = np.fromiter(named, dtype=np.int64, count=len(named))
    place = np.searchsorted(number, wanted, sorter=by_number)
    key = {}
    for at, found, name in zip(place, wanted, named.values(), strict=True):
        if at < len(number) and number[row := by_number[at]] == found:
            key[int(row)] = name
    return Judged(assignment[last], display[last], decision[order][last], table[:, 4][order][last], key)


def _undone(session: Session, assignments: Sequence[int]) -> Ints:
    gone = select(Event.assignment_id, Event.data).where(
        Event.kind == UNDO, Event.assignment_id.in_(assignments)
    )
    rows = session.execute(gone)
    found = [
        made * _SEQUENCES + int(data["sequence"]) for made, data in rows if made and data.get("sequence")
    ]
    return np.array(found, dtype=np.int64)
