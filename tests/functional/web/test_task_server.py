"""The task server over its HTTP interface: steps, judgments, search, submission, refusals, headers."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support import worker_study
from tests.support.web_worker import Worker
from verifier import clock
from verifier.kb.build import build
from verifier.store import export, progress, redirects
from verifier.store.models import Event
from verifier.study import Study
from verifier.web.app import create_app


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planned study; tests take copies."""
    return worker_study.make(tmp_path_factory.mktemp("served") / "pages")


def test_steps_follow_one_another(client: FlaskClient) -> None:
    someone = Worker(client)
    for step, heading in (
        ("consent", "Before you start"),
        ("instructions", "What to do"),
        ("example", "Try it"),
    ):
        assert heading in someone.page()
        assert someone.get("/state")["step"] == step
        someone.step(step)
    assert someone.get("/state")["step"] == "tasks"
    someone.step("consent")
    someone.step("tasks")
    assert someone.get("/state")["step"] == "tasks"


def test_the_same_participant_gets_the_same_work(client: FlaskClient) -> None:
    assert Worker(client, "a").token == Worker(client, "a").token != Worker(client, "b").token


def test_tasks_are_closed_before_their_step(client: FlaskClient) -> None:
    someone = Worker(client)
    assert someone.judge((1, "0.0", "verify")).json["error"] == "not_yet"
    assert someone.get("/tasks/0")["error"] == "not_yet"


def test_declining_gives_the_work_back(client: FlaskClient) -> None:
    someone = Worker(client)
    someone.step("consent", "no")
    assert "You did not agree" in someone.page()
    assert someone.judge((1, "0.0", "verify")).json["error"] == "no_consent"


def test_spans_are_exact_in_utf_16(worker: Worker) -> None:
    for task in worker.tasks():
        units = task["text"].encode("utf-16-le")
        for shown in task["displays"]:
            piece = units[2 * shown["start"] : 2 * shown["end"]].decode("utf-16-le")
            assert piece == shown["mention"]


def test_displays_come_in_the_order_of_the_text(worker: Worker) -> None:
    for task in worker.tasks():
        starts = [(shown["start"], -shown["end"]) for shown in task["displays"]]
        assert starts == sorted(starts)


def test_a_judgment_is_stored_and_shown_again(worker: Worker) -> None:
    assert worker.judge((1, "0.0", "remove")).json["saved"][0]["decision"] == "remove"
    shown = next(d for d in worker.get("/tasks/0")["displays"] if d["display"] == "0.0")
    assert (shown["judgment"]["decision"], worker.get("/state")["sequence"]) == ("remove", 1)
    assert worker.get("/state")["tasks"][0]["decided"] == 1


def test_sending_twice_stores_once(worker: Worker, served: Study) -> None:
    for _ in range(2):
        assert worker.judge((1, "0.0", "edit", "Q220"), (2, "0.0", "verify")).status_code == 200
    rows = worker_study.judgments(served, worker.token)
    assert [row[:3] for row in rows] == [("0.0", 1, "edit"), ("0.0", 2, "verify")]


def test_a_number_taken_by_something_else(worker: Worker, served: Study) -> None:
    """Nothing of the request is stored; what was stored before is named, so that it is not sent anew."""
    worker.judge((1, "0.0", "verify"), (2, "0.0", "remove"))
    answer = worker.judge((1, "0.0", "verify"), (2, "0.0", "verify"), (3, "0.0", "remove"))
    assert (answer.status_code, answer.json["error"]) == (409, "conflict")
    assert (answer.json["sequence"], answer.json["taken"]) == (2, [2])
    assert [saved["sequence"] for saved in answer.json["saved"]] == [1]
    assert len(worker_study.judgments(served, worker.token)) == 2


def test_an_edit_to_what_was_shown_is_a_verification(worker: Worker) -> None:
    shown = worker.displays()[0]
    saved = worker.judge((1, shown["display"], "edit", shown["card"]["key"])).json["saved"][0]
    assert (saved["decision"], saved["key"]) == ("verify", None)


