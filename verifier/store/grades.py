"""Control questions with their known answers, beside what workers decided on them: what grading reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from analysis.keys import NIL
from verifier.store import redirects
from verifier.store.current import current_judgments
from verifier.store.models import (
    AssignmentTask,
    ControlAnswer,
    ControlRow,
    DisplayRow,
    JudgmentRow,
    TaskRow,
)


@dataclass(frozen=True)
class Asked:
    """One control question of one assignment and the judgment that stands on it (None: none does).

    Keys are after redirects, on both sides.
    """

    assignment: int
    display: int
    expected: str
    acceptable: tuple[str, ...]
    difficulty: str | None
    use: str
    decision: str | None
    key: str | None


def asked(session: Session, assignments: Sequence[int]) -> list[Asked]:
    """The control questions of these assignments, in the order shown; none of a control that was retired."""
    current = current_judgments(assignments)
    query = (
        select(AssignmentTask.assignment_id, ControlAnswer, JudgmentRow.decision, JudgmentRow.key)
        .join(TaskRow, and_(TaskRow.id == AssignmentTask.task_id, TaskRow.kind == "control"))
        .join(DisplayRow, DisplayRow.task_id == TaskRow.id)
        .join(ControlAnswer, ControlAnswer.display_id == DisplayRow.id)
        .outerjoin(
            current,
            and_(
                current.c.assignment_id == AssignmentTask.assignment_id,
                current.c.display_id == DisplayRow.id,
            ),
        )
        .outerjoin(JudgmentRow, JudgmentRow.id == current.c.id)
        .outerjoin(ControlRow, ControlRow.task_id == TaskRow.id)
        .where(AssignmentTask.assignment_id.in_(assignments), ControlRow.retired.is_(None))
        .order_by(AssignmentTask.assignment_id, AssignmentTask.ordinal, DisplayRow.ordinal)
    )
    return [
        Asked(
            assignment=assignment,
            display=answer.display_id,
            expected=answer.expected,
            acceptable=tuple(_resolved(session, key) for key in answer.acceptable or ()),
            difficulty=answer.difficulty,
            use=answer.use,
            decision=decision,
            key=key,
        )
        for assignment, answer, decision, key in session.execute(query)
    ]


def _resolved(session: Session, key: str) -> str:
    return key if key == NIL else redirects.resolve(session, key)
