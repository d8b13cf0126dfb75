"""Qualification types of the requester's own, who has them, and messages to workers."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

from verifier.crowd.localmturk import paging
from verifier.crowd.localmturk.errors import Refused, invalid, missing
from verifier.crowd.localmturk.operations import Call, operation
from verifier.crowd.localmturk.state import State, identifier, packed

_KEPT: Final = (
    "Name",
    "Keywords",
    "Description",
    "QualificationTypeStatus",
    "RetryDelayInSeconds",
    "Test",
    "AnswerKey",
    "TestDurationInSeconds",
    "AutoGranted",
    "AutoGrantedValue",
)
_LONGEST_NAME: Final = 200
_MOST_WORKERS: Final = 100


@operation("CreateQualificationType")
def create_qualification_type(call: Call) -> dict[str, Any]:
    """A new qualification type; names are the requester's once each."""
    given = {name: call[name] for name in _KEPT if call.get(name) is not None}
    if not 0 < len(given["Name"]) <= _LONGEST_NAME:
        raise invalid(f"Name has 1 to {_LONGEST_NAME} characters.")
    if any(json.loads(row["terms"])["Name"] == given["Name"] for row in _all(call.state)):
        raise Refused("QualificationTypeAlreadyExists", "A qualification type with this name exists.")
    new = identifier()
    call.state.run(
        "insert into qualification_type (id, created, terms) values (?, ?, ?)", new, call.now, packed(given)
    )
    return {"QualificationType": _shown(_find(call.state, new))}


@operation("GetQualificationType")
def get_qualification_type(call: Call) -> dict[str, Any]:
    """One qualification type."""
    return {"QualificationType": _shown(_find(call.state, call["QualificationTypeId"]))}


@operation("UpdateQualificationType")
def update_qualification_type(call: Call) -> dict[str, Any]:
    """Change what was given."""
    row = _find(call.state, call["QualificationTypeId"])
    given = {name: call[name] for name in _KEPT if call.get(name) is not None}
    call.state.run(
        "update qualification_type set terms = ? where number = ?",
        packed({**json.loads(row["terms"]), **given}),
        row["number"],
    )
    return {"QualificationType": _shown(_find(call.state, row["id"]))}


@operation("DeleteQualificationType")
def delete_qualification_type(call: Call) -> dict[str, Any]:
    """Take away a type, and from every worker what was granted of it."""
    row = _find(call.state, call["QualificationTypeId"])
    call.state.run("delete from qualification where type = ?", row["id"])
    call.state.run("delete from qualification_type where id = ?", row["id"])
    return {}


@operation("ListQualificationTypes")
def list_qualification_types(call: Call) -> dict[str, Any]:
    """The requester's own types whose name or description holds the query."""
    wanted = (call.get("Query") or "").casefold()
    rows, more = paging.page(
        call,
        lambda after, limit: [
            row
            for row in _all(call.state)
            if row["number"] > after and row["created"] <= call.visible and wanted in row["terms"].casefold()
        ][:limit],
    )
    return {"QualificationTypes": [_shown(row) for row in rows], **more}


@operation("AssociateQualificationWithWorker")
def associate_qualification(call: Call) -> dict[str, Any]:
    """Grant; a second time changes the value."""
    row = _find(call.state, call["QualificationTypeId"])
    call.state.run(
        "insert into qualification (type, worker, value, at, status) values (?, ?, ?, ?, 'Granted')"
        " on conflict (type, worker) do update set value = excluded.value, status = 'Granted'",
        row["id"],
        call["WorkerId"],
        call.get("IntegerValue", 1),
        call.now,
    )
    return {}


@operation("DisassociateQualificationFromWorker")
def disassociate_qualification(call: Call) -> dict[str, Any]:
    """Revoke what was granted."""
    row = _find(call.state, call["QualificationTypeId"])
    query = "update qualification set status = 'Revoked' where type = ? and worker = ? and status = 'Granted'"
    if not call.state.run(query, row["id"], call["WorkerId"]):
        raise Refused("QualificationDoesNotExist", "The worker does not have this qualification.")
    return {}


@operation("GetQualificationScore")
def get_qualification_score(call: Call) -> dict[str, Any]:
    """What a worker has of a type."""
    row = _find(call.state, call["QualificationTypeId"])
    query = "select * from qualification where type = ? and worker = ?"
    found = call.state.first(query, row["id"], call["WorkerId"])
    if found is None:
        raise Refused("QualificationDoesNotExist", "The worker does not have this qualification.")
    return {"Qualification": _granted(found)}


@operation("ListWorkersWithQualificationType")
def list_workers_with_qualification_type(call: Call) -> dict[str, Any]:
    """Who has a type, or had."""
    row = _find(call.state, call["QualificationTypeId"])
    query = (
        "select * from qualification where type = ? and status = ? and number > ? and at <= ?"
        " order by number limit ?"
    )
    status = call.get("Status", "Granted")
    rows, more = paging.page(
        call,
        lambda after, limit: call.state.all(query, row["id"], status, after, call.visible, limit),
    )
    return {"Qualifications": [_granted(found) for found in rows], **more}


@operation("NotifyWorkers")
def notify_workers(call: Call) -> dict[str, Any]:
    """Send a message to workers who have worked for the requester; the others are named as failures."""
    if not 1 <= len(call["WorkerIds"]) <= _MOST_WORKERS:
        raise invalid(f"A message goes to 1 to {_MOST_WORKERS} workers.")
    failed = []
    for worker in call["WorkerIds"]:
        if call.state.first("select 1 from assignment where worker = ?", worker) is None:
            text = "The worker has not worked for you."
            failed.append(
                {
                    "WorkerId": worker,
                    "NotifyWorkersFailureCode": "HardFailure",
                    "NotifyWorkersFailureMessage": text,
                }
            )
            continue
        call.state.run(
            "insert into message (worker, subject, text, at) values (?, ?, ?, ?)",
            worker,
            call["Subject"],
            call["MessageText"],
            call.now,
        )
    return {"NotifyWorkersFailureStatuses": failed}


def _all(state: State) -> list[sqlite3.Row]:
    return state.all("select * from qualification_type order by number")


def _find(state: State, kind: str) -> sqlite3.Row:
    row = state.first("select * from qualification_type where id = ?", kind)
    if row is None:
        raise missing("QualificationType", kind)
    return row


def _shown(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "QualificationTypeId": row["id"],
        "CreationTime": row["created"],
        "IsRequestable": True,
        **json.loads(row["terms"]),
    }


def _granted(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "QualificationTypeId": row["type"],
        "WorkerId": row["worker"],
        "GrantTime": row["at"],
        "IntegerValue": row["value"],
        "Status": row["status"],
    }
