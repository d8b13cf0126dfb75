"""What the worker's pages read and write: an assignment's tasks, judgments, steps and events.

Control answers are never joined here: what these functions return cannot tell a control from any task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Executable, Result, bindparam, func, insert, select
from sqlalchemy.orm import Session

from verifier.store.current import UNDO
from verifier.store.joins import placed
from verifier.store.models import (
    AssignmentRow,
    AssignmentTask,
    CardRow,
    Dataset,
    DisplayRow,
    DocumentRow,
    Event,
    JudgmentRow,
    SegmentRow,
    TaskRow,
)
from verifier.store.prepared import Prepared

_DIGITS: Final = 9

# Statements are built once, here, and ask for columns, not for objects: to build either anew for each
# judgment would cost more than running them. What every judgment and every text asks is prepared, too.
_ASSIGNMENT: Final = select(AssignmentRow).where(AssignmentRow.token == bindparam("token"))
_LOCKED: Final = _ASSIGNMENT.with_for_update()
_WORKING: Final = select(
    AssignmentRow.id, AssignmentRow.state, AssignmentRow.step, AssignmentRow.deadline, AssignmentRow.options
).where(AssignmentRow.token == bindparam("token"))
_AT_WORK: Final = Prepared(_WORKING)
_AT_WORK_LOCKED: Final = Prepared(_WORKING.with_for_update())
_HIGHEST: Final = select(func.max(JudgmentRow.sequence)).where(
    JudgmentRow.assignment_id == bindparam("assignment")
)
_TASK: Final = Prepared(
    placed(
        select(
            TaskRow.id,
            SegmentRow.start,
            SegmentRow.end,
            DocumentRow.text,
            Dataset.language,
            AssignmentTask.arm,
        ).join(AssignmentTask, AssignmentTask.task_id == TaskRow.id)
    ).where(
        AssignmentTask.assignment_id == bindparam("assignment"),
        AssignmentTask.ordinal == bindparam("ordinal"),
    )
)
_DISPLAYS: Final = Prepared(
    select(
        DisplayRow.id,
        DisplayRow.ordinal,
        DisplayRow.start,
        DisplayRow.end,
        DisplayRow.key,
        CardRow.id,
        CardRow.title,
        CardRow.description,
        CardRow.extract,
        CardRow.url,
        CardRow.image,
        CardRow.image_credit,
    )
    .outerjoin(CardRow, CardRow.id == DisplayRow.card_id)
    .where(DisplayRow.task_id == bindparam("task"))
    .order_by(DisplayRow.start, DisplayRow.end.desc(), DisplayRow.ordinal)
)
_SHOWN: Final = (
    placed(
        select(
            AssignmentTask.ordinal,
            DisplayRow.ordinal,
            DisplayRow.id,
            DisplayRow.key,
            Dataset.language,
            AssignmentTask.arm,
        )
        .join(DisplayRow, DisplayRow.task_id == AssignmentTask.task_id)
        .join(TaskRow, TaskRow.id == AssignmentTask.task_id)
    )
    .where(AssignmentTask.assignment_id == bindparam("assignment"))
    .order_by(AssignmentTask.ordinal, DisplayRow.start, DisplayRow.end.desc(), DisplayRow.ordinal)
)
_SOME_SHOWN: Final = _SHOWN.where(
    AssignmentTask.ordinal.in_(bindparam("tasks", expanding=True)),
    DisplayRow.ordinal.in_(bindparam("displays", expanding=True)),
)
_ONE_SHOWN: Final = Prepared(
    _SHOWN.where(AssignmentTask.ordinal == bindparam("task"), DisplayRow.ordinal == bindparam("display"))
)
JUDGED: Final = (
    select(
        JudgmentRow.display_id,
        JudgmentRow.sequence,
        JudgmentRow.decision,
        JudgmentRow.key,
        JudgmentRow.raw,
        JudgmentRow.seconds,
    )
    .where(JudgmentRow.assignment_id == bindparam("assignment"))
    .order_by(JudgmentRow.sequence)
)
JUDGED_THERE: Final = JUDGED.where(JudgmentRow.display_id.in_(bindparam("displays", expanding=True)))
_JUDGED: Final = Prepared(JUDGED)
_JUDGED_IN: Final = Prepared(
    JUDGED.join(DisplayRow, DisplayRow.id == JudgmentRow.display_id).where(
        DisplayRow.task_id == bindparam("task")
    )
)
UNDONE: Final = Prepared(
    select(Event.data).where(Event.assignment_id == bindparam("assignment"), Event.kind == UNDO)
)
_EVENTS: Any = Event.__table__
_KEPT: Final = Prepared(insert(_EVENTS).inline(), ["assignment_id", "kind", "data", "at"])


class AtWork(NamedTuple):
    """Of an assignment, what each request of its page needs to know."""

    id: int
    state: str
    step: str
    deadline: datetime
    options: Mapping[str, Any] | None


class Shown(NamedTuple):
    """A display of an assignment: where it stands, what it shows, in which language and arm."""

    task: int
    ordinal: int
    display: int
    key: str
    language: str
    arm: str | None

    @property
    def reference(self) -> str:
        """Its name on the page."""
        return f"{self.task}.{self.ordinal}"


class Card(NamedTuple):
    """What was shown about an entity."""

    title: str | None
    description: str | None
    extract: str | None
    url: str | None
    image: str | None
    image_credit: str | None


class Standing(NamedTuple):
    """A judgment as it was stored."""

    display: int
    sequence: int
    decision: str
    key: str | None
    raw: str | None
    seconds: float


@dataclass(frozen=True)
class TaskProgress:
    """How far a task of an assignment is: its displays, how many are decided, and in which way."""

    task: int
    displays: int
    decided: int
    decisions: Mapping[str, int]


@dataclass(frozen=True)
class DisplayView:
    """One display as a worker sees it, with the judgment that stands; offsets into the task's text."""

    reference: str
    display: int
    start: int
    end: int
    key: str
    card: Card | None
    judgment: Standing | None


