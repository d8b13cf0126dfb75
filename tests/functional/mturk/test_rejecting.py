"""Exceptions: rejections by a person, few, undone where asked; what platform and study disagree about."""

from decimal import Decimal

import pytest

from analysis.errors import InputError, StateError
from tests.support.campaign import Breaking, Killed, campaign, handed_in, ready, requester, work
from tests.support.crowds import NOON
from tests.support.mturk import Person
from tests.support.mturk import requester as boto
from verifier.crowd import collecting, paying, publishing, rejecting, review
from verifier.crowd.rejecting import Wanted
from verifier.store import crowd
from verifier.store.models import Place

WHY = "Every name was verified within a second."


@pytest.fixture
def running(tiny_blank, tmp_path):
    """Two places handed in and collected; nothing is decided."""
    with ready(tiny_blank, tmp_path / "campaign", 2) as (opened, platform):
        with opened.write() as session:
            for row in crowd.submitted(session):
                row.decision = row.decided = None
        yield opened, platform


def statuses(platform):
    return [row["status"] for row in platform.service.statement()["assignments"]]


def committed(study):
    with study.read() as session:
        return crowd.committed(session)


def reject(study, number, account=None):
    return rejecting.reject(study, account or requester(study), [Wanted(number, "", WHY)], now=NOON)


def undo(study, number, account=None):
    return rejecting.override(study, account or requester(study), [number], now=NOON)


def money(study, platform):
    """Ledger and platform have committed the same, in cents."""
    told = platform.service.statement()
    assert int(committed(study) * 100) == 1_000_000 - told["balance"] + told["held"]


def test_a_rejection_is_carried_out_once_and_frees_the_money(study, platform):
    before = committed(study)
    assert reject(study, 1) == 1
    assert statuses(platform) == ["Rejected", "Submitted"]
    assert committed(study) == before - Decimal("1.20")
    assert reject(study, 1) == 0
    with pytest.raises(InputError, match="decided already"):
        rejecting.check(study, [Wanted(1, "", "Other words than before, as many.")])
    money(study, platform)


def test_what_was_rejected_is_not_approved_by_the_review(study, platform):
    reject(study, 1)
    review.decide(study, confirm="tiny", now=NOON)
    assert paying.pay(study, requester(study), now=NOON).done == 1
    assert statuses(platform) == ["Rejected", "Approved"]
    money(study, platform)


def test_a_rejection_is_undone_and_paid_once(study, platform):
    reject(study, 1)
    assert undo(study, 1) == 1
    assert statuses(platform) == ["Approved", "Submitted"]
    assert paying.pay(study, requester(study), now=NOON).done == 0
    assert undo(study, 1) == 0
    with pytest.raises(InputError, match="not rejected"):
        undo(study, 2)
    money(study, platform)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_killed_at_the_call_and_run_again_each_is_done_once(study, platform, after):
    with pytest.raises(Killed):
        reject(study, 1, Breaking(requester(study), "reject", 1, after=after))
    assert rejecting.resume(study, requester(study), now=NOON) == 1
    assert statuses(platform)[0] == "Rejected"
    money(study, platform)
    with pytest.raises(Killed):
        undo(study, 1, Breaking(requester(study), "override", 1, after=after))
    assert rejecting.resume(study, requester(study), now=NOON) == 1
    assert statuses(platform)[0] == "Approved"
    money(study, platform)


def test_rejections_are_few(study):
    reject(study, 1)
    with pytest.raises(StateError, match="too many would be rejected"):
        reject(study, 2)


def test_a_rejection_needs_words_and_something_handed_in(study):
    with pytest.raises(InputError) as caught:
        rejecting.check(study, [Wanted(1, "", "bad"), Wanted(99, "", WHY)])
    assert [problem.what for problem in caught.value.problems] == [
        "the feedback does not suffice",
        "nothing was handed in under this number",
    ]


