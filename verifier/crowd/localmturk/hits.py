"""HITs and HIT types: made, looked at, extended, expired, reviewed, deleted."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

from verifier.crowd.localmturk import paging, questions, requirements
from verifier.crowd.localmturk.errors import Refused, invalid, missing
from verifier.crowd.localmturk.money import cents, fee, written
from verifier.crowd.localmturk.operations import Call, operation
from verifier.crowd.localmturk.state import State, identifier, packed

_MASTERS: Final = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
_DAY: Final = 86400
_YEAR: Final = 365 * _DAY
_MOST_ASSIGNMENTS: Final = 1_000_000_000
_STEP: Final = 10
_TERMS: Final = (
    "AutoApprovalDelayInSeconds",
    "AssignmentDurationInSeconds",
    "Reward",
    "Title",
    "Keywords",
    "Description",
    "QualificationRequirements",
)
_LENGTHS: Final = {"Title": 128, "Keywords": 1000, "Description": 2000, "RequesterAnnotation": 255}
_NOT_SERVED: Final = ("HITLayoutId", "HITLayoutParameters", "AssignmentReviewPolicy", "HITReviewPolicy")
COUNTS: Final = """
    select coalesce(sum(status = 'Accepted'), 0) as pending,
        coalesce(sum(status = 'Submitted'), 0) as submitted,
        coalesce(sum(status in ('Approved', 'Rejected')), 0) as completed
    from assignment where hit = ? and status in ('Accepted', 'Submitted', 'Approved', 'Rejected')
"""


@operation("CreateHITType")
def create_hit_type(call: Call) -> dict[str, Any]:
    """A HIT type; the same terms give the same one."""
    return {"HITTypeId": _type_of(call)}


@operation("CreateHIT")
def create_hit(call: Call) -> dict[str, Any]:
    """A HIT and, if need be, its type."""
    return _create(call, lambda: _type_of(call))


@operation("CreateHITWithHITType")
def create_hit_with_hit_type(call: Call) -> dict[str, Any]:
    """A HIT of a type that exists."""
    return _create(call, lambda: call["HITTypeId"])


@operation("GetHIT")
def get_hit(call: Call) -> dict[str, Any]:
    """One HIT, deleted or not."""
    return {"HIT": shown(call.state, find(call.state, call["HITId"], disposed=True))}


@operation("ListHITs")
def list_hits(call: Call) -> dict[str, Any]:
    """All HITs that are not deleted, in the order in which they were made (assumed)."""
    query = "select * from hit where not disposed and number > ? and created <= ? order by number limit ?"
    rows, more = paging.page(call, lambda after, limit: call.state.all(query, after, call.visible, limit))
    return {"HITs": [shown(call.state, row) for row in rows], **more}


@operation("ListReviewableHITs")
def list_reviewable_hits(call: Call) -> dict[str, Any]:
    """HITs that are Reviewable, or Reviewing if asked."""
    wanted, kind = call.get("Status", "Reviewable"), call.get("HITTypeId", "")
    query = "select * from hit where not disposed and number > ? and created <= ? order by number"
    found = [
        row
        for row in call.state.all(query, paging.after(call), call.visible)
        if status(call.state, row) == wanted and kind in ("", row["type"])
    ]
    rows, more = paging.page(call, lambda _after, limit: found[:limit])
    return {"HITs": [shown(call.state, row) for row in rows], **more}


@operation("UpdateExpirationForHIT")
def update_expiration(call: Call) -> dict[str, Any]:
    """Put a HIT's end off, or end it now; what cannot be done any more is no longer put aside."""
    row, until = find(call.state, call["HITId"]), float(call["ExpireAt"])
    if until > call.now + _YEAR:
        raise invalid("A HIT expires within a year.")
    call.state.run("update hit set expires = ?, ended = 0 where id = ?", max(until, 0.0), row["id"])
    hold(call.state, row["id"])
    return {}


@operation("CreateAdditionalAssignmentsForHIT")
def create_additional_assignments(call: Call) -> dict[str, Any]:
    """More assignments in a HIT, but never from under ten to ten or more."""
    row, more = find(call.state, call["HITId"]), int(call["NumberOfAdditionalAssignments"])
    call.once("RequestAlreadyExists", "The request {} already exists.")
    if more < 1 or row["most"] + more > _MOST_ASSIGNMENTS:
        raise invalid("NumberOfAdditionalAssignments is at least 1, and at most 1,000,000,000 in all.")
    if row["most"] < _STEP <= row["most"] + more:
        raise Refused(
            "InvalidMaximumAssignmentsIncrease",
            "A HIT created with fewer than 10 assignments cannot be extended to 10 or more.",
        )
    call.state.run("update hit set most = most + ? where id = ?", more, row["id"])
    hold(call.state, row["id"])
    call.remember(call.number)
    return {}


@operation("UpdateHITReviewStatus")
def update_review_status(call: Call) -> dict[str, Any]:
    """From Reviewable to Reviewing, or back."""
    row, back = find(call.state, call["HITId"]), bool(call.get("Revert", False))
    if status(call.state, row) != ("Reviewing" if back else "Reviewable"):
        raise Refused("InvalidHITState", f"HIT {row['id']} is {status(call.state, row)}.")
    call.state.run("update hit set reviewing = ? where id = ?", int(not back), row["id"])
    return {}


@operation("DeleteHIT")
def delete_hit(call: Call) -> dict[str, Any]:
    """Dispose of a HIT that is Reviewable or Reviewing, all of it decided."""
    row = find(call.state, call["HITId"])
    if status(call.state, row) not in ("Reviewable", "Reviewing"):
        raise Refused("InvalidHITState", f"HIT {row['id']} is {status(call.state, row)}.")
    if call.state.one(COUNTS, row["id"])["submitted"]:
        raise Refused("InvalidHITState", f"HIT {row['id']} has assignments that are not decided.")
    call.state.run("update hit set disposed = 1, held = 0 where id = ?", row["id"])
    return {}


