"""Each worker against the rest: how far he agrees, who surely agrees less, and alpha without him."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import scipy  # scipy.stats is slow to load: it is when first used
from scipy import special

from analysis.agreement import blocks
from analysis.agreement.beside import plain
from analysis.agreement.classes import Classes, Tallied
from analysis.agreement.formulas import alpha_nominal, quotient, value
from analysis.engine.counts import Floats
from analysis.engine.proportions import clopper_pearson

_FREE: Final = 30_000_000
_TWO: Final = 2


def members(of: Classes, names: Sequence[str], level: float) -> list[dict[str, Any]]:
    """Of each worker: labels, agreement with the others on his units, and nominal alpha without him.

    Agreement is of pairs of labels, one of which is his. Its limits are Clopper and Pearson's on the number
    of units that his pairs are worth, A (1 - A) / V, V being linearised over his units, and at most as many
    as they are. `p` says how probable it is that one who agrees as the others do with each other would agree
    so little, their agreement being uncertain too; he is flagged if p is under 1 - level after Benjamini and
    Hochberg over all workers, never by rank. Agreement is not correctness: who alone is right is flagged too.
    """
    size = len(names)
    weight = of.count[of.row]
    own = of.counts[of.row, of.label] - 1
    others = of.m[of.row] - 1

    def added(values: Floats) -> Floats:
        return np.bincount(of.worker, weights=values * weight, minlength=size).astype(np.float64)

    hits, pairs = added(own), added(others)
    agreement = quotient(hits, pairs)
    there = agreement[of.worker]
    apart = (own - np.where(np.isnan(there), 0.0, there) * others) / np.maximum(pairs, 1)[of.worker]
    worth = _worth(agreement, added(apart**2), added((others > 0).astype(np.float64)))
    # Each pair of two others is in the sums of both; his own pairs leave with him, and from theirs too.
    rest = quotient(hits.sum() - 2 * hits, pairs.sum() - 2 * pairs)
    # Units on which two others meet.
    meet = float((of.count * of.paired).sum()) - added((of.m[of.row] == _TWO).astype(np.float64))
    p = np.array([_less(*each) for each in zip(agreement, worth, rest, meet, strict=True)])
    known = ~np.isnan(p)
    adjusted = np.ones(size)
    if known.any():
        adjusted[known] = scipy.stats.false_discovery_control(p[known])
    given, without = added(np.ones(len(of.row))), _alpha_without(of, size)
    limits = [
        clopper_pearson(share * n, n, level) if n > 0 else (np.nan, np.nan)
        for share, n in zip(agreement.tolist(), worth.tolist(), strict=True)
    ]
    return [
        {
            "worker": name,
            "labels": int(given[place]),
            "agreement_with_rest": plain(agreement[place]),
            "agreement_low": plain(limits[place][0]),
            "agreement_high": plain(limits[place][1]),
            "p": plain(p[place]),
            "flagged": bool(known[place] and adjusted[place] <= 1 - level),
            "alpha_without": plain(without[place]),
        }
        for place, name in enumerate(names)
    ]


def _worth(agreement: Floats, variance: Floats, units: Floats) -> Floats:
    """How many independent units a worker's agreement is worth; 0 where it is not known."""
    more = units > 1
    unbiased = variance * np.where(more, units / np.where(more, units - 1, 1.0), 1.0)
    spread = np.nan_to_num(agreement * (1 - agreement))
    varies = (unbiased > 0) & (spread > 0) & more
    worth = np.where(varies, spread / np.where(varies, unbiased, 1.0), units)
    return np.where(np.isnan(agreement), 0.0, np.minimum(worth, units))


def _less(agreement: float, worth: float, rest: float, meet: float) -> float:
    """How probable so little agreement is among `worth` units, if he agrees as the others do.

    The others' agreement, `rest` on `meet` units, is not known for sure: it is a beta variable with half a
    unit more of each kind (Jeffreys), so that three units on which two others agree are no certainty.
    """
    n = int(worth)
    if n < 1 or np.isnan(rest) or meet <= 0:
        return np.nan
    hits = np.arange(int(np.ceil(agreement * n - 1e-9)) + 1)
    a, b = rest * meet + 0.5, (1 - rest) * meet + 0.5
    ways = special.gammaln(n + 1) - special.gammaln(hits + 1) - special.gammaln(n - hits + 1)
    each = ways + special.betaln(hits + a, n - hits + b) - special.betaln(a, b)
    return min(1.0, float(np.exp(each).sum()))


def _alpha_without(of: Classes, size: int) -> Floats:
    """Nominal alpha when each worker is left out."""
    if len(of.row) * of.categories > _FREE:
        return np.full(size, np.nan)
    rest = of.counts[of.row]
    rest[np.arange(len(of.row)), of.label] -= 1
    without, weight, sums = Tallied(rest), of.count[of.row][:, None], {}
    for name in ("matches", "pairable"):
        make = blocks.OF_COUNTS[name]
        change = (make(without) - make(of)[of.row]) * weight
        added = [np.bincount(of.worker, weights=column, minlength=size) for column in change.T]
        sums[name] = of.count @ make(of) + np.stack(added, axis=1)
    return value(alpha_nominal(sums))
