"""The local Prolific: what it answers, what it refuses and how, what its clock and its participants do."""

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from tests.support.prolific import Participant, named
from verifier.crowd.localprolific.server import LocalProlific
from verifier.crowd.localprolific.state import WORKSPACE

DRAFT = {
    "name": "Links",
    "internal_name": "links 1",
    "description": "Look at links.",
    "external_study_url": "https://study.example/start?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}"
    "&SESSION_ID={{%SESSION_ID%}}",
    "prolific_id_option": "url_parameters",
    "completion_codes": [
        {"code": "DONE", "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
    ],
    "total_available_places": 2,
    "estimated_completion_time": 10,
    "maximum_allowed_time": 30,
    "reward": 150,
}


@pytest.fixture
def platform():
    with LocalProlific() as running:
        yield running


class Programs:
    """Whoever calls Prolific."""

    def __init__(self, platform):
        none = httpx.Limits(max_keepalive_connections=0)
        self._client = httpx.Client(base_url=f"{platform.endpoint}/api/v1/", verify=False, limits=none)  # noqa: S501 - no TLS
        self._client.headers["Authorization"] = "Token any"

    def __call__(self, method, path, body=None, **query):
        """Call it."""
        return self._client.request(method, path, json=body, params=query)


@pytest.fixture
def call(platform):
    return Programs(platform)


def out(call, **more):
    """A study that is out."""
    study = call("POST", "studies/", {**DRAFT, **more}).json()["id"]
    assert call("POST", f"studies/{study}/transition/", {"action": "PUBLISH"}).status_code == 200
    return study


def status(call, submission):
    return call("GET", f"submissions/{submission}/").json()["status"]


def done(platform, study, name="ann", code="DONE"):
    """A submission that is handed in."""
    participant = Participant(platform, name)
    submission = participant.take(study)["SESSION_ID"]
    assert participant.complete(code) == 200
    return submission


def test_a_draft_is_no_ones_to_take_and_costs_nothing(platform, call):
    study = call("POST", "studies/", DRAFT).json()
    assert (study["status"], study["total_cost"]) == ("UNPUBLISHED", 2 * (150 + 65))
    assert Participant(platform, "ann").take(study["id"]) is None
    assert platform.service.statement()["held"] == 0


def test_who_shows_no_token_is_refused(platform):
    answer = httpx.get(f"{platform.endpoint}/api/v1/users/me/")
    assert (answer.status_code, answer.json()["error"]["status"]) == (401, 401)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"reward": 0}, "reward"),
        ({"reward": "3.00"}, "reward"),
        ({"completion_codes": []}, "completion_codes"),
        ({"external_study_url": "study.example"}, "external_study_url"),
        ({"total_available_places": 0}, "total_available_places"),
        ({"unheard_of": 1}, "unheard_of"),
    ],
)
def test_a_draft_that_cannot_be_is_refused_by_field(call, change, field):
    error = call("POST", "studies/", {**DRAFT, **change}).json()["error"]
    assert error["status"] == 400
    assert [name.split(".")[0] for name in error["detail"]] == [field]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "nowhere/", 404),
        ("POST", "workspaces/", 405),
        ("GET", "studies/5f0000000000000000000000/", 404),
    ],
)
def test_what_is_not_there_is_said_in_json(call, method, path, status):
    answer = call(method, path)
    assert (answer.status_code, answer.json()["error"]["status"]) == (status, status)


def test_places_can_only_be_increased_once_a_study_is_out(platform, call):
    study = out(call)
    assert call("PATCH", f"studies/{study}/", {"total_available_places": 1}).status_code == 400
    assert (
        call("PATCH", f"studies/{study}/", {"total_available_places": 5}).json()["total_available_places"]
        == 5
    )
    assert call("PATCH", f"studies/{study}/", {"reward": 1}).status_code == 400
    assert platform.service.statement()["held"] == 5 * (150 + 65)


def test_a_stopped_study_cannot_be_started_and_frees_what_was_put_aside(platform, call):
    study = out(call)
    submission = done(platform, study)
    assert (
        call("POST", f"studies/{study}/transition/", {"action": "STOP"}).json()["status"] == "AWAITING REVIEW"
    )
    assert platform.service.statement()["held"] == 150 + 65
    for action in ("START", "PUBLISH", "STOP"):
        assert call("POST", f"studies/{study}/transition/", {"action": action}).status_code == 400
    assert call("PATCH", f"studies/{study}/", {"total_available_places": 9}).status_code == 400
    call("POST", f"submissions/{submission}/transition/", {"action": "APPROVE"})
    assert call("GET", f"studies/{study}/").json()["status"] == "COMPLETED"


