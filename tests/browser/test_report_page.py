"""The report in a browser: accessible, whole on a phone, and no request leaves the file."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

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


def rows_shown(page, count):
    expect(page.locator("#list tr:visible")).to_have_count(count)


def test_the_audit_list_can_be_searched_and_filtered(browser, file):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(file)
        rows_shown(page, 2)
        expect(page.locator("#shown")).to_have_text("2 of 2 shown")
        page.fill("#wanted", "PARIS beta")
        rows_shown(page, 1)
        expect(page.locator("#shown")).to_have_text("1 of 2 shown")
        page.fill("#wanted", "")
        page.select_option("#finding", "not verified")
        expect(page.locator("#list tr:visible mark")).to_have_text("Sydney")
        page.select_option("#source", "Beta")
        rows_shown(page, 0)
        page.select_option("#finding", "")
        expect(page.locator("#list tr:visible a")).to_have_text("w:en:Paris")
        page.select_option("#source", "")
        page.select_option("#dataset", "wiki")
        rows_shown(page, 0)


def test_the_audit_list_can_be_put_in_another_order(browser, file):
    """By the keyboard too; what is filtered away stays away."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(file)
        marks = page.locator("#list tr:visible mark")
        expect(marks).to_have_text(["Paris", "Sydney"])
        page.focus("#order")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#order")).to_have_value("divided")
        expect(marks).to_have_text(["Sydney", "Paris"])
        page.select_option("#order", "")
        expect(marks).to_have_text(["Paris", "Sydney"])
        page.select_option("#order", "place")
        expect(marks).to_have_text(["Sydney", "Paris"])
        page.select_option("#finding", "not verified")
        page.select_option("#order", "")
        expect(marks).to_have_text(["Sydney"])


def test_without_script_the_audit_list_is_whole(browser, file):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(file)
        rows_shown(page, 2)
        assert not page.locator("#filters").is_visible()


def test_a_script_that_got_into_the_page_is_not_run(browser, tmp_path):
    """Were a name ever written as it is, the page's policy would still stop it."""
    own = "document.title = 'run'"
    bad = f'<script>{own}</script><img src="x" onerror="{own}"><a id="go" href="javascript:{own}">x</a>'
    whole = report(parts(drawn=False)).replace("<main>", f"<main>{bad}")
    (tmp_path / "bad.html").write_text(whole, encoding="utf-8")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "bad.html").as_uri())
        page.click("#go")
        assert page.title() != "run"
        assert page.inner_text("#shown") == "2 of 2 shown"


def test_names_and_texts_that_look_like_script_are_shown(browser, tmp_path):
    name = "<script>document.title = 'run'</script>"
    (tmp_path / "odd.html").write_text(report(parts((name,), ("GT", name), drawn=False)), encoding="utf-8")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "odd.html").as_uri())
        assert page.title() != "run"
        assert name in page.inner_text("main")


def test_nothing_is_asked_for_and_nothing_complains(browser, file):
    asked, said = [], []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.goto(file)
    assert (asked, said) == ([file], [])
