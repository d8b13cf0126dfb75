"""Stores what workers decide: each judgment once, its decision told from what was shown and chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import bindparam, insert, select
from sqlalchemy.orm import Session

from analysis.decisions import EDIT, REMOVE, Decision, derive
from analysis.errors import InputError, StateError
from verifier.store.current import UNDO
from verifier.store.models import JudgmentRow, Naming
from verifier.store.prepared import Prepared
from verifier.store.redirects import resolve
from verifier.store.work import (
    JUDGED,
    JUDGED_THERE,
    UNDONE,
    Shown,
    Standing,
    highest_sequence,
    log_event,
    run,
    shown_as,
)

# The arm in which a link is shown only after the worker has named the entity.
HIDDEN: Final = "hidden"

_NUMBERED: Final = JUDGED.where(JudgmentRow.sequence.in_(bindparam("numbers", expanding=True)))
_ONE_NUMBERED: Final = Prepared(JUDGED.where(JudgmentRow.sequence == bindparam("number")))
_NAMED: Final = select(Naming.display_id).where(Naming.assignment_id == bindparam("assignment"))
_TABLE: Any = JudgmentRow.__table__
# Nobody asks for the ids, which are the table's to give.
_STORE: Final = Prepared(insert(_TABLE).inline(), [column.name for column in _TABLE.c if column.name != "id"])


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


class NameFirstError(InputError):
    """The link is hidden until the worker has named the entity, and he has not named it."""

    code = "name_first"

    def __init__(self, display: str) -> None:
        super().__init__("Please say first which entry is meant.")
        self.display = display


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
        NameFirstError: the link of a display is hidden from him still. Nothing new is stored.
    """
    found = shown_as(session, assignment_id, [judgment.display for judgment in judgments])
    _check_named(session, assignment_id, judgments, found)
    stored = _with_sequences(session, assignment_id, judgments)
    saved: list[Saved] = []
    repeated: list[Saved] = []
    taken: list[int] = []
    new: list[dict[str, Any]] = []
    for judgment in judgments:
        shown = found.get(judgment.display)
        if shown is None:
            raise NotUnderstoodError(f"There is no annotation {judgment.display}.", judgment.display)
        decision, key = _decide(session, judgment, shown, understand)
        raw = judgment.entity if judgment.action == EDIT else None
        made = Standing(shown.display, judgment.sequence, decision, key, raw, judgment.seconds)
        result = Saved(judgment.sequence, judgment.display, decision, key)
        before = stored.setdefault(judgment.sequence, made)
        if before is made:
            new.append(_values(assignment_id, made, opened=judgment.opened, now=now))
        elif (before.display, before.decision, before.raw) == (made.display, made.decision, made.raw):
            repeated.append(result)
        else:
            taken.append(judgment.sequence)
        saved.append(result)
    if taken:
        raise SequenceConflictError(highest_sequence(session, assignment_id), taken, repeated)
    for values in new:
        _STORE.run(session, **values)
    return saved


def undo(session: Session, assignment_id: int, sequence: int, data: dict[str, Any], now: datetime) -> None:
    """Take a judgment back; it is kept, but does not stand. A second time changes nothing.

    Raises:
        InputError: no judgment was stored under this number.
    """
    if _ONE_NUMBERED.one(session, assignment=assignment_id, number=sequence) is None:
        raise InputError("there is no judgment of this number", where="data.sequence", got=str(sequence))
    gone = UNDONE.rows(session, assignment=assignment_id)
    if sequence not in {event.get("sequence") for (event,) in gone}:
        log_event(session, assignment_id, UNDO, data, now)


def seconds_on(session: Session, assignment_id: int, displays: Sequence[int]) -> dict[int, float]:
    """Active seconds that judgments of the assignment have told of so far, by display."""
    told: dict[int, float] = {}
    for row in run(session, JUDGED_THERE, assignment=assignment_id, displays=list(displays)):
        told[row.display_id] = told.get(row.display_id, 0.0) + row.seconds
    return told


def _with_sequences(
    session: Session, assignment_id: int, judgments: Sequence[NewJudgment]
) -> dict[int, Standing]:
    """What is stored already under the sequence numbers of `judgments`."""
    numbers = [judgment.sequence for judgment in judgments]
    if len(numbers) == 1:
        rows: Iterable[Any] = _ONE_NUMBERED.rows(session, assignment=assignment_id, number=numbers[0])
    else:
        rows = run(session, _NUMBERED, assignment=assignment_id, numbers=numbers)
    return {judged.sequence: judged for judged in map(Standing._make, rows)}


def _values(assignment_id: int, made: Standing, *, opened: bool, now: datetime) -> dict[str, Any]:
    """A judgment's columns; its id is the table's to give."""
    return {
        "assignment_id": assignment_id,
        "display_id": made.display,
        "sequence": made.sequence,
        "decision": made.decision,
        "key": made.key,
        "raw": made.raw,
        "opened": opened,
        "seconds": made.seconds,
        "role": "worker",
        "made": now,
    }


def _check_named(
    session: Session, assignment_id: int, judgments: Sequence[NewJudgment], found: Mapping[str, Shown]
) -> None:
    """Refuse to have a hidden link verified or edited; to say that there is no name to link needs no link."""
    hidden = {name: shown.display for name, shown in found.items() if shown.arm == HIDDEN}
    if not hidden:
        return
    named = set(session.scalars(_NAMED, {"assignment": assignment_id}))
    for judgment in judgments:
        if judgment.action != REMOVE and hidden.get(judgment.display) not in {None, *named}:
            raise NameFirstError(judgment.display)


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
