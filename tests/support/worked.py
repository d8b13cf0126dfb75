"""Lets workers go through a planned study by its services, deciding as a function says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from verifier.crowd.arrivals import arrive
from verifier.crowd.submission import submit
from verifier.store import judging, work
from verifier.study import Study

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
# From (text, span, shown key) to (action, entity).
Decide = Callable[[str, tuple[int, int], str], tuple[str, str | None]]


def verify(_text: str, _span: tuple[int, int], _key: str) -> tuple[str, str | None]:
    """Accept everything."""
    return "verify", None


def begin(study: Study, participant: str, decide: Decide = verify, *, now: datetime = START) -> str | None:
    """A worker comes and decides everything, without handing it in; his token, None if nothing is left."""
    token = arrive(study, {"participant": participant}, now).token
    if token is None:
        return None
    with study.write() as session:
        row = work.assignment_by_token(session, token, lock=True)
        judgments = []
        for task in work.progress(session, row.id):
            view = work.task_view(session, row.id, task.task)
            for display in view.displays:
                action, entity = decide(view.text, (display.start, display.end), display.key)
                judgments.append(
                    judging.NewJudgment(
                        len(judgments) + 1, display.reference, action, entity, opened=False, seconds=2.5
                    )
                )
        judging.save_judgments(session, row.id, judgments, understand=lambda raw, _language: raw, now=now)
    return token


def work_off(study: Study, decide: Decide = verify, *, first: int = 0, workers: int = 50) -> None:
    """Workers, numbered from `first`, come one after another until nothing is left."""
    for number in range(first, first + workers):
        now = START + timedelta(hours=number)
        token = begin(study, f"person-{number}", decide, now=now)
        if token is None:
            return
        submit(study, token, now + timedelta(minutes=5))
