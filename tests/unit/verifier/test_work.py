"""What workers' pages read and write, once on SQLite and once on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.errors import InputError
from tests.support import worker_study
from verifier import clock
from verifier.crowd.arrivals import arrive
from verifier.store import asides, export, judging, redirects, work
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


def judge(study: Study, token: str, *judgments: tuple[int, str, str, str | None]) -> list[judging.Saved]:
    new = [
        judging.NewJudgment(n, display, action, entity, False, 1.0)
        for n, display, action, entity in judgments
    ]
    with study.write() as session:
        assignment = work.assignment_by_token(session, token, lock=True)
        return judging.save_judgments(session, assignment.id, new, understand=understood, now=clock.now())


def test_from_arrival_to_everything_decided(served: Study) -> None:
    """One study does for all of it: making one takes its time on PostgreSQL."""
    token = arrive(served, {"participant": "a"}, clock.now()).token
    with served.read() as session:
        assert work.assignment_by_token(session, "nobody") is None
        assignment = work.assignment_by_token(session, token)
        left = work.undecided(session, assignment.id)
        view = work.task_view(session, assignment.id, 0)
        assert work.task_view(session, assignment.id, 99) is None
        assert work.shown_as(session, assignment.id, ["0.0"])["0.0"].language == "en"
        assert work.shown_as(session, assignment.id, ["x"]) == {}
    assert {shown.reference for shown in view.displays} == {name for name in left if name.startswith("0.")}

    assert judge(served, token, (1, "0.0", "verify", None), (2, "0.0", "edit", "A")) == [
        judging.Saved(1, "0.0", "verify", None),
        judging.Saved(2, "0.0", "edit", "w:en:A"),
    ]
    with pytest.raises(judging.NotUnderstoodError, match="no idea"):
        judge(served, token, (3, "0.0", "remove", None), (4, "0.0", "edit", "?"))
    with pytest.raises(judging.SequenceConflictError) as caught:
        judge(served, token, (1, "0.0", "verify", None), (2, "0.0", "edit", "B"), (3, "0.0", "remove", None))
    assert (caught.value.highest, caught.value.taken) == (2, [2])
    assert caught.value.saved == [judging.Saved(1, "0.0", "verify", None)]
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


def test_what_is_said_beside_judgments_is_kept_once_and_exported(served: Study) -> None:
    """Sent twice, kept once; of names the first stands, of comments the last."""
    token, now = arrive(served, {"participant": "a"}, clock.now()).token, clock.now()
    with served.write() as session:
        assignment = work.at_work(session, token, lock=True)
        view = work.task_view(session, assignment.id, 0)
        display, span = view.displays[0].display, (view.offset + 1, view.offset + 4)
        for text in ("a", "b", "b"):
            asides.comment(session, assignment.id, display, text, now)
            given = {"key": f"w:en:{text.upper()}", "raw": text, "seconds": 1.5, "now": now}
            assert asides.name(session, assignment.id, display, **given) == "w:en:A"
            asides.mark(session, assignment.id, view.row, span, now)
            asides.mark(session, assignment.id, view.row, (span[0], span[1] + 1), now)
        asides.take_back(session, assignment.id, view.row, (span[0], span[1] + 1), now)
    with served.read() as session:
        tables = export.tables(session)
        assert asides.missing(session, assignment.id, view.row) == [span]
    assert list(tables["comments"]["text"]) == ["b"]
    assert list(tables["namings"]["key"]) == ["w:en:A"]
    assert list(tables["missing_mentions"]["mention"]) == [view.text[1:4]]
    assert '"order": "text"' in tables["assignments"]["options"][0]
