"""What no checker of pages finds: where the focus is, what is announced, and what there is but colours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Served, findings, follow, look, served, stored, until, watched
from tests.browser.test_assignment import CODE, settled, tab_to, token_of
from tests.support import ear
from verifier.store import work
from verifier.study import Study

NESTED = "Paris, Texas"
# How much of what has the focus is in sight, once the page has been drawn.
IN_SIGHT = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const it = document.activeElement;
  if (it === document.body) return null;
  const { left, top, width, height } = it.getBoundingClientRect();
  const within = (x) => [0.1, 0.5, 0.9].map((y) => [left + width * x, top + height * y]);
  const places = [0.05, 0.5, 0.95].flatMap(within);
  const seen = places.filter(([x, y]) => it.contains(document.elementFromPoint(x, y))).length;
  return [it.id || it.className || it.tagName, seen, parseFloat(getComputedStyle(it).outlineWidth)];
}"""
SPACED = "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }"
# What is wider than the window, or cut off by its own box; a line that shortens a long name is meant to.
TOO_WIDE = """() => {
  const hides = (part) => getComputedStyle(part).overflowY === "hidden";
  const cut = (part) => part.scrollHeight > part.clientHeight + 1 && hides(part);
  const meant = ".unseen, .skip, .wide, .row-mention, summary";
  const shown = (part) => part.offsetWidth && !part.closest(meant);
  const parts = [...document.querySelectorAll("main *")].filter(shown);
  const names = parts.filter(cut).map((part) => part.id || part.className || part.tagName);
  return document.documentElement.scrollWidth > innerWidth ? ["page", ...names] : names;
}"""
# Of two things that differ in their state: whether they still differ in their colours.
DIFFERS = """([one, other]) => {
  const look = (name) => {
    const { backgroundColor, borderColor, color } = getComputedStyle(document.querySelector(name));
    return backgroundColor + borderColor + color;
  };
  return look(one) !== look(other);
}"""