def test_edits_are_understood_or_refused(worker: Worker) -> None:
    address = "https://en.m.wikipedia.org/wiki/Foo_bar#baz"
    assert worker.judge((1, "0.0", "edit", address)).json["saved"][0]["key"] == "w:en:Foo bar"
    assert worker.judge((2, "0.0", "edit", "NIL")).json["saved"][0]["key"] == "NIL"
    answer = worker.judge((3, "0.0", "verify"), (4, "0.0", "edit", "https://example.org/x"))
    assert (answer.status_code, answer.json["display"]) == (422, "0.0")
    assert "another site" in answer.json["message"]
    assert worker.get("/state")["sequence"] == 2


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"judgments": 1},
        {"judgments": [1]},
        {"judgments": [{"sequence": 0, "display": "0.0", "action": "verify"}]},
        {"judgments": [{"sequence": True, "display": "0.0", "action": "verify"}]},
        {"judgments": [{"sequence": 1, "display": 0, "action": "verify"}]},
        {"judgments": [{"sequence": 1, "display": "0.0", "action": "approve"}]},
        {"judgments": [{"sequence": 1, "display": "0.0", "action": "edit"}]},
        {"judgments": [{"sequence": 1, "display": "0.0", "action": "edit", "entity": "a\u0000b"}]},
        {"judgments": [{"sequence": 1, "display": "0.0", "action": "verify", "seconds": "long"}]},
        {"judgments": [{"sequence": 1, "display": "0.0", "action": "verify", "seconds": 10**400}]},
        {"judgments": [{"sequence": 2**31, "display": "0.0", "action": "verify"}]},
        {"judgments": [{"sequence": 10**400, "display": "0.0", "action": "verify"}]},
        {"judgments": [{"sequence": 1, "display": "0.0", "action": ["verify"]}]},
    ],
)
def test_what_is_not_of_the_form_is_a_bad_request(worker: Worker, body: Any) -> None:
    answer = worker.client.post(f"/api/{worker.token}/judgments", json=body)
    assert (answer.status_code, answer.json["error"]) == (400, "bad_request")


def test_unknown_displays_and_tasks(worker: Worker) -> None:
    assert worker.judge((1, "99.0", "verify")).status_code == 422
    assert worker.client.get(f"/api/{worker.token}/tasks/99").status_code == 404


def test_unknown_tokens(client: FlaskClient) -> None:
    for path in ("state", "tasks/0", "search?q=a"):
        answer = client.get(f"/api/nobody/{path}")
        assert (answer.status_code, answer.json["error"]) == (404, "not_found")
    for path in ("judgments", "submit", "return", "events"):
        answer = client.post(f"/api/nobody/{path}", json={"judgments": [], "events": []})
        assert (answer.status_code, answer.json["error"]) == (404, "not_found")
    assert client.get("/w/nobody").status_code == 404


def test_search_is_logged_with_its_candidates(worker: Worker, served: Study) -> None:
    found = worker.get("/search?q=springstein&display=0.0")["candidates"]
    assert [one["key"] for one in found] == ["wd:Q1225"]
    assert (found[0]["title"], found[0]["description"]) == ("Bruce Springsteen", "American singer")
    with served.read() as session:
        event = session.query(Event).one()
    assert event.data == {"display": "0.0", "query": "springstein", "candidates": ["wd:Q1225"]}


def test_the_entity_shown_comes_last_in_a_search_and_is_logged_there(worker: Worker, served: Study) -> None:
    """Under whatever key: by a redirect too."""
    shown = next(one for one in worker.displays() if one["card"]["key"] == "wd:Q830149")["display"]
    found = worker.get(f"/search?q=paris&display={shown}")["candidates"]
    assert [(one["key"], one["shown"]) for one in found] == [("wd:Q90", False), ("wd:Q830149", True)]
    elsewhere = worker.get("/search?q=paris&display=99.0")["candidates"]
    assert not any(one["shown"] for one in elsewhere)
    with served.write() as session:
        redirects.take(session, "r.tsv", "0", {"wd:Q90": "wd:Q830149"}, clock.now())
    found = worker.get(f"/search?q=paris&display={shown}")["candidates"]
    assert [(one["key"], one["shown"]) for one in found] == [("wd:Q90", True), ("wd:Q830149", True)]
    with served.read() as session:
        first = session.query(Event).order_by(Event.id).first()
    assert first.data["candidates"] == ["wd:Q90", "wd:Q830149"]


