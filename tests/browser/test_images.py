"""Images on cards and in searches: from the server alone, in a box of their own, gone where they fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, Route, expect

from tests.browser.conftest import Served, findings, served, until
from tests.browser.test_assignment import to_tasks
from tests.support import tiny, wikipedia, worker_study


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a study with an image for every entity."""
    folder = tmp_path_factory.mktemp("pictured") / "pages"
    write = tiny.write_kb

    def with_images(path: Path) -> Path:
        path.with_name("dot.png").write_bytes(wikipedia.PNG)
        header, *rows = write(path).read_text(encoding="utf-8").splitlines()
        lines = [f"{header}\timage\timage_credit", *(f"{row}\tdot.png\tAnn, CC0" for row in rows if row)]
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiny, "write_kb", with_images)
        worker_study.make(folder)
    yield from served(folder)


def test_images_come_from_the_server_alone(page: Page, pictured: Served) -> None:
    """On the card and beside what is found; no request leaves the server's origin; kept for good."""
    asked: list[Response] = []
    page.on("response", lambda one: asked.append(one))  # noqa: PLW0108 - playwright marks what it is given
    to_tasks(page, pictured.url, "images")
    image = page.locator(".card-image")
    title = page.locator(".card-title").inner_text()
    expect(image).to_have_attribute("alt", f"Image of {title}")
    expect(image).to_have_js_property("naturalWidth", 1)
    expect(page.locator(".card-image-by")).to_have_text("Image: Ann, CC0")
    assert findings(page) == []
    page.keyboard.press("e")
    page.locator(".option-image").first.wait_for()
    assert findings(page) == []
    assert {one.url.startswith(f"{pictured.url}/") for one in asked} == {True}
    headers = next(one.headers for one in asked if "/images/" in one.url)
    assert "immutable" in headers["cache-control"]
    assert (headers["content-type"], headers["x-content-type-options"]) == ("image/png", "nosniff")


def test_an_image_that_fails_disappears(page: Page, pictured: Served) -> None:
    page.route("**/images/*", lambda route: route.abort())
    to_tasks(page, pictured.url, "none")
    expect(page.locator(".card-title")).to_be_visible()
    expect(page.locator(".card-image")).to_have_count(0)


def test_an_image_that_is_on_its_way_comes_a_moment_later(page: Page, pictured: Served) -> None:
    """An answer's text is there at once; its image is asked for again until the server has it."""
    asked: list[str] = []

    def late(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.fulfill(status=202, body="")
        else:
            route.continue_()

    to_tasks(page, pictured.url, "late")
    page.route("**/images/*", late)
    page.keyboard.press("e")
    image = page.locator(".option-image").first
    expect(page.locator("#search-made li").first).to_contain_text(": Ann, CC0")
    expect(image).to_have_js_property("naturalWidth", 1)
    assert findings(page) == []


# As long as a credit from Commons may be.
LONG = f"Ann {20 * 'Longnames '}, CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/deed.en)"
# Whether the way to the article and the credit are in sight without a scroll.
FOOT = """() => {
  const card = document.querySelector(".card").getBoundingClientRect();
  return [...document.querySelectorAll(".card-link, .card-image-by")].every((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top >= card.top && bottom <= card.bottom && bottom <= innerHeight;
  });
}"""


def with_long_words(route: Route) -> None:
    """The first text's cards with more words than a small card holds."""
    page = route.fetch()
    body = re.sub(
        r'"extract": ?"[^"]*"', f'"extract":"{60 * "words "}"', page.text().replace("Ann, CC0", LONG)
    )
    route.fulfill(response=page, body=body)


@pytest.mark.parametrize(("width", "height"), [(360, 640), (1280, 800)])
def test_who_made_an_image_is_in_reach_however_long_that_is(
    page: Page, pictured: Served, width: int, height: int
) -> None:
    """On the card without a scroll, and of every answer of a search; by touch, by key, and for readers."""
    page.set_viewport_size({"width": width, "height": height})
    to_tasks(page, pictured.url, f"credits {width}")
    page.route("**/w/*", with_long_words)
    page.reload()
    expect(page.locator(".card-extract")).to_contain_text("words words")
    until(page, FOOT)
    beginning = page.locator(".card-image-by summary")
    expect(beginning).to_contain_text("Image: Ann Longname")
    assert findings(page) == []
    beginning.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card-image-by p")).to_be_visible()
    expect(page.locator(".card-image-by p")).to_have_text(LONG)
    until(page, FOOT)
    page.keyboard.press("e")
    page.locator(".option-image").first.wait_for()
    page.locator("#search-made summary").click()
    expect(page.locator("#search-made li").first).to_be_in_viewport()
    expect(page.locator("#search-made li").first).to_contain_text("Ann, CC0")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
