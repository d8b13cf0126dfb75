"""Ledger and local Prolific side by side, line by line; and a person who settles what is not known."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from tests.support.crowds import NOON
from verifier.crowd import bonuses
from verifier.crowd.localprolific.server import LocalProlific
from verifier.store import crowd, ledger
from verifier.study import Study

START = 1_000_000


def ours(study: Study, *states: str) -> dict[str, Counter[Any]]:
    """What the ledger says in these states: places by study, approvals and bonuses by submission."""
    with study.read() as session:
        hosted = {person.assignment: person.hosted for person in ledger.participations(session)}
        places: Counter[Any] = Counter()
        for call in ledger.calls(session, "set places", *states):
            places[call.request["study"]] = max(places[call.request["study"]], call.request["total"])
        approved = Counter(
            hosted[call.request["assignment"]] for call in ledger.calls(session, "approve", *states)
        )
        paid = Counter(
            (hosted[call.request["assignment"]], int(Decimal(call.request["amount"]) * 100))
            for call in ledger.calls(session, "bonus", *states)
        )
    return {"places": places, "reward": approved, "bonus": paid}


def theirs(platform: LocalProlific) -> dict[str, Counter[Any]]:
    """What the platform's statement says of the same."""
    told = platform.service.statement()
    lines = told["payments"]
    return {
        "places": Counter(
            {
                row["id"]: row["total_available_places"]
                for row in told["studies"]
                if row["status"] != "UNPUBLISHED"
            }
        ),
        "reward": Counter(line["subject"] for line in lines if line["kind"] == "reward"),
        "bonus": Counter((line["subject"], line["amount"]) for line in lines if line["kind"] == "bonus"),
    }


def after_a_kill(study: Study, platform: LocalProlific) -> None:
    """All that the ledger says was done is in the statement, and all that is there was written down."""
    done, known = ours(study, "done"), ours(study, "done", "intent", "unknown")
    for kind, told in theirs(platform).items():
        assert done[kind] <= told <= known[kind], kind


def equal(study: Study, platform: LocalProlific) -> None:
    """The ledger and the statement are the same, line by line, and so is the money."""
    assert ours(study, "done") == theirs(platform)
    told = platform.service.statement()
    with study.read() as session:
        assert not ledger.calls(session, "bonus", "unknown", "intent")
        assert crowd.committed(session) * 100 == START - told["balance"] + told["held"]


def settle_by_hand(study: Study, platform: LocalProlific) -> int:
    """What a person does about bonuses of unknown outcome: looks there, says so here; how many there were."""
    with study.read() as session:
        unknown = [(call.id, dict(call.request)) for call in ledger.calls(session, "bonus", "unknown")]
        hosted = {person.assignment: person.hosted for person in ledger.participations(session)}
    for number, request in unknown:
        line = hosted[request["assignment"]], int(Decimal(request["amount"]) * 100)
        paid = theirs(platform)["bonus"][line] > ours(study, "done")["bonus"][line]
        bonuses.settle(study, number, paid=paid, now=NOON)
    return len(unknown)
