"""The judgments that stand: of a worker's on one display in one assignment, the highest, unless undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Select, Subquery, and_, func, select
from sqlalchemy.orm import Session

from verifier.store.models import Event, JudgmentRow

# The kind of event by which a judgment is taken back; its data name the judgment's sequence.
UNDO: Final = "undo"


def current_judgments(assignments: Sequence[int] | None = None) -> Subquery:
    """Id, assignment and display of the workers' judgments that stand, of these assignments or of all."""
    highest = select(
        JudgmentRow.assignment_id, JudgmentRow.display_id, func.max(JudgmentRow.sequence).label("sequence")
    ).where(JudgmentRow.role == "worker")
    if assignments is not None:
        highest = highest.where(JudgmentRow.assignment_id.in_(assignments))
    gone = _taken_back(assignments).subquery()
    last = highest.group_by(JudgmentRow.assignment_id, JudgmentRow.display_id).subquery()
    return (
        select(JudgmentRow.id, JudgmentRow.assignment_id, JudgmentRow.display_id)
        .join(
            last,
            and_(last.c.assignment_id == JudgmentRow.assignment_id, last.c.sequence == JudgmentRow.sequence),
        )
        .outerjoin(
            gone,
            and_(gone.c.assignment_id == JudgmentRow.assignment_id, gone.c.sequence == JudgmentRow.sequence),
        )
        .where(gone.c.sequence.is_(None))
        .subquery()
    )


def undone(session: Session) -> set[tuple[int, int]]:
    """Assignment and sequence of every judgment that was taken back."""
    rows = session.execute(_taken_back(None))
    return {(row[0], row[1]) for row in rows if row[0] and row[1]}


def _taken_back(assignments: Sequence[int] | None) -> Select[Any]:
    """Assignment and sequence of what was taken back, of these assignments or of all."""
    sequence = Event.data["sequence"].as_integer().label("sequence")
    # Distinct rows are gathered before they are joined; else SQLite would go through the events each time.
    query = select(Event.assignment_id, sequence).where(Event.kind == UNDO).distinct()
    return query if assignments is None else query.where(Event.assignment_id.in_(assignments))
