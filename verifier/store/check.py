"""What must be true in a study's database; each check says what is amiss, or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Executable, Integer, and_, cast, func, or_, select, text
from sqlalchemy.orm import Session, aliased

from verifier.store import claims, facts
from verifier.store.current import current_judgments
from verifier.store.forgetting import FORGOTTEN
from verifier.store.models import (
    AnnotationRow,
    AssignmentRow,
    AssignmentTask,
    ControlAnswer,
    Credit,
    DisplayRow,
    DocumentRow,
    JudgmentRow,
    Redirect,
    SegmentRow,
    TaskRow,
    TaskSlot,
)

_FEW: Final = 5


class Check(NamedTuple):
    """One thing that must be true.

    Attributes:
        name: said as what is so.
        faults: finds what is amiss, in words.
        remedy: what to do about it.
    """

    name: str
    faults: Callable[[Session], list[str]]
    remedy: str


def _few(session: Session, query: Executable, label: str) -> list[str]:
    """The rows of a query as one fault: how many, and the first."""
    rows = session.execute(query).all()
    if not rows:
        return []
    first = ", ".join("/".join(map(str, row)) for row in rows[:_FEW])
    return [f"{len(rows)} {label}: {first}{', ...' if len(rows) > _FEW else ''}"]


def _sound(session: Session) -> list[str]:
    if session.get_bind().dialect.name != "sqlite":
        return []
    said = [row[0] for row in session.execute(text("pragma integrity_check")) if row[0] != "ok"]
    lost = session.execute(text("pragma foreign_key_check")).all()
    return said[:_FEW] + [
        f"{row[0]} row {row[1]} refers to a row of {row[2]} that is not there" for row in lost[:_FEW]
    ]


def _texts(session: Session) -> list[str]:
    rows = session.execute(select(DocumentRow.name, DocumentRow.text, DocumentRow.sha256))
    changed = [
        name for name, content, sha256 in rows if hashlib.sha256(content.encode()).hexdigest() != sha256
    ]
    return [f"the text of {name} is not the one imported" for name in changed[:_FEW]]


def _mentions(session: Session) -> list[str]:
    annotation = AnnotationRow
    # PostgreSQL's substr takes no 64-bit numbers.
    first, length = (
        cast(number, Integer) for number in (annotation.start + 1, annotation.end - annotation.start)
    )
    found = func.substr(DocumentRow.text, first, length)
    query = select(annotation.id).join(DocumentRow).where(annotation.mention != found).order_by(annotation.id)
    return _few(session, query, "annotations whose mention is not the text at their span")


def _redirects(session: Session) -> list[str]:
    on = aliased(Redirect)
    query = select(Redirect.key).join(
        on, and_(on.snapshot_id == Redirect.snapshot_id, on.key == Redirect.target)
    )
    return _few(session, query.order_by(Redirect.key), "redirects that lead to another redirect")


def _credits(session: Session) -> list[str]:
    credited = select(Credit.display_id).where(Credit.display_id == DisplayRow.id).exists()
    # A control's display may lack an answer: it is there for the look of it.
    answered = select(ControlAnswer.display_id).where(ControlAnswer.display_id == DisplayRow.id).exists()
    control = TaskRow.kind == "control"
    wrong = or_(and_(control, credited), and_(~control, or_(answered, ~credited)))
    query = select(DisplayRow.id).join(TaskRow).where(wrong).order_by(DisplayRow.id)
    return _few(session, query, "displays that are neither an annotation's nor a control's alone")


def _slots(session: Session) -> list[str]:
    slot, holder = TaskSlot, AssignmentRow
    held = holder.id.is_not(None)
    right: ColumnElement[bool] = or_(
        and_(slot.state == "open", ~held),
        and_(slot.state == "leased", held, holder.state == "claimed"),
        and_(slot.state == "done", held, holder.state == "submitted", holder.counted.is_not(False)),
    )
    query = (
        select(slot.id, slot.state, holder.state)
        .outerjoin(holder, holder.id == slot.assignment_id)
        .where(~func.coalesce(right, False))
        .order_by(slot.id)
    )
    return _few(session, query, "slots (slot/its state/its assignment's)")


def _drawn(session: Session) -> list[str]:
    given = (
        select(AssignmentTask.slot_id)
        .where(AssignmentTask.assignment_id == TaskSlot.assignment_id, AssignmentTask.slot_id == TaskSlot.id)
        .exists()
    )
    query = select(TaskSlot.id).where(TaskSlot.assignment_id.is_not(None), ~given).order_by(TaskSlot.id)
    return _few(session, query, "slots held by an assignment they were not drawn for")


def _seen_once(session: Session) -> list[str]:
    query = (
        select(AssignmentRow.worker_id, SegmentRow.passage_id)
        .join(AssignmentTask, AssignmentTask.assignment_id == AssignmentRow.id)
        .join(TaskRow, TaskRow.id == AssignmentTask.task_id)
        .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .group_by(AssignmentRow.worker_id, SegmentRow.passage_id)
        .having(func.count() > 1)
        .order_by(AssignmentRow.worker_id, SegmentRow.passage_id)
    )
    return _few(session, query, "texts given twice to a worker (worker/segment that first holds it)")


def _strata(session: Session) -> list[str]:
    return [f"the count of {name} is wrong" for name in claims.miscounted(session)]


def _sequences(session: Session) -> list[str]:
    judgment = JudgmentRow
    twice = (
        select(judgment.assignment_id, judgment.sequence)
        .group_by(judgment.assignment_id, judgment.sequence)
        .having(func.count() > 1)
    )
    given = (
        select(AssignmentTask.task_id)
        .join(DisplayRow, DisplayRow.task_id == AssignmentTask.task_id)
        .where(AssignmentTask.assignment_id == judgment.assignment_id, DisplayRow.id == judgment.display_id)
        .exists()
    )
    strange = select(judgment.id).where(~given, judgment.role == "worker").order_by(judgment.id)
    return [
        *_few(session, twice, "sequence numbers used twice (assignment/number)"),
        *_few(session, strange, "judgments of a display that the assignment does not hold"),
    ]


def _complete(session: Session) -> list[str]:
    stands = current_judgments()
    query = (
        select(AssignmentRow.id, func.count())
        .join(AssignmentTask, AssignmentTask.assignment_id == AssignmentRow.id)
        .join(DisplayRow, DisplayRow.task_id == AssignmentTask.task_id)
        .outerjoin(
            stands, and_(stands.c.assignment_id == AssignmentRow.id, stands.c.display_id == DisplayRow.id)
        )
        .where(AssignmentRow.state == "submitted", stands.c.id.is_(None))
        .group_by(AssignmentRow.id)
        .order_by(AssignmentRow.id)
    )
    return _few(session, query, "submitted assignments with displays not judged (assignment/how many)")


def _graded(session: Session) -> list[str]:
    query = (
        select(AssignmentRow.counted_reason, func.count())
        .where(AssignmentRow.state == "submitted", AssignmentRow.counted.is_(None))
        .group_by(AssignmentRow.counted_reason)
        .order_by(AssignmentRow.counted_reason)
    )
    return [f"{n} submitted assignments were never graded: {reason}" for reason, n in session.execute(query)]


def _codes(session: Session) -> list[str]:
    if facts.get(session, FORGOTTEN):
        return []  # the codes were taken away with the ids
    query = select(AssignmentRow.id).where(
        AssignmentRow.state == "submitted", AssignmentRow.completion_code.is_(None)
    )
    return _few(session, query.order_by(AssignmentRow.id), "submitted assignments without a completion code")


def _origins(session: Session) -> list[str]:
    origin = facts.get(session, "origin")
    if origin == "simulated":
        mixed = AssignmentRow.origin != "simulated"
    else:
        mixed = AssignmentRow.origin == "simulated"
    query = select(AssignmentRow.id, AssignmentRow.origin).where(mixed).order_by(AssignmentRow.id)
    return _few(session, query, f"assignments of another origin in a study that is {origin or 'live'}")


_RESTORE: Final = "Something wrote to the database beside posthoc, or a disk failed: restore a backup."

CHECKS: Final = (
    Check("the database is sound", _sound, _RESTORE),
    Check("every text is the one imported", _texts, _RESTORE),
    Check("every mention is the text at its span", _mentions, _RESTORE),
    Check("redirects lead to their end", _redirects, "Import the redirects again."),
    Check("every display is an annotation's or a control's", _credits, _RESTORE),
    Check("every slot is open, leased or done as its assignment says", _slots, _RESTORE),
    Check("every slot is held by the assignment it was drawn for", _drawn, _RESTORE),
    Check(
        "no worker was given a segment twice", _seen_once, "Leave the later judgments out of the analysis."
    ),
    Check("the counts of open slots are right", _strata, _RESTORE),
    Check("every judgment has its own sequence number and its display", _sequences, _RESTORE),
    Check("every submitted assignment is complete", _complete, _RESTORE),
    Check("every submitted assignment has its completion code", _codes, _RESTORE),
    Check(
        "every submitted assignment is graded",
        _graded,
        "Mend the rule or the controls' answers, then run: posthoc review STUDY --regrade",
    ),
    Check("simulated and live judgments are apart", _origins, _RESTORE),
)
