"""What a study may ask beside judgments, in a browser: hidden links, comments, missing names."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from tests.browser.conftest import WAIT_MS, Served, findings, look, served
from tests.browser.test_assignment import active, as_done, decide_all, handed_in, settled, to_tasks
from tests.support import worker_study
from verifier.store import export
from verifier.store.models import AssignmentRow, Comment, Event
from verifier.study import Study

OPTIONS = (
    "pages: {hidden_links_share: 1, comments: true, missing_mentions: true, order: random,"
    " require_open: true, verify_after_seconds: 1}\n"
)
SELECT = """(word) => {
  const walker = document.createTreeWalker(document.querySelector('#text'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(word);
    if (at < 0) continue;
    getSelection().setBaseAndExtent(node, at, node, at + word.length);
    return true;
  }
  return false;
}"""


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of a study that asks for everything."""
    folder = worker_study.make(tmp_path_factory.mktemp("asking") / "pages", worker_study.CONFIG + OPTIONS)
    yield from served(folder)


def name_it(page: Page) -> None:
    """Say which entity is meant: the first that is offered."""
    page.keyboard.press("e")
    page.get_by_role("option").first.wait_for()
    expect(page.locator("#search-said")).not_to_be_empty()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator(".card-named").wait_for()


def test_everything_a_study_may_ask_for(page: Page, asking: Served) -> None:
    """Name, then see, then decide; a comment; two missing names, one by hand; there after a reload."""
    token = to_tasks(page, asking.url, "all")
    assert findings(page) == []
    assert page.locator(".card-title").count() == 0
    look(page)
    page.keyboard.press("v")
    expect(page.locator("#notice")).to_contain_text("Say first")
    name_it(page)
    assert findings(page) == []
    page.wait_for_timeout(1000)
    did = [(active(page), "verify", None)]
    page.keyboard.press("c")
    page.keyboard.type("odd one")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    expect(page.locator("#counted")).to_contain_text("1 of")
    text = page.locator("#text").text_content()
    words = [word for word in re.findall(r"\b[a-z]{5,12}\b", text) if text.count(word[1:-1]) == 1]
    # A pointer that slips: the word is marked whole.
    assert page.evaluate(SELECT, words[0][1:-1])
    page.locator("#missing-add").click()
    page.keyboard.press("m")
    page.keyboard.type(words[-1])
    page.keyboard.press("Enter")
    expect(page.locator("#missing-list li")).to_have_count(2)
    assert findings(page) == []
    page.keyboard.press("Escape")
    settled(page)
    page.reload()
    expect(page.locator("#missing-list li")).to_have_count(2)
    page.locator("#missing-list button").first.click()
    expect(page.locator("#missing-list li")).to_have_count(1)
    did += decide_all(page, "r")
    expect(page.locator("#submit-hint")).to_contain_text("Verified 1, edited 0, removed")
    assert findings(page) == []
    handed_in(page)
    assert as_done(asking, token, did)
    with Study.open(asking.folder) as study, study.read() as session:
        tables = export.tables(session)
    assert list(tables["comments"]["text"]) == ["odd one"]
    assert list(tables["missing_mentions"]["mention"]) in ([words[0]], [words[-1]])
    assert len(tables["namings"]) == 1


def test_a_comment_is_kept_while_it_is_written(page: Page, asking: Served) -> None:
    """Kept as one pauses, shown as not saved until then, and kept whole when the tab goes; each once."""
    token = to_tasks(page, asking.url, "writes")
    name_it(page)
    page.keyboard.press("c")
    page.keyboard.type("half")
    expect(page.locator("#saving")).to_have_attribute("data-state", "saving")
    with page.expect_response("**/comments") as kept:
        expect(page.locator("#saving")).to_have_attribute("data-state", "saved")
    assert kept.value.ok
    page.keyboard.type(" of it")
    page.close(run_before_unload=False)
    with Study.open(asking.folder) as study:
        assert eventually(lambda: said_by(study, token) == ["half", "half of it"])


def said_by(study: Study, token: str) -> list[str]:
    """Every comment of an assignment that was ever kept, in order."""
    query = select(Comment.text).join(AssignmentRow, AssignmentRow.id == Comment.assignment_id)
    with study.read() as session:
        return list(session.scalars(query.where(AssignmentRow.token == token).order_by(Comment.id)))


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it holds before patience ends."""
    until = time.monotonic() + WAIT_MS / 1000
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()


def test_who_opened_the_article_need_not_wait(page: Page, asking: Served) -> None:
    """Of two means to have a link looked at, either is enough; too soon is said with what is left."""
    page.context.route("**://*.wikidata.org/**", lambda route: route.abort())
    page.context.route("**://*.wikipedia.org/**", lambda route: route.abort())
    to_tasks(page, asking.url, "opens")
    page.locator('[data-action="edit"]').click()
    pasted = "box => box.dispatchEvent(new ClipboardEvent('paste', { clipboardData: new DataTransfer() }))"
    with page.expect_response("**/events"):
        page.locator("#search-box").evaluate(pasted)
    page.get_by_role("option").last.click()
    page.locator(".card-named").wait_for()
    with page.expect_popup() as article:
        page.keyboard.press("o")
    article.value.close()
    page.keyboard.press("v")
    expect(page.locator("#counted")).to_contain_text("1 of")
    with Study.open(asking.folder) as study:
        assert eventually(lambda: {"paste", "open"} <= events(study).keys())
        happened = events(study)
    # That something was pasted is kept, never what.
    assert happened["paste"].keys() == happened["open"].keys() == {"display"}


def events(study: Study) -> dict[str, dict[str, object]]:
    """The last event of each kind."""
    with study.read() as session:
        return {row.kind: row.data for row in session.scalars(select(Event).order_by(Event.id))}
