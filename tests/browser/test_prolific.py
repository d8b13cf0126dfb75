"""A participant of the local Prolific in a browser: opens the study, works, goes back to be reviewed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_assignment import decide_all
from tests.support import ports, serving_here
from tests.support.prolific import FEE, PAY, campaign, named, statuses
from verifier.crowd.localprolific.server import LocalProlific
from verifier.study import Study


@pytest.fixture
def platform() -> Iterator[LocalProlific]:
    """A local Prolific with nothing on it."""
    with LocalProlific() as running:
        yield running


@pytest.fixture
def study(tiny_blank, tmp_path, platform, posthoc) -> Iterator[Study]:
    """The tiny study, served on another site than the platform, two places published by the command."""
    port = ports.own()
    with (
        campaign(tiny_blank, tmp_path / "live", platform, public=f"http://localhost:{port}") as opened,
        serving_here.served(opened.path, port=port),
    ):
        ran = posthoc("publish", opened.path, "--places", 2, "--live", "--confirm", "tiny")
        assert (ran.status, ran.out.splitlines()[-1]) == (0, "Published 2 in local."), ran.err
        yield opened


def take_part(page: Page, platform: LocalProlific, name: str) -> None:
    """Log in, find the study and take a place."""
    page.goto(platform.site)
    page.get_by_label("Your participant id").fill(named(name))
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Take part").click()


def test_a_participant_opens_the_study_works_and_is_sent_back_to_be_reviewed(page, platform, study, posthoc):
    take_part(page, platform, "ann")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Start with the texts").click()
    page.locator("#text .mark.active").wait_for()
    assert statuses(platform) == ["ACTIVE"]
    decide_all(page, press=page.locator("body").press)
    expect(page.locator("#saving")).to_have_text("All saved")
    page.locator("#submit").click()
    page.locator("#finish").click()
    expect(page.get_by_text("your submission is complete and waits for review")).to_be_visible()
    assert page.url.startswith(f"{platform.site}/submissions/complete?cc=")
    assert statuses(platform) == ["AWAITING REVIEW"]
    ran = posthoc("collect", study.path, "--live", "--confirm", "tiny")
    assert (ran.status, ran.out) == (0, "     1  handed in on both sides\n1 of them are new.\n"), ran.err
    ran = posthoc("review", study.path, "--live", "--confirm", "tiny")
    assert "Approved on the platform: 1." in ran.err
    paid = [(line["amount"], line["fee"]) for line in platform.service.statement()["payments"]]
    assert (statuses(platform), paid) == (["APPROVED"], [(PAY, FEE)])


def test_who_does_not_agree_is_sent_back_with_a_code_of_its_own(page, platform, study, posthoc):
    take_part(page, platform, "ann")
    page.get_by_role("button", name="I do not agree").click()
    page.locator("#finish").click()
    expect(page.get_by_text("please return your submission")).to_be_visible()
    ran = posthoc("collect", study.path, "--live", "--confirm", "tiny")
    assert ran.out.startswith("     1  ended there by the code of who did not agree"), ran.err
