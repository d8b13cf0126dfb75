"""A campaign on the local Prolific: places published once, within the cap, whatever breaks in between."""

from decimal import Decimal

import pytest

from analysis.errors import InputError, StateError
from tests.support.campaign import QUICK, Breaking, Killed, publish, rows
from tests.support.crowds import NOON
from tests.support.prolific import FEE, PAY, campaign, only, requester
from verifier.crowd import campaigns, publishing
from verifier.crowd.localprolific.server import LocalProlific
from verifier.crowd.pacing import BusyError
from verifier.store import crowd, hosting
from verifier.store.models import Place, PlatformCall


@pytest.fixture
def platform():
    with LocalProlific() as running:
        yield running


@pytest.fixture
def study(tiny_blank, tmp_path, platform):
    with campaign(tiny_blank, tmp_path / "campaign", platform) as opened:
        yield opened


def close(study, places=None):
    return publishing.close(study, requester(study), "local", places=places, now=NOON)


def agree(study, platform):
    """Ledger and platform hold the same studies with the same places, line by line, and the same money."""
    told = platform.service.statement()
    out = {
        row["id"]: row["total_available_places"] for row in told["studies"] if row["status"] != "UNPUBLISHED"
    }
    calls = [call for call in rows(study, PlatformCall) if call.operation == "set places"]
    assert all(call.state in ("done", "failed") for call in calls)
    ours = {}
    for call in calls:
        if call.state == "done":
            ours[call.request["study"]] = call.request["total"]
    lost = {call.request["study"] for call in rows(study, PlatformCall) if call.operation == "stop study"}
    assert {key: total for key, total in ours.items() if key in out or key not in lost} == out
    paid = sum(line["amount"] + line["fee"] for line in told["payments"])
    with study.read() as session:
        assert crowd.committed(session) * 100 == told["held"] + paid


def test_every_place_that_is_needed_is_published_once(study, platform):
    needed = publishing.offer(study, "local").needed
    assert needed > 2
    assert publish(study) == needed
    assert publish(study) == 0
    (told,) = platform.service.statement()["studies"]
    assert (told["status"], told["total_available_places"]) == ("ACTIVE", needed)
    agree(study, platform)


def test_what_it_costs_is_said_before_and_is_what_prolific_puts_aside(study, platform):
    offer = publishing.offer(study, "local", 2)
    assert offer.total == 2 * Decimal(PAY + FEE) / 100
    publish(study, places=2)
    assert platform.service.statement()["held"] == 2 * (PAY + FEE)


def test_stages_enlarge_the_same_study(study, platform):
    assert [publish(study, places=n) for n in (1, 1, 3)] == [1, 0, 2]
    assert platform.service.statement()["studies"][0]["total_available_places"] == 3
    agree(study, platform)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
@pytest.mark.parametrize("name", ["create", "set_places"])
def test_a_run_killed_at_any_call_ends_in_one_study_with_each_place_once(study, platform, name, after):
    with pytest.raises(Killed):
        publish(study, Breaking(requester(study), name, 1, after=after), places=3)
    publish(study, places=3)
    assert publish(study, places=3) == 0
    assert len(platform.service.statement()["studies"]) == 1
    agree(study, platform)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_an_enlargement_that_was_killed_is_finished_first(study, platform, after):
    publish(study, places=1)
    with pytest.raises(Killed):
        publish(study, Breaking(requester(study), "set_places", 1, after=after), places=3)
    assert publishing.offer(study, "local").unfinished == 2
    assert publish(study, places=4) == 3
    agree(study, platform)


