"""The page goes on by itself from a text that is done, and from no other; undo goes back across texts."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, findings, look, served, stored
from tests.browser.test_assignment import active, handed_in, settled, to_tasks

# The first key, and the others at the very moment at which another text comes.
AT_ONCE = """([first, ...others]) => new Promise((done) => {
  const strike = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const changes = { childList: true, characterData: true, subtree: true };
  const where = document.getElementById("where");
  const before = where.textContent;
  const watch = new MutationObserver(() => {
    if (where.textContent === before) return;
    watch.disconnect();
    others.forEach(strike);
    done();
  });
  watch.observe(where, changes);
  strike(first);
})"""


@pytest.fixture(scope="module")
def asking(planned_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a study that asks for missing names, and takes comments."""
    folder = Path(shutil.copytree(planned_study, tmp_path_factory.mktemp("going") / "pages"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("pages: {comments: true, missing_mentions: true}\n")
    yield from served(folder)


def decide_the_text(page: Page) -> list[str]:
    """Verify all that is open in this text with one key each, when it can be read; the displays, in order."""
    *did, last = verify_all_but_one(page)
    page.keyboard.press("v")
    return [*did, last]


def verify_all_but_one(page: Page) -> list[str]:
    """Verify what is open in this text but for the last, which is shown; the displays, in order."""
    did = [active(page)]
    for _ in range(page.locator('#text .mark[data-decision=""]').count() - 1):
        page.keyboard.press("v")
        did.append(active(page))
    return did


def test_a_text_that_is_done_gives_way_to_the_next(page: Page, live_server) -> None:
    """One key a decision from the first text to the summary, each stored once; a reader is told where."""
    token = to_tasks(page, live_server.url, "goes on")
    total = int(page.locator("#where").inner_text().split()[-1])
    did = decide_the_text(page)
    for text in range(2, total + 1):
        expect(page.locator("#where")).to_have_text(f"Text {text} of {total}")
        expect(page.locator("#live")).to_contain_text(f"Verified. Text {text} of {total}. Now: ")
        assert page.locator("#text .mark").first.evaluate("mark => mark.matches('.active')")
        did += decide_the_text(page)
    expect(page.locator("#live")).to_contain_text("Verified. All texts are decided.")
    expect(page.locator("#ending")).to_be_focused()
    expect(page.locator("#submit")).to_be_in_viewport()
    assert findings(page) == []
    handed_in(page)
    assert [(row[0], row[2]) for row in stored(live_server, token)] == [(name, "verify") for name in did]


def test_the_second_of_two_quick_keys_decides_nothing_in_a_text_that_nobody_has_read(
    page: Page, live_server
) -> None:
    """The last key of a text, pressed twice, does not reach into the next one; after a turn a key does."""
    to_tasks(page, live_server.url, "twice")
    did = verify_all_but_one(page)
    page.evaluate(AT_ONCE, ["v", "v", "r"])
    expect(page.locator("#where")).to_contain_text("Text 2 of")
    expect(page.locator("#counted")).to_contain_text(f"{len(did)} of")
    page.keyboard.press("n")
    look(page)
    page.keyboard.press("v")
    expect(page.locator("#counted")).to_contain_text(f"{len(did) + 1} of")


def test_undo_goes_back_to_the_text_of_the_decision(page: Page, live_server) -> None:
    """By key and by button, more than one step; the text is shown, and done again it goes on again."""
    token = to_tasks(page, live_server.url, "undoes")
    *_, before, last = decide_the_text(page)
    expect(page.locator("#where")).to_contain_text("Text 2 of")
    page.keyboard.press("u")
    expect(page.locator("#where")).to_contain_text("Text 1 of")
    expect(page.locator("#live")).to_have_text(re.compile("^Text 1 of .*Undone: "))
    assert active(page) == last
    page.get_by_role("button", name="Undo").click()
    assert active(page) == before
    page.keyboard.press("r")
    look(page)
    page.keyboard.press("r")
    expect(page.locator("#where")).to_contain_text("Text 2 of")
    page.locator("#undo").click()
    expect(page.locator("#where")).to_contain_text("Text 1 of")
    settled(page)
    assert [row[0] for row in stored(live_server, token)][-2:] == [before, last]
    page.reload()
    page.locator("#text .mark.active").wait_for()
    assert active(page) == last


def test_who_changes_a_decision_stays_where_he_is(page: Page, live_server) -> None:
    to_tasks(page, live_server.url, "changes")
    decide_the_text(page)
    expect(page.locator("#where")).to_contain_text("Text 2 of")
    page.locator("#previous-text").click()
    expect(page.locator("#where")).to_contain_text("Text 1 of")
    look(page)
    page.keyboard.press("r")
    expect(page.locator("#list .row").first).to_contain_text("removed")
    expect(page.locator("#live")).to_contain_text("All highlights of this text are decided.")
    settled(page)
    expect(page.locator("#where")).to_contain_text("Text 1 of")


def test_a_text_that_does_not_come_leaves_undo_and_the_texts_there_are(page: Page, live_server) -> None:
    """Without a network the page says that the next text does not come; what is there can be gone back to."""
    to_tasks(page, live_server.url, "cut off")
    cut = ["here"]
    # Let through by its handler: a request that comes while a route is taken away may hang.
    page.route("**/tasks/2", lambda route: route.abort() if cut else route.continue_())
    decide_the_text(page)
    expect(page.locator("#where")).to_contain_text("Text 2 of")
    *_, last = decide_the_text(page)
    page.keyboard.press("v")
    expect(page.locator("#notice")).to_contain_text("could not be loaded")
    page.keyboard.press("u")
    expect(page.locator("#live")).to_contain_text("Undone")
    assert active(page) == last
    cut.clear()
    look(page)
    page.keyboard.press("v")
    expect(page.locator("#where")).to_contain_text("Text 3 of")
    expect(page.locator("#notice")).to_be_hidden()


def test_missing_names_are_asked_for_before_a_text_goes(page: Page, asking: Served) -> None:
    """The page stays, at the button that goes on; a comment being written is kept where it belongs."""
    to_tasks(page, asking.url, "asked")
    expect(page.locator("#missing-none")).to_be_hidden()
    *_, display = verify_all_but_one(page)
    page.keyboard.press("c")
    page.keyboard.type("odd words")
    look(page)
    with page.expect_response("**/comments") as kept:
        page.locator(".action", has_text="Remove").click()
    assert kept.value.request.post_data_json == {"comments": [{"display": display, "text": "odd words"}]}
    expect(page.locator("#missing-none")).to_be_focused()
    expect(page.locator("#missing-none")).to_be_in_viewport()
    expect(page.locator("#live")).to_contain_text("is a name of this text not highlighted?")
    expect(page.locator("#where")).to_contain_text("Text 1 of")
    assert findings(page) == []
    page.keyboard.press("Enter")
    expect(page.locator("#where")).to_contain_text("Text 2 of")
    expect(page.locator("#side")).to_be_focused()
    expect(page.locator("#missing-none")).to_be_hidden()
    page.keyboard.press("u")
    expect(page.locator("#where")).to_contain_text("Text 1 of")
    expect(page.locator("#comment-box")).to_have_value("odd words")


def test_a_name_being_typed_stays_being_typed_when_one_looks_elsewhere(page: Page, asking: Served) -> None:
    """Back from another tab, the rest of it goes into the box and decides nothing."""
    to_tasks(page, asking.url, "looks up")
    page.keyboard.press("m")
    page.keyboard.type("nobo")
    with page.expect_response("**/state"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_timeout(100)
    page.keyboard.type("dyver")
    expect(page.locator("#missing-words")).to_have_value("nobodyver")
    expect(page.locator("#counted")).to_contain_text("0 of")
    page.locator("#next-text").click()
    expect(page.locator("#missing-form")).to_be_hidden()


def test_a_comment_that_cannot_be_sent_holds_the_tab(page: Page, asking: Served) -> None:
    """Closed within a word without a network, the browser asks first; the words are sent when it is back."""
    to_tasks(page, asking.url, "holds")
    page.context.set_offline(True)
    page.keyboard.press("c")
    page.keyboard.type("half a w")
    with page.expect_event("dialog") as asked:
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.dismiss()
    expect(page.locator("#saving")).to_have_attribute("data-state", "lost")
    with page.expect_response("**/comments") as kept:
        page.context.set_offline(False)
    assert kept.value.request.post_data_json["comments"][0]["text"] == "half a w"
    settled(page)
