"""Choosing another entity: the one shown comes last, and the panel leaves the highlight in sight."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import findings, look, stored, until, watched
from tests.browser.test_assignment import active, settled, to_tasks

# A phone with its keyboard up, a low window, a window of 1280 by 720 at 200 %, a wide and low one.
LOW = [(360, 380), (780, 437), (640, 360), (1280, 400)]
# Whether the line of the highlight is free of the panel, and which of what must be seen is cut off.
SEEN = """() => {
  if (!document.querySelector('.option[aria-selected="true"]')) return "nothing is selected";
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const side = box('#side'), run = box('#text .run.active');
  const over = side.left < run.right && side.top < run.bottom;
  const inside = ({ top, bottom }) => top >= 0 && bottom <= innerHeight;
  const needed = ['.option.nil', '#search-cancel', '#search-box', '.option[aria-selected="true"]'];
  const cut = needed.filter((one) => !inside(box(one)));
  const under = box('.option[aria-selected="true"]').bottom > box('.option.nil').bottom;
  return [run.top >= 0 && !over, cut, under, document.documentElement.scrollWidth <= innerWidth];
}"""

IN_SIGHT = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const run = box('#text .run.active'), side = box('#side');
  return run.top >= 0 && run.bottom <= side.top;
}"""


def to_mention(page: Page, mention: str) -> None:
    """Make the first highlight with these words active, in whichever text."""
    rows = page.locator("#list .row", has=page.locator(".row-mention", has_text=mention))
    while not rows.count():
        before = page.locator("#where").inner_text()
        page.locator("#next-text").click()
        expect(page.locator("#where")).not_to_have_text(before)
    rows.first.click()
    look(page)


def searched(page: Page, words: str) -> None:
    """Search for words, and wait until what was found is listed."""
    with page.expect_response(lambda one: f"q={words}&" in one.url) as answer:
        page.locator("#search-box").fill(words)
    answer.value.finished()
    look(page)


def test_the_entity_shown_comes_last_and_is_no_edit(page: Page, live_server) -> None:
    """The first answer that a key takes is another; the one shown is marked, and chosen by intent only."""
    token = to_tasks(page, live_server.url, "shown last")
    to_mention(page, "Texas")
    display = active(page)
    shown = page.locator(".card-title").inner_text()
    page.keyboard.press("e")
    page.locator(".option").nth(2).wait_for()
    *others, last, _ = page.locator(".option").all()
    assert shown not in [one.locator(".option-title").inner_text() for one in others]
    expect(last).to_contain_text("shown now")
    assert findings(page) == []
    page.keyboard.press("ArrowDown")
    expect(page.locator(".option").first).to_have_attribute("aria-selected", "true")
    with page.expect_response("**/judgments") as sent:
        last.click()
    assert sent.value.request.post_data_json["judgments"][0]["action"] == "edit"
    expect(page.locator("#notice")).to_contain_text("you chose the entry that is shown")
    settled(page)
    assert [(row[0], row[2], row[3]) for row in stored(live_server, token)] == [(display, "verify", None)]


def test_enter_alone_does_not_take_the_entity_shown(page: Page, live_server) -> None:
    """A name that only finds it is told so; its address, which nobody pastes by accident, is taken."""
    # On a control, another entity than the river may be shown.
    for turn in range(6):
        to_tasks(page, live_server.url, f"enter {turn}")
        to_mention(page, "Tiber")
        if page.locator(".card-title").inner_text() == "Tiber":
            break
    page.keyboard.press("e")
    expect(page.locator(".option")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(page.locator("#search-said")).to_contain_text("Only the entry shown now was found")
    expect(page.locator("#editor")).to_be_visible()
    page.locator("#search-box").fill("https://www.wikidata.org/wiki/Q13712")
    expect(page.locator(".option").first).to_contain_text("shown now")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("counts as verified")


@pytest.mark.parametrize(("width", "height"), LOW, ids=[f"{w}x{h}" for w, h in LOW])
def test_in_a_low_window_highlight_answers_and_ways_out_are_in_sight(
    browser: Browser, live_server, width: int, height: int
) -> None:
    context = browser.new_context(viewport={"width": width, "height": height})
    page = watched(context.new_page())
    to_tasks(page, live_server.url, f"low {width}")
    for row in (page.locator("#list .row").first, page.locator("#list .row").last):
        row.click()
        page.keyboard.press("e")
        searched(page, "a")
        expect(page.locator(".option")).to_have_count(6)
        for _ in range(3):
            page.keyboard.press("ArrowDown")
            until(page, f"JSON.stringify(({SEEN})()) === '[true,[],false,true]'")
        page.keyboard.press("Escape")
    context.close()


def test_a_phone_begins_at_the_top_and_keeps_the_highlight_in_sight_when_turned(
    browser: Browser, live_server
) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = watched(context.new_page())
    page.goto(f"{live_server.url}/preview")
    page.locator("#text .mark.active").wait_for()
    until(page, "scrollY === 0")
    page.locator("#list .row").last.click()
    page.set_viewport_size({"width": 640, "height": 360})
    until(page, IN_SIGHT)
    context.close()


def test_what_each_answer_means_is_said_on_a_phone_too(browser: Browser, live_server) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = watched(context.new_page())
    to_tasks(page, live_server.url, "small")
    means = page.locator(".action .means")
    expect(means.last).to_have_text("No name, or wrong words.")
    for one in means.all():
        expect(one).to_be_visible()
    context.close()
