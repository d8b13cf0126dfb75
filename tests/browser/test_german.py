"""The German pages, whose words are longer: on a phone, at 200 % zoom, and what axe-core says of each."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Served, findings, follow, look, served, watched
from tests.browser.test_assignment import decide_all

PAGES = "pages: {language: de, comments: true, missing_mentions: true}\n"
# A window of 1280 pixels at 200 % is one of 640; a phone is one of 360.
WIDTHS = {"zoomed": 640, "phone": 360}


@pytest.fixture(scope="module")
def german(planned_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose pages are German."""
    folder = Path(shutil.copytree(planned_study, tmp_path_factory.mktemp("german") / "pages"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write(PAGES)
    yield from served(folder)


def faults(page: Page, *, width: int) -> list[str]:
    """What axe-core says, and what is wider than the window."""
    page.wait_for_load_state()
    wide = page.evaluate("document.documentElement.scrollWidth")
    cut = page.evaluate(
        "[...document.querySelectorAll('button, h1, h2, h3, summary')]"
        ".filter((one) => one.checkVisibility() && !one.closest('.unseen')"
        " && getComputedStyle(one).overflowX !== 'visible'"
        " && one.scrollWidth > one.clientWidth + 1).map((one) => `cut off: ${one.textContent.trim()}`)"
    )
    # Once is enough for axe-core: names and roles are the same at every width.
    found = findings(page) if width == WIDTHS["phone"] else []
    return [*found, *cut, *([f"{wide} wide"] if wide > width else [])]


@pytest.mark.parametrize("name", WIDTHS)
def test_every_step_fits_and_is_accessible_in_german(browser: Browser, german: Served, name: str) -> None:
    width = WIDTHS[name]
    dark = "dark" if name == "phone" else "light"
    context = browser.new_context(viewport={"width": width, "height": 740}, color_scheme=dark)
    page = watched(context.new_page())
    found: dict[str, list[str]] = {}

    def note(step: str) -> None:
        found[step] = faults(page, width=width)

    before_work(page, german.url, name, note)
    at_work(page, note)
    page.goto(f"{german.url}/w/nobody")
    note("not found")
    complaints = page.complaints
    context.close()
    assert found == {step: [] for step in found}
    assert complaints == []


def before_work(page: Page, url: str, name: str, note: Callable[[str], None]) -> None:
    """From the preview to the first text."""
    page.goto(f"{url}/preview")
    page.locator("#text .mark.active").wait_for()
    note("preview")
    page.goto(f"{url}/start?participant={name}")
    note("consent")
    follow(page.locator("button.main"))
    note("instructions")
    follow(page.locator("button.main"))
    page.locator("#text .mark.active").wait_for()
    look(page)
    page.keyboard.press("r")
    expect(page.locator("#feedback")).to_be_visible()
    note("example")
    follow(page.locator("#onward"))
    page.locator("#missing").wait_for()


def at_work(page: Page, note: Callable[[str], None]) -> None:
    """From the first text to the code."""
    page.locator("#text .mark.active").wait_for()
    page.locator("#comment summary").click()
    note("tasks")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.get_by_role("option").last.wait_for()
    note("editor")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    note("help")
    page.keyboard.press("Escape")
    page.locator("#stop-open").click()
    note("stop")
    page.locator("dialog[open] button[value=no]").click()
    page.context.set_offline(offline=True)
    look(page)
    page.keyboard.press("r")
    expect(page.locator("#saving")).to_have_attribute("data-state", "lost")
    note("offline")
    page.context.set_offline(offline=False)
    decide_all(page)
    expect(page.locator("#submit")).to_be_enabled()
    note("decided")
    page.locator("#submit").click()
    page.locator("#code").wait_for()
    note("thanks")
