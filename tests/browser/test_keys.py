"""A key acts once, on what was seen: held down or struck twice, it decides and overwrites nothing more."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Served, look, served, stored, watched
from tests.browser.test_assignment import active, settled, to_tasks

# Keys struck before the browser can draw anything between them.
AT_ONCE = """keys => keys.forEach((key) => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""
# One key, by what it writes and where it is.
CODED = """([key, code]) => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true }));
}"""
# The same; which of them write nothing.
STRUCK = """keys => keys.map((key) => {
  const struck = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  return !document.activeElement.dispatchEvent(struck);
})"""


@pytest.fixture(scope="module")
def writing(planned_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a study with boxes to write into."""
    folder = Path(shutil.copytree(planned_study, tmp_path_factory.mktemp("writing") / "pages"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("pages: {comments: true, missing_mentions: true}\n")
    yield from served(folder)


def hold(page: Page, key: str) -> None:
    """Hold a key down until it has been repeated a few times."""
    for _ in range(5):
        page.keyboard.down(key)
    page.keyboard.up(key)


def test_a_key_held_down_decides_once(page: Page, writing: Served) -> None:
    """The letter, and Return on the button that has the focus."""
    token = to_tasks(page, writing.url, "holds")
    did = []
    for key, place in (("v", "#side"), ("Enter", '[data-action="remove"]')):
        look(page)
        page.locator(place).focus()
        did.append(active(page))
        hold(page, key)
        expect(page.locator("#counted")).to_contain_text(f"{len(did)} of")
        look(page)
        hold(page, "Shift")
    settled(page)
    assert [(row[0], row[2]) for row in stored(writing, token)] == [(did[0], "verify"), (did[1], "remove")]


def test_a_highlight_that_was_not_yet_seen_is_not_judged(page: Page, writing: Served) -> None:
    """Neither by a second stroke, nor by a turn and a stroke; what was seen before is judged at once."""
    token = to_tasks(page, writing.url, "unseen")
    look(page)
    first = active(page)
    page.evaluate(AT_ONCE, ["v", "v", "r"])
    expect(page.locator("#counted")).to_contain_text("1 of")
    page.evaluate(AT_ONCE, ["n", "r"])
    expect(page.locator("#counted")).to_contain_text("1 of")
    page.evaluate(AT_ONCE, ["u", "r"])
    expect(page.locator("#counted")).to_contain_text("1 of")
    look(page)
    second = active(page)
    page.keyboard.press("v")
    expect(page.locator("#counted")).to_contain_text("2 of")
    settled(page)
    rows = [(row[0], row[2]) for row in stored(writing, token)]
    assert rows[-2:] == [(first, "remove"), (second, "verify")]


@pytest.mark.parametrize(
    ("key", "code", "did"),
    [
        ("\u043c", "KeyV", "verify"),
        ("\u05e8", "KeyR", "remove"),
        ("\u0131", "KeyR", None),
        ("v", "KeyM", "verify"),
    ],
)
def test_letters_of_other_scripts_are_those_of_their_keys(
    page: Page, writing: Served, key: str, code: str, did: str | None
) -> None:
    """Who writes Cyrillic or Hebrew need not change the keyboard; a Latin letter is what it says."""
    token = to_tasks(page, writing.url, f"writes {key}")
    look(page)
    page.evaluate(CODED, [key, code])
    expect(page.locator("#counted")).to_contain_text(f"{int(did is not None)} of")
    settled(page)
    assert [row[2] for row in stored(writing, token)] == ([did] if did else [])


def practice(page: Page, server: Served) -> None:
    """To the practice text, on which nothing is stored."""
    page.goto(f"{server.url}/preview")
    page.locator("#text .mark.active").wait_for()
    look(page)


def test_words_in_the_search_box_stay(page: Page, writing: Served) -> None:
    """The key that opens it, held or pressed once more, writes nothing into it; a moment later it does."""
    practice(page, writing)
    box = page.locator("#search-box")
    hold(page, "e")
    words = box.input_value()
    assert words.startswith("Jordan")
    page.locator("#search-cancel").focus()
    hold(page, "e")
    expect(box).to_be_focused()
    expect(box).to_have_value(words)
    page.wait_for_timeout(320)
    page.keyboard.press("End")
    hold(page, "e")
    expect(box).to_have_value(f"{words}eeeee")


def test_the_key_struck_twice_writes_nothing_into_the_box_it_opens(page: Page, writing: Served) -> None:
    practice(page, writing)
    assert page.evaluate(STRUCK, ["e", "e"]) == [True, True]
    page.keyboard.press("Escape")
    assert page.evaluate(STRUCK, ["e", "x", "e"]) == [True, False, False]


def test_return_held_on_edit_opens_the_search_and_chooses_nothing(page: Page, writing: Served) -> None:
    practice(page, writing)
    page.locator('[data-action="edit"]').focus()
    hold(page, "Enter")
    page.locator(".option").nth(1).wait_for()
    hold(page, "ArrowDown")
    expect(page.locator("#counted")).to_contain_text("0 of")
    expect(page.locator("#feedback")).to_be_hidden()
    expect(page.locator("#search-box")).to_be_focused()


@pytest.mark.parametrize(("key", "box"), [("c", "#comment-box"), ("m", "#missing-words")])
def test_a_key_held_down_does_not_write_into_the_box_that_it_opens(
    page: Page, writing: Served, key: str, box: str
) -> None:
    to_tasks(page, writing.url, f"writes {key}")
    hold(page, key)
    expect(page.locator(box)).to_be_focused()
    expect(page.locator(box)).to_have_value("")
    page.keyboard.press("x")
    hold(page, key)
    expect(page.locator(box)).to_have_value(f"x{5 * key}")


def test_every_page_begins_at_its_top_on_a_low_phone(browser: Browser, writing: Served) -> None:
    """What there is to read before the text is read first."""
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = watched(context.new_page())
    found = {}

    def note(step: str) -> None:
        found[step] = page.evaluate("scrollY")

    page.goto(f"{writing.url}/preview")
    page.locator("#text .mark.active").wait_for()
    note("preview")
    page.goto(f"{writing.url}/start?participant=low")
    note("consent")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue").wait_for()
    note("instructions")
    page.get_by_role("button", name="Continue").click()
    page.locator("#text .mark.active").wait_for()
    note("practice")
    assert found == dict.fromkeys(found, 0)
    expect(page.locator("h1")).to_be_in_viewport()
    context.close()
