"""What the worker's pages read and write: an assignment's tasks, judgments, steps and events.

Control answers are never joined here: what these functions return cannot tell a control from any task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, func, insert, select
from sqlalchemy.orm import Session

from analysis.decisions import EDIT, Decision, derive
from analysis.errors import InputError, StateError
from verifier.store.current import UNDO
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
from verifier.store.redirects import resolve

_DIGITS: Final = 9

# Statements are built once, here: building them anew for each judgment would cost more than running them.
_ASSIGNMENT: Final = select(AssignmentRow).where(AssignmentRow.token == bindparam("token"))
_LOCKED: Final = _ASSIGNMENT.with_for_update()
_HIGHEST: Final = select(func.max(JudgmentRow.sequence)).where(
    JudgmentRow.assignment_id == bindparam("assignment")
)
_TASK: Final = (
    select(TaskRow.id, SegmentRow.start, SegmentRow.end, DocumentRow.text, Dataset.language)
    .join(AssignmentTask, AssignmentTask.task_id == TaskRow.id)
    .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
    .join(DocumentRow, DocumentRow.id == SegmentRow.document_id)
    .join(Dataset, Dataset.id == DocumentRow.dataset_id)
    .where(
        AssignmentTask.assignment_id == bindparam("assignment"),
        AssignmentTask.ordinal == bindparam("ordinal"),
    )
)
_DISPLAYS: Final = (
    select(DisplayRow, CardRow)
    .outerjoin(CardRow, CardRow.id == DisplayRow.card_id)
    .where(DisplayRow.task_id == bindparam("task"))
    .order_by(DisplayRow.start, DisplayRow.end.desc(), DisplayRow.ordinal)
)
_SHOWN: Final = (
    select(AssignmentTask.ordinal, DisplayRow.ordinal, DisplayRow.id, DisplayRow.key, Dataset.language)
    .join(DisplayRow, DisplayRow.task_id == AssignmentTask.task_id)
    .join(TaskRow, TaskRow.id == AssignmentTask.task_id)
    .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
    .join(DocumentRow, DocumentRow.id == SegmentRow.document_id)
    .join(Dataset, Dataset.id == DocumentRow.dataset_id)
    .where(AssignmentTask.assignment_id == bindparam("assignment"))
    .order_by(AssignmentTask.ordinal, DisplayRow.start, DisplayRow.end.desc(), DisplayRow.ordinal)
)
_SOME_SHOWN: Final = _SHOWN.where(
    AssignmentTask.ordinal.in_(bindparam("tasks", expanding=True)),
    DisplayRow.ordinal.in_(bindparam("displays", expanding=True)),
)
_JUDGED: Final = (
    select(JudgmentRow)
    .where(JudgmentRow.assignment_id == bindparam("assignment"))
    .order_by(JudgmentRow.sequence)
)
_JUDGED_THERE: Final = _JUDGED.where(JudgmentRow.display_id.in_(bindparam("displays", expanding=True)))
_NUMBERED: Final = _JUDGED.where(JudgmentRow.sequence.in_(bindparam("numbers", expanding=True)))
_UNDONE: Final = select(Event.data).where(
    Event.assignment_id == bindparam("assignment"), Event.kind == bindparam("kind")
)
_STORE: Final = insert(JudgmentRow)


@dataclass(frozen=True)
class NewJudgment:
    """A judgment as a page sends it.

    Attributes:
        sequence: the page's number for it, unique in its assignment.
        display: reference "T.D": ordinal of the task in the assignment, ordinal of the display in the task.
        action: what the worker did.
        entity: for an edit, the entity as chosen, typed or pasted; NIL: not in the knowledge base.
        opened: whether the article was opened.
        seconds: active time.
    """

    sequence: int
    display: str
    action: Decision
    entity: str | None
    opened: bool
    seconds: float


@dataclass(frozen=True)
class Saved:
    """A judgment as stored."""

    sequence: int
    display: str
    decision: Decision
    key: str | None


class Shown(NamedTuple):
    """A display of an assignment: where it stands, what it shows, in which language."""

    task: int
    ordinal: int
    display: int
    key: str
    language: str

    @property
    def reference(self) -> str:
        """Its name on the page."""
        return f"{self.task}.{self.ordinal}"


@dataclass(frozen=True)
class TaskProgress:
    """How far a task of an assignment is: its displays, and how many are decided."""

    task: int
    displays: int
    decided: int


@dataclass(frozen=True)
class DisplayView:
    """One display as a worker sees it, with the judgment that stands; offsets into the task's text."""

    reference: str
    start: int
    end: int
    key: str
    card: CardRow | None
    judgment: JudgmentRow | None


