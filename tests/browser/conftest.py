"""Chromium, a running server and a worker's page for the browser tests."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Frame, FrameLocator, Locator, Page, expect, sync_playwright

from tests.support import ports, serving_here, worker_study
from verifier.simulate import serving
from verifier.study import Study

WAIT_MS = 20_000
expect.set_options(timeout=WAIT_MS)
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # As browsers for people have it: what a frame of another site would keep is thrown away.
    "--test-third-party-cookie-phaseout",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs Chromium."""
    for item in items:
        if Path(item.path).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


@dataclass(frozen=True)
class Served:
    """A study that is served, and where it answers."""

    folder: Path
    url: str


@dataclass
class LiveServer:
    """`posthoc serve` in a process of its own, which a test may kill and start again."""

    folder: Path
    port: int
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it listens."""
        self.process = serving.start(self.folder, port=self.port)
        assert serving.listening(self.process) == self.url

    def kill(self) -> None:
        """End it without a warning, as a crash does."""
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def stop(self) -> None:
        """End it as its operator does."""
        serving.stop(self.process)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests; each takes a fresh context."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"Chromium is not installed at {CHROMIUM}")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture(scope="session")
def planned_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planned study for workers' pages; tests take copies of it."""
    return worker_study.make(tmp_path_factory.mktemp("worker") / "pages")


@pytest.fixture(scope="session")
def live_server(planned_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests; each comes as a participant of its own."""
    folder = tmp_path_factory.mktemp("live") / "pages"
    yield from served(Path(shutil.copytree(planned_study, folder)))


@pytest.fixture
def own_server(planned_study: Path, tmp_path: Path) -> Iterator[LiveServer]:
    """A server that a test may kill, with its own copy of the study."""
    server = LiveServer(Path(shutil.copytree(planned_study, tmp_path / "pages")), ports.own())
    server.start()
    yield server
    server.stop()


def served(folder: Path, port: int = 0) -> Iterator[Served]:
    """A server of the study in this process."""
    with serving_here.served(folder, port=port) as url:
        yield Served(folder, url)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page at desktop size; whatever its scripts complain of fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = watched(context.new_page())
    yield opened
    complaints = opened.complaints
    context.close()
    assert complaints == []


def watched(page: Page) -> Any:
    """The page, keeping what its scripts complain of."""
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda said: _complaint(page, said))
    page.set_default_timeout(WAIT_MS)
    return page


def _complaint(page: Any, said: Any) -> None:
    # A request that fails, or is refused, is told on the console by the browser itself, not by our scripts.
    if said.type == "error" and "Failed to load resource" not in said.text:
        page.complaints.append(said.text)


def until(place: Page | Frame, holds: str) -> None:
    """Wait until a script of the test's own, asked again and again, answers with something true.

    Playwright's own waiting for a function asks from inside the page from its second try on,
    where the page's policy forbids scripts given as text.
    """
    latest = time.monotonic() + WAIT_MS / 1000
    while not place.evaluate(holds):
        assert time.monotonic() < latest, f"never true: {holds}"
        place.wait_for_timeout(20)


# Once a screen shows what is there now, the time in which it can have been seen: longer after a new text.
LOOK = """body => new Promise((done) => {
  const text = document.getElementById("where")?.textContent;
  const wait = text === body.lookedAt ? 210 : 320;
  body.lookedAt = text;
  let shown = () => {
    shown = () => {};
    setTimeout(done, wait);
  };
  requestAnimationFrame(() => shown());
  setTimeout(() => shown(), 520);
})"""


def look(place: Page | FrameLocator) -> None:
    """Look at what is shown for as long as the page wants it to be looked at before it takes a decision."""
    place.locator("body").evaluate(LOOK)


def follow(link: Locator) -> None:
    """Click what leads to another page, and wait until that one is there as a whole."""
    with link.page.expect_navigation():
        link.click()


def stored(server: Served | LiveServer, token: str) -> list[tuple[str, int, str, str | None]]:
    """What the database holds: display, sequence, decision and key of every judgment, in order."""
    with Study.open(server.folder) as study:
        return worker_study.judgments(study, token)


def findings(page: Page) -> list[str]:
    """What axe-core has to say about the page as it is once it is there as a whole."""
    page.wait_for_load_state()
    results = Axe().run(
        page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}
    )
    return [f"{v['id']}: {node['html'][:120]}" for v in results.response["violations"] for node in v["nodes"]]