def test_undoing_too_late_is_said_and_costs_nothing(study, platform):
    reject(study, 1)
    platform.service.state.advance(31 * 24 * 3600)
    with pytest.raises(StateError, match="no longer lets this rejection be overridden"):
        undo(study, 1)
    with study.read() as session:
        assert session.get(Place, 1).state == "closed"


def test_undoing_never_passes_the_cap(tiny_blank, tmp_path, empty):
    with campaign(tiny_blank, tmp_path / "small", empty, cap="2.40") as small:
        handed_in(small, empty, 1)
        with small.write() as session:
            crowd.assignment(session, 1).decision = None
        reject(small, 1)
        publishing.publish(small, requester(small), "local", places=2, now=NOON)
        with pytest.raises(StateError, match="cap would be passed"):
            undo(small, 1)


def test_what_somebody_decides_on_the_site_wins(study, platform):
    hosted = platform.service.statement()["assignments"]
    boto(platform).reject_assignment(AssignmentId=hosted[0]["id"], RequesterFeedback=WHY)
    before = committed(study)
    collecting.collect(study, requester(study), "local", now=NOON, live=True)
    assert committed(study) == before - Decimal("1.20")
    boto(platform).approve_assignment(AssignmentId=hosted[0]["id"], OverrideRejection=True)
    collecting.collect(study, requester(study), "local", now=NOON, live=True)
    assert committed(study) == before
    money(study, platform)


def test_conflicts_with_the_platform_wait_for_a_person(tiny_blank, tmp_path, empty):
    """Who handed in there and not here is in the queue, and is paid or rejected on a person's word."""
    with campaign(tiny_blank, tmp_path / "odd", empty) as study:
        publishing.publish(study, requester(study), "local", places=2, now=NOON)
        one, two = empty.service.statement()["hits"][:2]
        assignment, _ = work(study, empty, one["id"], "A1", NOON, tasks=0)
        Person(empty, "A1").submit(assignment)
        Person(empty, "A2").do(two["id"])
        for _ in range(2):
            found = collecting.collect(study, requester(study), "local", now=NOON, live=True)
            assert found.found == {"incomplete": 1, "unknown": 1}
        with study.write() as session:
            crowd.assignment(session, 1).state = "expired"
        entries = {entry.assignment: entry for entry in review.queue(study).entries}
        assert {(e.category, e.proposal) for e in entries.values()} == {("conflict", "look")}
        reject(study, 2)
        review.decide(study, confirm="tiny", now=NOON, approve=[1])
        assert paying.pay(study, requester(study), now=NOON).done == 1
        assert statuses(empty) == ["Approved", "Rejected"]
        money(study, empty)


def test_who_is_flagged_sees_no_study_of_the_account(study, platform):
    with study.write() as session:
        crowd.exclude(session, 1, "failed the controls")
    assert paying.exclude(study, requester(study), now=NOON) == 1
    assert paying.exclude(study, requester(study), now=NOON) == 0
    kinds = boto(platform).list_qualification_types(MustBeRequestable=False, Query="excluded")
    (kind,) = kinds["QualificationTypes"]
    granted = boto(platform).list_workers_with_qualification_type(
        QualificationTypeId=kind["QualificationTypeId"]
    )
    assert [row["WorkerId"] for row in granted["Qualifications"]] == ["A0"]


def test_the_command_rejects_and_undoes_on_the_studys_name(study, platform, posthoc):
    asked = ("review", study.path, "--reject", 1, "--feedback")
    assert "does not suffice" in posthoc(*asked, "bad").err
    assert "Nothing was decided" in posthoc(*asked, WHY).out
    ran = posthoc(*asked, WHY, "--live", "--confirm", "tiny")
    assert "Rejected: 1." in ran.err, ran.err
    assert statuses(platform) == ["Rejected", "Approved"]
    ran = posthoc("review", study.path, "--override", 1, "--live", "--confirm", "tiny")
    assert "Rejections undone, and paid: 1." in ran.err, ran.err
    assert statuses(platform) == ["Approved", "Approved"]
    money(study, platform)
