"""Studies: drafted, published, enlarged, paused, started, stopped, listed."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final, Literal

from pydantic import Field

from verifier.crowd.localprolific.errors import Refused, missing
from verifier.crowd.localprolific.operations import Answer, Body, Call, operation
from verifier.crowd.localprolific.paging import page
from verifier.crowd.localprolific.state import PROJECT, State, identifier, packed, written

# Submissions that take a place up.
TAKING: Final = "('RESERVED', 'ACTIVE', 'AWAITING REVIEW', 'APPROVED')"
_OPEN: Final = ("ACTIVE", "PAUSED", "AWAITING REVIEW", "COMPLETED")


class Action(Body):
    """What a completion code sets off."""

    action: Literal[
        "AUTOMATICALLY_APPROVE",
        "ADD_TO_PARTICIPANT_GROUP",
        "REMOVE_FROM_PARTICIPANT_GROUP",
        "MANUALLY_REVIEW",
        "REQUEST_RETURN",
    ]
    participant_group: str | None = None
    return_reason: str | None = None


class CompletionCode(Body):
    """A code that ends a submission, and what comes of it."""

    code: str = Field(min_length=1, max_length=128)
    code_type: Literal[
        "COMPLETED",
        "FAILED_ATTENTION_CHECK",
        "FOLLOW_UP_STUDY",
        "GIVE_BONUS",
        "INCOMPATIBLE_DEVICE",
        "NO_CONSENT",
        "OTHER",
        "FIXED_SCREENOUT",
    ]
    actions: list[Action]
    actor: Literal["participant", "researcher"] = "participant"


class Filter(Body):
    """Who may take part."""

    filter_id: str
    selected_values: list[str] = Field(default=[])
    selected_range: dict[str, float] | None = None


class Config(Body):
    """How often one participant may take part."""

    max_submissions_per_participant: int = 1
    max_concurrent_submissions: int = -1


class Draft(Body):
    """A study as it is made."""

    name: str = Field(min_length=1)
    internal_name: str | None = None
    description: str = Field(min_length=1)
    external_study_url: str = Field(pattern=r"^https?://")
    prolific_id_option: Literal["question", "url_parameters", "not_required"]
    completion_codes: list[CompletionCode] = Field(min_length=1)
    total_available_places: int = Field(ge=1)
    estimated_completion_time: int = Field(ge=1)
    maximum_allowed_time: int | None = Field(default=None, ge=2)
    reward: int = Field(ge=1)
    device_compatibility: list[Literal["desktop", "tablet", "mobile"]] = Field(default=[])
    peripheral_requirements: list[Literal["audio", "camera", "download", "microphone"]] = Field(default=[])
    filters: list[Filter] = Field(default=[])
    submissions_config: Config = Config()
    project: str | None = None


class Change(Body):
    """What can be changed. Assumed: of a study that is out, its places and internal name alone."""

    internal_name: str | None = None
    total_available_places: int | None = Field(default=None, ge=1)


class Transition(Body):
    """What is to become of a study."""

    action: Literal["PUBLISH", "PAUSE", "START", "STOP"]


@operation("create-study", "POST", "studies/")
def create(call: Call) -> Answer:
    """Draft a study."""
    draft = call.told(Draft)
    if draft.project not in (None, PROJECT):
        raise missing("Project", str(draft.project))
    new = identifier()
    call.state.run(
        "insert into study (id, created, status, places, reward, fee, settings)"
        " values (?, ?, 'UNPUBLISHED', ?, ?, ?, ?)",
        new,
        call.now,
        draft.total_available_places,
        draft.reward,
        call.state.fee(draft.reward),
        packed(draft.model_dump()),
    )
    return Answer(201, shown(call.state, find(call.state, new)))


@operation("get-studies", "GET", "studies/")
def listed(call: Call) -> Answer:
    """List studies, the youngest first."""
    state, query = call.query.get("state"), "select * from study where created <= ? order by number desc"
    rows = [row for row in call.state.all(query, call.now - call.lag) if state in (None, row["status"])]
    return Answer(200, page(call, rows, lambda row: shown(call.state, row)))


@operation("get-study", "GET", "studies/{id}/")
def told(call: Call) -> Answer:
    """Retrieve a study."""
    return Answer(200, shown(call.state, find(call.state, call.id)))


@operation("update-study", "PATCH", "studies/{id}/")
def change(call: Call) -> Answer:
    """Change a draft, or enlarge a study that is out."""
    wish, row = call.told(Change), find(call.state, call.id)
    if wish.internal_name is not None:
        settings = {**settings_of(row), "internal_name": wish.internal_name}
        call.state.run("update study set settings = ? where id = ?", packed(settings), row["id"])
    if wish.total_available_places is not None:
        _enlarge(call.state, row, wish.total_available_places)
    return Answer(200, shown(call.state, find(call.state, call.id)))


@operation("delete-study", "DELETE", "studies/{id}/")
def delete(call: Call) -> Answer:
    """Delete a draft."""
    row = find(call.state, call.id)
    if row["status"] != "UNPUBLISHED":
        raise Refused(400, "Only draft studies can be deleted.")
    call.state.run("delete from study where id = ?", row["id"])
    return Answer(204, None)


@operation("publish-study", "POST", "studies/{id}/transition/")
def transition(call: Call) -> Answer:
    """Publish, pause, start or stop a study."""
    wish, row = call.told(Transition).action, find(call.state, call.id)
    may = {
        "PUBLISH": ("UNPUBLISHED",),
        "PAUSE": ("ACTIVE",),
        "START": ("PAUSED", "AWAITING REVIEW", "COMPLETED"),
        "STOP": ("ACTIVE", "PAUSED", "AWAITING REVIEW"),
    }[wish]
    if row["status"] not in may or row["stopped"]:
        raise Refused(400, f"The study is {row['status']}, so the action {wish} is not available.")
    if wish == "PUBLISH":
        _afford(call.state, row["places"] * (row["reward"] + row["fee"]))
        call.state.run("update study set published = ? where id = ?", call.now, row["id"])
    call.state.run(
        "update study set status = ?, stopped = ? where id = ?",
        {"PAUSE": "PAUSED", "STOP": "AWAITING REVIEW"}.get(wish, "ACTIVE"),
        int(wish == "STOP"),
        row["id"],
    )
    settle(call.state, row["id"])
    return Answer(200, shown(call.state, find(call.state, call.id)))


class Costs(Body):
    """What is to be reckoned."""

    reward: float = Field(gt=0)
    total_available_places: float = Field(gt=0)


@operation("calculate-study-cost", "POST", "study-cost-calculator/")
def cost(call: Call) -> Answer:
    """What a study would cost, fee and tax too."""
    wish = call.told(Costs)
    reward = round(wish.reward)
    return Answer(200, {"total_cost": (reward + call.state.fee(reward)) * round(wish.total_available_places)})


def find(state: State, study: str) -> sqlite3.Row:
    """A study.

    Raises:
        Refused: there is none of this id.
    """
    row = state.first("select * from study where id = ?", study)
    if row is None:
        raise missing("Study", study)
    return row


def settings_of(row: sqlite3.Row) -> dict[str, Any]:
    """What a study was made with."""
    found: dict[str, Any] = json.loads(row["settings"])
    return found


def taken(state: State, study: str) -> int:
    """How many of a study's places are taken up."""
    query = f"select count(*) as n from submission where study = ? and status in {TAKING}"
    return int(state.one(query, study)["n"])


