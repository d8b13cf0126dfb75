"""Images on cards and in searches: from the server alone, in a box of their own, gone where they fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, Route, expect

from tests.browser.conftest import LiveServer, findings, free_port
from tests.browser.test_assignment import to_tasks
from tests.support import tiny, wikipedia, worker_study


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
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
    server = LiveServer(folder, free_port())
    server.start()
    yield server
    server.stop()


def test_images_come_from_the_server_alone(page: Page, pictured: LiveServer) -> None:
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


def test_an_image_that_fails_disappears(page: Page, pictured: LiveServer) -> None:
    page.route("**/images/*", lambda route: route.abort())
    to_tasks(page, pictured.url, "none")
    expect(page.locator(".card-title")).to_be_visible()
    expect(page.locator(".card-image")).to_have_count(0)


def test_an_image_that_is_on_its_way_comes_a_moment_later(page: Page, pictured: LiveServer) -> None:
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
    expect(image).to_have_attribute("title", "Image: Ann, CC0")
    expect(image).to_have_js_property("naturalWidth", 1)
    assert findings(page) == []
