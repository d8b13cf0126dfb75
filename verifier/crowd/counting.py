"""Counting: which submitted assignments enter the analysis, by their controls; re-doable at any time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, cast

from analysis.decisions import Decision
from analysis.errors import PosthocError
from verifier.crowd.grading import Answer, Given, Grade, grade, is_right
from verifier.plan import draw
from verifier.store import crowd, grades

if TYPE_CHECKING:
    from verifier.config import ControlsSection
    from verifier.store import Session
    from verifier.store.models import AssignmentRow
    from verifier.study import Study


@dataclass(frozen=True)
class Regraded:
    """What grading once more came to: how many were graded, and how many changed, each way."""

    graded: int
    now_counted: int
    now_uncounted: int


def count(session: Session, controls: ControlsSection, row: AssignmentRow, now: datetime) -> list[int]:
    """Grade an assignment that was just submitted and count it or not.

    Graded per worker, the verdict over all of his submitted assignments holds for each of them. What cannot
    be graded is handed in all the same, for that is no fault of the worker's: it stays without a verdict,
    which status, review and doctor say, until the researcher has mended the rule and grades again.

    Returns:
        The numbers of the assignments whose verdict changed.
    """
    rows = [row]
    if controls.per == "worker":
        rows = [r for r in crowd.assignments_of(session, row.worker_id) if r.state == "submitted"]
    try:
        verdict = grade_of(session, controls, [r.id for r in rows])
    except PosthocError as error:
        row.counted, row.counted_reason = None, f"not graded: {error.problems[0]}"
        session.flush()
        return []
    return _settle(session, rows, verdict, now)


def regrade(study: Study, now: datetime, of: Collection[int] | None = None) -> Regraded:
    """Grade submitted assignments again under the rule that study.yaml has now.

    Work of an assignment that no longer counts is opened again. One that counts again counts, even if its
    work was opened meanwhile: a judgment more than wanted harms nothing.

    Args:
        study: open.
        now: when.
        of: these, and whatever is graded together with them; None: every one.
    """
    controls = study.config.controls
    with study.write() as session:
        draw.alone(session)
        groups: dict[int, list[AssignmentRow]] = {}
        for row in crowd.submitted(session):
            groups.setdefault(row.worker_id if controls.per == "worker" else -row.id, []).append(row)
        if of is not None:
            named = set(of)
            groups = {name: rows for name, rows in groups.items() if named & {row.id for row in rows}}
        changed: set[int] = set()
        for rows in groups.values():
            changed.update(_settle(session, rows, grade_of(session, controls, [r.id for r in rows]), now))
        graded = [row for rows in groups.values() for row in rows]
        counted = sum(bool(row.counted) for row in graded if row.id in changed)
    return Regraded(len(graded), counted, len(changed) - counted)


def grade_of(session: Session, controls: ControlsSection, assignments: Sequence[int]) -> Grade:
    """The grade of these assignments' control questions, taken together."""
    pairs = [_pair(question) for question in grades.asked(session, assignments)]
    return grade([answer for answer, _ in pairs], [given for _, given in pairs], controls.rule)


def right_answers(asked: Sequence[grades.Asked]) -> list[bool]:
    """Whether each control question was answered rightly."""
    return [is_right(*_pair(question)) for question in asked]


def _pair(question: grades.Asked) -> tuple[Answer, Given | None]:
    answer = Answer(cast("Decision", question.expected), frozenset(question.acceptable), question.use)
    given = Given(cast("Decision", question.decision), question.key) if question.decision else None
    return answer, given


def _settle(session: Session, rows: Sequence[AssignmentRow], verdict: Grade, now: datetime) -> list[int]:
    changed = []
    for row in rows:
        if row.counted is not verdict.passed:
            changed.append(row.id)
            # What counts again takes back those of its slots that nobody has drawn since.
            if verdict.passed:
                draw.finish(session, row.id, now)
            else:
                draw.reopen(session, row.id)
        row.counted = verdict.passed
        row.counted_reason = verdict.reason or None
    session.flush()
    return changed
