"""Fair pay: the hourly wage that was planned, what people lived, and what a top-up would make good."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from statistics import median
from typing import TYPE_CHECKING, Final

from verifier.store import crowd, ledger, progress

if TYPE_CHECKING:
    from verifier.study import Study

CENT: Final = Decimal("0.01")
# Times of fewer people say little about how long the work takes.
ENOUGH: Final = 3
REASON: Final = "The task took longer than planned: this makes good the hourly pay you were promised."
_HOUR: Final = 3600


@dataclass(frozen=True)
class Fairness:
    """What people were to earn an hour, and what they did.

    Attributes:
        planned: pay for the planned minutes, as an hourly wage.
        people: assignments handed in by people whose time is known.
        simulated: assignments of a simulated crowd, which were not counted among them.
        minutes: their median of active time; None if they are too few.
        lived: pay for that median, as an hourly wage; None likewise.
        top_up: what each would have to get on top so that the median earns what was planned.
        assignments: numbers of the approved assignments that have not got that much by a bonus.
        currency: of all amounts.
    """

    planned: Decimal
    people: int
    minutes: float | None
    lived: Decimal | None
    top_up: Decimal
    assignments: tuple[int, ...]
    currency: str
    simulated: int = 0

    @property
    def total(self) -> Decimal:
        """What the top-up costs in all, without fees."""
        return self.top_up * len(self.assignments)


def fairness(study: Study, *, simulated: bool = False) -> Fairness:
    """How pay stands.

    The same top-up for all: by each one's own seconds, who was slow on purpose would be paid for it.

    Args:
        study: the study.
        simulated: count a simulated crowd's seconds too, which say nothing about people.
    """
    place = study.config.place
    with study.read() as session:
        rows = [row for row in progress.people(session) if row.state == "submitted"]
        paid = {person.assignment: person.paid for person in ledger.participations(session)}
    times = [
        row.active_seconds
        for row in rows
        if row.active_seconds and (simulated or row.origin != crowd.SIMULATED)
    ]
    planned = place.pay * 60 / Decimal(str(place.minutes))
    if len(times) < ENOUGH:
        machines = 0 if simulated else sum(row.origin == crowd.SIMULATED for row in rows)
        nothing = Decimal("0.00")
        return Fairness(_rounded(planned), len(times), None, None, nothing, (), place.currency, machines)
    seconds = Decimal(str(median(times)))
    short = max(Decimal(0), planned * seconds / _HOUR - place.pay).quantize(CENT, ROUND_UP)
    approved = [row.assignment for row in rows if row.decision in ("approve", "approve_flag")]
    due = tuple(number for number in approved if short and paid.get(number, Decimal(0)) < short)
    return Fairness(
        planned=_rounded(planned),
        people=len(times),
        minutes=round(float(seconds) / 60, 1),
        lived=_rounded(place.pay * _HOUR / seconds),
        top_up=short,
        assignments=due,
        currency=place.currency,
    )


def _rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT)
