"""What a running tally reads: numbers alone, and only of assignments that it has not read before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from sqlalchemy import Select, and_, case, func, select
from sqlalchemy.orm import Session

from analysis.keys import NIL
from verifier.store import redirects
from verifier.store.current import UNDO
from verifier.store.joins import placed
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
Bools = npt.NDArray[np.bool_]
# Together one number for a judgment: its assignment and its number in it, which is below this.
_SEQUENCES: Final = 2**31
# Read as plain rows: what maps them to objects would take longer than the database.
_JUDGMENT: Final[Any] = JudgmentRow.__table__
_PART: Final = 50_000


@dataclass(frozen=True)
class Question:
    """A control's display with its known answer; keys after redirects."""

    display: int
    control: int
    expected: str
    acceptable: tuple[str, ...]
    use: str


@dataclass(frozen=True)
class Displays:
    """Every display in columns, by id; `datasets` and `sources` name ids, 0 being all sources at once."""

    display: Ints
    document: Ints
    start: Ints
    end: Ints
    control: Bools
    key: Ints
    dataset: Ints
    source: Ints
    datasets: dict[int, str]
    sources: dict[int, str]


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


def displays(session: Session, code: Callable[[str], int]) -> Displays:
    """Every display; `code` gives each entity its code, asked in the order of first appearance."""
    query = placed(
        select(
            DisplayRow.id,
            SegmentRow.document_id,
            DisplayRow.start,
            DisplayRow.end,
            case((TaskRow.kind == "control", 1), else_=0),
            Dataset.id,
            func.coalesce(TaskRow.source_id, 0),
            DisplayRow.key,
        ).join(TaskRow, TaskRow.id == DisplayRow.task_id)
    ).order_by(DisplayRow.id)
    parts, keys = [np.empty((7, 0), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for rows in _rows(session, query):
        *numbers, names = zip(*rows, strict=True)
        table = np.fromiter(chain.from_iterable(numbers), dtype=np.int64, count=7 * len(rows))
        parts.append(table.reshape(7, len(rows)))
        place, found = pd.factorize(np.array(names, dtype=object))
        keys.append(np.array([code(name) for name in found], dtype=np.int64)[place])
    display, document, start, end, control, dataset, source = np.concatenate(parts, axis=1)
    datasets = dict(session.execute(select(Dataset.id, Dataset.name)).all())
    sources = {0: POOLED, **dict(session.execute(select(SourceRow.id, SourceRow.name)).all())}
    key = np.concatenate(keys)
    return Displays(display, document, start, end, control == 1, key, dataset, source, datasets, sources)


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
    made = _JUDGMENT.c
    mine = and_(made.assignment_id.in_(assignments), made.role == "worker")
    code = case((made.decision == "verify", 0), (made.decision == "edit", 1), else_=2)
    columns = (made.assignment_id, made.display_id, made.sequence, code, made.seconds)
    parts = [np.empty((0, 5))]
    for rows in _rows(session, select(*columns).where(mine)):
        numbers = np.fromiter(chain.from_iterable(rows), dtype=np.float64, count=5 * len(rows))
        parts.append(numbers.reshape(-1, 5))
    table = np.concatenate(parts)
    assignment, display, sequence, decision = (table[:, at].astype(np.int64) for at in range(4))
    order = np.lexsort((sequence, display, assignment))
    assignment, display, sequence = assignment[order], display[order], sequence[order]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = (assignment[1:] != assignment[:-1]) | (display[1:] != display[:-1])
    number = assignment * _SEQUENCES + sequence
    last &= ~np.isin(number, _undone(session, assignments))
    number = number[last]
    edits = select(made.assignment_id, made.sequence, made.key).where(mine, made.key.is_not(None))
    named = {holder * _SEQUENCES + at: key for rows in _rows(session, edits) for holder, at, key in rows}
    by_number = np.argsort(number)
    wanted = np.fromiter(named, dtype=np.int64, count=len(named))
    place = np.searchsorted(number, wanted, sorter=by_number)
    key = {}
    for at, found, name in zip(place, wanted, named.values(), strict=True):
        if at < len(number) and number[row := by_number[at]] == found:
            key[int(row)] = name
    return Judged(assignment[last], display[last], decision[order][last], table[:, 4][order][last], key)


def _rows(session: Session, query: Select[*tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Rows of numbers and texts as the driver gives them, some at a time."""
    with session.connection().execute(query) as result:
        cursor: Any = result.cursor
        while rows := cursor.fetchmany(_PART):
            yield rows


def _undone(session: Session, assignments: Sequence[int]) -> Ints:
    gone = select(Event.assignment_id, Event.data).where(
        Event.kind == UNDO, Event.assignment_id.in_(assignments)
    )
    rows = session.execute(gone)
    found = [
        made * _SEQUENCES + int(data["sequence"]) for made, data in rows if made and data.get("sequence")
    ]
    return np.array(found, dtype=np.int64)
