"""A whole assignment in a browser, from the link to the completion code; what is stored is what was done."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import LiveServer, Served, findings, follow, look, stored, until, watched

Row = tuple[str, str, str | None]
Press = Callable[[str], None]
CODE = re.compile(r"^[0-9A-Z]{10}$")


def to_tasks(page: Page, url: str, participant: str) -> str:
    """Go through the steps before the tasks; the assignment's token."""
    page.goto(f"{url}/start?participant={participant}")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Start with the texts").click()
    page.locator("#text .mark.active").wait_for()
    return token_of(page)


def token_of(page: Page) -> str:
    """The assignment's token, from the address."""
    return re.search(r"/w/([^/?#]+)", page.url)[1]


def active(page: Page | FrameLocator) -> str:
    """Look at the active display; its reference, as the page names it to the server."""
    look(page)
    return page.locator("#text .mark.active").get_attribute("data-display")


def settled(page: Page | FrameLocator) -> None:
    """Wait until everything is stored."""
    expect(page.locator("#saving")).to_have_text("All saved")


def decide_all(page: Page | FrameLocator, keys: str = "v", press: Press | None = None) -> list[Row]:
    """Decide what is left, with these keys in turn; what was done, in order."""
    press = press or page.keyboard.press
    did = []
    for turn in range(60):
        counted = page.locator("#counted").inner_text()
        done, total = map(int, re.findall(r"\d+", counted))
        if done == total:
            return did
        press("j")
        page.locator('#text .mark.active[data-decision=""]').wait_for()
        key = keys[turn % len(keys)]
        did.append((active(page), {"v": "verify", "r": "remove"}[key], None))
        press(key)
        expect(page.locator("#counted")).not_to_have_text(counted)
    raise AssertionError("not all could be decided")


def handed_in(page: Page | FrameLocator) -> str:
    """Hand in; the code."""
    settled(page)
    page.locator("#submit").click()
    expect(page.locator("#code")).to_have_text(CODE)
    return page.locator("#code").inner_text()


def as_done(server: Served | LiveServer, token: str, did: list[Row]) -> bool:
    """Whether what is stored is what was done, each once and in order."""
    rows = stored(server, token)
    numbers = [sequence for _, sequence, _, _ in rows]
    return numbers == sorted(set(numbers)) and [(d, what, key) for d, _, what, key in rows] == did


def test_by_mouse_from_link_to_code(page: Page, live_server) -> None:
    """Verify, edit by search, edit by address, no entry, remove, change: each stored once."""
    token = to_tasks(page, live_server.url, "a0")
    did = []
    for decision in ("Verify", "Remove"):
        did.append((active(page), decision.lower(), None))
        page.locator(".action", has_text=decision).click()
        settled(page)
    if page.locator("#list .row[aria-current] .row-state").inner_text() != "not decided":
        to_undecided(page)
    for typed, option, key in (
        ("bruce springstein", "Bruce Springsteen", "wd:Q1225"),
        ("https://de.m.wikipedia.org/wiki/Zoll%C3%A4mter#Geschichte", "Zollämter", "w:de:Zollämter"),
        ("no such thing at all", "Not in the knowledge base", "NIL"),
    ):
        to_undecided(page)
        did.append((active(page), "edit", key))
        page.locator(".action", has_text="Edit").click()
        page.get_by_role("combobox").fill(typed)
        page.get_by_role("option", name=option).click()
        settled(page)
    page.locator("#list .row").first.click()
    did.append((active(page), "remove", None))
    page.locator(".action", has_text="Remove").click()
    settled(page)
    did += decide_all(page)
    code = handed_in(page)
    assert as_done(live_server, token, did)
    page.goto(f"{live_server.url}/start?participant=a0")
    expect(page.locator("#code")).to_have_text(code)


def to_undecided(page: Page) -> None:
    """On to the next highlight that is open, in this text or another."""
    page.get_by_role("button", name="Next undecided").click()
    page.locator('#text .mark.active[data-decision=""]').wait_for()


