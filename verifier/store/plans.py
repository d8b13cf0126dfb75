"""What planning reads of a study, and writes into it: corpus, grid, tasks, displays, cards, slots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Table, bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from analysis.documents import Span
from verifier.store.models import (
    AnnotationRow,
    Base,
    CardRow,
    ControlAnswer,
    Credit,
    Dataset,
    DisplayRow,
    DocumentRow,
    SegmentRow,
    SourceDocument,
    SourceRow,
    Splitter,
    StratumRow,
    TaskRow,
    TaskSlot,
)

T = TypeVar("T")
_CHUNK: Final = 10_000
_CONTROLS: Final = (
    select(TaskRow.id, TaskRow.segment_id)
    .join(DisplayRow, DisplayRow.task_id == TaskRow.id)
    .join(ControlAnswer, ControlAnswer.display_id == DisplayRow.id)
    .distinct()
    .order_by(TaskRow.id)
)


@dataclass(frozen=True)
class PlanText:
    """A document, as planning sees it."""

    id: int
    dataset: str
    language: str
    name: str
    text: str
    evaluation: Span


@dataclass(frozen=True)
class Grid:
    """How texts are cut, and what has been cut: document -> [(segment id, span)], in order."""

    splitter: int
    name: str
    version: str
    parameters: dict[str, Any]
    segments: dict[int, list[tuple[int, Span]]]


@dataclass
class Additions:
    """Rows a plan adds, as mappings of column names, and what it says about annotations."""

    splitter: list[dict[str, Any]] = field(default_factory=list)
    segments: list[dict[str, Any]] = field(default_factory=list)
    cards: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    displays: list[dict[str, Any]] = field(default_factory=list)
    credits: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    slots: list[dict[str, Any]] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SlotCount:
    """Slots of one segment and stratum."""

    segment: int
    stratum: str
    slots: int


def texts(session: Session) -> list[PlanText]:
    """Every document, in the order imported."""
    rows = session.execute(
        select(
            DocumentRow.id,
            Dataset.name,
            Dataset.language,
            DocumentRow.name,
            DocumentRow.text,
            DocumentRow.evaluation_start,
            DocumentRow.evaluation_end,
        )
        .join(Dataset)
        .order_by(DocumentRow.id)
    )
    return [PlanText(*row[:5], Span(row[5], row[6])) for row in rows]


def marks(session: Session, targets: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """Every annotation: id, document, source, start, end, key after redirects, kind, reason, whether planned.

    Args:
        session: reading.
        targets: the redirects in force.
    """
    rows = session.execute(
        select(
            AnnotationRow.id,
            AnnotationRow.document_id,
            AnnotationRow.source_id,
            AnnotationRow.start,
            AnnotationRow.end,
            AnnotationRow.key,
            AnnotationRow.kind,
            AnnotationRow.reason,
            AnnotationRow.shown,
        ).order_by(AnnotationRow.id)
    )
    for identity, document, source, start, end, key, kind, reason, shown in rows.yield_per(_CHUNK):
        # An exact copy within its file is marked so at import; whether it was planned its shown tells.
        planned = shown is not None
        yield identity, document, source, start, end, targets.get(key or "", key), kind, reason, planned


def sources(session: Session) -> dict[int, str]:
    """Source id -> name."""
    return {row.id: row.name for row in session.execute(select(SourceRow.id, SourceRow.name))}


def ran(session: Session) -> dict[int, frozenset[int]]:
    """Document -> the sources that ran on it."""
    found: dict[int, set[int]] = defaultdict(set)
    rows = session.execute(
        select(SourceDocument.document_id, SourceDocument.source_id).where(SourceDocument.ran)
    )
    for document, source in rows:
        found[document].add(source)
    return {document: frozenset(ids) for document, ids in found.items()}


def grid(session: Session) -> Grid | None:
    """The grid as frozen at the first plan; None before it."""
    splitter = session.scalars(select(Splitter).order_by(Splitter.id)).first()
    if splitter is None:
        return None
    segments: dict[int, list[tuple[int, Span]]] = defaultdict(list)
    rows = session.execute(
        select(SegmentRow.document_id, SegmentRow.id, SegmentRow.start, SegmentRow.end).order_by(
            SegmentRow.document_id, SegmentRow.start
        )
    )
    for document, identity, start, end in rows:
        segments[document].append((identity, Span(start, end)))
    return Grid(splitter.id, splitter.name, splitter.version, splitter.parameters, dict(segments))


def controls(session: Session) -> list[tuple[int, int]]:
    """Every control: (task, segment)."""
    # By way of the answers, which are few: tasks have no index on their kind and need none.
    rows = session.connection().execute(_CONTROLS)
    return [(row.id, row.segment_id) for row in rows]


def pooled_displays(session: Session) -> Iterator[tuple[int, int, int, int, str]]:
    """Every display of a pooled task: (document, display, start, end, key)."""
    rows = session.execute(
        select(SegmentRow.document_id, DisplayRow.id, DisplayRow.start, DisplayRow.end, DisplayRow.key)
        .join(TaskRow, TaskRow.id == DisplayRow.task_id)
        .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .where(TaskRow.kind == "real", TaskRow.source_id.is_(None))
    )
    for row in rows:
        yield row.document_id, row.id, row.start, row.end, row.key


def show_modes(session: Session) -> set[str]:
    """The ways in which real tasks show annotations: `source`, `pooled`, or none yet."""
    of_source = select(TaskRow.id).where(TaskRow.kind == "real", TaskRow.source_id.is_not(None)).limit(1)
    of_none = select(TaskRow.id).where(TaskRow.kind == "real", TaskRow.source_id.is_(None)).limit(1)
    modes = {"source": of_source, "pooled": of_none}
    return {name for name, query in modes.items() if session.scalar(query) is not None}


def answers(session: Session) -> list[tuple[str, str | None, str]]:
    """The right decision, the difficulty and the use of every control display whose answer is known."""
    rows = session.execute(select(ControlAnswer.expected, ControlAnswer.difficulty, ControlAnswer.use))
    return [(row.expected, row.difficulty, row.use) for row in rows]


def control_display_count(session: Session) -> int:
    """How many displays all controls have, those without a known answer too."""
    tasks = [task for task, _ in controls(session)]
    counted = select(func.count(DisplayRow.id)).where(DisplayRow.task_id.in_(tasks))
    return session.scalar(counted) or 0


@dataclass(frozen=True)
class ControlDisplay:
    """A display of a control task, with its answer where it is known, and where it stands.

    Attributes:
        task: its control.
        dataset, document: names.
        text: of the whole document.
        segment: the part of it that the worker sees.
        start, end, key, title: what is shown.
        expected, acceptable, difficulty, use: its answer; None where it is not graded.
    """

    task: int
    dataset: str
    document: str
    text: str
    segment: Span
    start: int
    end: int
    key: str
    title: str | None
    expected: str | None
    acceptable: list[str] | None
    difficulty: str | None
    use: str | None


def control_displays(session: Session) -> list[ControlDisplay]:
    """Every display of every control, in order."""
    answer = ControlAnswer
    rows = session.execute(
        select(
            TaskRow.id,
            Dataset.name,
            DocumentRow.name,
            DocumentRow.text,
            SegmentRow.start,
            SegmentRow.end,
            DisplayRow.start,
            DisplayRow.end,
            DisplayRow.key,
            CardRow.title,
            answer.expected,
            answer.acceptable,
            answer.difficulty,
            answer.use,
        )
        .select_from(DisplayRow)
        .join(TaskRow, TaskRow.id == DisplayRow.task_id)
        .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .join(DocumentRow, DocumentRow.id == SegmentRow.document_id)
        .join(Dataset, Dataset.id == DocumentRow.dataset_id)
        .outerjoin(CardRow, CardRow.id == DisplayRow.card_id)
        .outerjoin(answer, answer.display_id == DisplayRow.id)
        .where(TaskRow.kind == "control")
        .order_by(TaskRow.id, DisplayRow.ordinal)
    )
    return [
        ControlDisplay(task, dataset, document, text, Span(start, end), *rest)
        for task, dataset, document, text, start, end, *rest in rows
    ]


def slot_counts(session: Session) -> list[SlotCount]:
    """How many slots, in whatever state, each segment has in each stratum."""
    rows = session.execute(
        select(TaskSlot.segment_id, TaskSlot.stratum, func.count())
        .group_by(TaskSlot.segment_id, TaskSlot.stratum)
        .order_by(TaskSlot.segment_id, TaskSlot.stratum)
    )
    return [SlotCount(*row) for row in rows]


def task_counts(session: Session) -> dict[str, int]:
    """How many real tasks each stratum has: each has one first slot."""
    rows = session.execute(
        select(TaskSlot.stratum, func.count()).where(TaskSlot.ordinal == 0).group_by(TaskSlot.stratum)
    )
    return {row[0]: row[1] for row in rows}


def shown_before(session: Session) -> set[int]:
    """The annotations that earlier plans show."""
    return set(session.scalars(select(AnnotationRow.id).where(AnnotationRow.shown.is_(True))))


def cards(session: Session) -> set[str]:
    """The ids of the cards there are."""
    return set(session.scalars(select(CardRow.id)))


def next_ids(session: Session) -> dict[str, int]:
    """The first free id of each table that planning alone writes."""
    tables: tuple[type[Base], ...] = (Splitter, SegmentRow, TaskRow, DisplayRow, TaskSlot)
    return {
        table.__tablename__: (session.scalar(select(func.max(table.__table__.c.id))) or 0) + 1
        for table in tables
    }


def add(session: Session, rows: Additions) -> None:
    """Write a plan. Ids are given, not left to the database: the same plan has the same ids everywhere."""
    tables: Sequence[tuple[type[Base], list[dict[str, Any]]]] = (
        (Splitter, rows.splitter),
        (SegmentRow, rows.segments),
        (CardRow, rows.cards),
        (TaskRow, rows.tasks),
        (DisplayRow, rows.displays),
        (Credit, rows.credits),
        (ControlAnswer, rows.answers),
        (TaskSlot, rows.slots),
    )
    connection = session.connection()
    for table, values in tables:
        for chunk in _chunks(values):
            # Into the table, not by way of the mapped class, which takes twice as long over each row.
            connection.execute(insert(cast("Table", table.__table__)), chunk)
    _say_shown(session, rows.shown, rows.reasons)
    opened: dict[str, int] = defaultdict(int)
    for slot in rows.slots:
        opened[slot["stratum"]] += 1
    for name, count in sorted(opened.items()):
        if stratum := session.get(StratumRow, name, with_for_update=True):
            stratum.open += count
        else:
            session.add(StratumRow(name=name, open=count))
    session.flush()


def card_row(card: Any, identity: str, fetched: datetime) -> dict[str, Any]:
    """The row of a card, from a dataclass with the same names."""
    return {"id": identity, "fetched": fetched, **asdict(card)}


def _say_shown(session: Session, shown: Iterable[int], reasons: Mapping[int, str]) -> None:
    """Write into each annotation whether it is shown, or why not."""
    table = cast("Table", AnnotationRow.__table__)
    change = (
        update(table)
        .where(table.c.id == bindparam("annotation"))
        .values(shown=bindparam("is_shown"), reason=bindparam("why"))
    )
    values: list[dict[str, Any]] = [
        {"annotation": identity, "is_shown": True, "why": None} for identity in shown
    ]
    values += [{"annotation": identity, "is_shown": False, "why": why} for identity, why in reasons.items()]
    connection = session.connection()
    for chunk in _chunks(values):
        connection.execute(change, chunk)


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