def test_more_than_the_workspace_holds_is_refused(call):
    study = call("POST", "studies/", {**DRAFT, "total_available_places": 100_000}).json()["id"]
    answer = call("POST", f"studies/{study}/transition/", {"action": "PUBLISH"})
    assert answer.status_code == 400
    assert "insufficient" in answer.json()["error"]["detail"]


def test_the_cost_call_and_the_balance_are_in_cents(call):
    assert call("POST", "study-cost-calculator/", {"reward": 150, "total_available_places": 10}).json() == {
        "total_cost": 2150
    }
    out(call)
    told = call("GET", f"workspaces/{WORKSPACE}/balance/").json()
    assert told == {"currency_code": "USD", "total_balance": 1_000_000, "available_balance": 1_000_000 - 430}


def test_a_participant_goes_to_the_study_with_three_ids_and_comes_back_by_code(platform, call):
    study = out(call)
    participant = Participant(platform, "ann")
    assert "Links" in participant.studies()
    link = participant.take(study)
    assert (link["PROLIFIC_PID"], link["STUDY_ID"]) == (named("ann"), study)
    assert participant.take(study) == link
    assert participant.complete("DONE") == 200
    assert participant.complete("DONE") == 400
    told = call("GET", f"submissions/{link['SESSION_ID']}/").json()
    assert (told["status"], told["entered_code"], told["participant"]) == (
        "AWAITING REVIEW",
        "DONE",
        named("ann"),
    )
    assert participant.take(study) is None


def test_nobody_is_at_work_in_two_studies(platform, call):
    first, second = out(call), out(call)
    participant = Participant(platform, "ann")
    assert participant.take(first)
    assert participant.take(second) is None


def test_codes_do_what_the_study_says(platform, call):
    group = call("POST", "participant-groups/", {"name": "in", "workspace_id": WORKSPACE}).json()["id"]
    actions = {
        "PAID": [{"action": "AUTOMATICALLY_APPROVE"}],
        "BACK": [{"action": "REQUEST_RETURN", "return_reason": "Please return."}],
        "GROUP": [{"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group}],
    }
    codes = [{"code": code, "code_type": "OTHER", "actions": done} for code, done in actions.items()]
    study = out(call, completion_codes=codes, total_available_places=9)
    assert status(call, done(platform, study, "a", "PAID")) == "APPROVED"
    asked = call("GET", f"submissions/{done(platform, study, 'b', 'BACK')}/").json()
    assert (asked["status"], bool(asked["return_requested"])) == ("AWAITING REVIEW", True)
    done(platform, study, "c", "GROUP")
    told = call("GET", f"participant-groups/{group}/participants/").json()["results"]
    assert [row["participant_id"] for row in told] == [named("c")]
    assert status(call, done(platform, study, "d", "UNHEARD")) == "AWAITING REVIEW"


def test_who_is_in_a_blocked_group_does_not_see_the_study(platform, call):
    body = {"name": "out", "workspace_id": WORKSPACE, "participant_ids": [named("ann")]}
    group = call("POST", "participant-groups/", body).json()["id"]
    study = out(call, filters=[{"filter_id": "participant_group_blocklist", "selected_values": [group]}])
    assert "Links" not in Participant(platform, "ann").studies()
    assert Participant(platform, "bob").take(study)


def test_time_ends_work_and_approves_after_three_weeks(platform, call):
    study = out(call)
    late = Participant(platform, "ann").take(study)["SESSION_ID"]
    kept = done(platform, study, "bob")
    platform.service.state.advance(31 * 60)
    assert [status(call, one) for one in (late, kept)] == ["TIMED-OUT", "AWAITING REVIEW"]
    platform.service.state.advance(21 * 24 * 3600)
    assert status(call, kept) == "APPROVED"
    assert platform.service.statement()["balance"] == 1_000_000 - 215


def test_approving_is_idempotent_and_what_is_not_handed_in_cannot_be(platform, call):
    study = out(call)
    submission = done(platform, study)
    for _ in range(2):
        answer = call("POST", f"submissions/{submission}/transition/", {"action": "APPROVE"})
        assert answer.json()["status"] == "APPROVED"
    assert len(platform.service.statement()["payments"]) == 1
    at_work = Participant(platform, "bob").take(study)["SESSION_ID"]
    assert call("POST", f"submissions/{at_work}/transition/", {"action": "APPROVE"}).status_code == 400
    both = {"submission_ids": [submission, at_work]}
    assert call("POST", "submissions/bulk-approve/", both).status_code == 400


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"message": "x" * 100}, "rejection_category"),
        ({"rejection_category": "LOW_EFFORT", "message": "x" * 99}, "message"),
        ({"rejection_category": "UGLY", "message": "x" * 100}, "rejection_category"),
    ],
)
def test_a_rejection_needs_a_category_and_a_hundred_characters(platform, call, body, field):
    submission = done(platform, out(call))
    answer = call("POST", f"submissions/{submission}/transition/", {"action": "REJECT", **body})
    assert list(answer.json()["error"]["detail"]) == [field]


