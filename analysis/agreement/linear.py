"""Standard errors of agreement by linearising a coefficient: for large samples, and Gwet's over units."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import special

from analysis.agreement.coefficient import Ready
from analysis.agreement.formulas import value
from analysis.engine.counts import Floats
from analysis.engine.proportions import Limits

if TYPE_CHECKING:
    from analysis.agreement.intervals import Sampled

# Of the slopes: a thousandth of a unit more and less.
_STEP: Final = 1e-3
_CHUNK: Final = 4_000_000
# Clusters x columns larger than this are not linearised.
_MOST: Final = 30_000_000


def standard_error(sampled: Sampled, ready: Ready) -> float | None:
    """The large-sample standard error over units or clusters.

    For Cohen's kappa of two workers it is that of Fleiss, Cohen & Everitt (1969). None where it cannot be
    had, or where clusters are workers.
    """
    found = _squares(sampled, ready, fixed=False)
    return None if found is None else sqrt(found)


def gwet(sampled: Sampled, ready: Ready) -> float | None:
    """Gwet's standard error over units (2014, Handbook of Inter-Rater Reliability, chapter 5).

    It takes the share of units that have two labels as known, divides by n - 1, and leaves alpha's correction
    for small samples out. n is the number of units with a label, for alpha of those with two. None where it
    cannot be had.
    """
    found = _squares(sampled, ready, fixed=True)
    n = _units(sampled, ready)
    return None if found is None or n <= 1 else sqrt(found * n / (n - 1))


def gwet_limits(sampled: Sampled, ready: Ready, estimate: float) -> Limits | None:
    """Gwet's interval: the estimate and t of n - 1 degrees times his standard error, within [-1, 1]."""
    error = gwet(sampled, ready)
    if error is None:
        return None
    t = float(special.stdtrit(_units(sampled, ready) - 1, (1 + sampled.settings.level) / 2))
    return max(-1.0, estimate - t * error), min(1.0, estimate + t * error)


def _units(sampled: Sampled, ready: Ready) -> float:
    times = sampled.times
    return float((times * sampled.size).sum() if "pairable" in ready.blocks else times.sum())


def _squares(sampled: Sampled, ready: Ready, *, fixed: bool) -> float | None:
    """Sum over clusters of the squared effect of a little more of each.

    Args:
        sampled: the table.
        ready: the coefficient.
        fixed: as Gwet has it, units with two labels being a known share of all.
    """
    total = sampled.total(ready)
    width = sum(values.shape[-1] for values in total.values())
    rows = len(sampled.times)
    if sampled.by_workers or rows * width > _MOST:
        return None
    blocks = {name: sampled.by_cluster(ready, name) for name in ready.blocks}
    # Gwet's mean of (agreement - chance) / (1 - chance) is over units of two labels, their share known.
    disagreement, by_chance = (float(side) for side in ready.formula(total))
    own = (1 - by_chance) / (1 - disagreement) if disagreement < 1 else 0.0
    step, variance = max(1, _CHUNK // width), 0.0
    for start in range(0, rows, step):
        here = slice(start, start + step)
        more = {
            name: (block[here] if isinstance(block, np.ndarray) else block[here].toarray()) * _STEP
            for name, block in blocks.items()
        }
        if fixed and "paired" in more and "pairable" not in more:
            more["paired"] = own * more["paired"] + (1 - own) * _STEP * total["paired"] / sampled.times.sum()
        ends = [
            _value(ready, {name: total[name] + sign * more[name] for name in more}, plain=fixed)
            for sign in (1, -1)
        ]
        slope = (ends[0] - ends[1]) / (2 * _STEP)
        variance += float((sampled.times[here] * slope**2).sum())
    return None if np.isnan(variance) else variance


def _value(ready: Ready, sums: dict[str, Floats], *, plain: bool) -> Floats:
    """The coefficient; plain: alpha without its correction for small samples."""
    found = value(ready.formula(sums))
    if not plain or "pairable" not in sums:
        return found
    n = sums["pairable"].sum(axis=-1)
    uncorrected: Floats = 1 - (1 - found) * n / (n - 1)
    return uncorrected
