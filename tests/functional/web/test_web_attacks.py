"""Who talks to the task server without its page gets nothing out of it, breaks nothing, and is no other."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import event

from tests.support import worker_study
from tests.support.web_worker import Worker
from verifier.store import engine
from verifier.study import Study
from verifier.web.app import create_app

CONFIG = worker_study.CONFIG + "pages: {comments: true, missing_mentions: true}\n"
NASTY: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 2**31, 2**63, 10**400, "", "0.0\0", "\ud800", "\0", [], {}, "x" * 3000),
    *(
        "9.9",
        "-1.0",
        "٣.0",
        "https://en.wikipedia.org/wiki/\ud800",
        "https://en.wikipedia.org/wiki/%ED%A0%80",
    ),
    *("http://[", "Q" + "9" * 400, "javascript:alert(1)", "🙂" * 700),
)
FORMS: dict[str, dict[str, Any]] = {
    "judgments": {"sequence": 1, "display": "0.0", "action": "edit", "entity": "NIL", "seconds": 1},
    "comments": {"display": "0.0", "text": "x"},
    "missing": {"task": 0, "start": 0, "end": 1, "withdrawn": False},
    "events": {"kind": "undo", "data": {"sequence": 1}},
    "name": {"display": "0.0", "entity": "NIL", "seconds": 1},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planned study with all that a page can offer; tests take copies."""
    return worker_study.make(tmp_path_factory.mktemp("attacked") / "pages", CONFIG)


@pytest.mark.parametrize("path", FORMS)
def test_no_value_is_more_than_the_server_can_bear(worker: Worker, path: str) -> None:
    """Each value in each field: understood or refused, never a fault."""
    said = {}
    for field in FORMS[path]:
        for value in NASTY:
            one = FORMS[path] | {field: value}
            body = json.dumps(one if path == "name" else {path: [one]})
            said[field, str(value)[:30]] = worker.client.post(
                f"/api/{worker.token}/{path}", data=body
            ).status_code
    assert {asked: status for asked, status in said.items() if status >= 500} == {}


def test_a_display_of_somebody_else_cannot_be_judged(client: FlaskClient, served: Study) -> None:
    """References count within the assignment: whatever is named is one's own, or nothing."""
    one, other = (Worker(client, name).begin() for name in ("one", "other"))
    own = {shown["display"] for shown in one.displays()}
    for task in range(-1, 5):
        for display in range(-1, 7):
            name = f"{task}.{display}"
            assert (one.judge((1000 + 20 * task + display, name, "remove")).status_code == 200) == (
                name in own
            )
    assert worker_study.judgments(served, other.token) == []
    assert {row[0] for row in worker_study.judgments(served, one.token)} == own


def test_numbers_that_go_backwards_leave_the_highest_in_force(worker: Worker) -> None:
    worker.judge((2**31 - 1, "0.0", "verify"))
    worker.judge((5, "0.0", "remove"))
    assert worker.get("/tasks/0")["displays"][0]["judgment"]["decision"] == "verify"


def test_what_was_handed_in_cannot_be_changed_nor_given_back(worker: Worker, served: Study) -> None:
    worker.decide_all()
    code = worker.client.post(f"/api/{worker.token}/submit").json["code"]
    before = worker_study.judgments(served, worker.token)
    undo = {"events": [{"kind": "undo", "data": {"sequence": 1}}]}
    answers = [
        worker.judge((900, "0.0", "remove")),
        worker.client.post(f"/api/{worker.token}/events", json=undo),
        worker.client.post(f"/api/{worker.token}/return"),
        worker.step("tasks"),
    ]
    assert [answer.status_code for answer in answers] == [409, 409, 409, 303]
    assert worker_study.judgments(served, worker.token) == before
    assert worker.client.post(f"/api/{worker.token}/submit").json["code"] == code


def test_undoing_all_after_deciding_all_is_not_work(worker: Worker) -> None:
    """Nobody is paid for what he has taken back."""
    worker.decide_all()
    events = [{"kind": "undo", "data": {"sequence": 1}}]
    worker.client.post(f"/api/{worker.token}/events", json={"events": events})
    answer = worker.client.post(f"/api/{worker.token}/submit")
    assert (answer.status_code, len(answer.json["displays"])) == (409, 1)


def test_a_disk_that_is_full_is_told_and_nothing_is_acknowledged(worker: Worker, served: Study) -> None:
    """What the server could not keep it does not say it has; with room again it takes all of it."""
    database = served.store._engine

    def fill(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("pragma max_page_count = 1")

    event.listen(database, "checkout", fill)
    entity = "https://en.wikipedia.org/wiki/" + "x" * 1900
    sent = [(n, "0.0", "edit", f"{entity}{n}") for n in range(1, 60)]
    told = [worker.judge(one) for one in sent]
    refused = [one for one, answer in zip(sent, told, strict=True) if answer.status_code == 503]
    assert refused
    assert {answer.status_code for answer in told} <= {200, 503}
    assert [row[1] for row in worker_study.judgments(served, worker.token)] == [
        one[0] for one in sent if one not in refused
    ]
    event.remove(database, "checkout", fill)
    database.dispose()
    assert worker.judge(*refused).status_code == 200


def test_a_database_that_somebody_holds_is_told(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_BUSY_SECONDS", 0.2)
    folder = Path(shutil.copytree(made, tmp_path / "pages"))
    with Study.open(folder) as study:
        worker = Worker(create_app(study).test_client()).begin()
        other = sqlite3.connect(folder / "study.db", isolation_level=None)
        other.execute("begin immediate")
        answer = worker.judge((1, "0.0", "verify"))
        assert (answer.status_code, "saved" in answer.json) == (503, False)
        assert worker.get("/tasks/0")["task"] == 0
        other.close()
        assert worker.judge((1, "0.0", "verify")).status_code == 200


def test_no_log_holds_a_token(worker: Worker, caplog: pytest.LogCaptureFixture, monkeypatch) -> None:
    """Not even of a fault of our own: whoever reads a log could work, and be paid, as another."""

    def fail(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("verifier.web.desk.task", fail)
    with caplog.at_level(logging.DEBUG):
        assert worker.client.get(f"/api/{worker.token}/tasks/0").status_code == 500
    assert "a fault of ours" in caplog.text
    assert "/api/<token>/tasks/<ordinal>" in caplog.text
    assert worker.token not in caplog.text
