"""The dashboard in Chromium: entered once, accessible, up to date, alone with its own host."""

from __future__ import annotations

import json
import shutil

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import findings, follow
from tests.support.crowds import come, judge, planned, work_through
from tests.support.serving_here import answering
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.store import experts
from verifier.study import Study
from verifier.web.app import create_app

KEY = "a-key-that-is-good-once"


@pytest.fixture
def dashboard(tiny_blank, tmp_path):
    """A study in which somebody has worked, and the address of its server."""
    folder = shutil.copytree(tiny_blank, tmp_path / "tiny")
    with Study.open(folder) as study:
        planned(study)
        work_through(study, "ann")
        yield from served(study)


def served(study):
    """The study and the address of a server for it."""
    with answering(create_app(study, dashboard_key=KEY)) as url:
        yield study, url


def test_the_researcher_enters_looks_around_and_leaves(page, dashboard):
    _, url = dashboard
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")
    expect(page.get_by_role("heading", name="How the study stands")).to_be_visible()
    assert findings(page) == []
    follow(page.get_by_role("link", name="Tasks"))
    assert findings(page) == []
    follow(page.get_by_role("link", name="Task", exact=False).nth(1))
    expect(page.get_by_text("Workers saw neither the source")).to_be_visible()
    assert findings(page) == []
    follow(page.get_by_role("button", name="Leave"))
    expect(page.get_by_role("heading", name="The dashboard is closed")).to_be_visible()
    assert findings(page) == []
    assert all(address.startswith(url) for address in asked)


def test_it_keeps_itself_up_to_date_unless_told_not_to(page, dashboard):
    study, url = dashboard
    page.clock.install()
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")
    expect(page.get_by_text("1 workers")).to_be_visible()
    judge(study, come(study, "bob").token)
    with page.expect_response("**/admin/live"):
        page.clock.run_for(11_000)
    page.get_by_text("As of").wait_for()
    page.get_by_role("button", name="Stop updating").click()
    page.clock.run_for(30_000)
    expect(page.get_by_role("button", name="Go on updating")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_calculator_reads_a_pasted_table(page, dashboard, width):
    _, url = dashboard
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")
    follow(page.get_by_role("link", name="Calculator"))
    assert findings(page) == []
    page.get_by_label("Table, with names").fill(
        "unit,worker,label\n1,a,yes\n1,b,yes\n2,a,no\n2,b,no\n3,a,no\n3,b,yes"
    )
    page.get_by_label("Every category").fill("yes,no")
    follow(page.get_by_role("button", name="Compute"))
    expect(page.get_by_role("row", name="Cohen's kappa")).to_contain_text("0.400")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def entered(page, url):
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")


HOSTILE = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"


@pytest.fixture
def hostile(tmp_path):
    """A dashboard of one document, one model that is the only source, one worker; all of hostile words."""
    folder = tmp_path / "hostile"
    Study.create(folder, "link", name="hostile").close()
    (folder / "study.yaml").write_text(
        "study: {name: hostile, seed: 1}\ndatasets: {small: {language: en}}\n"
        "plan: {k: 1, repeat_share: 0}\nplace: {tasks: 1, controls: 0, minutes: 5, pay: '1.00'}\n"
        "sources: {A_B: {}}\n",
        encoding="utf-8",
    )
    text = f"{HOSTILE} שלום 🙂 Paris"
    mark = {"start": len(text) - 5, "end": len(text), "entity": "A&B_100%'\u202e\u05e1"}
    line = {"id": "<script>alert(2)</script>", "text": text, "annotations": [mark]}
    (folder / "in.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with Study.open(folder) as study:
        import_files(study, Request((folder / "in.jsonl",), "small", "A_B"), now=clock.now())
        planned(study)
        work_through(study, "ann", lambda *_: ("edit", "wd:Q1"))
        yield from served(study)


def test_words_of_a_corpus_run_no_script_on_any_page(page, hostile):
    study, url = hostile
    entered(page, url)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("", "tasks", "tasks/1", "edits", "edits?q=<script>", "workers?show=flagged", "adjudicate"):
        page.goto(f"{url}/admin/{path}")
        assert "run" not in page.title().split(" · ")[0]
        assert page.locator("main img").count() == 0
        assert findings(page) == [], path
    assert page.get_by_text("<img src=x").count() == 1
    follow(page.get_by_role("button", name="Remove"))
    page.get_by_role("link", name="Next item").wait_for()
    assert findings(page) == []
    assert all(address.startswith(url) for address in asked)
    with study.read() as session:
        assert [one.decision for one in experts.standing(session)] == ["remove"]


def test_an_expert_decides_searches_and_goes_on(page, dashboard):
    study, url = dashboard
    entered(page, url)
    follow(page.get_by_role("link", name="Adjudication"))
    assert findings(page) == []
    assert page.locator("tbody").count() == 0
    page.get_by_label("Edit:").fill("Texas")
    page.get_by_role("option", name="Texas (band)").wait_for()
    assert findings(page) == []
    page.get_by_role("option", name="Texas (band)").click()
    expect(page.get_by_text("Chosen: Texas (band)")).to_be_visible()
    expect(page.get_by_label("Edit:")).to_have_value("wd:Q831717")
    page.get_by_role("button", name="Edit to this entity").click()
    page.get_by_role("heading", name="You decided").wait_for()
    expect(page.get_by_role("region", name="Votes")).to_be_visible()
    assert findings(page) == []
    before = page.url
    follow(page.get_by_role("link", name="Next item"))
    page.get_by_role("button", name="Verify").wait_for()
    assert page.url != before
    for queue in ("tied", "edited", "control", "E", "rest", "random"):
        page.get_by_label("Queue").select_option(queue)
        follow(page.get_by_role("button", name="Show"))
        assert findings(page) == [], queue
    with study.read() as session:
        assert {one.key for one in experts.standing(session)} == {"wd:Q831717"}


def test_tasks_workers_and_edits_can_be_filtered(page, dashboard):
    _, url = dashboard
    entered(page, url)
    follow(page.get_by_role("link", name="Tasks"))
    for source in ("GT", "controls", ""):
        page.get_by_label("Source").select_option(label=source or "all")
        follow(page.get_by_role("button", name="Show"))
        assert findings(page) == []
    follow(page.get_by_role("navigation", name="Dashboard").get_by_role("link", name="Workers"))
    page.get_by_role("combobox").select_option("flagged")
    follow(page.get_by_role("button", name="Show"))
    assert findings(page) == []
    follow(page.get_by_role("navigation", name="Dashboard").get_by_role("link", name="Edits"))
    page.get_by_label("Key contains").fill("nothing has this")
    follow(page.get_by_role("button", name="Show"))
    expect(page.get_by_text("No counted edit")).to_be_visible()
    assert findings(page) == []


def test_it_is_paused_resumed_and_its_results_are_taken_away(page, dashboard):
    study, url = dashboard
    entered(page, url)
    follow(page.get_by_role("button", name="Pause"))
    page.get_by_text("Paused.").wait_for()
    assert come(study, "late").outcome == "nothing_left"
    assert findings(page) == []
    follow(page.get_by_role("button", name="Resume"))
    page.get_by_role("heading", name="How the study stands").wait_for()
    expect(page.get_by_text("Paused.")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("link", name="Judgments (CSV)").click()
    assert download.value.suggested_filename == "tiny-judgments.csv"


@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_the_screen(page, dashboard, width):
    _, url = dashboard
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")
    for path in ("", "adjudicate", "tasks", "tasks/1", "edits", "workers"):
        page.goto(f"{url}/admin/{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
