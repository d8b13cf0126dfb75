"""What stands between a page and its server answers in its place: nothing is taken for more than it is."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Page, Route, expect

from tests.browser.conftest import WAIT_MS, LiveServer, Served, look, served, stored, until
from tests.browser.test_assignment import active, as_done, decide_all, handed_in, settled, to_tasks

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "bad-lines.json"
DECISIONS = 100
HURRY = """const later = setTimeout;
setTimeout = (call, ms, ...more) => later(call, ms > 350 && ms < 10000 ? 20 : ms, ...more);"""
COUNT_LETTERS = """window.posts = [];
const ask = fetch;
fetch = (at, how) => { posts.push(how?.body?.length ?? 0); return ask(at, how); };"""
HOTEL = "<html><title>Welcome to our hotel</title><form>Please sign in</form></html>"
# What proxies, hotels and gateways answer with in place of a server of ours: status, type, body.
OTHERS = [
    (200, "text/html", HOTEL),
    (200, "application/json", '{"status": "ok"}'),
    (200, "application/json", "null"),
    (200, "application/json", '{"saved": [{"sequence": 1, "disp'),
    (200, "application/json", '{"saved": []}'),
    (400, "application/json", '{"message": "Bad Request"}'),
    (403, "application/json", '{"message": "Forbidden"}'),
    (404, "application/json", '{"error": "not_found", "message": "no Route matched"}'),
    (409, "application/json", "[]"),
    (422, "application/json", "{}"),
    (502, "text/html", HOTEL),
]


@pytest.fixture(scope="module")
def chatty(planned_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a study that takes comments and missing names."""
    folder = Path(shutil.copytree(planned_study, tmp_path_factory.mktemp("chatty") / "pages"))
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("pages: {comments: true, missing_mentions: true}\n")
    yield from served(folder)


def in_turn(page: Page, address: str, answers: list[tuple[int, str, str]]) -> list[Any]:
    """Have somebody else answer what is asked at `address`, once each way; what he was asked."""
    asked: list[Any] = []

    def answer(route: Route) -> None:
        if len(asked) == len(answers):
            route.continue_()
            return
        status, kind, body = answers[len(asked)]
        asked.append(route.request.post_data)
        route.fulfill(status=status, content_type=kind, body=body)

    page.route(address, answer)
    return asked