@pytest.mark.parametrize("record", ["conclude", "intend"])
@pytest.mark.parametrize("number", [1, 2])
def test_a_run_killed_at_a_record_ends_the_same(study, platform, monkeypatch, record, number):
    real, count = getattr(hosting, record), iter(range(1, 99))

    def broken(*given, **more):
        if next(count) == number:
            raise Killed
        return real(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(hosting, record, broken)
        with pytest.raises(Killed):
            publish(study, places=2)
    publish(study, places=2)
    assert len(platform.service.statement()["studies"]) == 1
    agree(study, platform)


@pytest.mark.parametrize("kind", ["drop", "before", "throttle"])
def test_faults_of_the_platform_are_ridden_out(study, platform, kind):
    for operation in (
        "create-study",
        "publish-study",
        "update-study",
        "create-participant-group",
        "get-studies",
    ):
        platform.service.faults.ask(operation, kind, 1)
    publish(study, places=2)
    platform.service.faults.ask("update-study", kind, 3)
    publish(study, places=3)
    assert len(platform.service.statement()["studies"]) == 1
    agree(study, platform)


@pytest.mark.parametrize("operation", ["create-study", "update-study"])
def test_an_hour_of_throttling_is_said_and_the_next_run_goes_on(study, platform, operation):
    platform.service.faults.ask(operation, "throttle", QUICK.attempts)
    with pytest.raises(BusyError, match="busy"):
        publish(study, places=2)
    publish(study, places=2)
    agree(study, platform)


def test_a_draft_that_a_lagging_list_hid_is_removed_later(study, platform):
    with pytest.raises(Killed):
        publish(study, Breaking(requester(study), "create", 1, after=True), places=1)
    platform.service.faults.ask("get-studies", "lag", 1)
    publish(study, places=1)
    assert [row["status"] for row in platform.service.statement()["studies"]] == ["UNPUBLISHED", "ACTIVE"]
    agree(study, platform)


def test_the_cap_is_never_passed_and_said_before_anything_is_made(tiny_blank, tmp_path, platform):
    with campaign(tiny_blank, tmp_path / "small", platform, cap="3.00") as study:
        with pytest.raises(StateError, match="--places 2 fit"):
            publish(study)
        assert not platform.service.statement()["studies"]
        assert publish(study, places=2) == 2
        with pytest.raises(StateError, match="cap would be passed"):
            publish(study, places=3)
        agree(study, platform)


def test_an_empty_workspace_is_said_before_anything_is_made(tiny_blank, tmp_path):
    with LocalProlific(balance=100) as poor, campaign(tiny_blank, tmp_path / "poor", poor) as study:
        with pytest.raises(StateError, match="too little money"):
            publish(study)
        assert not rows(study, Place)


def test_money_that_goes_while_publishing_leaves_the_ledger_as_the_platform_has_it(study, platform):
    publish(study, places=1)
    account = requester(study)
    account.balance = lambda: Decimal(1000)
    platform.service.state.run("update account set balance = 200")
    with pytest.raises(StateError, match="too little money"):
        publish(study, account, places=3)
    assert [place.state for place in rows(study, Place)] == ["open", "closed", "closed"]
    agree(study, platform)


def test_wrong_credentials_are_said(study, platform):
    platform.service.faults.ask("get-workspaces", "credentials", 1)
    with pytest.raises(StateError, match="does not accept the credentials"):
        publish(study)
    assert not rows(study, Place)


def test_no_token_and_no_sandbox_are_said(study, monkeypatch):
    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    with pytest.raises(StateError, match="no credentials for Prolific"):
        campaigns.requester(study, "production")
    with pytest.raises(InputError, match="no sandbox"):
        publishing.offer(study, "sandbox")


def test_a_fee_that_is_not_prolifics_is_refused_and_the_right_one_named(tiny_blank, tmp_path):
    with LocalProlific(fee_percent=Decimal(50)) as dear, campaign(tiny_blank, tmp_path / "s", dear) as study:
        with pytest.raises(StateError) as refused:
            publish(study)
        assert "got 42.8" in str(refused.value)
        assert "expected 50," in str(refused.value)
        assert not rows(study, Place)


def test_a_study_deleted_by_hand_costs_nothing_more_and_the_next_publish_makes_another(study, platform):
    publish(study, places=2)
    platform.service.remove(only(platform))
    with pytest.raises(StateError, match="not on Prolific any more"):
        publish(study, places=3)
    assert {place.state for place in rows(study, Place)} == {"closed"}
    assert publish(study, places=2) == 2
    agree(study, platform)


def test_extending_a_deleted_study_says_how_many_went(study, platform):
    publish(study, places=2)
    platform.service.remove(only(platform))
    moved = publishing.extend(study, requester(study), "local", places=None, now=NOON)
    assert (moved.done, moved.gone) == (0, 2)


def test_closing_stops_the_study_and_frees_the_money_and_the_next_publish_makes_another(study, platform):
    publish(study, places=3)
    with pytest.raises(StateError, match="cannot take single places back"):
        close(study, places=1)
    assert close(study).done == 3
    assert platform.service.statement()["held"] == 0
    assert close(study).done == 0
    assert publish(study, places=1) == 1
    assert [row["status"] for row in platform.service.statement()["studies"]] == ["COMPLETED", "ACTIVE"]


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_a_close_that_was_killed_is_finished_by_the_next_publish(study, platform, after):
    publish(study, places=2)
    with pytest.raises(Killed):
        publishing.close(
            study, Breaking(requester(study), "close", 1, after=after), "local", places=None, now=NOON
        )
    assert publish(study, places=1) == 1
    assert platform.service.statement()["held"] == PAY + FEE
    with study.read() as session:
        assert crowd.committed(session) * 100 == PAY + FEE


def test_extending_starts_a_study_that_somebody_paused(study, platform):
    publish(study, places=1)
    platform.service.state.run("update study set status = 'PAUSED'")
    assert publishing.extend(study, requester(study), "local", places=None, now=NOON).done == 1
    assert platform.service.statement()["studies"][0]["status"] == "ACTIVE"
    publishing.extend(study, requester(study), "local", places=3, now=NOON)
    assert platform.service.statement()["studies"][0]["total_available_places"] == 3
    agree(study, platform)


def test_places_that_somebody_added_by_hand_are_seen(study, platform):
    publish(study, places=1)
    platform.service.state.run("update study set places = 9")
    with pytest.raises(StateError, match="more places on Prolific"):
        publish(study, places=2)


def test_a_study_that_somebody_stopped_by_hand_is_told(study, platform):
    publish(study, places=1)
    platform.service.state.run("update study set stopped = 1, status = 'COMPLETED'")
    with pytest.raises(StateError, match="stopped on Prolific"):
        publish(study, places=2)
    close(study)
    assert publish(study, places=1) == 1


def test_the_commands_say_first_what_they_would_do_and_cost(study, posthoc):
    publish(study, places=1)
    more = posthoc("extend", study.path, "--places", 3)
    assert "To publish: 2, each 1.00 and a fee of 0.43: 2.86 USD." in more.out
    assert posthoc("extend", study.path).out.startswith("Would extend 1 open places; what they may cost is")
    stop = posthoc("close", study.path)
    assert stop.out.startswith("Would close 1 places and stop the study there, for good.")
    assert "--environment local" in stop.out
    ran = posthoc("close", study.path, "--live", "--confirm", "tiny")
    assert ran.out == "Closed 1 places; at 0 somebody is at work; 0 were gone.\n"
