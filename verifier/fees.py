"""What each platform takes on top of the pay: known by rule, so that a plan can count it beforehand."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Final

CENT: Final = Decimal("0.01")
_MTURK: Final = Decimal("0.20")
NOTES: Final = {
    "link": "a link has no platform fee",
    "mturk": "MTurk takes 20 %, at least a cent a place",
}


def fee(platform: str, pay: Decimal) -> Decimal:
    """The fee on one payment of `pay`: on a place, or on a bonus."""
    if platform != "mturk":
        return Decimal("0.00")
    return max(CENT, (pay * _MTURK).quantize(CENT, ROUND_HALF_UP))
