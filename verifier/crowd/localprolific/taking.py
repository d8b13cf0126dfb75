"""What participants do: find studies, take part, complete, return."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

from verifier.crowd.localprolific import groups, studies, submissions
from verifier.crowd.localprolific.errors import Refused
from verifier.crowd.localprolific.passing import pass_time
from verifier.crowd.localprolific.state import State, identifier

NO_CODE: Final = "NOCODE"
_PLACEHOLDERS: Final = ("{{%PROLIFIC_PID%}}", "{{%STUDY_ID%}}", "{{%SESSION_ID%}}")
_MOST: Final = 100
_DEFAULT_TIMES: Final = 4


def open_to(state: State, participant: str) -> list[sqlite3.Row]:
    """The studies that a participant can take part in now."""
    with state.change():
        pass_time(state)
        rows = state.all("select * from study where status = 'ACTIVE' order by number")
        return [row for row in rows if not _why_not(state, row, participant)][:_MOST]


def mine(state: State, participant: str) -> list[sqlite3.Row]:
    """A participant's submissions, the latest first."""
    with state.change():
        pass_time(state)
        return state.all("select * from submission where participant = ? order by number desc", participant)


def take(state: State, participant: str, study: str) -> tuple[str, str]:
    """Take a place of a study: the submission, and where to go. The same for who is at work in it.

    Assumed: a place is not reserved first, since who takes it goes to the study at once.
    """
    with state.change():
        pass_time(state)
        row = studies.find(state, study)
        active = "select * from submission where participant = ? and status = 'ACTIVE'"
        if (before := state.first(active, participant)) is not None:
            if before["study"] != study:
                raise Refused(400, "You are taking part in another study. Complete or return that first.")
            return str(before["id"]), address(row, participant, before["id"])
        if why := _why_not(state, row, participant):
            raise Refused(400, why)
        new, minutes = identifier(), studies.settings_of(row)["maximum_allowed_time"]
        if minutes is None:
            minutes = _DEFAULT_TIMES * studies.settings_of(row)["estimated_completion_time"]
        state.run(
            "insert into submission (id, study, participant, status, started, deadline)"
            " values (?, ?, ?, 'ACTIVE', ?, ?)",
            new,
            study,
            participant,
            state.now,
            state.now + 60 * minutes,
        )
        return new, address(row, participant, new)


def address(study: sqlite3.Row, participant: str, submission: str) -> str:
    """Where a participant goes: the study's address, filled in."""
    told: str = studies.settings_of(study)["external_study_url"]
    for placeholder, value in zip(_PLACEHOLDERS, (participant, study["id"], submission), strict=True):
        told = told.replace(placeholder, value)
    return told


def complete(state: State, participant: str, code: str) -> sqlite3.Row:
    """End a participant's work with a code, and do what the study's settings say about it."""
    with state.change():
        pass_time(state)
        row = state.first(
            "select * from submission where participant = ? and status = 'ACTIVE' order by number desc",
            participant,
        )
        if row is None:
            raise Refused(
                400, "You are not taking part in a study just now: it was completed, returned or timed out."
            )
        state.run(
            "update submission set status = 'AWAITING REVIEW', completed = ?, code = ? where number = ?",
            state.now,
            code,
            row["number"],
        )
        for known in studies.settings_of(studies.find(state, row["study"]))["completion_codes"]:
            if known["code"] == code:
                _act(state, row["id"], participant, known["actions"])
        studies.settle(state, row["study"])
        return submissions.find(state, row["id"])


def give_back(state: State, participant: str, submission: str) -> None:
    """Return a submission."""
    with state.change():
        pass_time(state)
        row = submissions.find(state, submission)
        if row["participant"] != participant or row["status"] not in ("ACTIVE", "AWAITING REVIEW"):
            raise Refused(400, "This submission cannot be returned.")
        state.run("update submission set status = 'RETURNED' where number = ?", row["number"])
        studies.settle(state, row["study"])


def _act(state: State, submission: str, participant: str, actions: list[dict[str, Any]]) -> None:
    for action in actions:
        row = submissions.find(state, submission)
        match action["action"]:
            case "AUTOMATICALLY_APPROVE":
                submissions.approve(state, row)
            case "ADD_TO_PARTICIPANT_GROUP":
                groups.add(state, action["participant_group"], participant)
            case "REMOVE_FROM_PARTICIPANT_GROUP":
                groups.remove(state, action["participant_group"], participant)
            case "REQUEST_RETURN":
                submissions.ask_back(state, row, action["return_reason"] or "Please return your submission.")
            case _:
                continue  # a person reviews it


def _why_not(state: State, row: sqlite3.Row, participant: str) -> str:
    """Why a participant cannot take part; empty if he can. Assumed: everybody fits other filters."""
    if row["status"] != "ACTIVE" or studies.taken(state, row["id"]) >= row["places"]:
        return "The study has no places left."
    settings = studies.settings_of(row)
    blocked = [
        group
        for known in settings["filters"]
        if known["filter_id"] == "participant_group_blocklist"
        for group in known["selected_values"]
    ]
    if groups.is_in(state, blocked, participant):
        return "You are not eligible for this study."
    most = settings["submissions_config"]["max_submissions_per_participant"]
    times = state.one(
        "select count(*) as n from submission where study = ? and participant = ?", row["id"], participant
    )["n"]
    return "You have taken part in this study already." if 0 <= most <= times else ""


def told(state: State, row: sqlite3.Row) -> dict[str, Any]:
    """A study as its participants see it."""
    settings = json.loads(row["settings"])
    left = row["places"] - studies.taken(state, row["id"])
    return {
        "id": row["id"],
        "name": settings["name"],
        "description": settings["description"],
        "reward": f"{row['reward'] / 100:.2f}",
        "minutes": settings["estimated_completion_time"],
        "left": left,
    }
