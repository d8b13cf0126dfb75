"""An unmodified boto3 client and workers on the site drive the local MTurk through a campaign."""

import time
from datetime import UTC, datetime

import httpx
import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from tests.support.mturk import QUESTION, Person, hit, hit_type, requester
from verifier.crowd.localmturk.model import model
from verifier.crowd.localmturk.operations import HANDLERS
from verifier.crowd.localmturk.server import LocalMTurk

DAY = 86400


@pytest.fixture
def platform():
    with LocalMTurk() as running:
        yield running


@pytest.fixture
def client(platform):
    return requester(platform)


def code(error) -> str:
    return error.value.response.get("TurkErrorCode", "").removeprefix("AWS.MechanicalTurk.")


def refused(code_wanted, call, **given):
    with pytest.raises(ClientError) as error:
        call(**given)
    assert code(error) == code_wanted
    return str(error.value)


def money(client) -> tuple[str, str]:
    told = client.get_account_balance()
    return told["AvailableBalance"], told["OnHoldBalance"]


def test_the_balance_starts_at_ten_thousand(client):
    assert money(client) == ("10000.00", "0.00")


def test_the_same_terms_are_the_same_hit_type(client):
    assert hit_type(client) == hit_type(client)
    assert hit_type(client) != hit_type(client, Reward="1.01")


def test_a_token_that_was_used_names_the_hit(client):
    first = hit(client, hit_type(client), UniqueRequestToken="t")
    given = {"HITTypeId": hit_type(client), "LifetimeInSeconds": 60, "Question": QUESTION}
    said = refused("HitAlreadyExists", client.create_hit_with_hit_type, UniqueRequestToken="t", **given)
    assert first in said
    assert len(client.list_hits()["HITs"]) == 1


def test_a_token_is_forgotten_after_a_day(platform, client):
    first = hit(client, hit_type(client), UniqueRequestToken="t")
    platform.service.state.advance(DAY)
    assert hit(client, hit_type(client), UniqueRequestToken="t") != first


def test_fees_are_a_fifth_and_two_fifths_from_ten_assignments_on(client):
    hit(client, hit_type(client))
    assert money(client)[1] == "1.20"
    hit(client, hit_type(client), MaxAssignments=10)
    assert money(client)[1] == "15.20"


def test_the_least_fee_is_a_cent(client):
    hit(client, hit_type(client, Reward="0.01"))
    assert money(client)[1] == "0.02"


def test_an_assignment_is_submitted_listed_approved_and_paid(platform, client):
    made = hit(client, hit_type(client))
    assignment = Person(platform, "A1").do(made)
    (listed,) = client.list_assignments_for_hit(HITId=made)["Assignments"]
    assert (listed["AssignmentId"], listed["WorkerId"]) == (assignment, "A1")
    assert "<FreeText>done</FreeText>" in listed["Answer"]
    client.approve_assignment(AssignmentId=assignment, RequesterFeedback="Thanks")
    assert money(client) == ("9998.80", "0.00")
    refused("InvalidAssignmentState", client.approve_assignment, AssignmentId=assignment)
    assert client.get_assignment(AssignmentId=assignment)["Assignment"]["AssignmentStatus"] == "Approved"


def test_a_rejection_gives_the_money_free_and_can_be_overridden(platform, client):
    made = hit(client, hit_type(client))
    assignment = Person(platform, "A1").do(made)
    client.reject_assignment(AssignmentId=assignment, RequesterFeedback="Nothing was done")
    assert money(client) == ("10000.00", "0.00")
    refused("InvalidAssignmentState", client.approve_assignment, AssignmentId=assignment)
    client.approve_assignment(AssignmentId=assignment, OverrideRejection=True)
    assert money(client) == ("9998.80", "0.00")


def test_a_bonus_is_paid_once_for_a_token(platform, client):
    assignment = Person(platform, "A1").do(hit(client, hit_type(client)))
    bonus = {"WorkerId": "A1", "AssignmentId": assignment, "BonusAmount": "2.00", "Reason": "Good"}
    client.send_bonus(UniqueRequestToken="b", **bonus)
    refused("RequestAlreadyExists", client.send_bonus, UniqueRequestToken="b", **bonus)
    payments = client.list_bonus_payments(AssignmentId=assignment)["BonusPayments"]
    assert [payment["BonusAmount"] for payment in payments] == ["2.00"]
    assert money(client) == ("9996.40", "1.20")
    refused("WorkerDidNotWork", client.send_bonus, **{**bonus, "WorkerId": "A2"})


def test_what_is_not_decided_is_approved_by_time(platform, client):
    made = hit(client, hit_type(client, AutoApprovalDelayInSeconds=DAY))
    Person(platform, "A1").do(made)
    platform.service.state.advance(DAY)
    (listed,) = client.list_assignments_for_hit(HITId=made)["Assignments"]
    assert listed["AssignmentStatus"] == "Approved"
    assert money(client) == ("9998.80", "0.00")


