"""The dashboard in Chromium: entered once, accessible, up to date, alone with its own host."""

from __future__ import annotations

import shutil
import threading

import pytest
from waitress.server import create_server

from tests.browser.conftest import findings
from tests.support.crowds import come, judge, planned, work_through
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
        server = create_server(create_app(study, dashboard_key=KEY), host="127.0.0.1", port=0)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        yield study, f"http://127.0.0.1:{server.effective_port}"
        server.close()


def test_the_researcher_enters_looks_around_and_leaves(page, dashboard):
    _, url = dashboard
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")
    assert page.get_by_role("heading", name="How the study stands").is_visible()
    assert findings(page) == []
    page.get_by_role("link", name="Tasks").click()
    assert findings(page) == []
    page.get_by_role("link", name="Task", exact=False).nth(1).click()
    assert page.get_by_text("Workers saw neither the source").is_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Leave").click()
    assert page.get_by_role("heading", name="The dashboard is closed").is_visible()
    assert findings(page) == []
    assert all(address.startswith(url) for address in asked)


def test_it_keeps_itself_up_to_date_unless_told_not_to(page, dashboard):
    study, url = dashboard
    page.clock.install()
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")
    assert page.get_by_text("1 workers").is_visible()
    judge(study, come(study, "bob").token)
    with page.expect_response("**/admin/live"):
        page.clock.run_for(11_000)
    page.get_by_text("As of").wait_for()
    page.get_by_role("button", name="Stop updating").click()
    page.clock.run_for(30_000)
    assert page.get_by_role("button", name="Go on updating").is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_the_screen(page, dashboard, width):
    _, url = dashboard
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{url}/admin/enter?key={KEY}")
    page.wait_for_url(f"{url}/admin/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
