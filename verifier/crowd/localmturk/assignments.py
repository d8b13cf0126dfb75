"""Assignments that were submitted: listed, approved, rejected, and the bonuses paid for them."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from verifier.crowd.localmturk import hits, paging
from verifier.crowd.localmturk.errors import Refused, invalid, missing
from verifier.crowd.localmturk.money import cents, fee, written
from verifier.crowd.localmturk.operations import Call, operation
from verifier.crowd.localmturk.state import State

_SHOWN: Final = ("Submitted", "Approved", "Rejected")
_TIMES: Final = {
    "AcceptTime": "accepted",
    "Deadline": "deadline",
    "SubmitTime": "submitted",
    "AutoApprovalTime": "automatic",
    "ApprovalTime": "approved",
    "RejectionTime": "rejected",
    "Answer": "answer",
    "RequesterFeedback": "feedback",
}
_OVERRIDE_DAYS: Final = 30


@operation("ListAssignmentsForHIT")
def list_assignments(call: Call) -> dict[str, Any]:
    """Assignments of a HIT that were submitted, by number; of some statuses if asked."""
    hit = hits.find(call.state, call["HITId"], disposed=True)
    wanted = call.get("AssignmentStatuses") or list(_SHOWN)
    marks = ", ".join("?" * len(wanted))
    query = (
        f"select * from assignment where hit = ? and number > ? and submitted <= ? and status in ({marks})"
        " order by number limit ?"
    )
    rows, more = paging.page(
        call,
        lambda after, limit: call.state.all(query, hit["id"], after, call.visible, *wanted, limit),
    )
    return {"Assignments": [shown(row) for row in rows], **more}


@operation("GetAssignment")
def get_assignment(call: Call) -> dict[str, Any]:
    """One assignment that was submitted, and its HIT."""
    row = find(call.state, call["AssignmentId"])
    hit = hits.find(call.state, row["hit"], disposed=True)
    return {"Assignment": shown(row), "HIT": hits.shown(call.state, hit)}


@operation("ApproveAssignment")
def approve_assignment(call: Call) -> dict[str, Any]:
    """Pay for an assignment; a rejected one only if that is overridden."""
    row = find(call.state, call["AssignmentId"])
    hit = hits.find(call.state, row["hit"], disposed=True)
    if row["status"] == "Rejected" and call.get("OverrideRejection", False):
        if hit["disposed"] or row["submitted"] < call.now - _OVERRIDE_DAYS * 86400:
            raise Refused("InvalidAssignmentState", "The rejection can no longer be overridden.")
        reward = call.state.one("select reward from hit_type where id = ?", hit["type"])["reward"]
        if reward + hit["fee"] > call.state.available:
            raise Refused("InsufficientFunds", "The account does not have enough funds for this.")
    elif row["status"] != "Submitted":
        raise Refused("InvalidAssignmentState", f"Assignment {row['id']} is {row['status']}, not Submitted.")
    approve(call.state, row, call.get("RequesterFeedback"))
    return {}


@operation("RejectAssignment")
def reject_assignment(call: Call) -> dict[str, Any]:
    """Pay nothing for an assignment, and say why."""
    row = find(call.state, call["AssignmentId"])
    if row["status"] != "Submitted":
        raise Refused("InvalidAssignmentState", f"Assignment {row['id']} is {row['status']}, not Submitted.")
    call.state.run(
        "update assignment set status = 'Rejected', rejected = ?, feedback = ? where number = ?",
        call.now,
        call["RequesterFeedback"],
        row["number"],
    )
    hits.hold(call.state, row["hit"])
    return {}


@operation("SendBonus")
def send_bonus(call: Call) -> dict[str, Any]:
    """Pay more for an assignment that was submitted."""
    call.once("RequestAlreadyExists", "The request {} already exists.")
    row = find(call.state, call["AssignmentId"])
    if row["worker"] != call["WorkerId"]:
        raise Refused("WorkerDidNotWork", "The worker did not submit this assignment.")
    amount = cents(call["BonusAmount"])
    if amount < 1:
        raise invalid("A bonus is at least 0.01.")
    if amount + fee(amount) > call.state.available:
        raise Refused("InsufficientFunds", "The account does not have enough funds for this.")
    call.state.run(
        "insert into bonus (assignment, hit, worker, amount, reason, at) values (?, ?, ?, ?, ?, ?)",
        row["id"],
        row["hit"],
        row["worker"],
        amount,
        call["Reason"],
        call.now,
    )
    call.state.pay("bonus", row["id"], amount, fee(amount))
    call.remember(call.number)
    return {}


@operation("ListBonusPayments")
def list_bonus_payments(call: Call) -> dict[str, Any]:
    """Bonuses of a HIT or of an assignment."""
    hit, assignment = call.get("HITId"), call.get("AssignmentId")
    if (hit is None) == (assignment is None):
        raise invalid("Give a HITId or an AssignmentId.")
    column = "hit" if assignment is None else "assignment"
    query = f"select * from bonus where {column} = ? and number > ? and at <= ? order by number limit ?"
    rows, more = paging.page(
        call, lambda after, limit: call.state.all(query, hit or assignment, after, call.visible, limit)
    )
    payments = [
        {
            "WorkerId": row["worker"],
            "BonusAmount": written(row["amount"]),
            "AssignmentId": row["assignment"],
            "Reason": row["reason"],
            "GrantTime": row["at"],
        }
        for row in rows
    ]
    return {"BonusPayments": payments, **more}


@operation("GetAccountBalance")
def get_account_balance(call: Call) -> dict[str, Any]:
    """What may be spent, and what is put aside."""
    return {"AvailableBalance": written(call.state.available), "OnHoldBalance": written(call.state.held)}


def find(state: State, assignment: str) -> sqlite3.Row:
    """The assignment that was submitted under this id."""
    marks = ", ".join(f"'{status}'" for status in _SHOWN)
    row = state.first(f"select * from assignment where id = ? and status in ({marks})", assignment)
    if row is None:
        raise missing("Assignment", assignment)
    return row


def approve(state: State, row: sqlite3.Row, feedback: str | None) -> None:
    """Approve and pay."""
    hit = hits.find(state, row["hit"], disposed=True)
    state.run(
        "update assignment set status = 'Approved', approved = ?, feedback = coalesce(?, feedback)"
        " where number = ?",
        state.now,
        feedback,
        row["number"],
    )
    reward = state.one("select reward from hit_type where id = ?", hit["type"])["reward"]
    state.pay("reward", row["id"], reward, hit["fee"])
    hits.hold(state, hit["id"])


def shown(row: sqlite3.Row) -> dict[str, Any]:
    """An assignment as answers show it."""
    return {
        "AssignmentId": row["id"],
        "WorkerId": row["worker"],
        "HITId": row["hit"],
        "AssignmentStatus": row["status"],
        **{name: row[column] for name, column in _TIMES.items() if row[column] is not None},
    }
