"""What a running study has shown so far: its counted judgments and times, for a new forecast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from verifier.store.current import current_judgments
from verifier.store.models import AssignmentRow, DisplayRow, JudgmentRow, SegmentRow, TaskRow


class Judged(NamedTuple):
    """One counted judgment of a real task."""

    document: int
    worker: int
    start: int
    end: int
    key: str
    decision: str


def judged(session: Session) -> list[Judged]:
    """Every current judgment of a counted assignment on a real task."""
    current = current_judgments()
    rows = session.execute(
        select(
            SegmentRow.document_id,
            AssignmentRow.worker_id,
            DisplayRow.start,
            DisplayRow.end,
            DisplayRow.key,
            JudgmentRow.decision,
        )
        .select_from(current)
        .join(JudgmentRow, JudgmentRow.id == current.c.id)
        .join(AssignmentRow, AssignmentRow.id == JudgmentRow.assignment_id)
        .join(DisplayRow, DisplayRow.id == JudgmentRow.display_id)
        .join(TaskRow, TaskRow.id == DisplayRow.task_id)
        .join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .where(AssignmentRow.counted.is_(True), TaskRow.kind == "real")
        .order_by(JudgmentRow.id)
    )
    return [Judged(*row) for row in rows]


def seconds(session: Session) -> Sequence[float]:
    """The active seconds of every place that was handed in."""
    time = AssignmentRow.active_seconds
    found = session.scalars(select(time).where(AssignmentRow.state == "submitted", time.is_not(None)))
    return [float(one) for one in found if one]