def kept(page: Page, address: str) -> list[Route]:
    """What is asked at `address` is answered when the test lets it go."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(address, keep)
    return held


def come(page: Page, asked: list[Any], number: int = 1) -> None:
    """Wait until so much was asked."""
    latest = time.monotonic() + WAIT_MS / 1000
    while len(asked) < number:
        assert time.monotonic() < latest, f"{len(asked)} of {number} were asked"
        page.wait_for_timeout(20)


def hurry(page: Page) -> None:
    """Waits between tries pass at once: what is looked at is what comes of the tries."""
    page.add_init_script(HURRY)


def test_only_the_studys_own_answer_is_taken_for_one(page: Page, live_server) -> None:
    """Whatever else answers, a decision stays unsaved and is sent again, until it is stored, once."""
    hurry(page)
    token = to_tasks(page, live_server.url, "line 1")
    asked = in_turn(page, "**/judgments", OTHERS)
    look(page)
    page.keyboard.press("v")
    settled(page)
    assert len(asked) == len(OTHERS)
    assert [(row[1], row[2]) for row in stored(live_server, token)] == [(1, "verify")]
    assert page.locator("#notice").is_hidden()


def test_a_page_that_comes_to_the_front_in_a_hotel_is_not_closed(page: Page, live_server) -> None:
    """What it asks for how the work stands is asked again; keys do nothing until its text is there again."""
    hurry(page)
    to_tasks(page, live_server.url, "line 2")
    asked = in_turn(page, "**/state", OTHERS)
    held = kept(page, "**/tasks/*")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    come(page, held)
    for key in "jnpevru":
        page.keyboard.press(key)
    page.unroute("**/tasks/*")
    for route in held:
        route.continue_()
    look(page)
    until(page, "document.getElementById('notice').hidden")
    page.keyboard.press("v")
    expect(page.locator("#counted")).to_contain_text("1 of")
    settled(page)
    assert len(asked) == len(OTHERS)


def test_handing_in_through_a_hotel_fails_and_holds_decisions_as_long_as_it_lasts(
    page: Page, live_server
) -> None:
    """A decision that could come too late is not taken: what is shown is what is stored."""
    token = to_tasks(page, live_server.url, "line 3")
    decide_all(page)
    settled(page)
    asked = in_turn(page, "**/submit", OTHERS[:2])
    for n in (1, 2):
        page.locator("#submit").click()
        come(page, asked, n)
        expect(page.locator("#notice")).to_contain_text("did not work")
        assert len(asked) == n
    held = kept(page, "**/submit")
    page.locator("#submit").click()
    expect(page.locator("#notice")).to_contain_text("Handing in")
    come(page, held)
    look(page)
    page.keyboard.press("r")
    page.locator('.action[data-action="remove"]').click(force=True)
    look(page)
    assert page.locator('#text .mark[data-decision="remove"]').count() == 0
    held[0].continue_()
    page.locator("#code").wait_for()
    assert {row[2] for row in stored(live_server, token)} == {"verify"}


def test_what_the_server_cannot_read_takes_nothing_else_with_it(page: Page, live_server) -> None:
    """Of decisions that go together, the one that is refused is open again and told; others are stored."""
    token = to_tasks(page, live_server.url, "line 5")
    spoilt = []

    def spoil(route: Route) -> None:
        body = json.loads(route.request.post_data)
        for one in body["judgments"]:
            if one["sequence"] == 2:
                one["action"] = "shrug"
                spoilt.append(len(body["judgments"]))
        route.continue_(post_data=json.dumps(body))

    page.context.set_offline(True)
    for key in "vrv":
        look(page)
        page.keyboard.press(key)
    page.route("**/judgments", spoil)
    page.context.set_offline(False)
    settled(page)
    assert [(row[1], row[2]) for row in stored(live_server, token)] == [(1, "verify"), (3, "verify")]
    assert spoilt[-1] == 1
    expect(page.locator("#notice")).to_contain_text("Not saved")
    expect(page.locator("#counted")).to_contain_text("2 of")


LONG = "https://en.wikipedia.org/wiki/" + "%E0%B8%81" * 200


@pytest.mark.prove
def test_many_long_addresses_chosen_without_a_network_are_all_stored(page: Page, live_server) -> None:
    """A browser lets 64 kB in all outlive a page: more at once it would never send."""
    token = to_tasks(page, live_server.url, "line 6")
    page.evaluate(COUNT_LETTERS)
    page.route(
        "**/search?*",
        lambda route: route.fulfill(
            headers={"Posthoc-Study": page.locator("#desk").get_attribute("data-study")},
            json={
                "candidates": [
                    {
                        "key": "w:en:X",
                        "title": "X",
                        "description": None,
                        "shown": False,
                        "image": None,
                        "image_by": None,
                    }
                ],
                "message": None,
            },
        ),
    )
    page.route("**/judgments", lambda route: route.abort())
    for turn in range(45):
        look(page)
        page.keyboard.press("e")
        page.get_by_role("combobox").fill(f"{LONG}{turn}")
        page.keyboard.press("Enter")
        expect(page.get_by_role("combobox")).to_be_hidden()
        page.locator("#list .row").first.click()
    page.unroute("**/judgments")
    settled(page)
    assert len(stored(live_server, token)) == 45
    assert max(page.evaluate("posts")) < 20_000


def test_what_no_database_can_hold_is_left_out_of_a_comment(page: Page, chatty: Served) -> None:
    """NUL and half a letter, as a cut through an emoji leaves it."""
    token = to_tasks(page, chatty.url, "line 7")
    page.keyboard.press("c")
    page.locator("#comment-box").fill("x")
    page.evaluate("""() => {
      const box = document.getElementById("comment-box");
      box.value = "a\\ud83d b\\0 \\ud83d\\ude42";
      box.dispatchEvent(new Event("input", { bubbles: true }));
      box.dispatchEvent(new Event("change", { bubbles: true }));
    }""")
    settled(page)
    told = page.request.get(f"{chatty.url}/api/{token}/tasks/0").json()
    shown = page.locator("#text .mark.active").get_attribute("data-display")
    assert [one["comment"] for one in told["displays"] if one["display"] == shown] == ["a b 🙂"]


def test_a_browser_of_some_years_ago(page: Page, chatty: Served) -> None:
    """Without AbortSignal.any and timeout, Intl.Segmenter and CSS highlights all of it works."""
    page.add_init_script(
        "delete AbortSignal.any; delete AbortSignal.timeout; delete Intl.Segmenter; delete CSS.highlights;"
    )
    to_tasks(page, chatty.url, "line 8")
    page.keyboard.press("e")
    page.get_by_role("combobox").fill("bruce springsteen")
    page.get_by_role("option", name="Bruce Springsteen").click()
    settled(page)
    page.evaluate("""() => {
      const words = document.getElementById("text");
      const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
      const node = walker.nextNode();
      getSelection().setBaseAndExtent(node, 0, node, 2);
    }""")
    page.locator("#missing-add").click()
    expect(page.locator("#missing-list li").or_(page.locator("#missing-said"))).not_to_have_count(0)


@pytest.mark.prove
def test_a_hundred_decisions_on_the_worst_of_lines(page: Page, own_server: LiveServer) -> None:
    """Cut, stopped, killed, frozen, answers lost, sent twice: each is stored once and in order."""
    token = to_tasks(page, own_server.url, "worst line")
    while page.locator("#next-text").is_enabled():
        page.locator("#next-text").click()
        look(page)
    worst = Worst(page, own_server)
    did = []
    for turn in range(DECISIONS):
        worst.strikes()
        if turn % 10 == 9:
            page.locator("#next-text:enabled, #previous-text:enabled").first.click()
        rows = page.locator("#list .row")
        rows.nth(turn % rows.count()).click()
        shown = active(page)
        stands = page.locator("#text .mark.active").get_attribute("data-decision")
        key, decision = ("r", "remove") if stands == "verify" else ("v", "verify")
        page.keyboard.press(key)
        did.append((shown, decision, None))
    worst.ends()
    expect(page.locator("#saving")).to_have_text("All saved", timeout=90_000)
    rows = stored(own_server, token)
    assert as_done(own_server, token, did)
    did += decide_all(page)
    handed_in(page)
    proof = {
        "what": "decisions by keys in Chromium while line and server fail at random; what the database holds "
        "afterwards is what was decided, each once and in order",
        "decisions": DECISIONS,
        "struck": worst.struck,
        "stored": len(rows),
        "lost": 0,
        "twice": len(rows) - len({row[1] for row in rows}),
        "of all requests with decisions, sent": worst.sent,
    }
    PROOF.write_text(json.dumps(proof, indent=1) + "\n", encoding="utf-8")
    assert as_done(own_server, token, did)


class Worst:
    """What can befall a line and a server, at random."""

    def __init__(self, page: Page, server: LiveServer) -> None:
        self._page, self._server = page, server
        self._chance = random.Random(7)
        self._off = self._stopped = False
        self.struck: dict[str, int] = dict.fromkeys(
            ("network cut", "server stopped", "server killed", "page frozen", "answer lost", "sent twice"), 0
        )
        self.sent = 0
        page.route("**/api/*/judgments", self._on_its_way)

    def _on_its_way(self, route: Route) -> None:
        self.sent += 1
        lot = self._chance.random()
        if lot < 0.2 and not (self._off or self._stopped):
            self.struck["answer lost"] += 1
            self._fetched(route)
            route.abort()
        elif lot < 0.3 and not (self._off or self._stopped):
            self.struck["sent twice"] += 1
            self._fetched(route)
            route.continue_()
        else:
            route.continue_()

    @staticmethod
    def _fetched(route: Route) -> None:
        with suppress(Error):
            route.fetch(timeout=3000)

    def strikes(self) -> None:
        """One of them, or none."""
        lot = self._chance.random()
        if lot < 0.2:
            self._off = not self._off
            self._page.context.set_offline(self._off)
            self.struck["network cut"] += self._off
        elif lot < 0.3:
            self._stopped = not self._stopped
            os.kill(self._server.process.pid, signal.SIGSTOP if self._stopped else signal.SIGCONT)
            self.struck["server stopped"] += self._stopped
        elif lot < 0.34 and not self._stopped:
            self._server.kill()
            self._page.wait_for_timeout(300)
            self._server.start()
            self.struck["server killed"] += 1
        elif lot < 0.4:
            line = self._page.context.new_cdp_session(self._page)
            line.send("Page.setWebLifecycleState", {"state": "frozen"})
            time.sleep(1)
            line.send("Page.setWebLifecycleState", {"state": "active"})
            line.detach()
            self.struck["page frozen"] += 1

    def ends(self) -> None:
        """All is well again."""
        self._page.unroute("**/api/*/judgments")
        self._page.context.set_offline(False)
        if self._stopped:
            os.kill(self._server.process.pid, signal.SIGCONT)
