"""What planning reads of a study, and writes into it: corpus, grid, tasks, displays, cards, slots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import chain, islice
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Connection, Table, func, insert, or_, select
from sqlalchemy.orm import Session, aliased

from analysis.documents import Span
from analysis.schema import DECOY
from verifier.store.joins import placed
from verifier.store.models import (
    AnnotationRow,
    AssignmentTask,
    Base,
    CardRow,
    ControlAnswer,
    ControlRow,
    Credit,
    Dataset,
    DisplayRow,
    DocumentRow,
    JudgmentRow,
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
# Tables of numbers and text alone, of which a plan may add millions of rows.
_PLAIN: Final = (SegmentRow, TaskRow, DisplayRow, Credit, TaskSlot)
_RETIRED: Final = aliased(ControlRow)
_CONTROLS: Final = (
    select(TaskRow.id, SegmentRow.passage_id)
    .join(ControlRow, ControlRow.task_id == TaskRow.id)
    .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
    .outerjoin(_RETIRED, _RETIRED.task_id == ControlRow.replaces)
    .where(ControlRow.retired.is_(None))
    .where(or_(ControlRow.confirmed.is_not(None), _RETIRED.confirmed.is_(None)))
    .order_by(TaskRow.id)
)
_DECOYS: Final = (
    select(DisplayRow.task_id)
    .join(ControlAnswer, ControlAnswer.display_id == DisplayRow.id)
    .where(ControlAnswer.use == DECOY)
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
    """How texts are cut, and what has been cut: document -> [(segment id, span)], in order.

    `undrawn` are the segments that the sampling plan left out; `weights` those of others that are not 1;
    `passages` the first segment with the same text, of those that have another before them.
    """

    splitter: int
    name: str
    version: str
    parameters: dict[str, Any]
    segments: dict[int, list[tuple[int, Span]]]
    undrawn: set[int] = field(default_factory=set)
    weights: dict[int, float] = field(default_factory=dict)
    passages: dict[int, int] = field(default_factory=dict)


@dataclass
class Additions:
    """Rows a plan adds, as mappings of column names, and what it says about annotations."""

    splitter: list[dict[str, Any]] = field(default_factory=list)
    segments: list[dict[str, Any]] = field(default_factory=list)
    cards: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    displays: list[dict[str, Any]] = field(default_factory=list)
    credits: list[dict[str, Any]] = field(default_factory=list)
    controls: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    slots: list[dict[str, Any]] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SlotCount:
    """Slots of one passage and stratum."""

    passage: int
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


def truth(session: Session) -> frozenset[int]:
    """The sources that are ground truth."""
    return frozenset(session.scalars(select(SourceRow.id).where(SourceRow.role == "ground_truth")))


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
        select(
            SegmentRow.document_id,
            SegmentRow.id,
            SegmentRow.start,
            SegmentRow.end,
            SegmentRow.weight,
            SegmentRow.passage_id,
        ).order_by(SegmentRow.document_id, SegmentRow.start)
    )
    undrawn, weights, passages = set(), {}, {}
    for document, identity, start, end, weight, passage in rows:
        segments[document].append((identity, Span(start, end)))
        if passage != identity:
            passages[identity] = passage
        if not weight:
            undrawn.add(identity)
        elif weight != 1:
            weights[identity] = weight
    cut = splitter.name, splitter.version, splitter.parameters
    return Grid(splitter.id, *cut, dict(segments), undrawn, weights, passages)


def controls(session: Session) -> list[tuple[int, int]]:
    """Every control in use: (task, passage).

    Not one that is retired, nor one that waits for a person in the place of one that had been confirmed.
    """
    # By way of what is kept of controls alone, which are few; each draw asks.
    rows = session.connection().execute(_CONTROLS)
    return [(row.id, row.passage_id) for row in rows]


def passages_of(session: Session, tasks: Collection[int]) -> list[tuple[int, int]]:
    """The passage of each of these tasks: (task, passage)."""
    query = select(TaskRow.id, SegmentRow.passage_id).join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
    return [(row.id, row.passage_id) for row in session.execute(query.where(TaskRow.id.in_(tasks)))]


def real_displays(session: Session) -> Iterator[tuple[int, int, int, int, str]]:
    """Every display of a real task: (document, display, start, end, key)."""
    rows = session.execute(
        select(SegmentRow.document_id, DisplayRow.id, DisplayRow.start, DisplayRow.end, DisplayRow.key)
        .join(TaskRow, TaskRow.id == DisplayRow.task_id)
        .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .where(TaskRow.kind == "real")
        .order_by(DisplayRow.id)
    )
    for row in rows.yield_per(_CHUNK):
        yield row.document_id, row.id, row.start, row.end, row.key


def show_modes(session: Session) -> set[str]:
    """The ways in which real tasks show annotations: `source`, `pooled`, or none yet."""
    of_source = select(TaskRow.id).where(TaskRow.kind == "real", TaskRow.source_id.is_not(None)).limit(1)
    of_none = select(TaskRow.id).where(TaskRow.kind == "real", TaskRow.source_id.is_(None)).limit(1)
    modes = {"source": of_source, "pooled": of_none}
    return {name for name, query in modes.items() if session.scalar(query) is not None}


def answers(session: Session) -> list[tuple[str, str | None, str]]:
    """The right decision, the difficulty and the use of every control display whose answer is known."""
    rows = session.execute(
        select(ControlAnswer.expected, ControlAnswer.difficulty, ControlAnswer.use)
        .join(DisplayRow, DisplayRow.id == ControlAnswer.display_id)
        .outerjoin(ControlRow, ControlRow.task_id == DisplayRow.task_id)
        .where(ControlRow.retired.is_(None))
    )
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
        placed(
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
        )
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
    """How many slots, in whatever state, each passage has in each stratum."""
    rows = session.execute(
        select(TaskSlot.passage_id, TaskSlot.stratum, func.count())
        .group_by(TaskSlot.passage_id, TaskSlot.stratum)
        .order_by(TaskSlot.passage_id, TaskSlot.stratum)
    )
    return [SlotCount(*row) for row in rows]


def deciding_controls(session: Session) -> set[int]:
    """The controls in use that have an answer which decides counting; the others only measure."""
    rows = session.execute(
        select(DisplayRow.task_id)
        .join(ControlRow, ControlRow.task_id == DisplayRow.task_id)
        .join(ControlAnswer, ControlAnswer.display_id == DisplayRow.id)
        .where(ControlAnswer.use == "gate", ControlRow.retired.is_(None))
    )
    return {row[0] for row in rows}


def decoys(session: Session) -> set[int]:
    """The controls that are real tasks with one link put wrong."""
    return {row[0] for row in session.connection().execute(_DECOYS)}


def assignments_with(session: Session, tasks: Collection[int]) -> list[int]:
    """The assignments that were given one of these tasks."""
    drawn = AssignmentTask
    query = select(drawn.assignment_id).where(drawn.task_id.in_(tasks)).distinct()
    return sorted(session.scalars(query))


def judgment_count(session: Session) -> int:
    """How many judgments there are, of whatever kind."""
    return session.scalar(select(func.count(JudgmentRow.id))) or 0


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
        (ControlRow, rows.controls),
        (ControlAnswer, rows.answers),
        (TaskSlot, rows.slots),
    )
    connection = session.connection()
    for table, values in tables:
        for chunk in _chunks(values):
            if table in _PLAIN:
                _put(connection, cast("Table", table.__table__), chunk)
            else:
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


def _put(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows whose values are numbers and text: handed to the driver as they are, there are millions."""
    names = list(rows[0])
    mark = _mark(connection)
    # In quotes: `end` is a word of SQL's own.
    into, marks = ", ".join(f'"{name}"' for name in names), ", ".join(mark for _ in names)
    values = [tuple(row.values()) for row in rows]
    connection.exec_driver_sql(f"insert into {table.name} ({into}) values ({marks})", values)


def _mark(connection: Connection) -> str:
    """How the driver marks a value in a statement."""
    return "?" if connection.dialect.paramstyle == "qmark" else "%s"


def card_row(card: Any, identity: str, fetched: datetime) -> dict[str, Any]:
    """The row of a card, from a dataclass with the same names."""
    said = asdict(card)
    return {**said, "id": identity, "fetched": said["fetched"] or fetched}


def _say_shown(session: Session, shown: Iterable[int], reasons: Mapping[int, str]) -> None:
    """Write into each annotation whether it is shown, or why not."""
    connection = session.connection()
    mark = _mark(connection)
    change = f"update annotation set shown = {mark}, reason = {mark} where id = {mark}"
    values: Iterator[tuple[bool, str | None, int]] = chain(
        ((True, None, identity) for identity in shown),
        ((False, why, identity) for identity, why in reasons.items()),
    )
    for chunk in _chunks(values):
        connection.exec_driver_sql(change, chunk)


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    left = iter(items)
    while chunk := list(islice(left, _CHUNK)):
        yield chunk
