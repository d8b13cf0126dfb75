"""Bonuses: read from a file, each paid once within the cap, whatever breaks in between."""

from decimal import Decimal

import pytest

from analysis.errors import InputError, StateError
from tests.support.campaign import QUICK, Breaking, Killed, campaign, handed_in, ready, requester
from tests.support.crowds import NOON
from verifier.crowd import bonus_file, bonuses, fairness, paying
from verifier.crowd.base import UnknownOutcomeError
from verifier.crowd.pacing import BusyError
from verifier.store import crowd, ledger


@pytest.fixture
def running(tiny_blank, tmp_path):
    """Three places handed in on both sides and approved here, not there."""
    with ready(tiny_blank, tmp_path / "campaign", 3) as (opened, platform):
        yield opened, platform


def asked(tmp_path, *lines, header="assignment,amount,reason"):
    path = tmp_path / "bonuses.csv"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return bonus_file.read(path)


@pytest.fixture
def three(tmp_path):
    return asked(tmp_path, "1,0.50,Thorough", "2,0.50,Thorough", "3,0.25,It took long")


def sent(platform):
    lines = platform.service.statement()["payments"]
    return sorted((line["amount"], line["fee"]) for line in lines if line["kind"] == "bonus")


def calls(study):
    with study.read() as session:
        return ledger.calls(session, "bonus")


def agree(study, platform, count=3):
    """Ledger and platform name the same bonuses, line by line, and the same money."""
    ours = sorted(int(Decimal(call.amount) * 100) for call in calls(study) if call.state == "done")
    assert ours == sorted(amount + fee for amount, fee in sent(platform))
    assert len(ours) == count
    told = platform.service.statement()
    with study.read() as session:
        assert int(crowd.committed(session) * 100) == 1_000_000 - told["balance"] + told["held"]


def test_a_dry_run_says_what_it_would_cost_and_pays_nothing(study, platform, three):
    found = bonuses.offer(study, three)
    assert (len(found.due), found.total) == (3, Decimal("1.50"))
    assert not sent(platform)


def test_the_same_file_pays_once_however_often_it_is_used(study, platform, three):
    assert bonuses.pay(study, requester(study), three, now=NOON).done == 3
    assert bonuses.pay(study, requester(study), three, now=NOON).done == 0
    assert bonuses.offer(study, three).before == 3
    assert sent(platform) == [(25, 5), (50, 10), (50, 10)]
    agree(study, platform)


def test_a_bonus_stands_with_its_assignment(study, three):
    bonuses.pay(study, requester(study), three, now=NOON)
    with study.read() as session:
        assert [person.paid for person in ledger.participations(session)] == [
            Decimal("0.50"),
            Decimal("0.50"),
            Decimal("0.25"),
        ]


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
@pytest.mark.parametrize("days", [0, 2])
def test_a_run_killed_at_a_call_pays_each_once(study, platform, three, after, days):
    with pytest.raises(Killed):
        bonuses.pay(study, Breaking(requester(study), "send_bonus", 2, after=after), three, now=NOON)
    assert bonuses.offer(study, three).unfinished == 1
    platform.service.state.advance(days * 24 * 3600)
    platform.service.faults.ask("ListBonusPayments", "short", 1)
    assert bonuses.pay(study, requester(study), three, now=NOON).done == 2
    agree_money = sent(platform)
    assert agree_money == [(25, 5), (50, 10), (50, 10)]


def test_a_run_killed_after_the_record_goes_on_behind_it(study, platform, three, monkeypatch):
    concluded = bonuses._conclude

    def conclude(session, *rest):
        concluded(session, *rest)
        session.commit()
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(bonuses, "_conclude", conclude)
        with pytest.raises(Killed):
            bonuses.pay(study, requester(study), three, now=NOON)
    assert bonuses.pay(study, requester(study), three, now=NOON).done == 2
    agree(study, platform)


@pytest.mark.parametrize("kind", ["drop", "before", "throttle"])
def test_faults_of_the_platform_are_ridden_out(study, platform, three, kind):
    platform.service.faults.ask("SendBonus", kind, 3)
    bonuses.pay(study, requester(study), three, now=NOON)
    agree(study, platform)


def test_an_hour_of_throttling_is_said_and_the_next_run_goes_on(study, platform, three):
    platform.service.faults.ask("SendBonus", "throttle", QUICK.attempts)
    with pytest.raises(BusyError):
        bonuses.pay(study, requester(study), three, now=NOON)
    bonuses.pay(study, requester(study), three, now=NOON)
    agree(study, platform)


