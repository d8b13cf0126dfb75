"""Texts are shown as they are: hostile ones as text, highlights at exact places, each reachable."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import look, stored
from tests.browser.test_assignment import settled, to_tasks
from tests.support import worker_study

RUNS = """() => {
  const text = document.querySelector('#text');
  const marks = [...text.querySelectorAll('.mark')];
  return marks.map((mark) => {
    mark.click();
    return [...text.querySelectorAll('.run.active')].map((run) => run.textContent).join('');
  });
}"""

PLACES = """() => {
  const text = document.querySelector('#text');
  const { x, y } = text.getBoundingClientRect();
  return [...text.querySelectorAll('.mark, .run')].map((part) => {
    const place = part.getBoundingClientRect();
    return [place.x - x, place.y - y + text.scrollTop, place.width];
  });
}"""


def texts_of(page: Page) -> list[dict[str, Any]]:
    """Every text of the assignment as the server gives it."""
    return page.evaluate(
        """async () => {
          const api = document.querySelector('#desk').dataset.api;
          const state = await (await fetch(api + '/state')).json();
          return Promise.all(state.tasks.map(async ({task}) => (await fetch(`${api}/tasks/${task}`)).json()));
        }"""
    )


def test_every_text_is_shown_to_the_letter(page: Page, live_server) -> None:
    """What the page holds is the document, scripts, emoji and all; each mention lights up exactly."""
    seen = set()
    for turn in range(6):
        if {"hostile", "nested"} <= seen:
            break
        to_tasks(page, live_server.url, f"t{turn}")
        for number, given in enumerate(texts_of(page)):
            expect(page.locator("#where")).to_contain_text(f"Text {number + 1} ")
            assert page.locator("#text").evaluate("element => element.textContent") == given["text"]
            assert page.evaluate(RUNS) == [shown["mention"] for shown in given["displays"]]
            seen |= {name for name, text in worker_study.TEXTS.items() if text == given["text"]}
            page.keyboard.press("n")  # the last highlight was clicked last: on to the next text
    assert {"hostile", "nested"} <= seen
    assert page.evaluate("document.querySelectorAll('#text script, #text b').length") == 0


def test_nested_mentions_are_reached_by_clicking_again(page: Page, live_server) -> None:
    """A click on words under several highlights takes the innermost, the next click the one around it."""
    inner = page.locator("#text .run.lane-0.lane-1", has_text="Texas")
    for participant in ("n1", "n2", "n3", "n4", "n5", "n6"):
        to_tasks(page, live_server.url, participant)
        while not inner.count() and page.locator("#next-text").is_enabled():
            before = page.locator("#where").inner_text()
            page.locator("#next-text").click()
            expect(page.locator("#where")).not_to_have_text(before)
        if inner.count():
            break
    inner.click()
    expect(page.locator("#card-heading")).to_contain_text("“Texas”")
    inner.click()
    expect(page.locator("#card-heading")).to_contain_text("“Paris, Texas”")


def test_a_decision_is_answered_quickly_and_stored_by_place(page: Page, live_server) -> None:
    """Picking from the list and deciding stores exactly that display."""
    token = to_tasks(page, live_server.url, "list")
    given = texts_of(page)[0]
    page.locator("#list .row").nth(len(given["displays"]) - 1).click()
    look(page)
    page.locator(".action", has_text="Remove").click()
    settled(page)
    assert [row[0] for row in stored(live_server, token)] == [given["displays"][-1]["display"]]


def test_a_decision_moves_no_word(page: Page, live_server) -> None:
    """The sign that a highlight's number gets has its room beforehand."""
    to_tasks(page, live_server.url, "stays")
    before = page.evaluate(PLACES)
    for key in "vr"[: len(before) - 1]:
        look(page)
        page.keyboard.press(key)
    expect(
        page.locator("#text .mark[data-decision=remove], #text .mark[data-decision=verify]")
    ).not_to_have_count(0)
    assert page.evaluate(PLACES) == before


def test_overlapping_spans_get_lanes_of_their_own(page: Page, live_server) -> None:
    """Crossing and nested spans never share a lane, runs tile the text, and hundreds take no time."""
    page.goto(f"{live_server.url}/preview")
    found = page.evaluate(
        """async () => {
          const { lanes, runs } = await import('/static/spans.js');
          const spans = Array.from({ length: 200 }, (_, n) =>
            ({ start: 7 * n, end: 7 * n + 3 + ((n * 5) % 23) }));
          const began = performance.now();
          const lane = lanes(spans);
          const cut = runs(2000, spans);
          const took = performance.now() - began;
          const clashes = spans.flatMap((a, i) => spans.filter((b, j) =>
            i < j && lane[i] === lane[j] && a.start < b.end && b.start < a.end));
          const tiled = cut.at(-1).end === 2000 &&
            cut.every((run, n) => run.start === (n ? cut[n - 1].end : 0));
          const exact = spans.every((span, i) => {
            const own = cut.filter((run) => run.covers.includes(i));
            return own[0].start === span.start && own.at(-1).end === span.end;
          });
          return { clashes: clashes.length, tiled, exact, took };
        }"""
    )
    assert found.pop("took") < 5000
    assert found == {"clashes": 0, "tiled": True, "exact": True}
