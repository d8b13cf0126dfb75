"""A campaign on the local MTurk: published once, within the cap, collected, whatever breaks in between."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select, update

from analysis.errors import InputError, StateError
from tests.support.campaign import (
    QUICK,
    Breaking,
    Killed,
    campaign,
    come,
    handed_in,
    publish,
    requester,
    rows,
    work,
)
from tests.support.crowds import NOON, judge, planned
from tests.support.mturk import Person
from tests.support.mturk import requester as boto
from verifier.config import BudgetSection, MTurkPlatform, ServerSection
from verifier.crowd import bonuses, campaigns, collecting, paying, publishing, rejecting, review
from verifier.crowd.bonus_file import Asked
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.crowd.mturk import PREVIEW
from verifier.crowd.pacing import BusyError
from verifier.crowd.submission import submit
from verifier.rehearse.account import account
from verifier.rehearse.platforms import mturk_told
from verifier.store import crowd
from verifier.store.models import AssignmentRow, ControlRow, Event, Place, PlatformCall, Vault


@pytest.fixture
def platform():
    with LocalMTurk() as running:
        yield running


@pytest.fixture
def study(tiny_blank, tmp_path, platform):
    with campaign(tiny_blank, tmp_path / "campaign", platform) as opened:
        yield opened


def collect(study, *, live=True):
    return collecting.collect(study, requester(study), "local", now=NOON, live=live)


def hits(platform):
    return platform.service.statement()["hits"]


def agree(study, platform):
    """Ledger and platform hold the same places, line by line, and the same money."""
    made = [
        (call.token, call.outcome["platform_place"]) for call in rows(study, PlatformCall) if call.outcome
    ]
    assert sorted(made) == sorted((hit["annotation"], hit["id"]) for hit in hits(platform))
    alive = [place for place in rows(study, Place) if place.state != "closed"]
    assert sorted(place.platform_place for place in alive) == sorted(hit["id"] for hit in hits(platform))
    with study.read() as session:
        assert crowd.committed(session) * 100 == platform.service.statement()["held"]


def test_a_dry_run_says_what_it_would_cost_and_does_nothing(study, platform):
    offer = publishing.offer(study, "local")
    assert offer.places == offer.needed > 2
    assert offer.total == offer.places * Decimal("1.20")
    assert not hits(platform)
    assert not rows(study, Place)


def test_every_place_that_is_needed_is_published_once(study, platform):
    needed = publishing.offer(study, "local").needed
    assert publish(study) == needed
    assert publish(study) == 0
    assert len(hits(platform)) == needed
    agree(study, platform)


def test_stages_count_what_is_out_already(study, platform):
    assert [publish(study, places=1), publish(study, places=1), publish(study, places=3)] == [1, 0, 2]
    agree(study, platform)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_run_killed_at_any_call_ends_in_each_place_once(study, platform, number, after):
    needed = publishing.offer(study, "local").needed
    with pytest.raises(Killed):
        publish(study, Breaking(requester(study), "create", number, after=after))
    assert publishing.offer(study, "local").unfinished == 1
    assert publish(study) == needed - number + 1
    assert len(hits(platform)) == needed
    agree(study, platform)


def test_a_run_killed_after_the_last_record_has_done_all(study, platform, monkeypatch):
    needed = publishing.offer(study, "local").needed
    recorded = publishing._record
    count = iter(range(needed))

    def record(*arguments):
        recorded(*arguments)
        if next(count) == needed - 1:
            arguments[0].commit()
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "_record", record)
        with pytest.raises(Killed):
            publish(study)
    assert publishing.offer(study, "local").unfinished == 0
    assert publish(study) == 0
    agree(study, platform)


def test_a_kill_more_than_a_day_ago_is_found_in_the_platforms_list(study, platform):
    with pytest.raises(Killed):
        publish(study, Breaking(requester(study), "create", 1, after=True))
    platform.service.state.advance(25 * 3600)
    publish(study)
    agree(study, platform)


def test_a_kill_just_now_is_found_by_its_token_though_lists_lag(study, platform):
    with pytest.raises(Killed):
        publish(study, Breaking(requester(study), "create", 1, after=True))
    platform.service.faults.ask("ListHITs", "lag", 1)
    publish(study)
    agree(study, platform)


@pytest.mark.parametrize("kind", ["drop", "before", "throttle"])
def test_faults_of_the_platform_are_ridden_out(study, platform, kind):
    platform.service.faults.ask("CreateHITWithHITType", kind, 3)
    platform.service.faults.ask("GetAccountBalance", kind, 2)
    platform.service.faults.ask("CreateHITType", kind, 2)
    publish(study)
    agree(study, platform)


@pytest.mark.parametrize("kind", ["drop", "before", "throttle"])
def test_an_hour_of_faults_is_said_and_the_next_run_goes_on(study, platform, kind):
    platform.service.faults.ask("CreateHITWithHITType", kind, QUICK.attempts)
    if kind == "drop":
        # The first try was done; the second is told so.
        publish(study)
    else:
        with pytest.raises(BusyError):
            publish(study)
    publish(study)
    agree(study, platform)


def test_the_cap_is_never_passed_and_said_before_anything_is_made(tiny_blank, tmp_path, platform):
    with campaign(tiny_blank, tmp_path / "small", platform, cap="2.50") as study:
        with pytest.raises(StateError, match="--places 2 fit"):
            publish(study)
        assert not hits(platform)
        assert publish(study, places=2) == 2
        with pytest.raises(StateError, match="cap would be passed"):
            publish(study, places=3)
        agree(study, platform)


def test_an_empty_account_is_said_before_anything_is_made(tiny_blank, tmp_path):
    with LocalMTurk(balance=100) as poor, campaign(tiny_blank, tmp_path / "poor", poor) as study:
        with pytest.raises(StateError, match="too little money"):
            publish(study)
        assert not rows(study, Place)


def test_wrong_credentials_are_said(study, platform):
    platform.service.faults.ask("GetAccountBalance", "credentials", 1)
    with pytest.raises(StateError, match="does not accept the credentials"):
        publish(study)


def test_no_cap_and_a_simulated_study_and_another_environment_are_refused(study):
    with pytest.raises(InputError, match="no such environment"):
        publishing.offer(study, "moon")
    publish(study, places=1)
    with pytest.raises(StateError, match="another environment"):
        publishing.offer(study, "sandbox")
    with study.write() as session:
        crowd.mark_simulated(session)
    with pytest.raises(StateError, match="simulated crowd"):
        publishing.offer(study, "local")


def test_controls_that_nobody_has_looked_at_go_before_nobody(study):
    with pytest.raises(StateError, match="nobody has confirmed"):
        publishing.publish(study, requester(study), "production", places=1, now=NOON)
    assert not rows(study, Place)
    with study.write() as session:
        session.execute(update(ControlRow).values(confirmed=NOON))
    campaigns.controls_confirmed(study, "production")


def test_an_address_at_which_nothing_answers_is_refused(study):
    with pytest.raises(StateError, match="does not answer there"):
        campaigns.reachable(study, "local")
    with pytest.raises(StateError, match="not https"):
        campaigns.reachable(study, "production")


def test_closing_frees_the_money_and_extending_keeps_a_place_open(study, platform):
    publish(study, places=3)
    platform.service.state.advance(80 * 3600)
    assert platform.service.statement()["held"] == 0
    # Our clock stands still: the platform's is put back to it, as it were, by extending from later.
    later = NOON.now(NOON.tzinfo) + timedelta(hours=90)
    done = publishing.extend(study, requester(study), "local", places=2, now=later)
    assert done.done == 2
    assert platform.service.statement()["held"] == 240
    assert publishing.close(study, requester(study), "local", places=None).done == 3
    assert platform.service.statement()["held"] == 0
    with study.read() as session:
        assert crowd.committed(session) == 0


def test_places_that_have_run_out_are_told_until_they_are_extended(study):
    publish(study, places=2)
    late = NOON + timedelta(hours=80)
    assert [publishing.run_out(study, NOON), publishing.run_out(study, late)] == [0, 2]
    publishing.extend(study, requester(study), "local", places=1, now=late)
    assert publishing.run_out(study, late) == 1


def test_closing_keeps_the_money_of_what_was_handed_in_there_and_frees_what_was_returned(study, platform):
    publish(study, places=3)
    one, two, _ = hits(platform)
    Person(platform, "A1").do(one["id"])
    assignment, _ = work(study, platform, two["id"], "A2", NOON, tasks=0)
    Person(platform, "A2").give_back(assignment)
    assert publishing.close(study, requester(study), "local", places=None) == publishing.Moved(2, at_work=1)
    assert [row.state for row in rows(study, AssignmentRow)] == ["returned"]
    with study.read() as session:
        assert crowd.committed(session) * 100 == platform.service.statement()["held"] == 120
    assert collect(study).found == {"unknown": 1}


def test_a_hit_deleted_by_hand_costs_nothing_more(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    boto(platform).update_expiration_for_hit(HITId=hit["id"], ExpireAt=NOON - timedelta(days=999))
    boto(platform).delete_hit(HITId=hit["id"])
    assert publishing.extend(study, requester(study), "local", places=None, now=NOON).gone == 1
    assert [place.state for place in rows(study, Place)] == ["closed"]


def test_a_worker_comes_works_hands_in_and_is_collected(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    assignment, token = work(study, platform, hit["id"], "A1", NOON)
    done = submit(study, token, NOON + timedelta(minutes=3))
    assert done.finish_url == f"{platform.site}/mturk/externalSubmit"
    assert done.fields["assignmentId"] == assignment
    assert Person(platform, "A1").submit(assignment, completion_code=done.code) == 200
    assert collect(study, live=False).found == {"matched": 1}
    assert not rows(study, Event)
    assert collect(study).new == 1
    again = collect(study)
    assert (again.found, again.new) == ({"matched": 1}, 0)


def test_who_took_part_does_not_see_the_next_place(study, platform):
    publish(study, places=2)
    first, second = hits(platform)
    assignment, token = work(study, platform, first["id"], "A1", NOON)
    submit(study, token, NOON)
    Person(platform, "A1").submit(assignment)
    collect(study)
    assert Person(platform, "A1").accept(second["id"]) is None
    assert Person(platform, "A2").accept(second["id"])


def test_a_preview_writes_nothing(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    assert come(study, hit["id"], PREVIEW, "", NOON).outcome == "preview"
    assert not rows(study, AssignmentRow)


def test_a_place_that_was_returned_goes_to_who_comes_next(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    first = Person(platform, "A1")
    assignment = first.accept(hit["id"])
    assert come(study, hit["id"], assignment, "A1", NOON).outcome == "working"
    assert first.give_back(assignment) == 303
    again, token = work(study, platform, hit["id"], "A2", NOON)
    assert again == assignment
    submit(study, token, NOON)
    Person(platform, "A2").submit(again)
    assert [row.state for row in rows(study, AssignmentRow)] == ["returned", "submitted"]
    assert collect(study).found == {"matched": 1}
    agree(study, platform)


def test_a_worker_who_took_another_place_keeps_what_he_has_done(study, platform):
    publish(study, places=2)
    first, second = hits(platform)
    _, token = work(study, platform, first["id"], "A1", NOON)
    moved = come(study, second["id"], Person(platform, "A1").accept(second["id"]), "A1", NOON)
    assert moved.token == token
    assert [place.state for place in rows(study, Place)] == ["open", "taken"]


def test_late_but_complete_work_is_taken_in(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    assignment, _ = work(study, platform, hit["id"], "A1", NOON)
    Person(platform, "A1").submit(assignment)
    assert collect(study).found == {"late": 1}
    assert [row.state for row in rows(study, AssignmentRow)] == ["submitted"]


def test_incomplete_unknown_and_other_workers_are_named(study, platform):
    publish(study, places=3)
    one, two, three = hits(platform)
    assignment, _ = work(study, platform, one["id"], "A1", NOON, tasks=0)
    Person(platform, "A1").submit(assignment)
    Person(platform, "A2").do(two["id"])
    third = Person(platform, "A3").accept(three["id"])
    forged = come(study, three["id"], third, "A4", NOON)
    assert forged.outcome == "working"
    judge(study, forged.token)
    submit(study, forged.token, NOON)
    Person(platform, "A3").submit(third)
    assert collect(study).found == {"incomplete": 1, "unknown": 1, "other worker": 1}


def test_what_the_platform_decided_by_itself_is_on_record(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    assignment, token = work(study, platform, hit["id"], "A1", NOON)
    submit(study, token, NOON)
    Person(platform, "A1").submit(assignment)
    platform.service.state.advance(121 * 3600)
    collect(study)
    assert [row.decision for row in rows(study, AssignmentRow)] == ["approve"]


def test_no_platform_id_of_a_worker_stands_outside_the_vault(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    assignment, token = work(study, platform, hit["id"], "AWORKERID", NOON)
    submit(study, token, NOON)
    Person(platform, "AWORKERID").submit(assignment)
    collect(study)
    told = [vars(row) for table in (AssignmentRow, Event, Place, PlatformCall) for row in rows(study, table)]
    assert "AWORKERID" not in str(told)
    with study.read() as session:
        assert session.scalar(select(Vault.platform_worker)) == "AWORKERID"


def payments(platform):
    return [line["subject"] for line in platform.service.statement()["payments"]]


def test_what_is_approved_here_is_approved_there_once(study, platform):
    handed_in(study, platform, 3)
    assert paying.pay(study, requester(study), now=NOON).done == 3
    assert paying.pay(study, requester(study), now=NOON).done == 0
    assert len(set(payments(platform))) == len(payments(platform)) == 3


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_paying_killed_at_a_call_pays_each_once(study, platform, after):
    handed_in(study, platform, 3)
    with pytest.raises(Killed):
        paying.pay(study, Breaking(requester(study), "approve", 2, after=after), now=NOON)
    assert paying.pay(study, requester(study), now=NOON).done == 2
    ledger = [call.request["assignment"] for call in rows(study, PlatformCall) if call.operation == "approve"]
    ours = {row.platform_assignment for row in rows(study, AssignmentRow) if row.id in ledger}
    assert sorted(payments(platform)) == sorted(ours)
    assert len(ledger) == 3


@pytest.mark.parametrize("kind", ["drop", "before", "throttle"])
def test_paying_rides_out_faults(study, platform, kind):
    handed_in(study, platform, 2)
    platform.service.faults.ask("ApproveAssignment", kind, 3)
    assert paying.pay(study, requester(study), now=NOON).done == 2
    assert len(payments(platform)) == 2


def test_what_was_not_handed_in_there_is_not_paid(study, platform):
    publish(study, places=1)
    (hit,) = hits(platform)
    _, token = work(study, platform, hit["id"], "A1", NOON)
    submit(study, token, NOON)
    review.decide(study, confirm="tiny", now=NOON)
    assert paying.pay(study, requester(study), now=NOON) == paying.Paid(0, 1)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
@pytest.mark.parametrize("name", ["submissions", "took_part"])
def test_collecting_killed_at_a_call_ends_the_same(study, platform, name, after):
    publish(study, places=2)
    for number, hit in enumerate(hits(platform)):
        assignment, token = work(study, platform, hit["id"], f"A{number}", NOON)
        submit(study, token, NOON)
        Person(platform, f"A{number}").submit(assignment)
    breaking = Breaking(requester(study), name, 2, after=after)
    with pytest.raises(Killed):
        collecting.collect(study, breaking, "local", now=NOON, live=True)
    collect(study)
    assert [row.kind for row in rows(study, Event)].count(collecting.EVENT) == 2
    kinds = boto(platform).list_qualification_types(MustBeRequestable=False)["QualificationTypes"]
    kind = kinds[0]["QualificationTypeId"]
    granted = boto(platform).list_workers_with_qualification_type(QualificationTypeId=kind)
    assert granted["NumResults"] == 2


def test_a_whole_campaign_runs_on_every_database(any_tiny_study, platform):
    study = planned(any_tiny_study)
    hosted = MTurkPlatform(endpoint_url=platform.endpoint, worker_url=platform.site)
    server = ServerSection(public_url="http://127.0.0.1:9")
    update = {"platform": hosted, "budget": BudgetSection(cap=Decimal(20)), "server": server}
    study = type(study)(study.path, study.config.model_copy(update=update), study.secrets, study.store)
    with pytest.raises(Killed):
        publish(study, Breaking(requester(study), "create", 2, after=True))
    handed_in(study, platform, 3)
    with study.write() as session:
        crowd.assignment(session, 3).decision = None
    unwanted = [rejecting.Wanted(3, "", "Nothing was read at all.")]
    assert rejecting.reject(study, requester(study), unwanted, now=NOON) == 1
    assert paying.pay(study, requester(study), now=NOON).done == 2
    assert rejecting.override(study, requester(study), [3], now=NOON) == 1
    asked = [Asked("line", 1, None, Decimal("0.50"), "Thank you")]
    assert [bonuses.pay(study, requester(study), asked, now=NOON).done for _ in range(2)] == [1, 0]
    assert collect(study, live=False).found == {"matched": 3}
    assert len(payments(platform)) == 4
    assert account(study, mturk_told(platform.service.statement())).equal
    assert len(hits(platform)) == publishing.how_many(study, "open", "submitted")