@dataclass(frozen=True)
class TaskView:
    """One task as a worker sees it: a text and its displays in the order of the text."""

    task: int
    text: str
    language: str
    displays: tuple[DisplayView, ...]


class SequenceConflictError(StateError):
    """A sequence number is already taken by another judgment.

    Attributes:
        highest: the highest number stored.
        taken: the numbers that hold something else.
        saved: those of the judgments sent that are stored already, just as sent.
    """

    code = "conflict"

    def __init__(self, highest: int, taken: list[int], saved: list[Saved]) -> None:
        super().__init__("sequence number already used", got=", ".join(map(str, taken)))
        self.highest, self.taken, self.saved = highest, taken, saved


class NotUnderstoodError(InputError):
    """The entity of an edit, or the display it is for, is not understood."""

    code = "not_understood"

    def __init__(self, what: str, display: str) -> None:
        super().__init__(what)
        self.display = display


def assignment_by_token(session: Session, token: str, *, lock: bool = False) -> AssignmentRow | None:
    """The assignment with this token; locked until the transaction ends, if asked."""
    if not (token.isascii() and token.isprintable()):
        return None  # what was never given out may be more than a database can compare
    return session.scalar(_LOCKED if lock else _ASSIGNMENT, {"token": token})


def highest_sequence(session: Session, assignment_id: int) -> int:
    """The highest sequence number stored; 0 if there is none."""
    return session.scalar(_HIGHEST, {"assignment": assignment_id}) or 0


def progress(session: Session, assignment_id: int) -> list[TaskProgress]:
    """How far each task of the assignment is, in the order shown."""
    counts: dict[int, list[int]] = {}
    standing = _standing(session, assignment_id)
    for shown in _shown(session, assignment_id):
        count = counts.setdefault(shown.task, [0, 0])
        count[0] += 1
        count[1] += shown.display in standing
    return [TaskProgress(task, *counts[task]) for task in sorted(counts)]


def undecided(session: Session, assignment_id: int) -> list[str]:
    """References of the displays on which no judgment stands, in the order of the page."""
    standing = _standing(session, assignment_id)
    return [shown.reference for shown in _shown(session, assignment_id) if shown.display not in standing]


def task_view(session: Session, assignment_id: int, ordinal: int) -> TaskView | None:
    """The task at `ordinal` of the assignment; None if it has no such task."""
    row = session.execute(_TASK, {"assignment": assignment_id, "ordinal": ordinal}).one_or_none()
    if row is None:
        return None
    shown = session.execute(_DISPLAYS, {"task": row.id}).all()
    standing = _standing(session, assignment_id, [display.id for display, _ in shown])
    start, end = _trimmed(row.text, row.start, row.end, [(d.start, d.end) for d, _ in shown])
    displays = tuple(
        DisplayView(
            reference=f"{ordinal}.{display.ordinal}",
            start=display.start - start,
            end=display.end - start,
            key=display.key,
            card=card,
            judgment=standing.get(display.id),
        )
        for display, card in shown
    )
    return TaskView(ordinal, row.text[start:end], row.language, displays)


def save_judgments(
    session: Session,
    assignment_id: int,
    judgments: Sequence[NewJudgment],
    *,
    understand: Callable[[str, str], str],
    now: datetime,
) -> list[Saved]:
    """Store judgments, each once: what is stored already under its sequence number is left as it is.

    Args:
        session: a writing session that holds the assignment's lock.
        assignment_id: whose judgments they are.
        judgments: as the page sent them.
        understand: the key that a worker means by a text, given the dataset's language.
        now: the time of the judgment.

    Raises:
        SequenceConflictError: a number is taken by something else. Nothing new is stored.
        NotUnderstoodError: a display or an entity is unknown. Nothing new is stored.
    """
    found = _shown_as(session, assignment_id, [judgment.display for judgment in judgments])
    stored = _with_sequences(session, assignment_id, judgments)
    saved: list[Saved] = []
    repeated: list[Saved] = []
    taken: list[int] = []
    new: list[JudgmentRow] = []
    for judgment in judgments:
        shown = found.get(judgment.display)
        if shown is None:
            raise NotUnderstoodError(f"There is no annotation {judgment.display}.", judgment.display)
        decision, key = _decide(session, judgment, shown, understand)
        row = JudgmentRow(
            assignment_id=assignment_id,
            display_id=shown.display,
            sequence=judgment.sequence,
            decision=decision,
            key=key,
            raw=judgment.entity if judgment.action == EDIT else None,
            opened=judgment.opened,
            seconds=judgment.seconds,
            made=now,
        )
        result = Saved(judgment.sequence, judgment.display, decision, row.key)
        before = stored.setdefault(judgment.sequence, row)
        if before is row:
            new.append(row)
        elif (before.display_id, before.decision, before.raw) == (row.display_id, row.decision, row.raw):
            repeated.append(result)
        else:
            taken.append(judgment.sequence)
        saved.append(result)
    if taken:
        raise SequenceConflictError(highest_sequence(session, assignment_id), taken, repeated)
    if new:
        session.execute(_STORE, [_values(row) for row in new])
    return saved


