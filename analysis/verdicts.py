"""What a difference of two sources says in words: better, worse, as good within a margin."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, Final

from scipy import special

from analysis.engine.contrast import Difference
from analysis.metrics.registry import get

BETTER: Final = "better"
WORSE: Final = "worse"
AS_GOOD: Final = "as good, within the margin"
WORSE_WITHIN: Final = "worse, by less than the margin"
OPEN: Final = "not told apart"
NOT_SHOWN: Final = "not shown to be as good"


def verdict(
    cells: Mapping[str, Any], found: Difference, level: float, margin: float | None
) -> dict[str, Any]:
    """One-sided tests of a difference, and what it says.

    `p_better`: of the first being no better; `p_margin`: of its being worse by the margin or more
    (non-inferiority); both of Student's t with the interval's standard error, unadjusted. Better or worse is
    said where `p_holm` is at most 1 - level; as good, where the end of the interval lies within the margin.

    Args:
        cells: of the row: metric, low, high, p_holm.
        found: the difference.
        level: of the interval.
        margin: None: nothing is said of as good.
    """
    sign = {"higher": 1.0, "lower": -1.0}.get(get(cells["metric"]).better)
    out: dict[str, Any] = {} if margin is None else {"margin": margin}
    if sign is None or not found.variance > 0 or found.df <= 0:
        return out
    error, gain = sqrt(found.variance), sign * found.estimate
    out["p_better"] = float(special.stdtr(found.df, -gain / error))
    told = cells["p_holm"] <= 1 - level
    said = OPEN
    if told and gain != 0:
        said = BETTER if gain > 0 else WORSE
    if margin is not None:
        out["p_margin"] = float(special.stdtr(found.df, -(gain + margin) / error))
        worst = cells["low"] if sign > 0 else -cells["high"]
        if worst > -margin:
            said = {OPEN: AS_GOOD, WORSE: WORSE_WITHIN}.get(said, said)
        elif said == OPEN:
            said = NOT_SHOWN
    return out | {"verdict": said}