@dataclass(frozen=True)
class TaskView:
    """One task as a worker sees it: a text and its displays in the order of the text.

    Attributes:
        task: its ordinal in the assignment.
        row: its id.
        offset: where its text begins in the document.
        text, language, displays: what is shown.
        arm: how its links are shown, where the study compares.
    """

    task: int
    row: int
    offset: int
    text: str
    language: str
    displays: tuple[DisplayView, ...]
    arm: str | None


def assignment_by_token(session: Session, token: str, *, lock: bool = False) -> AssignmentRow | None:
    """The assignment with this token; locked until the transaction ends, if asked."""
    if not (token.isascii() and token.isprintable()):
        return None  # what was never given out may be more than a database can compare
    return session.scalar(_LOCKED if lock else _ASSIGNMENT, {"token": token})


def at_work(session: Session, token: str, *, lock: bool = False) -> AtWork | None:
    """The assignment with this token, as its page needs it; locked until the transaction ends, if asked."""
    if not (token.isascii() and token.isprintable()):
        return None
    row = (_AT_WORK_LOCKED if lock else _AT_WORK).one(session, token=token)
    return None if row is None else AtWork._make(row)


def highest_sequence(session: Session, assignment_id: int) -> int:
    """The highest sequence number stored; 0 if there is none."""
    return session.scalar(_HIGHEST, {"assignment": assignment_id}) or 0


def progress(session: Session, assignment_id: int) -> list[TaskProgress]:
    """How far each task of the assignment is, in the order shown."""
    displays: Counter[int] = Counter()
    decisions: dict[int, Counter[str]] = {}
    standing = _standing(session, assignment_id)
    for shown in _shown(session, assignment_id):
        displays[shown.task] += 1
        counted = decisions.setdefault(shown.task, Counter())
        if shown.display in standing:
            counted[standing[shown.display].decision] += 1
    return [
        TaskProgress(task, displays[task], decisions[task].total(), decisions[task])
        for task in sorted(displays)
    ]


