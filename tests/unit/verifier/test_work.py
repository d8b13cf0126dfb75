"""What workers' pages read and write, once on SQLite and once on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.errors import InputError
from tests.support import worker_study
from verifier import clock
from verifier.crowd.arrivals import arrive
from verifier.store import redirects, work
from verifier.study import Study


@pytest.fixture
def served(tmp_path: Path, database_url: str) -> Iterator[Study]:
    """A planned study."""
    with Study.open(worker_study.make(tmp_path / "work", database=database_url)) as study:
        yield study


def understood(raw: str, language: str) -> str:
    """Takes everything at its word but one."""
    if raw == "?":
        raise InputError("no idea")
    return f"w:{language}:{raw}"


def judge(study: Study, token: str, *judgments: tuple[int, str, str, str | None]) -> list[work.Saved]:
    new = [
        work.NewJudgment(n, display, action, entity, False, 1.0) for n, display, action, entity in judgments
    ]
    with study.write() as session:
        assignment = work.assignment_by_token(session, token, lock=True)
        return work.save_judgments(session, assignment.id, new, understand=understood, now=clock.now())


def test_from_arrival_to_everything_decided(served: Study) -> None:
    """One study does for all of it: making one takes its time on PostgreSQL."""
    token = arrive(served, {"participant": "a"}, clock.now()).token
    with served.read() as session:
        assert work.assignment_by_token(session, "nobody") is None
        assignment = work.assignment_by_token(session, token)
        left = work.undecided(session, assignment.id)
        view = work.task_view(session, assignment.id, 0)
        assert work.task_view(session, assignment.id, 99) is None
        assert work.language_of(session, assignment.id, "0.0") == "en"
        assert work.language_of(session, assignment.id, "x") is None
    assert {shown.reference for shown in view.displays} == {name for name in left if name.startswith("0.")}

    assert judge(served, token, (1, "0.0", "verify", None), (2, "0.0", "edit", "A")) == [
        work.Saved(1, "0.0", "verify", None),
        work.Saved(2, "0.0", "edit", "w:en:A"),
    ]
    with pytest.raises(work.NotUnderstoodError, match="no idea"):
        judge(served, token, (3, "0.0", "remove", None), (4, "0.0", "edit", "?"))
    with pytest.raises(work.SequenceConflictError) as caught:
        judge(served, token, (1, "0.0", "verify", None), (2, "0.0", "edit", "B"), (3, "0.0", "remove", None))
    assert (caught.value.highest, caught.value.taken) == (2, [2])
    assert caught.value.saved == [work.Saved(1, "0.0", "verify", None)]
    assert len(worker_study.judgments(served, token)) == 2

    judge(served, token, *((10 + n, name, "verify", None) for n, name in enumerate(left)))
    with served.read() as session:
        assert work.undecided(session, assignment.id) == []
        assert all(task.displays == task.decided for task in work.progress(session, assignment.id))
        assert work.highest_sequence(session, assignment.id) == 9 + len(left)


def test_redirects_decide_what_was_shown(served: Study) -> None:
    """An edit to a name that leads to the entity shown is a verification; another is kept as its target."""
    token = arrive(served, {"participant": "a"}, clock.now()).token
    with served.write() as session:
        assignment = work.assignment_by_token(session, token)
        shown = work.task_view(session, assignment.id, 0).displays[0]
        targets = {"w:en:Old": shown.key, "w:en:Other": "wd:Q1"}
        redirects.take(session, "r.tsv", "0" * 64, targets, clock.now())
    saved = judge(served, token, (1, shown.reference, "edit", "Old"), (2, shown.reference, "edit", "Other"))
    assert [(one.decision, one.key) for one in saved] == [("verify", None), ("edit", "wd:Q1")]
