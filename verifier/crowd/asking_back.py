"""Asking back: a worker is asked to give back what cannot be paid, so that nobody need be rejected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from analysis.errors import InputError, Problem
from verifier.crowd import campaigns, paying, review
from verifier.crowd.base import Capability, Requester, require
from verifier.crowd.platforms import adapter_of
from verifier.store import hosting, ledger

if TYPE_CHECKING:
    from verifier.study import Study

ASK_BACK: Final = "request return"
_SHORTEST, _LONGEST = 20, 1000


def check(study: Study, numbers: Sequence[int], reason: str) -> None:
    """Refuse what cannot be asked back; nothing is called and nothing is written.

    Raises:
        StateError: the platform cannot ask anybody back.
        InputError: nothing was handed in there under a number, it is decided or would be approved, or no
            reason is given.
    """
    if not numbers:
        return
    require(adapter_of(study.config), Capability.REQUEST_RETURN)
    with study.read() as session:
        people = {person.assignment: person for person in ledger.participations(session)}
    payable = {entry.assignment for entry in review.queue(study).waiting}
    problems = []
    for number in numbers:
        person, where = people.get(number), f"--ask-back {number}"
        if person is None or person.hosted is None:
            problems.append(Problem("nothing was handed in under this number", where))
        elif person.decision is not None:
            problems.append(Problem("it is decided already", where, person.decision))
        elif number in payable:
            problems.append(Problem("it is complete, and proposed for approval: it is paid", where))
    if not _SHORTEST <= len(reason) <= _LONGEST:
        expected = f"{_SHORTEST} to {_LONGEST} characters: the worker reads it"
        problems.append(Problem("the feedback does not suffice", "--feedback", f"{len(reason)}", expected))
    if problems:
        raise InputError.of(problems)


def ask_back(
    study: Study, requester: Requester, numbers: Sequence[int], reason: str, *, now: datetime
) -> int:
    """Ask workers to give back what they handed in, each once; how many were asked now.

    Raises:
        StateError: the platform refuses, or does not answer. What is done is kept.
    """
    campaigns.check(study, paying.environment_of(study), Capability.REQUEST_RETURN)
    check(study, numbers, reason)
    with study.write(alone=True) as session:
        for number in numbers:
            token = f"ask-back-{number}"
            if not hosting.known(session, token):
                platform, currency = study.config.platform.kind, study.config.place.currency
                request = {"assignment": number, "reason": reason}
                nothing = Decimal("0.00")
                hosting.intend(
                    session, token, platform, ASK_BACK, request, amount=nothing, currency=currency, now=now
                )
    with study.read() as session:
        hosted = {person.assignment: person.hosted or "" for person in ledger.participations(session)}
        waiting = [(call.token, dict(call.request)) for call in hosting.intents(session, ASK_BACK)]
    for token, asked in waiting:
        requester.request_return(hosted[int(asked["assignment"])], str(asked["reason"]))
        with study.write() as session:
            hosting.conclude(session, token, "done", {}, now)
    return len(waiting)
