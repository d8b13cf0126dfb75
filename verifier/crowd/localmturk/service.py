"""Answers requests: checks each against the model, runs it in one transaction, checks its own answer too."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from verifier.crowd.localmturk import assignments, hits, qualifications
from verifier.crowd.localmturk.checking import faults
from verifier.crowd.localmturk.errors import Refused
from verifier.crowd.localmturk.faults import LAG_SECONDS, Faults, Kind
from verifier.crowd.localmturk.model import model
from verifier.crowd.localmturk.operations import HANDLERS, Call, Handler, request_number
from verifier.crowd.localmturk.passing import pass_time
from verifier.crowd.localmturk.state import State

# The modules register their operations when they are imported.
ROOMS: Final = (assignments, hits, qualifications)
_TOLD: Final = 5


@dataclass(frozen=True)
class Answer:
    """An answer; `dropped`: the work was done, and nobody is to be told."""

    status: int
    body: dict[str, Any]
    dropped: bool = False


class Service:
    """A local MTurk without its sockets."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.faults = Faults()

    def answer(self, target: str, body: bytes) -> Answer:
        """Answer a request: the X-Amz-Target header and the body."""
        name = target.removeprefix(f"{model().target}.")
        if name not in model().operations:
            unknown = Refused("UnknownOperation", f"There is no operation {name!r}.")
            return Answer(404, unknown.body)
        fault = self.faults.take(name)
        try:
            _fail(fault)
            handler = _handler(name)
            request = _parse(name, body)
            with self.state.change():
                pass_time(self.state)
            with self.state.change():
                result = self._run(handler, name, request, fault)
        except Refused as refused:
            return Answer(refused.status, refused.body)
        return Answer(200, result, dropped=fault == Kind.DROP)

    def _run(
        self, handler: Handler, name: str, request: dict[str, Any], fault: Kind | None
    ) -> dict[str, Any]:
        call = Call(
            name,
            request,
            self.state,
            self.state.now,
            request_number(),
            lag=LAG_SECONDS if fault == Kind.LAG else 0.0,
            short=fault == Kind.SHORT,
        )
        result = handler(call)
        if wrong := list(faults(result, model().operations[name].output)):
            # Raised inside the transaction: what cannot be told is not done.
            raise Refused(
                "OwnAnswerIsWrong", f"{name}: {'; '.join(wrong[:_TOLD])}", kind="ServiceFault", status=500
            )
        return result

    def statement(self) -> dict[str, Any]:
        """The account: balance, what is put aside, HITs, assignments and every payment, line by line."""
        with self.state.change():
            pass_time(self.state)
            lines = self.state.all("select kind, subject, amount, fee from entry order by number")
            hit = "select id, annotation, most, disposed, held from hit order by number"
            work = "select id, hit, worker, status from assignment order by number"
            return {
                "balance": self.state.one("select balance from account")["balance"],
                "held": self.state.held,
                "now": self.state.now,
                "payments": [dict(row) for row in lines],
                "hits": [dict(row) for row in self.state.all(hit)],
                "assignments": [dict(row) for row in self.state.all(work)],
            }


def _fail(fault: Kind | None) -> None:
    """Refuse before anything is done. Assumed: these are the forms in which MTurk does."""
    if fault == Kind.THROTTLE:
        raise Refused("RequestThrottled", "Rate exceeded", kind="ThrottlingException")
    if fault == Kind.BEFORE:
        raise Refused("ServiceUnavailable", "Try again later.", kind="ServiceFault", status=500)
    if fault == Kind.CREDENTIALS:
        message = "The security token included in the request is invalid."
        raise Refused("NotAuthorized", message, kind="UnrecognizedClientException")


def _handler(name: str) -> Handler:
    if name not in HANDLERS:
        raise Refused("NotServedHere", f"The local MTurk does not implement {name}.")
    return HANDLERS[name]


def _parse(name: str, body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body or b"{}", parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused("InvalidParameters", "The body is not JSON.") from None
    shape = model().operations[name].input
    if wrong := list(faults(found, shape)):
        raise Refused("InvalidParameters", "; ".join(wrong[:_TOLD]))
    return {key: value for key, value in found.items() if value is not None}


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)