def tab_to(page: Page, selector: str) -> None:
    """Move the focus with the tabulator alone."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by keyboard")


def test_by_keyboard_only(page: Page, live_server) -> None:
    """No pointer at all, from the link to the code."""
    page.goto(f"{live_server.url}/start?participant=keys")
    for _ in range(2):
        tab_to(page, "button.main")
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.locator("#text .mark.active").wait_for()
    tab_to(page, "#onward")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.locator("#where:text('Text 1')").wait_for()
    token, first = token_of(page), active(page)
    page.keyboard.press("e")
    page.keyboard.insert_text("The Boss")
    page.get_by_role("option", name="Bruce Springsteen").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#counted")).to_contain_text("1 of")
    look(page)
    page.keyboard.press("r")
    page.keyboard.press("u")
    decide_all(page)
    settled(page)
    expect(page.locator("#submit")).to_be_enabled()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("#code")).to_be_visible()
    rows = stored(live_server, token)
    assert rows[0] == (first, 1, "edit", "wd:Q1225")
    assert rows[1][2] == "remove"
    assert {decision for _, _, decision, _ in rows[2:]} == {"verify"}
    assert rows[1][0] in {display for display, _, _, _ in rows[2:]}


def test_every_step_is_accessible(page: Page, live_server) -> None:
    """axe-core has nothing to say about any step, the editor, the help, or the pages at the end."""
    found = {}
    page.goto(f"{live_server.url}/preview")
    page.locator("#text .mark.active").wait_for()
    found["preview"] = findings(page)
    page.goto(f"{live_server.url}/start?participant=axe")
    found["consent"] = findings(page)
    follow(page.locator("button.main"))
    found["instructions"] = findings(page)
    follow(page.locator("button.main"))
    page.locator("#text .mark.active").wait_for()
    look(page)
    page.keyboard.press("r")
    expect(page.locator("#feedback")).to_be_visible()
    found["example"] = findings(page)
    page.locator("#onward").click()
    page.locator("#where:text('Text 1')").wait_for()
    found["tasks"] = findings(page)
    page.keyboard.press("e")
    page.get_by_role("option", name="Not in the knowledge base").wait_for()
    page.keyboard.press("ArrowDown")
    found["editor"] = findings(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    found["help"] = findings(page)
    page.keyboard.press("Escape")
    page.locator("#stop-open").click()
    found["stop"] = findings(page)
    page.locator("dialog[open] button[value=no]").click()
    page.context.set_offline(True)
    look(page)
    page.keyboard.press("r")
    expect(page.locator("#saving")).to_contain_text("not saved yet")
    found["offline"] = findings(page)
    page.context.set_offline(False)
    decide_all(page)
    found["decided"] = findings(page)
    settled(page)
    page.locator("#submit").click()
    page.locator("#code").wait_for()
    found["thanks"] = findings(page)
    page.goto(f"{live_server.url}/w/nobody")
    found["not found"] = findings(page)
    assert found == {step: [] for step in found}


def test_phone_width_in_the_dark(browser, live_server) -> None:
    """At 360 pixels nothing is cut off sideways, choices are in sight, colours have contrast; to the code."""
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, color_scheme="dark", has_touch=True, is_mobile=True
    )
    page = watched(context.new_page())
    token = to_tasks(page, live_server.url, "a1")
    did = []
    for turn in range(60):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        expect(page.locator(".action").first).to_be_in_viewport()
        expect(page.locator("#text .mark.active")).to_be_in_viewport()
        assert turn % 6 or findings(page) == []
        decision = ("Verify", "Remove")[turn % 2]
        counted = page.locator("#counted").inner_text()
        did.append((active(page), decision.lower(), None))
        page.locator(".action", has_text=decision).tap()
        expect(page.locator("#counted")).not_to_have_text(counted)
        done, total = map(int, re.findall(r"\d+", page.locator("#counted").inner_text()))
        if done == total:
            break
        # The next that is open comes by itself, the next text too.
        page.locator('#text .mark.active[data-decision=""]').wait_for()
        page.get_by_role("button", name="Next undecided").tap()
    handed_in(page)
    assert as_done(live_server, token, did)
    context.close()


def test_the_example_answers_each_choice(page: Page, live_server) -> None:
    """The worked example asks for a second try, then says what we would choose; its own entries are found."""
    page.goto(f"{live_server.url}/preview")
    page.locator("#text .mark.active").wait_for()
    look(page)
    page.keyboard.press("r")
    expect(page.locator("#feedback")).to_contain_text("try again")
    expect(page.locator("#feedback")).not_to_contain_text("We would choose Verify")
    page.keyboard.press("e")
    page.get_by_role("option", name="Not in the knowledge base").click()
    expect(page.locator("#feedback")).to_contain_text("We would choose Verify")
    page.keyboard.press("n")
    look(page)
    page.keyboard.press("e")
    page.get_by_role("option", name="Chicago Bulls").click()
    expect(page.locator("#feedback")).to_contain_text("We would choose the same")


def test_the_example_knows_its_own_entries_whatever_the_knowledge_base_holds(page: Page, live_server) -> None:
    """Its search asks no server, forgives a slip, and takes an address for the entry it leads to."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{live_server.url}/preview")
    page.locator("#text .mark.active").wait_for()
    page.keyboard.press("n")
    look(page)
    for typed in ("chikago bulls", "BULLS", "https://en.wikipedia.org/wiki/Chicago_Bulls", "Q128109"):
        page.keyboard.press("e")
        page.locator("#search-box").fill(typed)
        page.get_by_role("option", name="Chicago Bulls").first.click()
        expect(page.locator("#feedback")).to_contain_text("We would choose the same")
    assert not [url for url in asked if "search" in url]