@pytest.fixture(scope="module")
def asking(planned_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a study with all that a page can have beside the choices."""
    folder = Path(shutil.copytree(planned_study, tmp_path_factory.mktemp("accessible") / "pages"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("pages: {comments: true, missing_mentions: true, consent_step: false, ")
        file.write("instructions_step: false, example_step: false}\n")
    yield from served(folder)


def to_work(page: Page, server: Served, name: str) -> str:
    """Straight to the texts; the assignment's token."""
    page.goto(f"{server.url}/start?participant={name}")
    page.locator("#text .mark.active").wait_for()
    return token_of(page)


def to_nested(page: Page, server: Served, name: str) -> str:
    """To the text with mentions inside one another; not every worker gets it."""
    for turn in range(12):
        token = to_work(page, server, f"{name} {turn}")
        while NESTED not in page.locator("#text").inner_text() and page.locator("#next-text").is_enabled():
            before = page.locator("#where").inner_text()
            page.locator("#next-text").click()
            expect(page.locator("#where")).not_to_have_text(before)
        if NESTED in page.locator("#text").inner_text():
            return token
    raise AssertionError("nobody got the nested text")


def test_the_focus_is_never_lost(page: Page, asking: Served) -> None:
    """What has it and goes, or can be pressed no more, gives it to the panel."""
    to_work(page, asking, "focus")
    side = page.locator("#side")
    look(page)
    page.locator("#card a").focus()
    page.keyboard.press("v")
    expect(side).to_be_focused()
    page.locator("#undo").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#undo")).to_be_disabled()
    expect(side).to_be_focused()
    page.locator("#list .row").nth(2).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#list .row").nth(2)).to_have_attribute("aria-current", "true")
    expect(side).to_be_focused()
    while page.locator("#next-text").is_enabled():
        before = page.locator("#where").inner_text()
        page.locator("#next-text").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#where")).not_to_have_text(before)
    expect(side).to_be_focused()


def test_who_comes_back_to_the_tab_is_where_he_was_in_the_text(page: Page, asking: Served) -> None:
    """As after reading the article: the text is shown anew, the highlight in it still has the focus."""
    to_work(page, asking, "back")
    before = page.locator("#text .mark.active").element_handle()
    page.locator("#text .mark.active").focus()
    with page.expect_response("**/state"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    while before.evaluate("one => one.isConnected"):
        page.wait_for_timeout(20)
    expect(page.locator("#text .mark.active")).to_be_focused()


def test_each_decision_is_announced_once_with_what_comes_next(page: Page, asking: Served) -> None:
    """With the next highlight, its entry and what that is; the same words once more are heard once more."""
    to_nested(page, asking, "ear")
    ear.listen(page)
    look(page)
    page.keyboard.press("v")
    expect(page.locator("#live")).to_contain_text("Now: Paris")
    assert ear.heard(page) == ["Verified. Now: Paris, linked to Paris, Texas: city in Texas"]
    page.keyboard.press("u")
    for _ in range(2):
        page.locator("#side").focus()
        page.keyboard.press("u")
    until(page, "window.heard.length > 2")
    undone, *nothing = ear.heard(page)
    assert undone.startswith("Undone: ")
    assert [text.strip() for text in nothing] == 2 * ["Nothing to undo."]
    assert nothing[0] != nothing[1]


def test_what_is_shown_above_the_text_is_announced(page: Page, asking: Served) -> None:
    """That work is not stored and that it is again, that handing in failed; the focus stays where that is."""
    to_work(page, asking, "told")
    ear.listen(page)
    page.context.set_offline(True)
    look(page)
    page.keyboard.press("v")
    until(page, "window.heard.some((text) => text.startsWith('1 not saved yet'))")
    page.context.set_offline(False)
    until(page, "window.heard.at(-1) === 'All saved'")
    page.route("**/submit", lambda route: route.abort())
    page.locator("#submit").evaluate("submit => { submit.disabled = false; submit.focus(); }")
    page.keyboard.press("Enter")
    until(page, "window.heard.at(-1)?.startsWith('Handing in did not work')")
    expect(page.locator("#ending")).to_be_focused()


def test_the_text_is_read_in_its_order_with_its_highlights(page: Page, asking: Served) -> None:
    """Number, extent and state of each stand before its words; letters of keys are not read as words."""
    to_nested(page, asking, "order")
    read = ear.spoken(page, "Text")
    assert read[:11] == [
        "region Text",
        "heading Text",
        "StaticText The",
        "button 1 of 4: Paris, Texas, not decided",
        "button 2 of 4: Paris, not decided",
        "StaticText Paris",
        "StaticText ,",
        "button 3 of 4: Texas, not decided",
        "StaticText Texas",
        "StaticText film festival \U0001f642 was opened in",
        "button 4 of 4: Austin, not decided",
    ]
    whole = ear.spoken(page)
    assert "button Verify It means this entry." in whole
    assert "button 2 Paris not decided" in whole
    assert page.title() == f"{page.locator('#where').inner_text()} · Check the links"
    assert {"Sigma", "control", "gold"}.isdisjoint(" ".join(whole).split())
    page.locator('[data-action="edit"]').click()
    page.get_by_role("option").nth(1).wait_for()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#live")).to_contain_text("Entries found: ")
    assert page.locator("#search-box").get_attribute("aria-activedescendant") == "option-0"
    first = " ".join(page.locator(".option").first.locator("span[dir]").all_inner_texts())
    assert f"option {first}" in ear.spoken(page)
    # What is said of an entry is in the language of its text, and runs as its letters do.
    for part in ("#text", ".card-title", ".card-description", ".card-extract", ".option-title"):
        assert page.locator(part).first.evaluate("part => [part.lang, part.dir]") == ["en", "auto"]


def test_single_keys_can_be_switched_off_and_stay_off(page: Page, live_server: Served) -> None:
    """All of them, the question mark too; on the next page and after a reload; no button names them more."""
    page.goto(f"{live_server.url}/start?participant=keyless")
    for name in ("I agree and take part", "Continue"):
        follow(page.get_by_role("button", name=name))
    page.locator("#text .mark.active").wait_for()
    page.keyboard.press("?")
    page.locator("#shortcuts").uncheck()
    page.keyboard.press("Escape")
    follow(page.locator("#onward"))
    page.locator("#text .mark.active").wait_for()
    for turn in range(2):
        look(page)
        for key in "?ver":
            page.keyboard.press(key)
        expect(page.locator("#help")).to_be_hidden()
        expect(page.locator("#editor")).to_be_hidden()
        expect(page.locator("#counted")).to_contain_text("0 of")
        expect(page.locator(".action kbd").first).to_be_hidden()
        assert page.locator("[aria-keyshortcuts]").count() == 0
        if not turn:
            page.reload()
            page.locator("#text .mark.active").wait_for()


def test_the_work_is_done_without_letters(page: Page, asking: Served) -> None:
    """As where a screen reader keeps the letters to itself: tabulator, arrows, Return and space do."""
    token = to_work(page, asking, "arrows")
    left = decided_but_the_first(page, asking, token)
    page.reload()
    page.locator("#text .mark.active").wait_for()
    page.locator("#shortcuts").evaluate("box => box.click()")
    look(page)
    tab_to(page, '[data-action="edit"]')
    page.keyboard.press("Enter")
    page.get_by_role("option").nth(1).wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".row-state", has_text="edited")).to_have_count(1)
    tab_to(page, '[data-action="remove"]')
    for done in range(2, left + 1):
        look(page)
        page.keyboard.press("Enter" if done % 2 else "Space")
        expect(page.locator(".row-state", has_text="removed")).to_have_count(done - 1)
    expect(page.locator("#missing-none")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#ending")).to_be_focused()
    settled(page)
    tab_to(page, "#submit")
    page.keyboard.press("Enter")
    expect(page.locator("#code")).to_have_text(CODE)
    done = [row[2:] for row in stored(asking, token)][-left:]
    assert done == [("edit", "NIL"), *[("remove", None)] * (left - 1)]


def decided_but_the_first(page: Page, server: Served, token: str) -> int:
    """Decide the other texts, as if they had been done before; how many highlights the first has."""
    address = f"{server.url}/api/{token}"
    first, *others = page.request.get(f"{address}/state").json()["tasks"]
    names = [f"{task['task']}.{place}" for task in others for place in range(task["displays"])]
    judgments = [
        {"sequence": n, "display": name, "action": "verify", "entity": None, "opened": False, "seconds": 1}
        for n, name in enumerate(names, 1)
    ]
    assert page.request.post(f"{address}/judgments", data={"judgments": judgments}).ok
    return int(first["displays"])


def test_what_has_the_focus_is_in_sight(browser: Browser, asking: Served) -> None:
    """At 400 % the panel and what is told lie over the text; never over what has the focus."""
    context = browser.new_context(viewport={"width": 320, "height": 256})
    page = watched(context.new_page())
    page.clock.install()
    to_work(page, asking, "sight")
    page.clock.fast_forward(timedelta(minutes=11).total_seconds() * 1000)
    expect(page.locator("#time-said")).to_contain_text("Minutes left for this work: 4.")
    page.evaluate("document.getElementById('notice').hidden = false")
    found = []
    for key in ("Tab", "Shift+Tab"):
        for _ in range(40):
            page.keyboard.press(key)
            found.append(page.evaluate(IN_SIGHT))
            if found[-1] is None:
                break
    assert len({one[0] for one in found if one}) > 12
    assert [one for one in found if one and (one[1] == 0 or one[2] < 3)] == []
    context.close()


def test_nothing_is_cut_off_where_letters_are_wide_apart(browser: Browser, live_server: Served) -> None:
    """At the width of 400 %: no line leaves the window, no word its box."""
    context = browser.new_context(viewport={"width": 320, "height": 640}, bypass_csp=True)
    page = watched(context.new_page())
    page.goto(f"{live_server.url}/start?participant=spaced")
    for name in ("I agree", "Continue", "Start with the texts"):
        page.add_style_tag(content=SPACED)
        assert page.evaluate(TOO_WIDE) == []
        follow(page.get_by_role("button", name=name))
    page.locator("#text .mark.active").wait_for()
    page.add_style_tag(content=SPACED)
    assert page.evaluate(TOO_WIDE) == []
    context.close()


def test_states_are_told_apart_in_the_readers_own_colours(browser: Browser, asking: Served) -> None:
    """What is active, what stands and what is chosen, where colours are forced; nested lines stay apart."""
    context = browser.new_context(forced_colors="active")
    page = watched(context.new_page())
    to_nested(page, asking, "colours")
    look(page)
    page.keyboard.press("r")
    page.keyboard.press("p")
    expect(page.locator('.action[aria-pressed="true"]')).to_have_count(1)
    for one, other in (
        (".mark.active", ".mark:not(.active)"),
        (".row[aria-current]", ".row:not([aria-current])"),
        ('.action[aria-pressed="true"]', '.action[aria-pressed="false"]'),
    ):
        assert page.evaluate(DIFFERS, [one, other])
    lines = "[...document.querySelectorAll('.run')].map((run) => getComputedStyle(run).backgroundImage)"
    assert len(set(page.evaluate(lines))) > 2
    page.keyboard.press("e")
    page.get_by_role("option").nth(1).wait_for()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(DIFFERS, ['.option[aria-selected="true"]', '.option[aria-selected="false"]'])
    context.close()


def test_who_runs_out_of_time_is_told_and_can_have_more(page: Page, asking: Served) -> None:
    """In good time, aloud, with a button; then the study waits for him, and the focus is not lost."""
    page.clock.install()
    token = to_work(page, asking, "slow")
    expect(page.locator("#time")).to_be_hidden()
    page.clock.fast_forward(timedelta(minutes=11).total_seconds() * 1000)
    expect(page.locator("#time-said")).to_contain_text("Minutes left for this work: 4.")
    expect(page.locator("#live")).to_contain_text("Minutes left for this work: 4.")
    assert findings(page) == []
    before = deadline(asking, token)
    page.locator("#time-more").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#time")).to_be_hidden()
    expect(page.locator("#side")).to_be_focused()
    expect(page.locator("#live")).to_contain_text("Minutes that you have now: 1")
    assert deadline(asking, token) > before


def deadline(server: Served, token: str) -> object:
    """When an assignment is to end."""
    with Study.open(server.folder) as study, study.read() as session:
        return work.at_work(session, token).deadline
