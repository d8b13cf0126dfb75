"""Bonuses: set up first, then paid, which is not idempotent: asked for twice, they are paid twice."""

from __future__ import annotations

import json
import re
from typing import Final

from verifier.crowd.localprolific import studies
from verifier.crowd.localprolific.errors import Refused, missing
from verifier.crowd.localprolific.operations import Answer, Body, Call, operation
from verifier.crowd.localprolific.state import State, identifier, packed

_AMOUNT: Final = re.compile(r"[0-9]{1,6}(\.[0-9]{1,2})?")


class Wish(Body):
    """Who is to get how much."""

    study_id: str
    csv_bonuses: str


@operation("create-bonus-payments", "POST", "submissions/bonus-payments/")
def set_up(call: Call) -> Answer:
    """Set bonuses up; nothing is paid."""
    wish = call.told(Wish)
    studies.find(call.state, wish.study_id)
    lines = [_line(call.state, wish.study_id, text) for text in wish.csv_bonuses.splitlines() if text.strip()]
    if not lines:
        raise Refused(400, {"csv_bonuses": ["This field may not be blank."]})
    new = identifier()
    call.state.run("insert into batch (id, study, lines) values (?, ?, ?)", new, wish.study_id, packed(lines))
    amount = sum(cents for _, cents in lines)
    fees = sum(call.state.fee(cents) for _, cents in lines)
    body = {"id": new, "study": wish.study_id, "amount": amount, "fees": fees, "vat": 0}
    return Answer(201, {**body, "total_amount": amount + fees})


@operation("pay-bonus-payments", "POST", "bulk-bonus-payments/{id}/pay/")
def pay(call: Call) -> Answer:
    """Pay what was set up: again each time that it is asked for."""
    row = call.state.first("select * from batch where id = ?", call.id)
    if row is None:
        raise missing("Bulk bonus payment", call.id)
    lines = json.loads(row["lines"])
    if sum(cents + call.state.fee(cents) for _, cents in lines) > call.state.available:
        raise Refused(400, "There is not enough money in the workspace: available funds are insufficient.")
    for submission, cents in lines:
        call.state.run(
            "insert into bonus (submission, amount, at) values (?, ?, ?)", submission, cents, call.now
        )
        call.state.pay("bonus", submission, cents, call.state.fee(cents))
    return Answer(202, f"Bulk bonus payment with ID {call.id} is being processed asynchronously.")


def _line(state: State, study: str, text: str) -> tuple[str, int]:
    """A line's submission, and its amount in cents."""
    who, _, amount = (part.strip() for part in text.partition(","))
    if not _AMOUNT.fullmatch(amount):
        raise Refused(400, {"csv_bonuses": [f"Not an amount: {amount!r}."]})
    row = state.first(
        "select id from submission where study = ?1 and (id = ?2 or participant = ?2)"
        " order by id = ?2 desc, number limit 1",
        study,
        who,
    )
    if row is None:
        raise Refused(400, {"csv_bonuses": [f"These ids have not taken part in the study: {who}"]})
    whole, _, part = amount.partition(".")
    return str(row["id"]), int(whole) * 100 + int(part.ljust(2, "0"))
