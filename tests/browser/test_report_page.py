"""The report in a browser: accessible, whole on a phone, and no request leaves the file."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from analysis.report.html import report
from tests.support.report_parts import parts


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report(parts()), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, file, scheme):
    # The policy of the page forbids scripts, axe's too: it is lifted for the check alone.
    with browser.new_context(color_scheme=scheme, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(file)
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
        found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_phone_shows_it_without_scrolling_sideways(browser, file):
    with browser.new_context(viewport={"width": 400, "height": 800}) as context:
        page = context.new_page()
        page.goto(file)
        assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_nothing_is_asked_for_and_nothing_complains(browser, file):
    asked, said = [], []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.goto(file)
    assert (asked, said) == ([file], [])