def test_a_knowledge_base_built_anew_is_used_at_once_by_every_thread(worker: Worker, served: Study) -> None:
    def titles(_: int = 0) -> list[str]:
        return [found["title"] for found in worker.get("/search?q=zanzibar&display=0.0")["candidates"]]

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(titles, range(6))) == 6 * [[]]
        table = served.path / "new.tsv"
        table.write_text("key\ttitle\nwd:Q1774\tZanzibar\n", encoding="utf-8")
        build(table, served.file(served.config.kb.file))
        assert list(pool.map(titles, range(6))) == 6 * [["Zanzibar"]]


@pytest.mark.parametrize("broken", [None, b"", b"no database at all" * 500])
def test_without_a_knowledge_base_there_are_cards_and_a_plain_word(
    worker: Worker, served: Study, broken: bytes | None
) -> None:
    assert worker.get("/search?q=rome&display=0.0")["candidates"]
    path = served.file(served.config.kb.file)
    path.unlink()
    if broken is not None:
        path.write_bytes(broken)
    found = worker.get("/search?q=rome&display=0.0")
    assert (found["candidates"], "no search just now" in found["message"]) == ([], True)
    assert "no search just now" in worker.client.get("/preview/search?q=rome").json["message"]
    assert all(shown["card"]["title"] for shown in worker.displays())
    address = "https://www.wikidata.org/wiki/Q220"
    assert worker.judge((1, "0.0", "edit", address)).status_code == 200


def test_a_pasted_address_is_read_by_the_search(worker: Worker) -> None:
    found = worker.get("/search?q=https://www.wikidata.org/wiki/Q220&display=0.0")
    assert (found["candidates"][0]["title"], found["message"]) == ("Rome", None)
    found = worker.get("/search?q=https://example.org/&display=0.0")
    assert (found["candidates"], "another site" in found["message"]) == ([], True)


def test_an_undone_judgment_does_not_stand(worker: Worker) -> None:
    worker.judge((1, "0.0", "verify"))
    undo = {"events": [{"kind": "undo", "data": {"display": "0.0", "sequence": 1}}]}
    worker.client.post(f"/api/{worker.token}/events", json=undo)
    assert worker.get("/state")["tasks"][0]["decided"] == 0
    worker.judge((2, "0.0", "verify"))
    assert worker.get("/state")["tasks"][0]["decided"] == 1


def test_events_of_unknown_kinds_are_refused(worker: Worker) -> None:
    for event in ({"kind": "x"}, {"kind": "undo", "data": {}}, {"kind": "blur", "data": {"a": "x" * 5000}}):
        answer = worker.client.post(f"/api/{worker.token}/events", json={"events": [event]})
        assert answer.status_code == 400


@pytest.mark.parametrize("host", ["x" * 5000, "[::1", "a:b", "", "a b"])
def test_a_host_that_can_be_none_is_no_fault_of_ours(client: FlaskClient, host: str) -> None:
    for path in ("/", "/start?participant=x", "/w/nobody", "/api/nobody/state"):
        assert client.get(path, headers={"Host": host}).status_code < 500
    headers = {"Host": host, "Origin": "http://x"}
    assert client.post("/w/nobody/step", headers=headers).status_code < 500


def test_what_was_never_judged_cannot_be_undone(worker: Worker) -> None:
    undo = {"events": [{"kind": "undo", "data": {"display": "0.0", "sequence": 7}}]}
    assert worker.client.post(f"/api/{worker.token}/events", json=undo).status_code == 400
    worker.judge((7, "0.0", "verify"))
    assert worker.get("/state")["tasks"][0]["decided"] == 1


def test_what_was_undone_is_never_exported_as_current(worker: Worker, served: Study) -> None:
    worker.judge((1, "0.0", "verify"), (2, "0.1", "remove"))
    undo = {"events": [{"kind": "undo", "data": {"display": "0.0", "sequence": 1}}]}
    worker.client.post(f"/api/{worker.token}/events", json=undo)
    with served.read() as session:
        made = export.tables(session)["judgments"]
        assert dict(zip(made["sequence"], made["current"], strict=True)) == {1: False, 2: True}
        assert [row.judgments for row in progress.people(session)] == [1]