def undo(session: Session, assignment_id: int, sequence: int, data: dict[str, Any], now: datetime) -> None:
    """Take a judgment back; it is kept, but does not stand. A second time changes nothing.

    Raises:
        InputError: no judgment was stored under this number.
    """
    if not session.scalars(_NUMBERED, {"assignment": assignment_id, "numbers": [sequence]}).all():
        raise InputError("there is no judgment of this number", where="data.sequence", got=str(sequence))
    gone = session.scalars(_UNDONE, {"assignment": assignment_id, "kind": UNDO})
    if sequence not in {event.get("sequence") for event in gone}:
        log_event(session, assignment_id, UNDO, data, now)


def language_of(session: Session, assignment_id: int, reference: str) -> str | None:
    """The language of the text that the display stands in; None if there is no such display."""
    shown = _shown_as(session, assignment_id, [reference]).get(reference)
    return shown.language if shown else None


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
    session.add(Event(assignment_id=assignment_id, kind=kind, data=data, at=now))


def _trimmed(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> tuple[int, int]:
    """The segment without the blank space at its borders, which says nothing on a page."""
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    last = start + len(piece.rstrip())
    return min([first, *(span[0] for span in spans)]), max([last, *(span[1] for span in spans)])


def _shown(session: Session, assignment_id: int) -> list[Shown]:
    """All displays of the assignment, in the order of the page: tasks as drawn, displays as in the text."""
    return [Shown(*row) for row in session.execute(_SHOWN, {"assignment": assignment_id})]


def _shown_as(session: Session, assignment_id: int, references: Sequence[str]) -> dict[str, Shown]:
    """The displays of the assignment that have these references; what is none is not among them."""
    parts = [reference.partition(".") for reference in references]
    pairs = [(task, display) for task, _, display in parts if _number(task) and _number(display)]
    values = {
        "assignment": assignment_id,
        "tasks": sorted({int(task) for task, _ in pairs}),
        "displays": sorted({int(display) for _, display in pairs}),
    }
    found = (Shown(*row) for row in session.execute(_SOME_SHOWN, values))
    return {shown.reference: shown for shown in found}


def _number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS


def _standing(
    session: Session, assignment_id: int, displays: Sequence[int] | None = None
) -> dict[int, JudgmentRow]:
    """The judgment that stands on each display (of some, or all): the latest, unless it was undone."""
    values: dict[str, Any] = {"assignment": assignment_id}
    if displays is None:
        rows = session.scalars(_JUDGED, values)
    else:
        rows = session.scalars(_JUDGED_THERE, values | {"displays": list(displays)})
    current = {row.display_id: row for row in rows}
    undone = {
        event.get("sequence")
        for event in session.scalars(_UNDONE, {"assignment": assignment_id, "kind": UNDO})
    }
    return {display: row for display, row in current.items() if row.sequence not in undone}


def _with_sequences(
    session: Session, assignment_id: int, judgments: Sequence[NewJudgment]
) -> dict[int, JudgmentRow]:
    """What is stored already under the sequence numbers of `judgments`."""
    numbers = [judgment.sequence for judgment in judgments]
    rows = session.scalars(_NUMBERED, {"assignment": assignment_id, "numbers": numbers})
    return {row.sequence: row for row in rows}


def _values(row: JudgmentRow) -> dict[str, Any]:
    """A judgment's columns; its id and role are the table's to give."""
    given = ("assignment_id", "display_id", "sequence", "decision", "key", "raw", "opened", "seconds", "made")
    return {name: getattr(row, name) for name in given}


def _decide(
    session: Session, judgment: NewJudgment, shown: Shown, understand: Callable[[str, str], str]
) -> tuple[Decision, str | None]:
    """The decision that follows from what was shown and what was chosen, and the key of an edit."""
    if judgment.action != EDIT:
        return judgment.action, None
    try:
        key = resolve(session, understand(judgment.entity or "", shown.language))
    except InputError as error:
        raise NotUnderstoodError(error.problems[0].what, judgment.display) from None
    decision = derive(EDIT, resolve(session, shown.key), key)
    return decision, key if decision == EDIT else None
