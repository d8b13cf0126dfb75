"""What is still to come in a running study: money and time to the end."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from verifier.crowd.status import Status

# From so many days or hours on a time is told in them.
_DAYS_FROM: Final = 3
_HOURS_FROM: Final = 2


@dataclass(frozen=True)
class Forecast:
    """What is still to come.

    Attributes:
        cost: what the places that are still needed cost, pay and fee.
        total: that and what is committed.
        over: by how much that is more than the cap; None if it is not.
        left: how long it takes at the pace so far, in words; empty if that cannot be told.
    """

    cost: Decimal
    total: Decimal
    over: Decimal | None
    left: str


def forecast(status: Status) -> Forecast:
    """What the places that are still needed take, in money and time."""
    money = status.money
    # An open place is committed already.
    free = money.places.get("open", 0)
    cost = max(status.places_needed - free, 0) * money.a_place
    total = money.committed + cost
    over = total - money.cap if money.cap is not None and total > money.cap else None
    days = status.pace.days if status.pace else None
    return Forecast(cost, total, over, "" if days is None else lasting(days))


def lasting(days: float) -> str:
    """A time in words."""
    if days >= _DAYS_FROM:
        return f"{days:.0f} days"
    hours = 24 * days
    minutes = max(60 * hours, 1)
    if hours >= _HOURS_FROM:
        return f"{hours:.0f} hours"
    return "1 minute" if round(minutes) == 1 else f"{minutes:.0f} minutes"