def test_a_returned_assignments_id_goes_to_who_accepts_next(platform, client):
    made = hit(client, hit_type(client))
    first, second = Person(platform, "A1"), Person(platform, "A2")
    assignment = first.accept(made)
    assert second.accept(made) is None
    assert first.give_back(assignment) == 303
    assert second.accept(made) == assignment
    assert first.submit("unknown") == 409


def test_who_does_not_submit_in_time_has_abandoned(platform, client):
    made = hit(client, hit_type(client))
    person = Person(platform, "A1")
    assignment = person.accept(made)
    platform.service.state.advance(601)
    assert person.submit(assignment) == 409
    assert client.get_hit(HITId=made)["HIT"]["HITStatus"] == "Assignable"


def test_a_hit_goes_from_assignable_to_disposed(platform, client):
    made = hit(client, hit_type(client))
    person = Person(platform, "A1")
    seen = [client.get_hit(HITId=made)["HIT"]["HITStatus"]]
    assignment = person.accept(made)
    seen.append(client.get_hit(HITId=made)["HIT"]["HITStatus"])
    person.submit(assignment)
    seen.append(client.get_hit(HITId=made)["HIT"]["HITStatus"])
    assert [found["HITId"] for found in client.list_reviewable_hits()["HITs"]] == [made]
    client.update_hit_review_status(HITId=made)
    seen.append(client.get_hit(HITId=made)["HIT"]["HITStatus"])
    refused("InvalidHITState", client.delete_hit, HITId=made)
    client.approve_assignment(AssignmentId=assignment)
    client.delete_hit(HITId=made)
    seen.append(client.get_hit(HITId=made)["HIT"]["HITStatus"])
    assert seen == ["Assignable", "Unassignable", "Reviewable", "Reviewing", "Disposed"]
    assert not client.list_hits()["HITs"]


def test_an_expired_hit_gives_its_money_free_and_can_be_put_off(client):
    made = hit(client, hit_type(client))
    client.update_expiration_for_hit(HITId=made, ExpireAt=datetime(2020, 1, 1, tzinfo=UTC))
    assert money(client) == ("10000.00", "0.00")
    client.update_expiration_for_hit(HITId=made, ExpireAt=datetime.fromtimestamp(time.time() + 99, UTC))
    assert money(client) == ("9998.80", "1.20")


def test_more_assignments_never_go_from_nine_to_ten(client):
    made = hit(client, hit_type(client), MaxAssignments=8)
    more = client.create_additional_assignments_for_hit
    more(HITId=made, NumberOfAdditionalAssignments=1, UniqueRequestToken="m")
    refused("RequestAlreadyExists", more, HITId=made, NumberOfAdditionalAssignments=1, UniqueRequestToken="m")
    refused("InvalidMaximumAssignmentsIncrease", more, HITId=made, NumberOfAdditionalAssignments=1)
    assert client.get_hit(HITId=made)["HIT"]["MaxAssignments"] == 9


def test_pages_have_ten_unless_asked_and_end_with_an_empty_one(client):
    kind = hit_type(client)
    made = [hit(client, kind) for _ in range(20)]
    pages = list(client.get_paginator("list_hits").paginate())
    assert [page["NumResults"] for page in pages] == [10, 10, 0]
    assert [found["HITId"] for page in pages for found in page["HITs"]] == made
    assert len(client.list_hits(MaxResults=15)["HITs"]) == 15
    refused("InvalidParameterValue", client.list_hits, NextToken="made up")


def test_a_hundred_and_one_assignments_of_one_hit_are_all_listed(platform, client):
    made = hit(client, hit_type(client), MaxAssignments=101)
    for number in range(101):
        Person(platform, f"A{number}").do(made)
    pages = client.get_paginator("list_assignments_for_hit").paginate(HITId=made)
    assert len({item["AssignmentId"] for page in pages for item in page["Assignments"]}) == 101


def test_an_empty_account_publishes_nothing():
    with LocalMTurk(balance=100) as poor:
        client = requester(poor)
        given = {"HITTypeId": hit_type(client), "LifetimeInSeconds": 60, "Question": QUESTION}
        refused("InsufficientFunds", client.create_hit_with_hit_type, **given)
        assert not client.list_hits()["HITs"]