def test_undoing_twice_is_kept_once(worker: Worker, served: Study) -> None:
    worker.judge((1, "0.0", "verify"))
    undo = {"events": 2 * [{"kind": "undo", "data": {"display": "0.0", "sequence": 1}}]}
    for _ in range(2):
        assert worker.client.post(f"/api/{worker.token}/events", json=undo).status_code == 200
    with served.read() as session:
        assert session.query(Event).count() == 1


@pytest.mark.parametrize(
    "data",
    [
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        '{"a": "x\\u0000"}',
        '{"a": 1' + 400 * "0" + "}",
        '{"a": 1' + 5000 * "0" + "}",
        '{"a": ' + 20 * "[" + 20 * "]" + "}",
        '{"a": ' + 100_000 * "[",
        "[]",
        "false",
        "3",
    ],
)
def test_events_that_no_database_can_keep_are_bad_requests(worker: Worker, data: str) -> None:
    body = f'{{"events": [{{"kind": "blur", "data": {data}}}]}}'
    answer = worker.client.post(f"/api/{worker.token}/events", data=body)
    assert (answer.status_code, answer.json["error"]) == (400, "bad_request")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b"[" * 200_000, b'{"events": [{"kind": ["x"]}]}', b'{"events": {}}']
)
def test_bodies_that_are_no_request_are_bad_requests(worker: Worker, body: bytes) -> None:
    for path in ("events", "judgments"):
        assert worker.client.post(f"/api/{worker.token}/{path}", data=body).status_code == 400


def test_tokens_and_numbers_that_no_database_holds_are_not_found(worker: Worker) -> None:
    for number in (2**63, 10**19, "9" * 5000, "-1", "x", "²"):
        assert worker.client.get(f"/api/{worker.token}/tasks/{number}").status_code == 404
    for token in ("%00", "%ff", "a%0Ab", "é"):
        assert worker.client.get(f"/api/{token}/state").status_code == 404
        assert worker.client.get(f"/w/{token}").status_code == 404


def test_submitting(worker: Worker) -> None:
    """Refused while something is undecided; then the same code as often as asked; then closed."""
    submit = f"/api/{worker.token}/submit"
    answer = worker.client.post(submit)
    assert (answer.status_code, answer.json["error"]) == (409, "undecided")
    assert len(answer.json["displays"]) == len(worker.displays())
    worker.decide_all()
    code = worker.client.post(submit).json["code"]
    assert worker.client.post(submit).json["code"] == code == worker.get("/state")["code"]
    assert code in worker.page()
    assert worker.judge((99, "0.0", "remove")).json["error"] == "submitted"
    assert worker.client.post(f"/api/{worker.token}/return").status_code == 409


def test_returning(worker: Worker) -> None:
    for _ in range(2):
        assert worker.client.post(f"/api/{worker.token}/return").json == {"returned": True}
    assert "You have stopped" in worker.page()
    assert worker.client.post(f"/api/{worker.token}/submit").json["error"] == "returned"


def test_the_article_must_have_been_opened_if_the_study_says_so(served: Study) -> None:
    pages = served.config.pages.model_copy(update={"require_open": True})
    config = served.config.model_copy(update={"pages": pages})
    someone = Worker(
        create_app(Study(served.path, config, served.secrets, served.store)).test_client()
    ).begin()
    assert someone.judge((1, "0.0", "verify")).json["error"] == "open_first"
    assert someone.judge((1, "0.0", "remove")).status_code == 200


def test_steps_switched_off(served: Study) -> None:
    off = {"consent_step": False, "instructions_step": False, "example_step": False}
    config = served.config.model_copy(update={"pages": served.config.pages.model_copy(update=off)})
    someone = Worker(create_app(Study(served.path, config, served.secrets, served.store)).test_client())
    assert someone.judge((1, "0.0", "verify")).status_code == 200


def test_preview_writes_nothing(client: FlaskClient, served: Study) -> None:
    before = served.file(Path("study.db")).read_bytes()
    assert "Preview" in client.get("/preview").text
    assert client.get("/preview/search?q=rome").json["candidates"]
    assert served.file(Path("study.db")).read_bytes() == before


def test_looking_ahead_claims_nothing(client: FlaskClient) -> None:
    assert client.head("/start?participant=x").status_code == 204
    ahead = client.get("/start?participant=x", headers={"Sec-Purpose": "prefetch;prerender"})
    assert ahead.status_code == 204