# Whether the active highlight, and the line after it, lie above the upper edge of the panel.
ABOVE = (
    "document.querySelector('.run.active').getBoundingClientRect().bottom"
    " - document.getElementById('side').getBoundingClientRect().top < -20"
)


def test_on_a_phone_the_text_stays_in_sight_while_one_searches_or_reads_an_answer(
    browser, live_server
) -> None:
    """At 360 by 640 the active highlight and the line after it are above the panel, whatever it shows."""
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page = watched(context.new_page())
    page.goto(f"{live_server.url}/preview")
    page.locator("#text .mark.active").wait_for()
    for _ in range(4):
        look(page)
        page.locator(".action", has_text="Remove").tap()
        expect(page.locator("#feedback")).to_be_visible()
        until(page, ABOVE)
        page.locator(".action", has_text="Edit").tap()
        page.locator(".option").first.wait_for()
        until(page, ABOVE)
        assert findings(page) == []
        page.locator("#search-cancel").tap()
        expect(page.locator("#feedback")).to_be_visible()
        page.locator("#next-mention").tap()
    context.close()


def test_the_fill_of_the_active_highlight_ends_with_its_line(page: Page, live_server) -> None:
    """The yellow does not hang below the underline."""
    page.goto(f"{live_server.url}/preview")
    run = page.locator("#text .run.active").first
    run.wait_for()
    size, colour = run.evaluate(
        "run => { const s = getComputedStyle(run); return [s.backgroundSize, s.backgroundColor]; }"
    )
    assert size.split(", ")[-1] == "100% calc(100% - 9px)"
    assert colour == "rgba(0, 0, 0, 0)"


def test_no_cookie_and_nothing_stored(page: Page, live_server) -> None:
    """The worker's side keeps nothing in the browser, and asks no other site for anything."""
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    to_tasks(page, live_server.url, "a2")
    decide_all(page)
    settled(page)
    assert page.context.cookies() == []
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    assert all(url.startswith(live_server.url) for url in asked)


def test_declining_and_stopping(page: Page, live_server) -> None:
    """Who declines, or must stop, is told so; the link gives new work."""
    page.goto(f"{live_server.url}/start?participant=declines")
    page.get_by_role("button", name="I do not agree").click()
    expect(page.get_by_role("heading", name="You did not agree")).to_be_visible()
    to_tasks(page, live_server.url, "stops")
    page.get_by_role("button", name="I must stop").click()
    page.get_by_role("button", name="Stop and give back").click()
    expect(page.get_by_role("heading", name="You have stopped")).to_be_visible()


def test_without_scripts_the_page_says_so(browser, live_server) -> None:
    """Consent and instructions work without scripts; the texts say that they need them."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/start?participant=plain")
    follow(page.locator("button.main"))
    follow(page.locator("button.main"))
    expect(page.get_by_text("lacks JavaScript")).to_be_visible()
    context.close()
