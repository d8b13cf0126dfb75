"""Who gets into the dashboard, and what it shows."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from analysis import load
from tests.support.crowds import always_verify, come, planned, work_through
from verifier.exporting import write_judgments
from verifier.web.app import create_app

KEY = "a-key-that-is-good-once"


@pytest.fixture
def app(tiny_study):
    """The app of a study in which three workers have been."""
    planned(tiny_study)
    work_through(tiny_study, "ann")
    work_through(tiny_study, "bob", always_verify)
    come(tiny_study, "eve")
    return create_app(tiny_study, dashboard_key=KEY)


@pytest.fixture
def inside(app):
    """A browser that has entered."""
    client = app.test_client()
    client.get(f"/admin/enter?key={KEY}")
    return client


def test_nobody_gets_in_without_a_session(app):
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/admin")]
    assert len(rules) > 15
    for rule in rules:
        if rule.endpoint == "admin.enter":
            continue
        path = rule.rule.replace("<number>", "1")
        for method in sorted(rule.methods & {"GET", "POST"}):
            answer = app.test_client().open(path, method=method)
            assert answer.status_code == 403, path
            assert "posthoc serve" in answer.text


def test_a_wrong_key_opens_nothing_and_does_not_use_the_link_up(app):
    assert app.test_client().get("/admin/enter?key=guess").status_code == 403
    assert app.test_client().get(f"/admin/enter?key={KEY}").status_code == 200


def test_the_link_is_good_once(app):
    app.test_client().get(f"/admin/enter?key={KEY}")
    assert app.test_client().get(f"/admin/enter?key={KEY}").status_code == 403


def test_a_browser_that_looks_ahead_does_not_use_the_link_up(app):
    ahead = app.test_client().get(f"/admin/enter?key={KEY}", headers={"Sec-Purpose": "prefetch"})
    assert ahead.status_code == 403
    assert app.test_client().head(f"/admin/enter?key={KEY}").status_code == 403
    assert app.test_client().get(f"/admin/enter?key={KEY}").status_code == 200


def test_the_cookie_is_kept_from_scripts_other_sites_and_the_worker_side(app):
    cookie = app.test_client().get(f"/admin/enter?key={KEY}").headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/admin" in cookie
    assert KEY not in cookie


def test_a_forged_session_and_another_site_are_refused(app, inside):
    stranger = app.test_client()
    stranger.set_cookie("posthoc_dashboard", "researcher.abc.def", path="/admin")
    assert stranger.get("/admin/").status_code == 403
    assert inside.get("/admin/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert inside.post("/admin/leave", headers={"Origin": "https://evil.test"}).status_code == 403
    assert inside.get("/admin/").status_code == 200


def test_another_site_can_change_nothing(app, inside):
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/admin")]
    for rule in rules:
        if "POST" not in rule.methods:
            continue
        path = rule.rule.replace("<number>", "1")
        for header in ({"Origin": "https://evil.test"}, {"Sec-Fetch-Site": "same-site"}):
            assert inside.post(path, data={"action": "close"}, headers=header).status_code == 403, path
    assert "Closed." not in inside.get("/admin/").text


def test_votes_show_only_to_the_expert_who_has_decided(inside):
    first = inside.get("/admin/adjudicate?expert=a").text
    number = re.search(r'action="/admin/adjudicate/(\d+)"', first)[1]
    pseudonym = re.search(r"\bw[0-9a-f]{12}\b", inside.get("/admin/workers").text)[0]
    item = f"/admin/adjudicate/{number}"
    assert not re.search(r"\bw[0-9a-f]{12}\b", first)
    assert inside.post(item, data={"decision": "remove", "expert": "a"}).status_code == 303
    assert re.search(r"\bw[0-9a-f]{12}\b", inside.get(f"{item}?expert=a").text)
    assert not re.search(r"\bw[0-9a-f]{12}\b", inside.get(f"{item}?expert=b").text)
    assert number not in re.findall(
        r'action="/admin/adjudicate/(\d+)"', inside.get("/admin/adjudicate?expert=a").text
    )
    assert pseudonym


def test_what_an_expert_sends_that_cannot_be_is_refused_with_the_reason(inside):
    number = re.search(r'action="/admin/adjudicate/(\d+)"', inside.get("/admin/adjudicate").text)[1]
    item = f"/admin/adjudicate/{number}"
    for wrong in (
        {"decision": "eat"},
        {"decision": "edit", "entity": ""},
        {"decision": "edit", "entity": "zzz"},
    ):
        answer = inside.post(item, data=wrong)
        assert answer.status_code == 400
        assert 'role="alert"' in answer.text
    assert inside.post("/admin/adjudicate/999999", data={"decision": "verify"}).status_code == 404
    assert inside.get("/admin/adjudicate/999999").status_code == 404
    assert inside.get("/admin/adjudicate?queue=<b>&expert=<b>&after=x").status_code == 200
    assert inside.post(f"{item}/retire").status_code == 404


def test_a_paused_study_lets_nobody_begin_and_who_has_begun_go_on(inside, tiny_study):
    assert inside.post("/admin/halt", data={"action": "pause"}).status_code == 303
    assert "Paused." in inside.get("/admin/").text
    assert come(tiny_study, "new").outcome == "nothing_left"
    assert come(tiny_study, "eve").outcome == "working"
    assert inside.post("/admin/halt", data={"action": "sing"}).status_code == 400
    inside.post("/admin/halt", data={"action": "resume"})
    assert come(tiny_study, "new").outcome == "working"


def test_results_are_taken_away_as_the_commands_write_them(inside, tiny_study, tmp_path):
    write_judgments(tiny_study, tmp_path / "judgments.csv")
    assert inside.get("/admin/judgments.csv", buffered=True).data == (tmp_path / "judgments.csv").read_bytes()
    with zipfile.ZipFile(io.BytesIO(inside.get("/admin/bundle.zip", buffered=True).data)) as archive:
        archive.extractall(tmp_path / "taken")
    assert not load(tmp_path / "taken" / "tiny")["judgments"].empty


def test_leaving_ends_the_session(inside):
    assert inside.post("/admin/leave").status_code == 303
    assert inside.get("/admin/").status_code == 403


def test_without_a_key_it_cannot_be_entered(tiny_study):
    client = create_app(tiny_study).test_client()
    assert client.get("/admin/enter?key=").status_code == 403


def test_the_overview_says_how_the_study_stands(inside):
    page = inside.get("/admin/").text
    for text in ("3.00", "failed the controls: 1 of 3 right, 3 needed", "GT", "Alpha", "Beta"):
        assert text in page
    assert not re.search(r"\bann\b", page)


def test_a_study_with_nothing_in_it_has_an_overview_too(study):
    client = create_app(study, dashboard_key=KEY).test_client()
    client.get(f"/admin/enter?key={KEY}")
    page = client.get("/admin/").text
    assert "Nothing is planned" in page
    assert "nan" not in page.lower().replace("finance", "")


def test_a_task_is_shown_as_the_worker_saw_it_with_its_judgments(inside):
    listed = inside.get("/admin/tasks").text
    number = re.search(r"/admin/tasks/(\d+)", listed)[1]
    page = inside.get(f"/admin/tasks/{number}").text
    assert 'class="decision verify"' in page
    assert "<mark" in page
    for strange in ("999999", 2**63, "9" * 5000, "-1", "x"):
        assert inside.get(f"/admin/tasks/{strange}").status_code == 404
    for page in ("9" * 5000, 2**63, "-1", "x", "0", "999999999"):
        assert inside.get(f"/admin/tasks?after={page}").status_code == 200


def test_nothing_of_the_dashboard_may_be_framed_or_run_inline(inside):
    answer = inside.get("/admin/")
    policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "<style" not in answer.text
    assert " style=" not in answer.text
    assert not re.search(r"<script(?![^>]* src=)", answer.text)