def test_the_cap_holds_for_bonuses_too(tiny_blank, tmp_path, empty):
    with campaign(tiny_blank, tmp_path / "small", empty, cap="1.50") as small:
        handed_in(small, empty, 1)
        with pytest.raises(StateError, match="cap would be passed"):
            bonuses.pay(small, requester(small), asked(tmp_path, "1,0.50,Thorough"), now=NOON)
        bonuses.pay(small, requester(small), asked(tmp_path, "1,0.25,Thorough"), now=NOON)
        paying.pay(small, requester(small), now=NOON)
        agree(small, empty, 1)


class Silent:
    """A requester of a platform whose bonuses may be paid twice, and which never answers."""

    def balance(self):
        """Plenty."""
        return Decimal(100)

    def send_bonus(self, _bonus):
        """Perhaps."""
        raise UnknownOutcomeError("the connection was lost")


def test_what_is_not_known_counts_as_spent_and_goes_to_a_person(study, tmp_path):
    one = asked(tmp_path, "1,0.50,Thorough")
    assert bonuses.pay(study, Silent(), one, now=NOON) == bonuses.Paid(0, 1)
    (number,) = bonuses.offer(study, one).unknown
    with study.read() as session:
        assert ledger.bonuses(session) == Decimal("0.60")
    bonuses.settle(study, number, paid=False, now=NOON)
    assert len(bonuses.offer(study, one).due) == 1
    with pytest.raises(InputError, match="waits for a person"):
        bonuses.settle(study, number, paid=True, now=NOON)


def test_every_fault_of_a_file_is_listed(tmp_path):
    with pytest.raises(InputError) as caught:
        asked(tmp_path, "x,1,a", "1,-1,a", "1,1,", "1,0.001,a", ",1,a")
    assert len(caught.value.problems) == 5
    with pytest.raises(InputError, match="columns"):
        asked(tmp_path, header="who,amount,reason")


def test_strangers_and_doubles_are_named(study, tmp_path):
    with pytest.raises(InputError) as caught:
        bonuses.offer(study, asked(tmp_path, "99,1,a", "1,1,b", "1,1.00,b"))
    assert [problem.what for problem in caught.value.problems] == [
        "nobody handed in under this name",
        "the same bonus is asked for twice",
    ]


def test_a_top_up_makes_good_what_was_promised(study):
    with study.write() as session:
        for row in crowd.submitted(session):
            row.active_seconds = 2 * 60 * float(study.config.place.minutes)
    found = fairness.fairness(study)
    assert found.lived == found.planned / 2
    assert found.top_up == study.config.place.pay
    assert found.assignments == (1, 2, 3)


def test_too_few_people_say_nothing_about_pay(study):
    with study.write() as session:
        for row in crowd.submitted(session)[:1]:
            row.active_seconds = None
    assert fairness.fairness(study).lived is None


def test_the_command_says_first_and_pays_on_the_studys_name(study, platform, tmp_path, posthoc):
    (tmp_path / "b.csv").write_text("worker,amount,reason\nwX,0.50,Thorough\n", encoding="utf-8")
    asked = ("bonus", study.path, tmp_path / "b.csv")
    assert "nobody handed in under this name" in posthoc(*asked).err
    with study.read() as session:
        name = ledger.participations(session)[0].worker
    (tmp_path / "b.csv").write_text(f"worker,amount,reason\n{name},0.50,Thorough\n", encoding="utf-8")
    assert "To pay: 1 bonuses, 0.60 USD with fees" in posthoc(*asked).out
    assert "another name" in posthoc(*asked, "--live", "--confirm", "other").err
    assert not sent(platform)
    ran = posthoc(*asked, "--live", "--confirm", "tiny")
    assert (ran.status, "Paid 1 bonus." in ran.out) == (0, True), ran.err
    assert sent(platform) == [(50, 10)]
    assert posthoc("bonus", study.path).status == 1


def test_the_command_proposes_a_top_up_that_it_can_pay(study, platform, tmp_path, posthoc):
    with study.write() as session:
        for row in crowd.submitted(session):
            row.active_seconds = 330
    ran = posthoc("bonus", study.path, "--propose", tmp_path / "top-up.csv")
    assert "A top-up of 0.10 for each of 3, 0.30 USD" in ran.out, ran.err
    ran = posthoc("bonus", study.path, tmp_path / "top-up.csv", "--live", "--confirm", "tiny")
    assert ran.status == 0, ran.err
    assert sent(platform) == [(10, 2)] * 3
    assert "No top-up is due" in posthoc("bonus", study.path, "--propose", tmp_path / "more.csv").out
