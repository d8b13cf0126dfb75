"""What somebody sees who is new here: nothing looks chosen that is not, and each way on is found."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import findings, look, until, watched
from tests.browser.test_assignment import settled, to_tasks
from tests.browser.test_editing import searched
from tests.browser.test_keys import practice
from tests.support import ear

# How each of the three choices is drawn but for its ground.
RINGS = """() => [...document.querySelectorAll(".action")].map((action) => {
  const { borderColor, borderWidth, boxShadow, outlineStyle } = getComputedStyle(action);
  return [borderColor, borderWidth, boxShadow, outlineStyle].join();
})"""
GROUNDS = "[...document.querySelectorAll('.action')].map((one) => getComputedStyle(one).backgroundColor)"
# How many lines of words what stays at the lower edge cuts through; the ground above it covers what it would.
CUT = """([lines, foot]) => {
  const last = document.querySelector(foot);
  const edge = last.getBoundingClientRect().top;
  const free = edge - parseFloat(getComputedStyle(last, "::before").height);
  const range = document.createRange();
  const parts = [...document.querySelectorAll(lines)].filter((part) => !last.contains(part));
  const rects = parts.flatMap((part) => {
    range.selectNodeContents(part);
    return [...range.getClientRects()];
  });
  const below = rects.some(({ bottom }) => bottom > edge + 1);
  return [below, rects.filter(({ top, bottom }) => top < free - 1 && bottom > free + 1).length];
}"""
CARD = [".card-title, .card-description, .card-extract", ".card-foot"]
ANSWERS = [".option-title, .option-description", ".option.nil"]


@pytest.fixture
def phone(browser: Browser) -> Page:
    """A phone that is touched, without a mouse."""
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page = watched(context.new_page())
    yield page
    assert page.complaints == []
    context.close()


def long_extract(route: Route) -> None:
    """Let each card say more than there is room for."""
    page = route.fetch()
    body = re.sub(r'"extract": ?"[^"]*"', f'"extract":"{60 * "words "}"', page.text())
    route.fulfill(response=page, body=body)


def found(page: Page, words: str, title: str) -> None:
    """Search for words to which there is one answer, and wait until it is listed."""
    page.locator("#search-box").fill(words)
    expect(page.locator(".option").first).to_contain_text(title)
    expect(page.locator(".option")).to_have_count(2)
    look(page)


def test_a_choice_pressed_by_touch_does_not_look_chosen_on_the_next_highlight(
    phone: Page, live_server
) -> None:
    """Where it was right, neither a ring nor a ground stays; what was edited is named and has its sign."""
    to_tasks(phone, live_server.url, "touches")
    look(phone)
    phone.locator('[data-action="remove"]').tap()
    expect(phone.locator("#counted")).to_contain_text("1 of")
    expect(phone.locator('.action[aria-pressed="true"]')).to_have_count(0)
    assert len(set(phone.evaluate(RINGS))) == len(set(phone.evaluate(GROUNDS))) == 1
    look(phone)
    phone.locator('[data-action="edit"]').tap()
    found(phone, "The Boss", "Bruce Springsteen")
    phone.locator(".option").first.tap()
    expect(phone.locator("#counted")).to_contain_text("2 of")
    phone.locator("#previous-mention").tap()
    edit = phone.get_by_role("button", name="Edit Bruce Springsteen")
    expect(edit).to_have_attribute("aria-pressed", "true")
    sign = "edit => getComputedStyle(edit.querySelector('.name > span'), '::after')"
    assert edit.evaluate(f"{sign}.display") != "none"
    assert "●" in edit.evaluate(f"{sign}.content")
    settled(phone)


def test_a_mouse_that_rests_on_a_choice_changes_its_ground_alone(page: Page, live_server) -> None:
    practice(page, live_server)
    page.locator('[data-action="remove"]').hover()
    assert len(set(page.evaluate(RINGS))) == 1
    one, other, under = page.evaluate(GROUNDS)
    assert one == other != under


def test_the_focus_goes_from_the_search_to_the_panel(page: Page, live_server) -> None:
    """Given up or taken: not to Edit, which would then seem the choice; each is said once."""
    to_tasks(page, live_server.url, "gives up")
    page.keyboard.press("e")
    found(page, "The Boss", "Bruce Springsteen")
    ear.listen(page)
    page.keyboard.press("Escape")
    expect(page.locator("#side")).to_be_focused()
    page.keyboard.press("n")
    expect(page.locator("#side")).to_be_focused()
    until(page, "window.heard.length > 0")
    assert [text[:5] for text in ear.heard(page)] == ["Now: "]
    page.keyboard.press("Tab")
    expect(page.locator(".card-link a")).to_be_focused()


def test_return_takes_what_is_called_so_and_shows_first_what_is_spelt_nearly_so(
    page: Page, live_server
) -> None:
    """The only answer is chosen for all to see; the next Return takes it. By its very name one does."""
    to_tasks(page, live_server.url, "spells")
    page.keyboard.press("e")
    found(page, "bruce springstein", "Bruce Springsteen")
    page.keyboard.press("Enter")
    expect(page.locator(".option").first).to_have_attribute("aria-selected", "true")
    expect(page.locator("#search-said")).to_have_text("Choose an entry from the list.")
    expect(page.locator("#counted")).to_contain_text("0 of")
    page.keyboard.press("Enter")
    expect(page.locator("#counted")).to_contain_text("1 of")
    expect(page.locator("#side")).to_be_focused()
    look(page)
    page.keyboard.press("e")
    found(page, "bruce  Springsteen", "Bruce Springsteen")
    page.keyboard.press("Enter")
    expect(page.locator("#counted")).to_contain_text("2 of")
    settled(page)


def test_practice_leads_on_by_return_and_to_the_texts(page: Page, live_server) -> None:
    """After a right choice to the next highlight, from the last to the button that starts, in sight."""
    page.set_viewport_size({"width": 780, "height": 437})
    page.goto(f"{live_server.url}/start?participant=practises")
    for name in ("I agree and take part", "Continue"):
        page.get_by_role("button", name=name).click()
    page.locator("#text .mark.active").wait_for()
    # In this low window, a line of the text and the way to the article are in sight from the beginning.
    run, side, foot = (
        page.locator(one).bounding_box() for one in ("#text .run.active", "#side", ".card-link")
    )
    assert run["y"] + run["height"] <= side["y"]
    assert foot["y"] + foot["height"] <= 437
    look(page)
    page.keyboard.press("v")
    expect(page.locator("#next-undecided")).to_be_focused()
    expect(page.locator("#live")).to_contain_text("Verified. We would choose the same.")
    page.keyboard.press("Enter")
    expect(page.locator("#text .mark").nth(1)).to_have_class("mark active")
    expect(page.locator("#side")).to_be_focused()
    page.locator("#list .row").last.click()
    page.keyboard.press("n")
    expect(page.locator("#onward")).to_be_focused()
    expect(page.locator("#onward")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.locator("#where")).to_contain_text("Text 1 of")


def test_on_a_phone_no_line_is_cut_through_and_help_begins_with_the_choices(phone: Page, live_server) -> None:
    to_tasks(phone, live_server.url, "reads lines")
    phone.route("**/w/*", long_extract)
    phone.reload()
    expect(phone.locator(".card-extract")).to_contain_text("words words")
    until(phone, f"JSON.stringify(({CUT})({CARD})) === '[true,0]'")
    phone.locator('[data-action="edit"]').tap()
    searched(phone, "a")
    until(phone, f"JSON.stringify(({CUT})({ANSWERS})) === '[true,0]'")
    phone.locator("#search-cancel").tap()
    phone.locator("#help-open").tap()
    expect(phone.locator("#help .choices")).to_be_visible()
    expect(phone.locator("#help .keys")).to_be_hidden()
    assert findings(phone) == []
    phone.locator("#help summary").tap()
    expect(phone.locator("#help .keys")).to_be_visible()
