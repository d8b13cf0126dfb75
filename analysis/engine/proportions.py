"""Intervals for one proportion: Wilson, Clopper-Pearson, and Korn and Graubard's for clustered data."""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import Final

from scipy import special

Limits = tuple[float, float]
# Of the unit interval: down to what a float can hold.
_HALVINGS: Final = 60


def wilson(hits: float, n: float, level: float = 0.95) -> Limits:
    """Wilson's score interval (JASA 1927) of hits out of n.

    >>> [round(limit, 4) for limit in wilson(727, 727)]
    [0.9947, 1.0]
    """
    z = float(special.ndtri((1 + level) / 2))
    p = hits / n
    centre = p + z * z / (2 * n)
    spread = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    below = 1 + z * z / n
    low = 0.0 if hits <= 0 else (centre - spread) / below
    high = 1.0 if hits >= n else (centre + spread) / below
    return max(0.0, low), min(1.0, high)


def clopper_pearson(hits: float, n: float, level: float = 0.95) -> Limits:
    """Clopper and Pearson's interval (Biometrika 1934); hits and n need not be whole (effective sizes).

    >>> [round(limit, 4) for limit in clopper_pearson(727, 727)]
    [0.9949, 1.0]
    """
    tail = (1 - level) / 2
    low = 0.0 if hits <= 0 else float(special.betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits >= n else float(special.betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


def always(hits: float, n: float, level: float = 0.95) -> Limits:
    """Limits that hold at every n at once, however often one looks: Robbins' mixture over a uniform prior.

    They hold p where B(hits + 1, n - hits + 1) / (p^hits (1 - p)^(n - hits)) < 1 / (1 - level): by Ville's
    inequality that ratio, of the mixture's likelihood to that of the true p, ever gets so large with
    probability 1 - level at most.

    Reference:
        Robbins (Annals of Mathematical Statistics 41, 1970), Statistical methods related to the law of the
        iterated logarithm.

    >>> [round(limit, 4) for limit in always(727, 727)]
    [0.9869, 1.0]
    """
    mixture = float(special.betaln(hits + 1, n - hits + 1)) + log(1 - level)

    def outside(p: float) -> float:
        return mixture - float(special.xlogy(hits, p) + special.xlog1py(n - hits, -p))

    peak = hits / n
    low = 0.0 if outside(0.0) <= 0 else _root(outside, 0.0, peak)
    high = 1.0 if outside(1.0) <= 0 else _root(outside, 1.0, peak)
    return low, high


def _root(outside: Callable[[float], float], far: float, near: float) -> float:
    """Where `outside` changes its sign, by halving: it is above 0 at `far`, not at `near`."""
    for _ in range(_HALVINGS):
        middle = (far + near) / 2
        far, near = (middle, near) if outside(middle) > 0 else (far, middle)
    return near


def korn_graubard(p: float, n: float, variance: float, df: float, level: float = 0.95) -> Limits:
    """Clopper-Pearson on the effective size min(n, p (1 - p) / V (z / t)^2) (Survey Methodology 1998).

    Args:
        p: the proportion, inside (0, 1).
        n: number of units.
        variance: V, of p, from the clusters.
        df: degrees of freedom of V.
        level: of the interval.
    """
    z, t = special.ndtri((1 + level) / 2), special.stdtrit(df, (1 + level) / 2)
    size = n if variance <= 0 else min(n, p * (1 - p) / variance * float(z / t) ** 2)
    return clopper_pearson(p * size, size, level)


def at_the_edge(p: float, n: float, m: float, icc: float, level: float = 0.95) -> Limits:
    """Clopper-Pearson where all or none of n clustered units succeeded.

    Args:
        p: 0 or 1.
        n: number of units.
        m: the size of clusters as a unit sees it, sum n_g^2 / sum n_g.
        icc: intracluster correlation.
        level: of the interval.
    """
    size = n / (1 + max(0.0, m - 1) * icc)
    return clopper_pearson(p * size, size, level)
