"""How numbers, intervals and reasons are written for people: one place, so that all outputs agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

_SIZES: Final = 10
_FINEST: Final = 4

MISSING: Final = "n/a"

# Words of the tables' columns and of the figures; the keys are values of metrics.csv.
EVERYTHING: Final = "*"
ALL_DATASETS: Final = "all datasets"


def is_missing(value: object) -> bool:
    """Whether a cell of a frame is empty: None, NaN, NA or the empty string."""
    if value is None or (isinstance(value, str) and not value):
        return True
    try:
        return math.isnan(value)  # type: ignore[arg-type]  # anything that is no number raises, which is the answer
    except TypeError:
        # pandas' NA is neither a number nor equal to itself.
        return not isinstance(value, str) and type(value).__name__ in ("NAType", "NaTType")


def number(value: object, digits: int = 3) -> str:
    """A rate or a count: `.893` is written 0.893, whole counts with thousands separators."""
    if is_missing(value):
        return MISSING
    amount = float(value)  # type: ignore[arg-type]  # a number, or `is_missing` would have said so
    if amount.is_integer() and abs(amount) > 1:
        return f"{int(amount):,}"
    # Sizes of sets may be fractions of items; a tenth of an item is as fine as anybody reads them.
    return f"{amount:,.{digits if abs(amount) < _SIZES else min(digits, 1)}f}"


def digits(low: object, high: object) -> int:
    """Decimals worth printing of a number with this interval: two of them are the interval's own.

    0.893 [0.871, 0.914], but 0.89 [0.82, 0.96]; without an interval 3.
    """
    if is_missing(low) or is_missing(high) or not float(high) > float(low):  # type: ignore[arg-type]  # numbers, if not missing
        return 3
    bottom, top = float(low), float(high)  # type: ignore[arg-type]  # as above
    wanted = min(_FINEST, 1 - math.floor(math.log10(top - bottom)))
    return max(0 if max(abs(bottom), abs(top)) >= _SIZES else 2, wanted)


def count(value: object) -> str:
    """A whole number with thousands separators."""
    return MISSING if is_missing(value) else f"{round(float(value)):,}"  # type: ignore[arg-type]  # as above


def size(value: object) -> str:
    """An n: whole if it is whole, else to a tenth."""
    if is_missing(value) or float(value).is_integer():  # type: ignore[arg-type]  # as above
        return count(value)
    return f"{float(value):,.1f}"  # type: ignore[arg-type]  # as above


def percent(value: object, digits: int = 1) -> str:
    """A share as a percentage: 0.8943 is `89.4 %`."""
    return MISSING if is_missing(value) else f"{100 * float(value):.{digits}f} %"  # type: ignore[arg-type]  # as above


def interval(low: object, high: object, digits: int = 3) -> str:
    """An interval in brackets, or nothing where there is none."""
    if is_missing(low) or is_missing(high):
        return ""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def level(value: object) -> str:
    """A confidence level: 0.95 is `95 %`."""
    return MISSING if is_missing(value) else f"{100 * float(value):g}\u00a0%"  # type: ignore[arg-type]  # as above


def dataset_name(name: str) -> str:
    """`*` is all datasets."""
    return ALL_DATASETS if name == EVERYTHING else name


def listing(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:  # noqa: PLR2004 - one word needs no joining
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def plural(amount: object, one: str, many: str | None = None) -> str:
    """`1 worker`, `30 workers`."""
    noun = one if not is_missing(amount) and float(amount) == 1 else many or f"{one}s"  # type: ignore[arg-type]  # as above
    return f"{count(amount)} {noun}"


def spoken(row: Mapping[str, Any]) -> str:
    """A row of metrics.csv in running text: `.893 (95 % interval .871 to .914)`."""
    if is_missing(row["estimate"]):
        return undefined(row)
    if is_missing(row["low"]) or is_missing(row["high"]):
        return number(row["estimate"])
    ends = f"{number(row['low'])} to {number(row['high'])}"
    return f"{number(row['estimate'])} ({level(row['level'])} interval {ends})"


def undefined(row: Mapping[str, Any]) -> str:
    """Why a row of metrics.csv has no estimate, in words."""
    reason = row.get("reason")
    return "undefined" if is_missing(reason) else f"undefined: {reason}"


def signed(value: float, digits: int = 3) -> str:
    """A difference, its sign always there: `+0.061`, `-0.037`."""
    return f"+{number(value, digits)}" if value > 0 else number(value, digits)
