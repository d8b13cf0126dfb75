"""Participant groups, workspaces and who one is."""

from __future__ import annotations

import sqlite3
from typing import Any

from pydantic import Field

from verifier.crowd.localprolific.errors import Refused, missing
from verifier.crowd.localprolific.operations import Answer, Body, Call, operation
from verifier.crowd.localprolific.paging import page
from verifier.crowd.localprolific.state import PROJECT, WORKSPACE, State, identifier, written


class Draft(Body):
    """A group as it is made."""

    name: str = Field(min_length=1)
    workspace_id: str
    description: str | None = None
    participant_ids: list[str] = Field(default=[])


class Members(Body):
    """Participants to put in."""

    participant_ids: list[str] = Field(min_length=1)


@operation("get-user", "GET", "users/me/")
def me(call: Call) -> Answer:
    """Who asks."""
    return Answer(
        200,
        {"id": "5c0ffee000000000000000c1", "name": "Local researcher", "currency_code": call.state.currency},
    )


@operation("get-workspaces", "GET", "workspaces/")
def workspaces(call: Call) -> Answer:
    """The workspaces: one."""
    only = {"id": WORKSPACE, "title": "Local workspace", "projects": [{"id": PROJECT}]}
    return Answer(200, page(call, [only], lambda item: item))


@operation("get-workspace-balance", "GET", "workspaces/{id}/balance/")
def balance(call: Call) -> Answer:
    """What the workspace holds, and what of it is not put aside, in cents."""
    if call.id != WORKSPACE:
        raise missing("Workspace", call.id)
    total = int(call.state.one("select balance from account")["balance"])
    body = {
        "currency_code": call.state.currency,
        "total_balance": total,
        "available_balance": call.state.available,
    }
    return Answer(200, body)


@operation("create-participant-group", "POST", "participant-groups/")
def create(call: Call) -> Answer:
    """Make a group."""
    draft, new = call.told(Draft), identifier()
    if draft.workspace_id != WORKSPACE:
        raise missing("Workspace", draft.workspace_id)
    call.state.run(
        "insert into participant_group (id, name, description, created) values (?, ?, ?, ?)",
        new,
        draft.name,
        draft.description,
        call.now,
    )
    for participant in draft.participant_ids:
        add(call.state, new, participant)
    return Answer(201, _shown(call.state, _find(call.state, new)))


@operation("get-participant-groups", "GET", "participant-groups/")
def listed(call: Call) -> Answer:
    """List the groups of a workspace."""
    if call.query.get("workspace_id", call.query.get("filter[workspace_id]")) != WORKSPACE:
        raise Refused(400, {"workspace_id": ["A workspace must be named."]})
    rows = call.state.all(
        "select * from participant_group where created <= ? order by number", call.now - call.lag
    )
    return Answer(200, page(call, rows, lambda row: _shown(call.state, row)))


@operation("get-participant-group-participants", "GET", "participant-groups/{id}/participants/")
def members(call: Call) -> Answer:
    """List a group's participants."""
    row = _find(call.state, call.id)
    return Answer(200, page(call, _members(call.state, row["id"]), _member))


@operation("add-to-participant-group", "POST", "participant-groups/{id}/participants/")
def put_in(call: Call) -> Answer:
    """Put participants into a group; who is in it already stays."""
    wish, row = call.told(Members), _find(call.state, call.id)
    for participant in wish.participant_ids:
        add(call.state, row["id"], participant)
    return Answer(200, {"results": [_member(one) for one in _members(call.state, row["id"])]})


def add(state: State, group: str, participant: str) -> None:
    """Put a participant into a group."""
    state.run(
        "insert or ignore into member (grp, participant, at) values (?, ?, ?)", group, participant, state.now
    )


def remove(state: State, group: str, participant: str) -> None:
    """Take a participant out of a group."""
    state.run("delete from member where grp = ? and participant = ?", group, participant)


def is_in(state: State, groups: list[str], participant: str) -> bool:
    """Whether a participant is in one of some groups."""
    query = "select 1 from member where grp = ? and participant = ?"
    return any(state.first(query, group, participant) is not None for group in groups)


def _find(state: State, group: str) -> sqlite3.Row:
    row = state.first("select * from participant_group where id = ?", group)
    if row is None:
        raise missing("Participant group", group)
    return row


def _members(state: State, group: str) -> list[sqlite3.Row]:
    return state.all("select * from member where grp = ? order by number", group)


def _member(row: sqlite3.Row) -> dict[str, Any]:
    return {"participant_id": row["participant"], "datetime_created": written(row["at"])}


def _shown(state: State, row: sqlite3.Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["name"],
        "description": row["description"],
        "workspace_id": WORKSPACE,
        "organisation_id": None,
        "participant_count": len(_members(state, row["id"])),
        "is_deleted": False,
        "feeder_studies": [],
    }
