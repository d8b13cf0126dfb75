"""Arrivals from the local Prolific, what was handed in there, and how it is decided and paid."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select

from analysis.errors import InputError, StateError
from tests.support import prolific
from tests.support.campaign import Breaking, Killed
from tests.support.crowds import NOON, always_verify, judge, planned
from tests.support.prolific import (
    FEE,
    PAY,
    Participant,
    campaign,
    come,
    named,
    only,
    requester,
    statuses,
    work,
)
from verifier.config import BudgetSection, ProlificPlatform, ServerSection
from verifier.crowd import codes, collecting, counted_arrivals, leaving, paying, publishing, rejecting, review
from verifier.crowd.localprolific.server import LocalProlific
from verifier.crowd.submission import submit
from verifier.store import crowd, facts
from verifier.store.models import AssignmentRow, Event, Place, PlatformCall, Vault

WHY = (
    "The texts were not read: all decisions were made within a few seconds, and none of them says anything. "
    * 2
)


@pytest.fixture
def platform():
    with LocalProlific() as running:
        yield running


@pytest.fixture
def study(tiny_blank, tmp_path, platform):
    """Three places out."""
    counted_arrivals._asked.clear()
    with campaign(tiny_blank, tmp_path / "campaign", platform) as opened:
        publishing.publish(opened, requester(opened), "local", places=3, now=NOON)
        yield opened


def collect(study, *, live=True):
    return collecting.collect(study, requester(study), "local", now=NOON, live=live)


def rows(study, table):
    with study.read() as session:
        return session.scalars(select(table).order_by(table.id)).all()


def paid(platform):
    return [(line["kind"], line["amount"], line["fee"]) for line in platform.service.statement()["payments"]]


def money_agrees(study, platform):
    """What the ledger has committed is what the platform has paid and put aside."""
    told = platform.service.statement()
    spent = sum(line["amount"] + line["fee"] for line in told["payments"])
    with study.read() as session:
        assert crowd.committed(session) * 100 == spent + told["held"]


def code_of(study, outcome):
    with study.read() as session:
        return codes.code(codes.key(study.secrets.pseudonym, facts.get(session, "nonce")), outcome)


def test_a_participant_comes_works_hands_in_and_is_collected(study, platform):
    participant, code = work(study, platform, "ann")
    assert code == code_of(study, codes.COMPLETED)
    assert participant.complete(code) == 200
    assert statuses(platform) == ["AWAITING REVIEW"]
    assert collect(study, live=False).found == {"matched": 1}
    assert not rows(study, Event)
    assert collect(study).new == 1
    again = collect(study)
    assert (again.found, again.new) == ({"matched": 1}, 0)
    money_agrees(study, platform)


def test_the_way_back_is_an_address_of_the_platform_with_the_code_of_the_outcome(study, platform):
    link = Participant(platform, "ann").take(only(platform))
    token = come(study, link).token
    judge(study, token, always_verify)
    done = submit(study, token, NOON)
    assert done.code == code_of(study, codes.FAILED_CHECK)
    assert done.finish_url == f"{platform.site}/submissions/complete?cc={done.code}"


def test_failed_controls_are_approved_flagged_left_out_and_no_ground_for_rejection(study, platform):
    participant, code = work(study, platform, "ann", decide=always_verify)
    participant.complete(code)
    collect(study)
    (entry,) = review.queue(study).entries
    assert (entry.category, entry.proposal, entry.counted) == ("failed control", "approve_flag", False)
    with pytest.raises(InputError, match="no ground"):
        rejecting.check(study, [rejecting.Wanted(1, "FAILED_CHECK", WHY)])
    review.decide(study, confirm="tiny", now=NOON)
    assert paying.pay(study, requester(study), now=NOON).done == 1
    assert paid(platform) == [("reward", PAY, FEE)]
    money_agrees(study, platform)


def test_more_submissions_than_a_page_holds_are_all_collected(tiny_blank, tmp_path, platform):
    with campaign(
        tiny_blank, tmp_path / "many", platform, cap="500.00", more=", submissions_per_participant: 9"
    ) as s:
        publishing.publish(s, requester(s), "local", places=4, now=NOON)
        platform.service.state.run("update study set places = 140")
        for number in range(130):
            participant = Participant(platform, f"q{number}")
            link = participant.take(only(platform))
            participant.complete("NOCODE")
        assert link
        for kind in ("short", "empty", "lag"):
            platform.service.faults.ask("get-submissions", kind, 1)
            account = requester(s)
            assert len(account.listed(only(platform))) == (0 if kind == "lag" else 130)


def test_who_came_is_kept_in_the_vault_alone(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    collect(study)
    with study.read() as session:
        assert session.scalar(select(Vault.platform_worker)) == named("ann")
        assert named("ann") not in str([event.data for event in session.scalars(select(Event))])


def test_a_submission_that_is_returned_is_free_for_the_next(study, platform):
    study_id = only(platform)
    for name in ("ann", "bob", "cid"):
        link = Participant(platform, name).take(study_id)
        come(study, link)
    last = Participant(platform, "cid")
    last.give_back(link["SESSION_ID"])
    again = Participant(platform, "dora").take(study_id)
    assert come(study, again).outcome == "working"
    assert [row.state for row in rows(study, AssignmentRow)] == ["claimed", "claimed", "returned", "claimed"]
    assert not review.queue(study).entries
    money_agrees(study, platform)


def test_who_comes_with_a_new_submission_goes_on_where_he_was(study, platform):
    participant = Participant(platform, "ann")
    first = participant.take(only(platform))
    token = come(study, first).token
    assert come(study, first).token == token
    platform.service.state.run("delete from submission")
    second = participant.take(only(platform))
    assert second["SESSION_ID"] != first["SESSION_ID"]
    assert come(study, second).token == token


def test_a_link_that_was_passed_on_lets_nobody_in(study, platform):
    link = Participant(platform, "ann").take(only(platform))
    assert come(study, link).outcome == "working"
    assert come(study, {**link, "PROLIFIC_PID": named("eve")}).outcome == "nothing_left"
    assert come(study, {**link, "STUDY_ID": named("other")}).outcome == "nothing_left"
    with pytest.raises(InputError, match="does not say who you are"):
        come(study, {**link, "SESSION_ID": "1 or 1=1"})


def test_a_made_up_link_is_put_aside_at_collection_and_its_place_is_free_again(study, platform):
    link = {"PROLIFIC_PID": named("eve"), "STUDY_ID": only(platform), "SESSION_ID": named("made up")}
    token = come(study, link).token
    judge(study, token)
    submit(study, token, NOON)
    assert collect(study, live=False).found == {"only here": 1}
    assert collect(study).found == {"only here": 1}
    (row,) = rows(study, AssignmentRow)
    assert not review.queue(study).waiting
    assert (row.counted, row.counted_reason) == (False, "the platform knows nothing of it")
    assert {place.state for place in rows(study, Place)} == {"open"}
    assert collect(study).new == 0
    money_agrees(study, platform)


def test_a_lagging_list_takes_nobody_for_made_up(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    platform.service.faults.ask("get-submissions", "lag", 1)
    assert collect(study).found == {}
    assert collect(study).found == {"matched": 1}


def test_who_submits_twice_is_told_so_and_asked_back(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    platform.service.state.run(
        "update study set settings = replace(settings, 'participant\": 1', 'participant\": 2')"
    )
    link = participant.take(only(platform))
    assert come(study, link).outcome == "already_done"
    told = leaving.leaving(study, "already_done")
    assert told.code == code_of(study, codes.NOTHING_LEFT)
    participant.complete(told.code)
    assert collect(study).found == {"matched": 1, "left": 1}
    assert platform.service.state.all("select * from submission where return_requested is not null")
    money_agrees(study, platform)


def test_an_unknown_participant_is_said_and_left_to_a_person(study, platform):
    participant = Participant(platform, "eve")
    participant.take(only(platform))
    participant.complete(code_of(study, codes.COMPLETED))
    assert collect(study).found == {"unknown": 1}
    assert collect(study).found == {"unknown": 1}
    (entry,) = review.queue(study).entries
    assert (entry.proposal, entry.decision) == ("look", None)
    money_agrees(study, platform)


def test_who_does_not_agree_gets_a_code_of_its_own_and_nothing_is_kept(study, platform):
    told = leaving.leaving(study, "no_consent")
    assert told.redirect_url == f"{platform.site}/submissions/complete?cc={told.code}"
    participant = Participant(platform, "ann")
    participant.take(only(platform))
    participant.complete(told.code)
    assert collect(study).found == {"left": 1}
    assert leaving.leaving(study, "expired") is None


def test_who_did_not_agree_and_was_paid_by_time_all_the_same_stands_in_the_ledger(study, platform):
    participant = Participant(platform, "ann")
    participant.take(only(platform))
    participant.complete(code_of(study, codes.NO_CONSENT))
    collect(study)
    platform.service.state.advance(22 * 24 * 3600)
    assert collect(study).found == {"left": 1}
    assert paying.pay(study, requester(study), now=NOON).done == 1
    assert [call.operation for call in rows(study, PlatformCall)][-1] == "approve"
    money_agrees(study, platform)


def test_work_that_ended_here_and_was_handed_in_there_has_a_place_of_its_own(study, platform):
    ann, bob = Participant(platform, "ann"), Participant(platform, "bob")
    token = come(study, ann.take(only(platform))).token
    judge(study, token, tasks=1)
    expired = NOON + timedelta(hours=9)
    assert come(study, bob.take(only(platform)), expired).outcome == "working"
    ann.complete(code_of(study, codes.COMPLETED))
    assert collect(study).found == {"incomplete": 1}
    assert sorted(place.state for place in rows(study, Place)) == ["open", "submitted", "taken"]
    money_agrees(study, platform)


def test_one_participant_may_take_part_as_often_as_the_study_says(tiny_blank, tmp_path, platform):
    with campaign(
        tiny_blank, tmp_path / "twice", platform, more=", submissions_per_participant: 2"
    ) as opened:
        few = opened.config.place.model_copy(update={"tasks": 2})
        config = opened.config.model_copy(update={"place": few})
        s = type(opened)(opened.path, config, opened.secrets, opened.store)
        publishing.publish(s, requester(s), "local", places=3, now=NOON)
        for _ in range(2):
            participant, code = work(s, platform, "ann")
            participant.complete(code)
        assert participant.take(only(platform)) is None
        assert collecting.collect(s, requester(s), "local", now=NOON, live=True).found == {"matched": 2}
        assert len({row.worker_id for row in rows(s, AssignmentRow)}) == 1


def test_incomplete_work_that_was_handed_in_there_waits_for_a_person(study, platform):
    participant = Participant(platform, "ann")
    token = come(study, participant.take(only(platform))).token
    judge(study, token, tasks=1)
    participant.complete(code_of(study, codes.COMPLETED))
    assert collect(study).found == {"incomplete": 1}
    assert not review.queue(study).waiting


def test_complete_work_that_was_handed_in_there_alone_is_taken_in(study, platform):
    participant = Participant(platform, "ann")
    token = come(study, participant.take(only(platform))).token
    judge(study, token)
    participant.complete(code_of(study, codes.COMPLETED))
    assert collect(study).found == {"late": 1}
    assert [row.state for row in rows(study, AssignmentRow)] == ["submitted"]
    money_agrees(study, platform)


def test_work_that_is_given_back_after_it_was_handed_in_does_not_count(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    collect(study)
    participant.give_back(platform.service.statement()["submissions"][0]["id"])
    assert collect(study).found == {"returned": 1}
    (row,) = rows(study, AssignmentRow)
    assert not review.queue(study).waiting
    assert (row.counted, row.counted_reason) == (False, "returned on the platform")
    money_agrees(study, platform)


def test_work_that_ran_out_of_time_there_is_kept_and_its_place_is_free(study, platform):
    work(study, platform, "ann")
    platform.service.state.advance(24 * 3600)
    assert collect(study).found == {"timed out": 1}
    (row,) = rows(study, AssignmentRow)
    assert (row.state, row.counted, row.platform_state) == ("submitted", True, "timed out")
    (entry,) = review.queue(study).entries
    assert (entry.category, entry.proposal) == ("conflict", "look")
    assert "paid as a bonus" in entry.reason
    assert {place.state for place in rows(study, Place)} == {"open"}
    assert collect(study).new == 0
    money_agrees(study, platform)


def test_what_prolific_approves_after_three_weeks_is_approved_here(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    platform.service.state.advance(22 * 24 * 3600)
    collect(study)
    (row,) = rows(study, AssignmentRow)
    assert (row.decision, row.decision_reason) == ("approve", "decided on the platform")
    money_agrees(study, platform)


def test_our_clock_may_be_wrong_by_days(study, platform):
    platform.service.state.advance(5 * 24 * 3600)
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    early = collecting.collect(study, requester(study), "local", now=NOON - timedelta(days=9), live=True)
    assert early.found == {"matched": 1}


def test_a_person_rejects_with_a_category_and_a_hundred_characters_and_the_place_is_free(study, platform):
    participant, code = work(study, platform, "ann", seconds=0.1)
    participant.complete(code)
    collect(study)
    for wrong in (rejecting.Wanted(1, "TOO_QUICKLY", "Too fast."), rejecting.Wanted(1, "", WHY)):
        with pytest.raises(InputError):
            rejecting.check(study, [wrong])
    wanted = [rejecting.Wanted(1, "TOO_QUICKLY", WHY)]
    assert rejecting.reject(study, requester(study), wanted, now=NOON) == 1
    assert statuses(platform) == ["REJECTED"]
    with pytest.raises(StateError, match="no rejection be taken back"):
        rejecting.override(study, requester(study), [1], now=NOON)
    collect(study)
    money_agrees(study, platform)


@pytest.mark.parametrize("kind", ["drop", "before", "throttle"])
def test_approving_survives_faults_and_pays_each_once(study, platform, kind):
    for name in ("ann", "bob"):
        participant, code = work(study, platform, name)
        participant.complete(code)
    collect(study)
    review.decide(study, confirm="tiny", now=NOON)
    platform.service.faults.ask("bulk-approve-submissions", kind, 3)
    assert paying.pay(study, requester(study), now=NOON).done == 2
    assert paying.pay(study, requester(study), now=NOON).done == 0
    assert paid(platform) == [("reward", PAY, FEE)] * 2
    money_agrees(study, platform)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_approving_killed_at_the_call_pays_each_once(study, platform, after):
    for name in ("ann", "bob"):
        participant, code = work(study, platform, name)
        participant.complete(code)
    collect(study)
    review.decide(study, confirm="tiny", now=NOON)
    with pytest.raises(Killed):
        paying.pay(study, Breaking(requester(study), "approve_all", 1, after=after), now=NOON)
    assert paying.pay(study, requester(study), now=NOON).done == 2
    assert paid(platform) == [("reward", PAY, FEE)] * 2
    calls = [call for call in rows(study, PlatformCall) if call.operation == "approve"]
    assert [call.state for call in calls] == ["done", "done"]


def test_one_that_cannot_be_approved_does_not_keep_the_others_from_their_pay(study, platform):
    for name in ("ann", "bob"):
        participant, code = work(study, platform, name)
        if name == "ann":
            participant.complete(code)
    review.decide(study, confirm="tiny", now=NOON)
    assert paying.pay(study, requester(study), now=NOON) == paying.Paid(1, 1)


@pytest.mark.parametrize("after", [False, True], ids=["before the call", "after the call"])
def test_collecting_killed_at_a_call_ends_the_same(study, platform, after):
    for who in ("ann", "bob"):
        participant, code = work(study, platform, who)
        participant.complete(code)
    breaking = Breaking(requester(study), "all_took_part", 1, after=after)
    with pytest.raises(Killed):
        collecting.collect(study, breaking, "local", now=NOON, live=True)
    assert collect(study).found == {"matched": 2}
    noted = [row.data["what"] for row in rows(study, Event) if row.kind == collecting.EVENT]
    assert sorted(noted) == ["matched", "matched", "took part", "took part"]
    groups = platform.service.state.all("select participant from member")
    assert sorted(row["participant"] for row in groups) == sorted([named("ann"), named("bob")])


def test_who_took_part_is_not_invited_to_the_next_study(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    collect(study)
    publishing.close(study, requester(study), "local", places=None, now=NOON)
    publishing.publish(study, requester(study), "local", places=2, now=NOON)
    hosted = platform.service.statement()["studies"][1]["id"]
    assert participant.take(hosted) is None
    assert Participant(platform, "bob").take(hosted)


def test_work_of_a_stopped_study_may_still_be_handed_in_and_is_paid(study, platform):
    participant = Participant(platform, "ann")
    token = come(study, participant.take(only(platform))).token
    closed = publishing.close(study, requester(study), "local", places=None, now=NOON)
    assert (closed.done, closed.at_work) == (2, 1)
    money_agrees(study, platform)
    judge(study, token)
    participant.complete(submit(study, token, NOON).code)
    assert collect(study).found == {"matched": 1}
    review.decide(study, confirm="tiny", now=NOON)
    assert paying.pay(study, requester(study), now=NOON).done == 1
    money_agrees(study, platform)
    with study.read() as session:
        assert crowd.committed(session) == Decimal(PAY + FEE) / 100


def test_a_study_deleted_by_hand_after_work_was_done_keeps_the_work(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    platform.service.remove(only(platform))
    assert collect(study, live=False).found == {"gone": 2}
    assert collect(study).found == {"gone": 2}
    assert sorted(place.state for place in rows(study, Place)) == ["closed", "closed", "submitted"]


def test_a_request_to_return_is_sent_once(study, platform):
    participant, code = work(study, platform, "ann")
    participant.complete(code)
    (submission,) = platform.service.statement()["submissions"]
    for _ in range(2):
        requester(study).request_return(submission["id"], "There was a technical problem.")
    assert len(platform.service.state.all("select * from message")) == 1


def test_a_stranger_is_excluded_from_all_our_studies(study, platform):
    requester(study).exclude(named("eve"))
    assert Participant(platform, "eve").take(only(platform)) is None


def test_handed_in_is_ready_to_be_paid(study, platform):
    prolific.handed_in(study, platform, 2)
    assert paying.pay(study, requester(study), now=NOON).done == 2


def test_a_whole_campaign_runs_on_every_database(any_tiny_study, platform):
    study = planned(any_tiny_study)
    hosted = ProlificPlatform(api_url=platform.endpoint, worker_url=platform.site)
    server = ServerSection(public_url="http://127.0.0.1:9")
    update = {"platform": hosted, "budget": BudgetSection(cap=Decimal(20)), "server": server}
    study = type(study)(study.path, study.config.model_copy(update=update), study.secrets, study.store)
    breaking = Breaking(requester(study), "set_places", 1, after=True)
    with pytest.raises(Killed):
        publishing.publish(study, breaking, "local", places=3, now=NOON)
    prolific.handed_in(study, platform, 3)
    assert paying.pay(study, requester(study), now=NOON).done == 3
    assert collect(study).found == {"matched": 3}
    assert len(paid(platform)) == 3
    publishing.close(study, requester(study), "local", places=None, now=NOON)
    money_agrees(study, platform)
