"""Lost networks, killed servers, reloads, second tabs: nothing is lost, nothing is stored twice."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import look, stored, watched
from tests.browser.test_assignment import active, as_done, decide_all, handed_in, settled, to_tasks


def once(rows: list[tuple[str, int, str, str | None]]) -> bool:
    """Whether sequence numbers are unique and rising."""
    numbers = [row[1] for row in rows]
    return numbers == sorted(set(numbers))


def test_network_cut_and_restored(page: Page, live_server) -> None:
    """What is decided offline is shown as unsaved, cannot be handed in, and is stored once when back."""
    token = to_tasks(page, live_server.url, "i0")
    page.context.set_offline(True)
    did = []
    for key, decision in (("v", "verify"), ("r", "remove")):
        did.append((active(page), decision, None))
        page.keyboard.press(key)
    expect(page.locator("#saving")).to_contain_text("2 not saved yet")
    expect(page.locator("#submit")).to_be_disabled()
    assert stored(live_server, token) == []
    page.context.set_offline(False)
    settled(page)
    did += decide_all(page, "rv")
    handed_in(page)
    assert as_done(live_server, token, did)


def test_answers_lost_on_the_way(page: Page, live_server) -> None:
    """The server stores, the answer is lost, the page sends again: stored once."""
    token = to_tasks(page, live_server.url, "i1")
    lost = []

    def lose(route) -> None:
        route.fetch()
        lost.append(route.request.post_data)
        route.abort()

    page.route("**/judgments", lose, times=2)
    look(page)
    page.keyboard.press("v")
    look(page)
    page.keyboard.press("r")
    settled(page)
    assert lost
    assert [(row[1], row[2]) for row in stored(live_server, token)] == [(1, "verify"), (2, "remove")]


def test_server_killed_and_restarted(page: Page, own_server) -> None:
    """A killed server loses nothing that was stored; the page goes on when it is back."""
    token = to_tasks(page, own_server.url, "i2")
    did = [(active(page), "verify", None)]
    page.keyboard.press("v")
    settled(page)
    own_server.kill()
    did.append((active(page), "remove", None))
    page.keyboard.press("r")
    expect(page.locator("#saving")).to_contain_text("1 not saved yet")
    own_server.start()
    settled(page)
    did += decide_all(page, "rv")
    handed_in(page)
    assert as_done(own_server, token, did)


def test_reload_and_back(page: Page, live_server) -> None:
    """A reload, and going away and back, show what was decided, at the next thing to decide."""
    token = to_tasks(page, live_server.url, "i3")
    did = [(active(page), "verify", None)]
    page.keyboard.press("v")
    settled(page)
    second = active(page)
    page.reload()
    page.locator("#text .mark.active").wait_for()
    expect(page.locator("#counted")).to_contain_text("1 of")
    assert active(page) == second
    page.goto(f"{live_server.url}/preview")
    page.go_back()
    expect(page.locator("#counted")).to_contain_text("1 of")
    did += decide_all(page, "rv")
    code = handed_in(page)
    page.go_back()
    expect(page.locator("#text .mark.active").or_(page.locator("#code"))).to_be_visible()
    page.goto(f"{live_server.url}/w/{token}")
    expect(page.locator("#code")).to_have_text(code)
    assert as_done(live_server, token, did)


def test_undone_stays_undone_after_a_reload(page: Page, live_server) -> None:
    """An undone decision is open again, here and after a reload, and keeps the work from being handed in."""
    token = to_tasks(page, live_server.url, "i4")
    look(page)
    page.keyboard.press("v")
    page.keyboard.press("u")
    settled(page)
    page.reload()
    expect(page.locator("#counted")).to_contain_text("0 of")
    answer = page.request.post(f"{live_server.url}/api/{token}/submit")
    assert answer.status == 409
    assert "0.0" in answer.json()["displays"] or len(answer.json()["displays"]) > 1
    assert len(stored(live_server, token)) == 1


def test_two_tabs(page: Page, live_server) -> None:
    """A second tab takes the same numbers: both tabs' decisions are stored, each once, and one is told."""
    token = to_tasks(page, live_server.url, "i5")
    other = watched(page.context.new_page())
    other.goto(page.url)
    other.locator("#text .mark.active").wait_for()
    first = active(page)
    page.keyboard.press("v")
    settled(page)
    other.keyboard.press("n")
    second = active(other)
    other.keyboard.press("r")
    settled(other)
    expect(other.locator("#notice")).to_contain_text("another tab")
    expect(other.locator("#counted")).to_contain_text("2 of")
    assert stored(live_server, token) == [(first, 1, "verify", None), (second, 2, "remove", None)]
    page.bring_to_front()
    decide_all(other)
    settled(other)
    assert once(stored(live_server, token))
    assert other.complaints == []


def test_second_tab_after_handing_in(page: Page, live_server) -> None:
    """What a forgotten tab decides after the work was handed in is refused, and said."""
    to_tasks(page, live_server.url, "i6")
    other = watched(page.context.new_page())
    other.goto(page.url)
    other.locator("#text .mark.active").wait_for()
    decide_all(page)
    settled(page)
    page.locator("#submit").click()
    page.locator("#code").wait_for()
    look(other)
    other.keyboard.press("v")
    expect(other.locator("#notice")).to_contain_text("no longer open")
    other.close(run_before_unload=False)


def test_double_click_decides_once(page: Page, live_server) -> None:
    """A double click on a choice decides the display that was shown, and the next by no accident twice."""
    token = to_tasks(page, live_server.url, "i7")
    look(page)
    page.locator(".action", has_text="Remove").dblclick()
    settled(page)
    assert [row[2] for row in stored(live_server, token)] == ["remove"]
