"""The judgments that stand: of a worker's on one display in one assignment, the highest sequence."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Subquery, and_, func, select

from verifier.store.models import JudgmentRow


def current_judgments(assignments: Sequence[int] | None = None) -> Subquery:
    """Id, assignment and display of the workers' judgments that stand, of these assignments or of all."""
    highest = select(
        JudgmentRow.assignment_id, JudgmentRow.display_id, func.max(JudgmentRow.sequence).label("sequence")
    ).where(JudgmentRow.role == "worker")
    if assignments is not None:
        highest = highest.where(JudgmentRow.assignment_id.in_(assignments))
    last = highest.group_by(JudgmentRow.assignment_id, JudgmentRow.display_id).subquery()
    return (
        select(JudgmentRow.id, JudgmentRow.assignment_id, JudgmentRow.display_id)
        .join(
            last,
            and_(last.c.assignment_id == JudgmentRow.assignment_id, last.c.sequence == JudgmentRow.sequence),
        )
        .subquery()
    )
