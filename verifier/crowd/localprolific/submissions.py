"""Submissions as researchers see them: listed, approved, rejected, asked back."""

from __future__ import annotations

import sqlite3
from typing import Any, Literal

from pydantic import Field

from verifier.crowd.localprolific import studies
from verifier.crowd.localprolific.errors import Refused, missing
from verifier.crowd.localprolific.operations import Answer, Body, Call, operation
from verifier.crowd.localprolific.paging import page
from verifier.crowd.localprolific.state import State, written

_SHORTEST = 100


class Transition(Body):
    """What is to become of a submission."""

    action: Literal["APPROVE", "REJECT"]
    message: str | None = None
    rejection_category: (
        Literal[
            "TOO_QUICKLY",
            "TOO_SLOWLY",
            "FAILED_INSTRUCTIONS",
            "INCOMP_LONGITUDINAL",
            "FAILED_CHECK",
            "LOW_EFFORT",
            "MALINGERING",
            "NO_CODE",
            "BAD_CODE",
            "NO_DATA",
            "UNSUPP_DEVICE",
            "OTHER",
        ]
        | None
    ) = None


class Bulk(Body):
    """Submissions to approve."""

    submission_ids: list[str] = Field(min_length=1)


class Return(Body):
    """Why a submission is asked back."""

    request_return_reasons: list[str] = Field(min_length=1)


@operation("get-submissions", "GET", "submissions/")
def listed(call: Call) -> Answer:
    """List submissions, the latest begun first."""
    study, status = call.query.get("study"), call.query.get("status")
    rows = call.state.all(
        "select * from submission where started <= ? and (?2 is null or study = ?2)"
        " and (?3 is null or replace(status, ' ', '_') = upper(?3)) order by number desc".replace(
            "started <= ?", "started <= ?1"
        ),
        call.now - call.lag,
        study,
        status,
    )
    return Answer(200, page(call, rows, lambda row: shown(call.state, row)))


@operation("get-submission", "GET", "submissions/{id}/")
def told(call: Call) -> Answer:
    """Retrieve a submission."""
    return Answer(200, shown(call.state, find(call.state, call.id)))


@operation("transition-submission", "POST", "submissions/{id}/transition/")
def transition(call: Call) -> Answer:
    """Approve or reject; asked for twice it is done once."""
    wish, row = call.told(Transition), find(call.state, call.id)
    if wish.action == "APPROVE":
        approve(call.state, row)
    else:
        _reject(call.state, row, wish)
    return Answer(200, shown(call.state, find(call.state, call.id)))


@operation("bulk-approve-submissions", "POST", "submissions/bulk-approve/")
def bulk(call: Call) -> Answer:
    """Approve many. Assumed: all of them, or none where one cannot be."""
    for submission in call.told(Bulk).submission_ids:
        approve(call.state, find(call.state, submission))
    return Answer(200, {"message": "The request to bulk approve has been made successfully."})


@operation("request-submission-return", "POST", "submissions/{id}/request-return/")
def request_return(call: Call) -> Answer:
    """Ask a participant to give back what was handed in."""
    reasons, row = call.told(Return).request_return_reasons, find(call.state, call.id)
    if row["status"] not in ("ACTIVE", "AWAITING REVIEW"):
        raise Refused(400, f"The submission is {row['status']}, so it cannot be returned.")
    ask_back(call.state, row, "; ".join(reasons))
    found = find(call.state, call.id)
    keys = ("id", "status", "participant", "return_requested")
    return Answer(200, {key: value for key, value in shown(call.state, found).items() if key in keys})


def find(state: State, submission: str) -> sqlite3.Row:
    """A submission.

    Raises:
        Refused: there is none of this id.
    """
    row = state.first("select * from submission where id = ?", submission)
    if row is None:
        raise missing("Submission", submission)
    return row


def shown(state: State, row: sqlite3.Row) -> dict[str, Any]:
    """A submission as Prolific tells it."""
    paid = state.all("select amount from bonus where submission = ? order by number", row["id"])
    return {
        "id": row["id"],
        "study_id": row["study"],
        "participant": row["participant"],
        "participant_id": row["participant"],
        "status": row["status"],
        "started_at": written(row["started"]),
        "completed_at": written(row["completed"]),
        "entered_code": row["code"],
        "study_code": row["code"],
        "bonus_payments": [bonus["amount"] for bonus in paid],
        "return_requested": written(row["return_requested"]),
    }


def approve(state: State, row: sqlite3.Row) -> None:
    """Pay for a submission; nothing happens if that was done."""
    if row["status"] == "APPROVED":
        return
    if row["status"] != "AWAITING REVIEW":
        raise Refused(400, f"Submission {row['id']} is {row['status']}, so it cannot be approved.")
    study = studies.find(state, row["study"])
    state.run("update submission set status = 'APPROVED' where number = ?", row["number"])
    state.pay("reward", row["id"], study["reward"], study["fee"])
    studies.settle(state, row["study"])


def ask_back(state: State, row: sqlite3.Row, reason: str) -> None:
    """Note that a submission is asked back, and tell the participant."""
    state.run(
        "update submission set return_requested = coalesce(return_requested, ?) where number = ?",
        state.now,
        row["number"],
    )
    state.run(
        "insert into message (participant, text, at) values (?, ?, ?)", row["participant"], reason, state.now
    )


def _reject(state: State, row: sqlite3.Row, wish: Transition) -> None:
    if row["status"] == "REJECTED":
        return
    if row["status"] != "AWAITING REVIEW":
        raise Refused(400, f"Submission {row['id']} is {row['status']}, so it cannot be rejected.")
    if wish.rejection_category is None:
        raise Refused(400, {"rejection_category": ["This field is required."]})
    if len(wish.message or "") < _SHORTEST:
        raise Refused(400, {"message": [f"Ensure this field has at least {_SHORTEST} characters."]})
    state.run(
        "update submission set status = 'REJECTED', reason = ?, category = ? where number = ?",
        wish.message,
        wish.rejection_category,
        row["number"],
    )
    studies.settle(state, row["study"])