def shown(state: State, row: sqlite3.Row) -> dict[str, Any]:
    """A study as Prolific tells it."""
    return {
        **settings_of(row),
        "id": row["id"],
        "status": row["status"],
        "total_available_places": row["places"],
        "places_taken": taken(state, row["id"]),
        "reward": row["reward"],
        "date_created": written(row["created"]),
        "published_at": written(row["published"]),
        "total_cost": row["places"] * (row["reward"] + row["fee"]),
    }


def settle(state: State, study: str) -> None:
    """Bring a study's status up to its submissions: all handed in, or all approved."""
    row = find(state, study)
    if row["status"] not in ("ACTIVE", "AWAITING REVIEW"):
        return
    query = "select count(*) as n from submission where study = ? and status = ?"
    count = {
        status: int(state.one(query, study, status)["n"])
        for status in ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED")
    }
    working, waiting = count["RESERVED"] + count["ACTIVE"], count["AWAITING REVIEW"]
    full = row["stopped"] or waiting + count["APPROVED"] >= row["places"]
    if full and not working:
        state.run(
            "update study set status = ? where id = ?", "AWAITING REVIEW" if waiting else "COMPLETED", study
        )
    elif row["status"] == "AWAITING REVIEW" and not row["stopped"]:
        # Handed back, or rejected: nobody new is let in before somebody starts the study again.
        state.run("update study set status = 'PAUSED' where id = ?", study)


def _enlarge(state: State, row: sqlite3.Row, places: int) -> None:
    if row["status"] == "UNPUBLISHED":
        state.run("update study set places = ? where id = ?", places, row["id"])
        return
    if row["stopped"]:
        raise Refused(400, "The study was stopped: no places can be added.")
    if places < row["places"]:
        raise Refused(400, {"total_available_places": ["Places can only be increased."]})
    _afford(state, (places - row["places"]) * (row["reward"] + row["fee"]))
    # A study whose places were all taken is open again when it has more. Assumed: a paused one is not.
    status = row["status"] if row["status"] == "PAUSED" else "ACTIVE"
    state.run("update study set places = ?, status = ? where id = ?", places, status, row["id"])
    settle(state, row["id"])


def _afford(state: State, amount: int) -> None:
    if amount > state.available:
        raise Refused(400, "There is not enough money in the workspace: available funds are insufficient.")
