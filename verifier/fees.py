"""What each platform takes on top of the pay: known by rule, so that a plan can count it beforehand."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Final

CENT: Final = Decimal("0.01")
_MTURK: Final = Decimal("0.20")
NOTES: Final = {
    "link": "a link has no platform fee",
    "mturk": "MTurk takes 20 %, at least a cent a place",
    "prolific": "Prolific takes platform.fee_percent; publishing asks Prolific whether that is so",
}


def fee(platform: str, pay: Decimal, percent: Decimal | None = None) -> Decimal:
    """The fee on one payment of `pay`: on a place, or on a bonus.

    Args:
        platform: its kind.
        pay: what the worker gets.
        percent: of the pay, where the platform's fee is an account's own; a part of a cent counts as one.
    """
    if percent is not None:
        return (pay * percent / 100).quantize(CENT, ROUND_CEILING)
    if platform != "mturk":
        return Decimal("0.00")
    return max(CENT, (pay * _MTURK).quantize(CENT, ROUND_HALF_UP))
