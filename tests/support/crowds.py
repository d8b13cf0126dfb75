"""Workers of the tiny study for tests: they arrive, decide on every display as they are told, and submit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from tests.support import tiny
from verifier.crowd.arrivals import Arrived, arrive
from verifier.crowd.submission import Submitted, submit
from verifier.plan import planning
from verifier.store import judging, work
from verifier.study import Study

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
Decide = Callable[[str, tuple[int, int], str], tuple[str, str | None]]


def planned(study: Study) -> Study:
    """The study, planned."""
    planning.plan(study, now=NOON)
    return study


def come(study: Study, name: str, now: datetime = NOON, **more: str) -> Arrived:
    """Somebody opens the entry link."""
    args: Mapping[str, str] = {"participant": name, **more}
    return arrive(study, args, now)


def judge(
    study: Study, token: str, decide: Decide = tiny.truly, *, tasks: int = 99, seconds: float = 4
) -> None:
    """Decide on every display of the first `tasks` tasks of an assignment."""
    with study.write() as session:
        row = work.assignment_by_token(session, token)
        sequence = work.highest_sequence(session, row.id)
        new = []
        for ordinal in range(min(tasks, len(work.progress(session, row.id)))):
            view = work.task_view(session, row.id, ordinal)
            for shown in view.displays:
                sequence += 1
                action, entity = decide(view.text, (shown.start, shown.end), shown.key)
                new.append(judging.NewJudgment(sequence, shown.reference, action, entity, False, seconds))
        judging.save_judgments(
            session, row.id, new, understand=lambda raw, _language: raw, now=NOON + timedelta(minutes=1)
        )


def work_through(
    study: Study, name: str, decide: Decide = tiny.truly, *, seconds: float = 4, now: datetime = NOON
) -> Submitted | None:
    """A whole assignment, from arrival to code; None if there was nothing to do."""
    arrived = come(study, name, now)
    if arrived.outcome != "working":
        return None
    judge(study, arrived.token, decide, seconds=seconds)
    return submit(study, arrived.token, now + timedelta(minutes=3))


def always_verify(_text: str, _span: tuple[int, int], _key: str) -> tuple[str, str | None]:
    """Accept whatever is shown."""
    return "verify", None
