"""What workers do: find HITs, accept, return, submit."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

from verifier.crowd.localmturk import hits, requirements
from verifier.crowd.localmturk.errors import Refused
from verifier.crowd.localmturk.passing import pass_time
from verifier.crowd.localmturk.state import State, identifier

_ANSWERS: Final = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
)
_LIVE: Final = "('Accepted', 'Submitted', 'Approved', 'Rejected')"
_MOST_LISTED: Final = 100
_LONGEST: Final = 65536


def groups(state: State, worker: str) -> list[dict[str, Any]]:
    """The HIT types that have work for a worker and that he may discover: terms, and the next HIT of each."""
    with state.change():
        pass_time(state)
        found = []
        for kind in state.all("select id from hit_type order by number"):
            terms = hits.terms(state, kind["id"])
            rules = terms.get("QualificationRequirements", [])
            if not requirements.allowed(state, worker, rules, "discover"):
                continue
            if (row := _next(state, kind["id"], worker)) is not None:
                may = requirements.allowed(state, worker, rules, "accept")
                found.append({**terms, "hit": row["id"], "may_accept": may})
        return found[:_MOST_LISTED]


def preview(state: State, worker: str, hit: str) -> sqlite3.Row:
    """A HIT that a worker may look at."""
    with state.change():
        pass_time(state)
        row = hits.find(state, hit)
        rules = hits.terms(state, row["type"]).get("QualificationRequirements", [])
        if not requirements.allowed(state, worker, rules, "preview"):
            raise Refused("NotQualified", "You do not have the qualifications to see this HIT.")
        return row


def accept(state: State, worker: str, hit: str) -> str:
    """Accept a HIT; the id of the assignment, the same one for who has accepted it already.

    Assumed: the id of an assignment that was returned or abandoned goes to who accepts next.
    """
    with state.change():
        pass_time(state)
        row = hits.find(state, hit)
        before = state.first(
            f"select * from assignment where hit = ? and worker = ? and status in {_LIVE}", hit, worker
        )
        if before is not None and before["status"] == "Accepted":
            return str(before["id"])
        if before is not None:
            raise Refused("AlreadyDone", "You have done this HIT.")
        terms = hits.terms(state, row["type"])
        rules = terms.get("QualificationRequirements", [])
        if not requirements.allowed(state, worker, rules, "accept"):
            raise Refused("NotQualified", "You do not have the qualifications for this HIT.")
        if not hits.available(state, row):
            raise Refused("NothingLeft", "There are no more of these HITs.")
        new = _free_id(state, hit) or identifier()
        deadline = state.now + terms["AssignmentDurationInSeconds"]
        state.run(
            "insert into assignment (id, hit, worker, status, accepted, deadline)"
            " values (?, ?, ?, 'Accepted', ?, ?)",
            new,
            hit,
            worker,
            state.now,
            deadline,
        )
        return new


def give_back(state: State, worker: str, assignment: str) -> None:
    """Return an assignment that is at work."""
    with state.change():
        pass_time(state)
        row = at_work(state, assignment)
        if row["worker"] != worker:
            raise Refused("NotYours", "This is not your assignment.")
        state.run("update assignment set status = 'Returned' where number = ?", row["number"])
        hits.hold(state, row["hit"])


def submit(state: State, assignment: str, fields: Sequence[tuple[str, str]]) -> str:
    """Take in what a worker's form sends for an assignment at work; who it was."""
    with state.change():
        pass_time(state)
        row = at_work(state, assignment)
        terms = hits.terms(state, hits.find(state, row["hit"])["type"])
        answer = _answers(fields)
        if len(answer) > _LONGEST:
            raise Refused("AnswerTooLong", "The answer is too long.")
        state.run(
            "update assignment set status = 'Submitted', submitted = ?, automatic = ?, answer = ?"
            " where number = ?",
            state.now,
            state.now + terms["AutoApprovalDelayInSeconds"],
            answer,
            row["number"],
        )
        return str(row["worker"])


def at_work(state: State, assignment: str) -> sqlite3.Row:
    """The assignment that is at work under this id."""
    row = state.first("select * from assignment where id = ? and status = 'Accepted'", assignment)
    if row is None:
        raise Refused("NotAtWork", "This assignment is not being worked on any more.")
    return row


def _next(state: State, kind: str, worker: str) -> sqlite3.Row | None:
    """The first HIT of a type that is open and that the worker has not had."""
    query = (
        "select * from hit where type = ? and not disposed and expires > ?"
        f" and (select count(*) from assignment where hit = hit.id and status in {_LIVE}) < most"
        f" and not exists (select 1 from assignment where hit = hit.id and worker = ? and status in {_LIVE})"
        " order by number limit 1"
    )
    return state.first(query, kind, state.now, worker)


def _free_id(state: State, hit: str) -> str | None:
    query = (
        "select id from assignment as old where hit = ? and status in ('Returned', 'Abandoned')"
        f" and not exists (select 1 from assignment where id = old.id and status in {_LIVE}) limit 1"
    )
    row = state.first(query, hit)
    return None if row is None else str(row["id"])


def _answers(fields: Sequence[tuple[str, str]]) -> str:
    answers = "".join(
        f"<Answer><QuestionIdentifier>{escape(_written(name))}</QuestionIdentifier>"
        f"<FreeText>{escape(_written(value))}</FreeText></Answer>"
        for name, value in fields
        if name != "assignmentId"
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{head}<QuestionFormAnswers xmlns="{_ANSWERS}">{answers}</QuestionFormAnswers>'


def _written(text: str) -> str:
    """Text without the control characters that XML cannot hold."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n\r")
