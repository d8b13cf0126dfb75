"""Bonuses on the local Prolific: each paid once, or left to a person; and work that is asked back."""

from decimal import Decimal

import pytest

from analysis.errors import InputError, StateError
from tests.support.campaign import QUICK, Breaking, Killed
from tests.support.crowds import NOON, judge
from tests.support.prolific import Participant, campaign, come, handed_in, only, requester, statuses
from verifier.crowd import asking_back, bonus_file, bonuses, collecting, paying, publishing
from verifier.crowd.localprolific.server import LocalProlific
from verifier.store import crowd, ledger


@pytest.fixture
def platform():
    with LocalProlific() as running:
        yield running


@pytest.fixture
def study(tiny_blank, tmp_path, platform):
    """Two places handed in on both sides, approved here and paid there."""
    with campaign(tiny_blank, tmp_path / "campaign", platform) as opened:
        handed_in(opened, platform, 2)
        paying.pay(opened, requester(opened), now=NOON)
        yield opened


@pytest.fixture
def two(tmp_path):
    path = tmp_path / "bonuses.csv"
    path.write_text("assignment,amount,reason\n1,0.50,Thorough\n2,0.25,It took long\n", encoding="utf-8")
    return bonus_file.read(path)


def sent(platform):
    lines = platform.service.statement()["payments"]
    return [(line["amount"], line["fee"]) for line in lines if line["kind"] == "bonus"]


def states(study):
    with study.read() as session:
        return [call.state for call in ledger.calls(session, "bonus")]


def money_agrees(study, platform):
    told = platform.service.statement()
    with study.read() as session:
        assert crowd.committed(session) * 100 == 1_000_000 - told["balance"] + told["held"]


def as_found(study, platform):
    """What a person does: look on the platform which bonuses were paid, and put it on record."""
    with study.read() as session:
        unknown = [(call.id, call.request) for call in ledger.calls(session, "bonus", "unknown")]
        hosted = {person.assignment: person.hosted for person in ledger.participations(session)}
    for number, request in unknown:
        shown = [
            line["amount"]
            for line in platform.service.statement()["payments"]
            if line["kind"] == "bonus" and line["subject"] == hosted[request["assignment"]]
        ]
        paid = int(Decimal(request["amount"]) * 100) in shown
        bonuses.settle(study, number, paid=paid, now=NOON)


def test_bonuses_are_paid_once_with_prolifics_fee(study, platform, two):
    assert bonuses.offer(study, two).total == Decimal("0.50") + Decimal("0.22") + Decimal("0.25") + Decimal(
        "0.11"
    )
    assert bonuses.pay(study, requester(study), two, now=NOON) == bonuses.Paid(2, 0)
    assert bonuses.pay(study, requester(study), two, now=NOON) == bonuses.Paid(0, 0)
    assert sent(platform) == [(50, 22), (25, 11)]
    money_agrees(study, platform)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_a_bonus_whose_run_was_killed_goes_to_a_person_and_is_paid_once(study, platform, two, after):
    with pytest.raises(Killed):
        bonuses.pay(study, Breaking(requester(study), "send_bonus", 1, after=after), two, now=NOON)
    assert bonuses.pay(study, requester(study), two, now=NOON).unknown == 1
    as_found(study, platform)
    bonuses.pay(study, requester(study), two, now=NOON)
    assert sorted(sent(platform)) == [(25, 11), (50, 22)]
    assert set(states(study)) == {"done"}
    money_agrees(study, platform)


def test_an_answer_that_was_lost_is_made_good_by_what_prolific_shows(study, platform, two):
    platform.service.faults.ask("pay-bonus-payments", "drop", 1)
    assert bonuses.pay(study, requester(study), two, now=NOON) == bonuses.Paid(2, 0)
    assert len(sent(platform)) == 2


def test_a_server_error_at_the_paying_call_is_never_answered_by_paying_again(study, platform, two):
    platform.service.faults.ask("pay-bonus-payments", "before", 1)
    assert bonuses.pay(study, requester(study), two, now=NOON) == bonuses.Paid(1, 1)
    assert states(study) == ["unknown", "done"]
    assert bonuses.pay(study, requester(study), two, now=NOON) == bonuses.Paid(0, 0)
    as_found(study, platform)
    bonuses.pay(study, requester(study), two, now=NOON)
    assert sorted(sent(platform)) == [(25, 11), (50, 22)]
    money_agrees(study, platform)


@pytest.mark.parametrize("operation", ["pay-bonus-payments", "create-bonus-payments"])
def test_throttling_pays_nothing_and_the_next_run_does(study, platform, two, operation):
    platform.service.faults.ask(operation, "throttle", QUICK.attempts)
    with pytest.raises(StateError, match="was not paid"):
        bonuses.pay(study, requester(study), two, now=NOON)
    assert bonuses.pay(study, requester(study), two, now=NOON) == bonuses.Paid(2, 0)
    assert sorted(sent(platform)) == [(25, 11), (50, 22)]


def test_an_empty_workspace_pays_no_bonus_and_says_so(study, platform, two):
    platform.service.state.run("update account set balance = 0")
    with pytest.raises(StateError, match="too little money"):
        bonuses.pay(study, requester(study), two, now=NOON)
    assert not sent(platform)


def test_the_cap_holds_for_bonuses(study, platform, tmp_path):
    path = tmp_path / "much.csv"
    path.write_text("assignment,amount,reason\n1,14.00,Much\n", encoding="utf-8")
    with pytest.raises(StateError, match="cap would be passed"):
        bonuses.pay(study, requester(study), bonus_file.read(path), now=NOON)
    assert not sent(platform)


def test_what_cannot_be_paid_is_asked_back_once_and_what_can_is_not(tiny_blank, tmp_path, platform, posthoc):
    why = "There was a technical problem."
    with campaign(tiny_blank, tmp_path / "other", platform) as study:
        publishing.publish(study, requester(study), "local", places=2, now=NOON)
        for name, tasks in (("ann", 1), ("bob", 99)):
            participant = Participant(platform, name)
            judge(study, come(study, participant.take(only(platform))).token, tasks=tasks)
            participant.complete("NOCODE")
        collecting.collect(study, requester(study), "local", now=NOON, live=True)
        for numbers, reason, what in (
            ([1], "no", "suffice"),
            ([7], why, "nothing was"),
            ([2], why, "proposed"),
        ):
            with pytest.raises(InputError, match=what):
                asking_back.check(study, numbers, reason)
    for _ in range(2):
        ran = posthoc(
            *("review", study.path, "--ask-back", 1, "--feedback", why, "--live", "--confirm", "tiny")
        )
        assert ran.status == 0, ran.err
    assert [row["text"] for row in platform.service.state.all("select * from message")] == [why]
    assert statuses(platform) == ["AWAITING REVIEW", "APPROVED"]
