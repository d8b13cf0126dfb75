"""The worker's page in a browser: what is transferred, when one can begin, how soon it answers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.bench import corpora
from tests.bench.requesting import arrive
from tests.bench.rows import Row, median, tail
from tests.browser.conftest import ARGUMENTS, CHROMIUM, until
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.kb.build import build
from verifier.plan.planning import plan
from verifier.simulate.serving import served
from verifier.study import Study

LINKS, MANY, DECISIONS, LOADS = 5, 200, 60, 5
# A middling phone on a slow mobile network, as Lighthouse has it.
LATENCY_MS, BITS_PER_SECOND, SLOWER = 150, 1_600_000, 4
_CROWDED = """\
study: {name: crowded, seed: 3}
datasets: {news: {language: en}}
sources: {GT: {role: ground_truth}}
plan: {repeat_share: 0, min_chars: 100000}
place: {tasks: 1, controls: 0, minutes: 10, pay: "2.00"}
controls: {generate: false}
"""
# When the first highlight is there, the page can be worked with: all keys and buttons are tied before.
_WATCH = """
new MutationObserver((_, observer) => {
  if (!document.querySelector('#text .mark.active')) return;
  observer.disconnect();
  globalThis.beganAt = performance.now();
}).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['class'] });
"""
# A key pressed, all that follows from it done and laid out: what one waits for before the next.
_DECIDE = """async (times) => {
  const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'v', bubbles: true }));
  const found = [];
  for (let turn = 0; turn < times; turn += 1) {
    // What nobody can have seen yet is not judged.
    await new Promise((done) => setTimeout(done, 250));
    const start = performance.now();
    press();
    void document.body.offsetHeight;
    found.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  return found;
}"""
_STORE = """async (times) => {
  const saving = document.querySelector('#saving');
  const found = [];
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const open = () => document.querySelector('#text .mark.active[data-decision=""]');
  for (let turn = 0; turn < times; turn += 1) {
    if (!open()) press('j');
    while (!open()) await new Promise((done) => setTimeout(done, 5));
    // What is pressed right after a text came is not taken: nobody has read it.
    await new Promise((done) => setTimeout(done, 310));
    const start = performance.now();
    const stored = new Promise((done, fail) => {
      setTimeout(() => fail(new Error('a decision was not stored')), 10_000);
      const observer = new MutationObserver(() => {
        if (saving.dataset.state !== 'saved') return;
        observer.disconnect();
        done();
      });
      observer.observe(saving, { attributes: true });
    });
    press('v');
    await stored;
    found.push(performance.now() - start);
  }
  return found;
}"""


def run() -> list[Row]:
    """The rows of this bench."""
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made, _chromium() as browser:
        usual, crowded = _usual(Path(made) / "usual"), _crowded(Path(made) / "crowded")
        with served(usual) as url:
            loads = [_slow_load(browser, url, f"load{n}") for n in range(LOADS)]
            stored = _decided(browser, url, _STORE, slower=1)
        with served(crowded) as url:
            laid_out = _decided(browser, url, _DECIDE, slower=SLOWER)
    slow = f"{LATENCY_MS} ms, {BITS_PER_SECOND / 1e6:g} Mbit/s, processor {SLOWER} times slower"
    return [
        Row("first task page, nothing kept before: transferred", loads[0][0] / 1024, "KiB", bar=60),
        Row(
            f"the same, {slow}: can be worked with after",
            median([ms for _, ms in loads]) / 1000,
            "seconds",
            bar=1,
        ),
        Row("a decision until it is stored and said so: median", median(stored), "ms", bar=50),
        Row("the same: p95", tail(stored, 95), "ms"),
        Row(
            f"{MANY} highlights in a text, processor {SLOWER} times slower, a decision on the screen: median",
            median(laid_out),
            "ms",
            bar=50,
        ),
        Row("the same: p95", tail(laid_out, 95), "ms"),
    ]


@contextmanager
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def _usual(folder: Path) -> Path:
    """Texts of some hundred characters with five links each, and a knowledge base."""
    with corpora.study(folder, documents=200, links=LINKS, controls=0) as study:
        corpora.write_titles(folder / "kb.tsv", 20_000)
        build(folder / "kb.tsv", study.file(study.config.kb.file))
        plan(study, now=clock.now())
    return folder


def _crowded(folder: Path) -> Path:
    """One text with two hundred links, one in four inside another."""
    Study.create(folder, "link").close()
    (folder / "study.yaml").write_text(_CROWDED, encoding="utf-8")
    text, links = "", []
    for number in range(MANY * 3 // 4):
        name = f"University of Town{number}"
        links.append({"start": len(text), "end": len(text) + len(name), "entity": f"Q{number + 1}"})
        if number % 3 == 0:
            links.append(
                links[-1] | {"start": len(text) + len("University of "), "entity": f"Q{number + 9001}"}
            )
        text += f"{name} met the other people on the road and "
    line = json.dumps({"id": "crowded", "text": f"{text}so on.", "annotations": links})
    (folder / "gt.jsonl").write_text(f"{line}\n", encoding="utf-8")
    with Study.open(folder) as study:
        import_files(study, Request((folder / "gt.jsonl",), "news", "GT"), now=clock.now())
        plan(study, now=clock.now())
    return folder


def _slow_load(browser: Browser, url: str, participant: str) -> tuple[int, float]:
    """Bytes over the wire of the first task page with nothing kept, and milliseconds until one can begin."""
    page, devtools = _page(browser, SLOWER)
    devtools.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": LATENCY_MS,
            "downloadThroughput": BITS_PER_SECOND / 8,
            "uploadThroughput": BITS_PER_SECOND / 8,
        },
    )
    sizes: list[float] = []
    devtools.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
    page.goto(f"{url}/w/{arrive(url, participant)}")
    until(page, "globalThis.beganAt")
    began = float(page.evaluate("beganAt"))
    page.wait_for_load_state("networkidle")
    page.context.close()
    return int(sum(sizes)), began


def _decided(browser: Browser, url: str, script: str, *, slower: int) -> list[float]:
    """Milliseconds of each decision."""
    page, _ = _page(browser, slower)
    page.goto(f"{url}/w/{arrive(url, 'decides')}")
    until(page, "globalThis.beganAt")
    found: list[float] = page.evaluate(script, DECISIONS)
    page.context.close()
    return found


def _page(browser: Browser, slower: int) -> tuple[Page, CDPSession]:
    page = browser.new_context(viewport={"width": 412, "height": 823}).new_page()
    page.add_init_script(_WATCH)
    devtools: Any = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    return page, devtools
