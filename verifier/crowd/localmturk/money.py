"""Money in whole cents: amounts as MTurk writes them, and its fees."""

from __future__ import annotations

from typing import Final

from verifier.crowd.localmturk.errors import invalid

_LONGEST: Final = 12
_MANY: Final = 10
_FEE: Final = 20
_FEE_OF_MANY: Final = 40
_MASTERS: Final = 5


def cents(amount: str) -> int:
    """An amount such as "0.5", which the model's pattern allows, in cents."""
    whole, _, part = amount.partition(".")
    if len(whole) > _LONGEST:
        raise invalid(f"The amount {amount[:20]}... is too large.")
    return int(whole) * 100 + int(part.ljust(2, "0"))


def written(amount: int) -> str:
    """Cents as an amount; never below zero, for which the model has no form."""
    return f"{max(amount, 0) // 100}.{max(amount, 0) % 100:02d}"


def fee(reward: int, *, assignments: int = 1, masters: bool = False) -> int:
    """The fee on one assignment: 20 %, 40 % in HITs of ten or more, 5 % more for Masters, at least a cent.

    Assumed: half a cent is rounded up.
    """
    rate = (_FEE_OF_MANY if assignments >= _MANY else _FEE) + (_MASTERS if masters else 0)
    return max(1, (reward * rate + 50) // 100)