def find(state: State, hit: str, *, disposed: bool = False) -> sqlite3.Row:
    """The HIT with this id; a deleted one only if asked."""
    row = state.first("select * from hit where id = ?", hit)
    if row is None or (row["disposed"] and not disposed):
        raise missing("HIT", hit)
    return row


def terms(state: State, kind: str) -> dict[str, Any]:
    """The terms of a HIT type, as they were given."""
    row = state.first("select terms from hit_type where id = ?", kind)
    if row is None:
        raise missing("HITType", kind)
    return dict(json.loads(row["terms"]))


def available(state: State, row: sqlite3.Row) -> int:
    """How many more may be accepted. A rejected assignment does not come back."""
    counts = state.one(COUNTS, row["id"])
    used = counts["pending"] + counts["submitted"] + counts["completed"]
    return 0 if row["expires"] <= state.now else max(0, int(row["most"]) - used)


def status(state: State, row: sqlite3.Row) -> str:
    """Where a HIT stands. Assumed: extending a HIT that is Reviewable makes it Assignable again."""
    if row["disposed"]:
        return "Disposed"
    if available(state, row):
        return "Assignable"
    if state.one(COUNTS, row["id"])["pending"]:
        return "Unassignable"
    return "Reviewing" if row["reviewing"] else "Reviewable"


def hold(state: State, hit: str) -> None:
    """Put aside what a HIT may still cost: reward and fee of all that is open, at work or undecided.

    Assumed: Amazon puts this aside when a HIT is made, and takes it when an assignment is approved.
    """
    row = find(state, hit, disposed=True)
    counts = state.one(COUNTS, hit)
    alive = available(state, row) + counts["pending"] + counts["submitted"]
    reward = state.one("select reward from hit_type where id = ?", row["type"])["reward"]
    new = alive * (reward + row["fee"])
    if new > row["held"] and new - row["held"] > state.available:
        raise Refused("InsufficientFunds", "The account does not have enough funds for this.")
    state.run("update hit set held = ? where id = ?", new, hit)


def shown(state: State, row: sqlite3.Row) -> dict[str, Any]:
    """A HIT as answers show it."""
    told, counts = terms(state, row["type"]), state.one(COUNTS, row["id"])
    given = {name: told[name] for name in _TERMS if told.get(name) is not None}
    return {
        **given,
        "HITId": row["id"],
        "HITTypeId": row["type"],
        "HITGroupId": row["type"][::-1],
        "CreationTime": row["created"],
        "Question": row["question"],
        "HITStatus": status(state, row),
        "MaxAssignments": row["most"],
        "Reward": written(cents(told["Reward"])),
        "Expiration": row["expires"],
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": counts["pending"],
        "NumberOfAssignmentsAvailable": available(state, row),
        "NumberOfAssignmentsCompleted": counts["completed"],
        **({} if row["annotation"] is None else {"RequesterAnnotation": row["annotation"]}),
    }


def _type_of(call: Call) -> str:
    given: dict[str, Any] = {name: call[name] for name in _TERMS if call.get(name) is not None}
    given.setdefault("AutoApprovalDelayInSeconds", 30 * _DAY)
    _between(given, "AssignmentDurationInSeconds", 30, _YEAR)
    _between(given, "AutoApprovalDelayInSeconds", 0, 30 * _DAY)
    _not_longer(given)
    requirements.check(given.get("QualificationRequirements", []))
    reward = cents(given["Reward"])
    known = call.state.first("select id from hit_type where terms = ?", packed(given))
    if known is not None:
        return str(known["id"])
    new = identifier()
    call.state.run(
        "insert into hit_type (id, terms, reward) values (?, ?, ?)", new, packed(given), min(reward, 10**15)
    )
    return new


def _create(call: Call, kind: Any) -> dict[str, Any]:
    call.once("HitAlreadyExists", "The HIT {} already exists.")
    for name in _NOT_SERVED:
        if call.get(name) is not None:
            raise invalid(f"The local MTurk serves no {name}.")
    given = {"MaxAssignments": 1, **call.request}
    _between(given, "LifetimeInSeconds", 30, _YEAR)
    _between(given, "MaxAssignments", 1, _MOST_ASSIGNMENTS)
    _not_longer(given)
    question = call.get("Question")
    if question is None:
        raise invalid("A HIT needs a Question.")
    questions.read(question)
    told_type = kind()
    told = terms(call.state, told_type)
    wanted = [rule["QualificationTypeId"] for rule in told.get("QualificationRequirements", [])]
    charge = fee(cents(told["Reward"]), assignments=given["MaxAssignments"], masters=_MASTERS in wanted)
    new = identifier()
    call.state.run(
        "insert into hit (id, type, created, expires, most, fee, question, annotation)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        new,
        told_type,
        call.now,
        call.now + given["LifetimeInSeconds"],
        given["MaxAssignments"],
        min(charge, 10**15),
        question,
        call.get("RequesterAnnotation"),
    )
    hold(call.state, new)
    call.remember(new)
    return {"HIT": shown(call.state, find(call.state, new))}


def _between(given: dict[str, Any], name: str, low: int, high: int) -> None:
    if not low <= given[name] <= high:
        raise invalid(f"{name} is from {low} to {high}.")


def _not_longer(given: dict[str, Any]) -> None:
    for name, most in _LENGTHS.items():
        if len(given.get(name) or "") > most:
            raise invalid(f"{name} has at most {most} characters.")