def test_a_full_study_that_somebody_leaves_stands_still_until_it_is_started(platform, call):
    study = out(call, total_available_places=1)
    submission = done(platform, study)
    assert call("GET", f"studies/{study}/").json()["status"] == "AWAITING REVIEW"
    Participant(platform, "ann").give_back(submission)
    assert call("GET", f"studies/{study}/").json()["status"] == "PAUSED"
    assert Participant(platform, "bob").take(study) is None
    call("POST", f"studies/{study}/transition/", {"action": "START"})
    assert Participant(platform, "bob").take(study)


def test_a_bonus_is_set_up_then_paid_each_time_that_it_is_asked_for(platform, call):
    study = out(call)
    submission = done(platform, study)
    wrong = {"study_id": study, "csv_bonuses": f"{named('eve')},1.00"}
    assert "not taken part" in str(call("POST", "submissions/bonus-payments/", wrong).json())
    body = {"study_id": study, "csv_bonuses": f"{submission},4.25\n{named('ann')},0.5"}
    batch = call("POST", "submissions/bonus-payments/", body).json()
    assert (batch["amount"], batch["total_amount"]) == (475, 475 + 182 + 22)
    assert not platform.service.statement()["payments"]
    for _ in range(2):
        assert call("POST", f"bulk-bonus-payments/{batch['id']}/pay/", {}).status_code == 202
    assert call("GET", f"submissions/{submission}/").json()["bonus_payments"] == [425, 50, 425, 50]


def test_pages_lead_on_to_the_last(platform, call):
    study = out(call, total_available_places=30)
    for number in range(25):
        done(platform, study, f"p{number}")
    first = call("GET", "submissions/", study=study).json()
    assert (len(first["results"]), first["meta"]["count"]) == (20, 25)
    following = httpx.get(first["_links"]["next"]["href"], headers={"Authorization": "Token any"}).json()
    assert (len(following["results"]), following["_links"]["next"]["href"]) == (5, None)
    assert call("GET", "submissions/", study=study, page="0").status_code == 400


def test_faults_happen_where_they_were_asked_for(platform, call):
    wish = {"operation": "get-studies", "kind": "throttle", "times": 1}
    assert httpx.post(f"{platform.endpoint}/_local/faults", json=wish).status_code == 200
    assert [call("GET", "studies/").status_code for _ in range(2)] == [429, 200]
    platform.service.faults.ask("create-study", "drop")
    with pytest.raises(httpx.HTTPError):
        call("POST", "studies/", DRAFT)
    assert len(platform.service.statement()["studies"]) == 1
    wish = {"operation": "get-moon", "kind": "throttle"}
    assert httpx.post(f"{platform.endpoint}/_local/faults", json=wish).status_code == 400


def test_the_command_runs_one_that_keeps_its_state(tmp_path):
    program = [
        str(Path(sys.executable).parent / "posthoc"),
        "platform",
        "prolific",
        "--port",
        "0",
        "--fee",
        "50",
    ]
    for studies in (1, 2):
        with subprocess.Popen(
            [*program, "--state", tmp_path / "p.db"], stderr=subprocess.PIPE, text=True
        ) as run:
            address = run.stderr.readline().strip().partition("api_url=")[2]
            made = httpx.post(
                f"{address}/api/v1/studies/", json=DRAFT, headers={"Authorization": "Token any"}
            )
            assert made.json()["total_cost"] == 2 * Decimal("1.5") * 150
            assert len(httpx.get(f"{address}/_local/statement").json()["studies"]) == studies
            run.terminate()
            run.communicate()
