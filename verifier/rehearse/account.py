"""The statement of account: what the platform says was paid and put aside, beside what the ledger says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal

from verifier.crowd.paying import APPROVE
from verifier.store import crowd, hosting, ledger

if TYPE_CHECKING:
    from verifier.rehearse.platforms import Told
    from verifier.store import Session
    from verifier.study import Study

Side = Literal["both", "platform", "ledger"]
COLUMNS: Final = ("line", "what", "assignment", "amount", "fee", "stands in")


@dataclass(frozen=True)
class Line:
    """One payment.

    Attributes:
        what: reward or bonus.
        assignment: our number of the assignment; None if only the platform knows it.
        amount, fee: what was taken.
        side: where it stands: in both, or in one alone.
    """

    what: str
    assignment: int | None
    amount: Decimal
    fee: Decimal
    side: Side


@dataclass(frozen=True)
class Account:
    """The whole statement.

    Attributes:
        lines: every payment, in the order of assignments.
        places: places that platform and ledger both know, and those that stand in one alone.
        held: put aside, as the platform says and as the ledger does.
        paid: what the lines of each side come to, fees too.
        currency: of all amounts.
        hosted: whether the platform keeps an account; a plain link does not, and the ledger stands alone.
    """

    lines: tuple[Line, ...]
    places: tuple[int, int]
    held: tuple[Decimal, Decimal]
    paid: tuple[Decimal, Decimal]
    currency: str
    hosted: bool

    @property
    def equal(self) -> bool:
        """Whether platform and ledger say the same, line by line."""
        return not self.hosted or (
            all(line.side == "both" for line in self.lines)
            and not self.places[1]
            and self.held[0] == self.held[1]
        )


def account(study: Study, told: Told | None) -> Account:
    """Platform and ledger side by side; no platform id leaves this function."""
    with study.read() as session:
        if told is None:
            return _alone(session, study)
        ours, numbers = _payments(session)
        placed = hosting.places(session, study.config.platform.kind)
        known = Counter(place.platform_place for place in placed if place.platform_place)
        committed = crowd.committed(session)
    theirs = Counter((line.kind, line.subject, line.amount, line.fee) for line in told.payments)
    lines: list[Line] = []
    sides: tuple[tuple[Side, Counter[_Key]], ...] = (
        ("both", ours & theirs),
        ("platform", theirs - ours),
        ("ledger", ours - theirs),
    )
    for side, counted in sides:
        for (what, subject, amount, fee), n in counted.items():
            lines += [Line(what, numbers.get(subject), amount, fee, side)] * n
    spent = _sum(ours)
    made = Counter(told.places)
    return Account(
        lines=tuple(
            sorted(lines, key=lambda line: (line.assignment or 0, line.what != "reward", line.amount))
        ),
        places=((made & known).total(), (made - known).total() + (known - made).total()),
        held=(told.held, committed - spent),
        paid=(_sum(theirs), spent),
        currency=study.config.place.currency,
        hosted=True,
    )


_Key = tuple[str, str, Decimal, Decimal]


def _payments(session: Session) -> tuple[Counter[_Key], dict[str, int]]:
    """What the ledger says was paid, by the platform's id; and our number for each id."""
    found: Counter[_Key] = Counter()
    people = ledger.participations(session)
    hosted = {person.assignment: person.hosted or "" for person in people}
    for number, _, reward, fee in ledger.paid_places(session, APPROVE):
        found["reward", hosted[number], reward, fee] += 1
    for call in ledger.calls(session, ledger.BONUS, "done"):
        amount = Decimal(call.request["amount"])
        found[
            "bonus", hosted[int(call.request["assignment"])], amount, Decimal(call.amount or 0) - amount
        ] += 1
    return found, {person.hosted: person.assignment for person in people if person.hosted}


def _alone(session: Session, study: Study) -> Account:
    """The ledger of a platform that keeps no account: a person pays from its lists."""
    rewards = {row.id: row for row in crowd.submitted(session) if row.decision in ("approve", "approve_flag")}
    costs = {place.id: place for place in hosting.places(session, study.config.platform.kind)}
    lines = [
        Line("reward", number, Decimal(place.reward), Decimal(place.fee or 0), "ledger")
        for number, row in rewards.items()
        if (place := costs[row.place_id])
    ]
    for call in ledger.calls(session, ledger.BONUS, "done"):
        amount = Decimal(call.request["amount"])
        lines.append(
            Line(
                "bonus", int(call.request["assignment"]), amount, Decimal(call.amount or 0) - amount, "ledger"
            )
        )
    spent = sum((line.amount + line.fee for line in lines), Decimal(0))
    zero = Decimal(0)
    held = crowd.committed(session) - spent
    return Account(
        tuple(lines), (len(costs), 0), (zero, held), (zero, spent), study.config.place.currency, hosted=False
    )


def _sum(counted: Counter[_Key]) -> Decimal:
    return sum((n * (amount + fee) for (_, _, amount, fee), n in counted.items()), Decimal(0))