def test_qualifications_keep_out_who_has_taken_part(platform, client):
    told = {"Name": "took part", "Description": "in this study", "QualificationTypeStatus": "Active"}
    took_part = client.create_qualification_type(**told)["QualificationType"]["QualificationTypeId"]
    rule = {"QualificationTypeId": took_part, "Comparator": "DoesNotExist"}
    rule["ActionsGuarded"] = "DiscoverPreviewAndAccept"
    made = hit(client, hit_type(client, QualificationRequirements=[rule]))
    client.associate_qualification_with_worker(QualificationTypeId=took_part, WorkerId="A1")
    person = Person(platform, "A1")
    assert made not in person.get("/worker/A1").text
    assert person.get(f"/worker/A1/hit/{made}").status_code == 409
    assert person.accept(made) is None
    client.disassociate_qualification_from_worker(QualificationTypeId=took_part, WorkerId="A1")
    assert made in person.get("/worker/A1").text
    assert person.accept(made)


def test_messages_go_only_to_who_has_worked(platform, client):
    Person(platform, "A1").do(hit(client, hit_type(client)))
    told = client.notify_workers(Subject="Hello", MessageText="Again", WorkerIds=["A1", "A2"])
    assert [failure["WorkerId"] for failure in told["NotifyWorkersFailureStatuses"]] == ["A2"]


def test_a_preview_does_not_say_who_looks(platform, client):
    made = hit(client, hit_type(client))
    page = Person(platform, "A1").get(f"/worker/A1/hit/{made}").text
    frame = page.split('src="')[1].split('"')[0]
    assert frame.startswith("https://study.example/start?a=1&amp;b=2&amp;assignmentId=ASSIGNMENT_ID_NOT_AVA")
    assert "workerId" not in frame


def test_what_is_not_implemented_is_refused_loudly(client):
    assert set(model().operations) - set(HANDLERS)
    said = refused("NotServedHere", client.create_worker_block, WorkerId="A1", Reason="none")
    assert "does not implement CreateWorkerBlock" in said


def test_what_is_not_signed_is_refused(platform):
    assert httpx.post(platform.endpoint, json={}).status_code == 403


def test_throttling_is_retried_by_boto3_itself(platform):
    platform.service.faults.ask("GetAccountBalance", "throttle", 1)
    assert money(requester(platform, attempts=2)) == ("10000.00", "0.00")


def test_a_failure_before_the_commit_does_nothing(platform, client):
    platform.service.faults.ask("CreateHITWithHITType", "before", 1)
    with pytest.raises(ClientError):
        hit(client, hit_type(client))
    assert not client.list_hits()["HITs"]


def test_a_drop_after_the_commit_has_done_it(platform, client):
    platform.service.faults.ask("CreateHITWithHITType", "drop", 1)
    with pytest.raises(ConnectionClosedError):
        hit(client, hit_type(client))
    assert len(client.list_hits()["HITs"]) == 1


def test_boto3s_own_retry_makes_two_hits_of_a_drop_unless_there_is_a_token(platform):
    client = requester(platform, attempts=2)
    kind = hit_type(client)
    platform.service.faults.ask("CreateHITWithHITType", "drop", 1)
    hit(client, kind)
    assert len(client.list_hits()["HITs"]) == 2
    platform.service.faults.ask("CreateHITWithHITType", "drop", 1)
    with pytest.raises(ClientError) as error:
        hit(client, kind, UniqueRequestToken="t")
    assert code(error) == "HitAlreadyExists"
    assert len(client.list_hits()["HITs"]) == 3


def test_lists_lag_and_come_short_on_demand(platform, client):
    kind = hit_type(client)
    made = [hit(client, kind) for _ in range(4)]
    platform.service.faults.ask("ListHITs", "lag", 1)
    assert not client.list_hits()["HITs"]
    platform.service.faults.ask("ListHITs", "short", 1)
    pages = list(client.get_paginator("list_hits").paginate(PaginationConfig={"PageSize": 4}))
    assert [page["NumResults"] for page in pages][:2] == [2, 2]
    assert [found["HITId"] for page in pages for found in page["HITs"]] == made


def test_the_state_file_keeps_everything(tmp_path):
    with LocalMTurk(tmp_path / "state.db") as first:
        made = hit(requester(first), hit_type(requester(first)), UniqueRequestToken="t")
    with LocalMTurk(tmp_path / "state.db", balance=5) as second:
        client = requester(second)
        assert client.get_hit(HITId=made)["HIT"]["HITStatus"] == "Assignable"
        assert money(client) == ("9998.80", "1.20")


def test_the_statement_has_every_payment(platform, client):
    assignment = Person(platform, "A1").do(hit(client, hit_type(client)))
    client.approve_assignment(AssignmentId=assignment)
    told = httpx.get(f"{platform.endpoint}/_local/statement").json()
    assert told["payments"] == [{"kind": "reward", "subject": assignment, "amount": 100, "fee": 20}]
    assert told["balance"] == 1_000_000 - 120
    httpx.post(f"{platform.endpoint}/_local/clock", json={"advance": 60}).raise_for_status()
    assert httpx.get(f"{platform.endpoint}/_local/statement").json()["now"] > told["now"] + 59
