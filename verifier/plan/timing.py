"""How long a place takes and what it pays an hour: reckoned from texts and links, or as measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import exp
from statistics import quantiles
from typing import Final

# Reading for understanding, about 240 words of five letters a minute; and a look at a card with a decision.
CHARS_A_SECOND: Final = 20.0
SECONDS_A_LINK: Final = 8.0
# Instructions, consent and example, once a place.
ENTRY_SECONDS: Final = 90.0
# People differ in pace as a log-normal of this spread: a quarter take under .71 of the median's time, a
# quarter over 1.40.
PACE: Final = 0.5
_QUARTILE: Final = 0.6745
# So many places must have been handed in before their times are believed.
ENOUGH: Final = 5
_CENT: Final = Decimal("0.01")


@dataclass(frozen=True)
class Timing:
    """How long a place takes.

    Attributes:
        places: on how many measured ones it rests; 0: it is reckoned from texts and links.
        minutes: at p25, p50 and p75 of workers, the quickest first.
        hourly: the pay an hour at p25, p50 and p75, the least first; of the slowest, then.
    """

    places: int
    minutes: tuple[float, float, float]
    hourly: tuple[Decimal, Decimal, Decimal]


def reckoned(chars: float, links: float, pay: Decimal) -> Timing:
    """From the characters and links on a place.

    Args:
        chars: of the texts on a place.
        links: shown on it.
        pay: for it.
    """
    middle = (ENTRY_SECONDS + chars / CHARS_A_SECOND + links * SECONDS_A_LINK) / 60
    pace = exp(PACE * _QUARTILE)
    return _timing(0, (middle / pace, middle, middle * pace), pay)


def measured(seconds: Sequence[float], pay: Decimal) -> Timing | None:
    """From the active times of places that were handed in; None while there are few."""
    if len(seconds) < ENOUGH:
        return None
    low, middle, high = quantiles(seconds, n=4, method="inclusive")
    return _timing(len(seconds), (low / 60, middle / 60, high / 60), pay)


def _timing(places: int, minutes: tuple[float, float, float], pay: Decimal) -> Timing:
    low, middle, high = (
        (pay * 60 / Decimal(str(max(one, 0.01)))).quantize(_CENT, ROUND_HALF_UP) for one in minutes[::-1]
    )
    return Timing(places, minutes, (low, middle, high))
