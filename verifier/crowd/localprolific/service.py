"""Answers requests: checks each, runs it in one transaction, fails where a test asked for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from verifier.crowd.localbase.faults import LAG_SECONDS, Faults, Kind
from verifier.crowd.localprolific import bonuses, groups, studies, submissions
from verifier.crowd.localprolific.errors import Refused
from verifier.crowd.localprolific.operations import OPERATIONS, Call, find
from verifier.crowd.localprolific.passing import pass_time
from verifier.crowd.localprolific.state import State

# The modules register their operations when they are imported.
ROOMS: Final = (bonuses, groups, studies, submissions)


@dataclass(frozen=True)
class Reply:
    """An answer; `dropped`: the work was done, and nobody is to be told."""

    status: int
    body: Any
    dropped: bool = False


class Service:
    """A local Prolific without its sockets."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.faults = Faults(lambda: OPERATIONS)
        self.origin = ""

    def answer(self, method: str, path: str, query: Mapping[str, str], token: str, body: bytes) -> Reply:
        """Answer a request; `token` is its Authorization header."""
        try:
            _authenticate(token)
            operation, named = find(method, path)
            fault = self.faults.take(operation.name)
            _fail(fault)
            with self.state.change():
                pass_time(self.state)
            with self.state.change():
                call = Call(
                    self.state,
                    self.state.now,
                    path,
                    query,
                    _parse(body),
                    named,
                    self.origin,
                    lag=LAG_SECONDS if fault == Kind.LAG else 0.0,
                    short=fault == Kind.SHORT,
                    empty=fault == Kind.EMPTY,
                )
                answer = operation.handler(call)
        except Refused as refused:
            return Reply(refused.status, refused.body)
        return Reply(answer.status, answer.body, dropped=fault == Kind.DROP)

    def statement(self) -> dict[str, Any]:
        """The account: balance, what is put aside, studies, submissions and every payment, line by line."""
        with self.state.change():
            pass_time(self.state)
            lines = "select kind, subject, amount, fee from entry order by number"
            work = "select id, study, participant, status, code from submission order by number"
            rows = self.state.all("select * from study order by number")
            return {
                "balance": self.state.one("select balance from account")["balance"],
                "held": self.state.held,
                "now": self.state.now,
                "payments": [dict(row) for row in self.state.all(lines)],
                "studies": [_study(self.state, row) for row in rows],
                "submissions": [dict(row) for row in self.state.all(work)],
            }

    def remove(self, study: str) -> None:
        """Take a study away with all that belongs to it, as if somebody had. Assumed: one can."""
        with self.state.change():
            self.state.run("delete from submission where study = ?", study)
            self.state.run("delete from study where id = ?", study)


def _study(state: State, row: Any) -> dict[str, Any]:
    told = studies.shown(state, row)
    keys = ("id", "internal_name", "status", "total_available_places", "places_taken", "reward")
    return {key: told[key] for key in keys}


def _authenticate(token: str) -> None:
    """Refuse who shows no token. Assumed of the local one alone: that any will do."""
    if not token.startswith("Token ") or not token.removeprefix("Token ").strip():
        raise Refused(401, "Authentication credentials were not provided.")


def _fail(fault: Kind | None) -> None:
    """Refuse before anything is done."""
    if fault == Kind.THROTTLE:
        raise Refused(429, "Request was throttled.")
    if fault == Kind.BEFORE:
        raise Refused(500, "Try again later.")
    if fault == Kind.CREDENTIALS:
        raise Refused(401, "Invalid token.")


def _parse(body: bytes) -> Any:
    if not body:
        return {}
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "The body is not JSON.") from None