def undecided(session: Session, assignment_id: int) -> list[str]:
    """References of the displays on which no judgment stands, in the order of the page."""
    standing = _standing(session, assignment_id)
    return [shown.reference for shown in _shown(session, assignment_id) if shown.display not in standing]


def task_view(session: Session, assignment_id: int, ordinal: int) -> TaskView | None:
    """The task at `ordinal` of the assignment; None if it has no such task."""
    row = _TASK.one(session, assignment=assignment_id, ordinal=ordinal)
    if row is None:
        return None
    task, first, last, text, language, arm = row
    shown = _DISPLAYS.rows(session, task=task)
    standing = _standing(session, assignment_id, task)
    start, end = _trimmed(text, first, last, [(begins, ends) for _, _, begins, ends, *_ in shown])
    displays = tuple(
        DisplayView(
            reference=f"{ordinal}.{place}",
            display=display,
            start=begins - start,
            end=ends - start,
            key=key,
            card=None if card is None else Card._make(said),
            judgment=standing.get(display),
        )
        for display, place, begins, ends, key, card, *said in shown
    )
    return TaskView(ordinal, task, start, text[start:end], language, displays, arm)


def advance_step(
    session: Session, assignment: AssignmentRow, step: str, *, consent: str | None, now: datetime
) -> None:
    """Go on to `step`; `consent` names the text that was agreed to, if that is what was done."""
    if consent is not None:
        assignment.consent, assignment.consented = consent, now
    assignment.step = step
    session.flush()


def log_event(
    session: Session, assignment_id: int | None, kind: str, data: dict[str, Any], now: datetime
) -> None:
    """Keep what else happened, for quality work."""
    _KEPT.run(session, assignment_id=assignment_id, kind=kind, data=data, at=now)


def _trimmed(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> tuple[int, int]:
    """The segment without the blank space at its borders, which says nothing on a page."""
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    last = start + len(piece.rstrip())
    return min([first, *(span[0] for span in spans)]), max([last, *(span[1] for span in spans)])


def _shown(session: Session, assignment_id: int) -> list[Shown]:
    """All displays of the assignment, in the order of the page: tasks as drawn, displays as in the text."""
    return [Shown._make(row) for row in run(session, _SHOWN, assignment=assignment_id)]


def shown_as(session: Session, assignment_id: int, references: Sequence[str]) -> dict[str, Shown]:
    """The displays of the assignment that have these references; what is none is not among them."""
    parts = [reference.partition(".") for reference in references]
    pairs = [(int(task), int(display)) for task, _, display in parts if _number(task) and _number(display)]
    if len(pairs) == 1:
        task, display = pairs[0]
        rows: Iterable[Any] = _ONE_SHOWN.rows(session, assignment=assignment_id, task=task, display=display)
    else:
        tasks, displays = (sorted(set(column)) for column in zip(*pairs, strict=True)) if pairs else ([], [])
        rows = run(session, _SOME_SHOWN, assignment=assignment_id, tasks=tasks, displays=displays)
    found = (Shown._make(row) for row in rows)
    return {shown.reference: shown for shown in found}


def _number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS


def _standing(session: Session, assignment_id: int, task: int | None = None) -> dict[int, Standing]:
    """The judgment that stands on each display (of a task, or all): the latest, unless it was undone."""
    if task is None:
        rows = _JUDGED.rows(session, assignment=assignment_id)
    else:
        rows = _JUDGED_IN.rows(session, assignment=assignment_id, task=task)
    current = {judged.display: judged for judged in map(Standing._make, rows)}
    undone = {event.get("sequence") for (event,) in UNDONE.rows(session, assignment=assignment_id)}
    return {display: row for display, row in current.items() if row.sequence not in undone}


def run(session: Session, statement: Executable, **values: Any) -> Result[Any]:
    """Run a statement without objects: of these, there would be one a row."""
    return session.connection().execute(statement, values)