def test_every_page_has_a_title_of_its_own(client: FlaskClient) -> None:
    someone = Worker(client, "titled")
    asked = ("/preview", "/start", "/w/nothing", f"/w/{someone.token}")
    titles = [_title(client.get(address).text) for address in asked]
    someone.step("consent", agree="no")
    assert [*titles, _title(someone.page())] == [
        "Preview",
        "This link cannot be used",
        "There is nothing here",
        "Consent",
        "You did not agree",
    ]


def _title(page: str) -> str:
    return re.search("<title>(.*) · Check the links</title>", page)[1]


def test_more_time_is_given_as_long_as_the_work_is_open(worker: Worker) -> None:
    before = worker.get("/state")
    given = worker.client.post(f"/api/{worker.token}/time").json
    assert (before["more_time"], given["deadline"] > before["deadline"]) == (True, True)
    assert 890 < given["seconds_left"] <= 900
    worker.client.post(f"/api/{worker.token}/return")
    assert worker.client.post(f"/api/{worker.token}/time").status_code == 409


def test_no_time_is_given_where_a_platform_measures_it(served: Study) -> None:
    platform = served.config.platform.model_copy(update={"kind": "prolific"})
    config = served.config.model_copy(update={"platform": platform})
    someone = Worker(
        create_app(Study(served.path, config, served.secrets, served.store)).test_client()
    ).begin()
    assert someone.get("/state")["more_time"] is False
    assert someone.client.post(f"/api/{someone.token}/time").json["error"] == "not_offered"


def test_healthz_tells_which_study(client: FlaskClient) -> None:
    assert client.get("/healthz").json["study"] == "pages"


def test_a_link_without_a_participant(client: FlaskClient) -> None:
    answer = client.get("/start")
    assert (answer.status_code, "The link does not say who you are." in answer.text) == (400, True)


def test_every_answer_is_guarded(worker: Worker) -> None:
    """A strict policy, no referrer, no sniffing, no cookie; token pages are never kept."""
    for path in (
        f"/w/{worker.token}",
        f"/api/{worker.token}/state",
        "/preview",
        "/w/nobody",
        "/static/main.js",
    ):
        with worker.client.get(path) as answer:
            headers = answer.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Set-Cookie" not in headers
        kept = "no-cache" if path.startswith("/static") else "no-store"
        assert headers["Cache-Control"] == kept


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://localhost"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_other_sites_cannot_post(worker: Worker, headers: dict[str, str], status: int) -> None:
    answer = worker.client.post(f"/api/{worker.token}/events", json={"events": []}, headers=headers)
    assert answer.status_code == status


def test_pages_hold_no_inline_script_or_style(worker: Worker) -> None:
    for path in (f"/w/{worker.token}", "/preview"):
        text = worker.client.get(path).text
        assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", text)
        for attributes in re.findall(r"<script([^>]*)>", text):
            assert "src=" in attributes or 'type="application/json"' in attributes


def test_nothing_tells_a_source_or_a_known_answer(client: FlaskClient) -> None:
    """All answers of a whole assignment are searched; every display has the same form."""
    someone = Worker(client)
    said = [someone.page()]
    for step in ("consent", "instructions", "example"):
        someone.step(step)
        if step != "instructions":  # the page after it is the worked example, whose answers are no secret
            said.append(someone.page())
    tasks = someone.tasks()
    said += [json.dumps(tasks), json.dumps(someone.get("/search?q=paris&display=0.0"))]
    someone.decide_all()
    said += [
        json.dumps(someone.get("/state")),
        someone.client.post(f"/api/{someone.token}/submit").text,
        someone.page(),
    ]
    everything = "\n".join(said).lower()
    for word in (
        "sigma",
        "linker",
        "control",
        "expected",
        "acceptable",
        "difficulty",
        "ground",
        "source",
        "credit",
    ):
        assert word not in everything, word
    assert not re.search(r"\bgt\b(?!;)", everything)
    shapes = {tuple(shown) for task in tasks for shown in task["displays"]}
    assert len(shapes) == 1
    assert len({tuple(shown["card"]) for task in tasks for shown in task["displays"]}) == 1
