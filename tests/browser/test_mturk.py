"""A worker on the local MTurk in a browser: finds the HIT, works in its frame on another site, hands in."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import FrameLocator, Page, expect
from sqlalchemy import update

from tests.browser.test_assignment import decide_all, settled
from tests.support import ports, serving_here, wikipedia, worker_study
from tests.support.campaign import campaign
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.kb.images import Images
from verifier.store.models import CardRow
from verifier.study import Study

THIRD_PARTY_COOKIE = "() => { document.cookie = 'a=1; SameSite=None; Secure'; return document.cookie; }"


@pytest.fixture
def platform() -> Iterator[LocalMTurk]:
    """A local MTurk with nothing on it."""
    with LocalMTurk() as running:
        yield running


@pytest.fixture
def study(tiny_blank, tmp_path, platform, posthoc) -> Iterator[Study]:
    """The tiny study, served on another site than the platform, two places published by the command."""
    port = ports.own()
    public = f"http://localhost:{port}"
    with (
        campaign(tiny_blank, tmp_path / "live", platform, public=public) as opened,
        serving_here.served(opened.path, port=port),
    ):
        ran = posthoc("publish", opened.path, "--places", 2, "--live", "--confirm", "tiny")
        assert (ran.status, ran.out.splitlines()[-1]) == (0, "Published 2 in local."), ran.err
        yield opened


def accept(page: Page, platform: LocalMTurk, worker: str) -> FrameLocator:
    """Find, preview and accept the first HIT; the frame."""
    page.goto(platform.site)
    page.get_by_label("Your worker id").fill(worker)
    page.get_by_role("button", name="Go in").click()
    page.get_by_role("link", name="Preview").click()
    frame = page.frame_locator("#question")
    expect(frame.get_by_role("button", name="I agree")).to_have_count(0)
    page.get_by_role("button", name="Accept").click()
    page.wait_for_url("**/assignment/**")
    return frame


def to_tasks(frame: FrameLocator) -> None:
    """Go through the steps before the tasks."""
    frame.get_by_role("button", name="I agree").click()
    frame.get_by_role("button", name="Continue").click()
    frame.get_by_role("button", name="Start with the texts").click()
    frame.locator("#text .mark.active").wait_for()


def with_images(study: Study) -> None:
    """Every card of the study gets an image, as a plan gives it one."""
    name = Images(study.file(study.config.kb.file)).keep(wikipedia.PNG)
    with study.write() as session:
        session.execute(update(CardRow).values(image=name, image_credit="Ann, CC0"))


def test_a_worker_finds_previews_accepts_works_in_the_frame_and_hands_in(page, platform, study, posthoc):
    with_images(study)
    frame = accept(page, platform, "A1")
    to_tasks(frame)
    # Images and who made them are shown there too, from our own address.
    expect(frame.locator(".card-image-by")).to_have_text("Image: Ann, CC0")
    expect(frame.locator(".card-image")).to_have_js_property("naturalWidth", 1)
    # In a frame of another site the browser keeps no cookie, whatever a page says.
    assert frame.locator("body").evaluate(THIRD_PARTY_COOKIE) == ""
    did = decide_all(frame, "rvv", frame.locator("body").press)
    settled(frame)
    token = re.search(r"/w/([^/?#]+)", page.frames[1].url)[1]
    assert [(row[0], *row[2:]) for row in worker_study.judgments(study, token)] == did
    frame.locator("#submit").click()
    frame.locator("#finish").click()
    expect(frame.get_by_text("Your work was submitted.")).to_be_visible()
    assert not page.context.cookies()
    statuses = [row["status"] for row in platform.service.statement()["assignments"]]
    assert statuses == ["Submitted"]
    ran = posthoc("collect", study.path, "--live", "--confirm", "tiny")
    assert (ran.status, ran.out) == (0, "     1  handed in on both sides\n1 of them are new.\n"), ran.err
    ran = posthoc("review", study.path, "--live", "--confirm", "tiny")
    assert "Approved on the platform: 1." in ran.err
    statement = httpx.get(f"{platform.endpoint}/_local/statement").json()
    assert [(line["amount"], line["fee"]) for line in statement["payments"]] == [(100, 20)]


def test_who_returns_half_way_leaves_the_work_to_another(page, platform, study):
    frame = accept(page, platform, "A1")
    to_tasks(frame)
    # Where a frame of another site has just been drawn, a click by coordinates may still go to that frame.
    page.locator("#return").evaluate("button => button.click()")
    page.wait_for_url("**/worker/A1")
    frame = accept(page, platform, "A2")
    to_tasks(frame)
    statuses = [(row["worker"], row["status"]) for row in platform.service.statement()["assignments"]]
    assert statuses == [("A1", "Returned"), ("A2", "Accepted")]
    assert study.config.platform.kind == "mturk"
