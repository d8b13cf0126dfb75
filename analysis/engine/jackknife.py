"""The delete-one jackknife-t by documents, workers or both, with its fall-backs at the edges of [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.engine.counts import Codes, Floats
from analysis.engine.proportions import at_the_edge, korn_graubard
from analysis.engine.tally import ALL_DATASETS, Cut, Value, Without, evaluate_at

FEW_WORKERS = 8
FEW_CLUSTERS = 20
FEW_OUTCOMES = 5
MIN_ICC = 0.1


@dataclass(frozen=True)
class Spread:
    """How a statistic varies over clusters; what an interval is made of.

    Attributes:
        estimate: its value.
        n: its size.
        kind: the clusters used: document, worker, two-way, segment, annotation, item, unit.
        clusters: number of clusters (of the fewer kind in two-way).
        effective: G = N^2 / sum n_g^2 (the smaller of both kinds).
        member: m = sum n_g^2 / sum n_g (the larger of both kinds).
        variance: of the estimate, natural scale; nan where it cannot be had.
        logit_variance: on the logit scale; nan where a delete-one value is 0 or 1.
        ratio: SE(two-way) / SE(document); nan where not two-way.
        rarer: clusters that hold the rarer outcome.
        values: the delete-one values by document (or by the one kind), for BCa.
    """

    estimate: float
    n: float
    kind: str
    clusters: int
    effective: float
    member: float
    variance: float
    logit_variance: float
    ratio: float
    rarer: int
    values: Floats

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        return self.effective - 1.0

    @property
    def icc(self) -> float:
        """Intracluster correlation that the variance implies; nan where it says nothing."""
        p = self.estimate
        if not 0 < p < 1 or self.member <= 1 or not self.variance > 0:
            return float("nan")
        return (self.variance * self.n / (p * (1 - p)) - 1) / (self.member - 1)


def spread(cut: Cut, value: Value, size: str, kind: str, *, total: bool = False) -> Spread:
    """The spread of a statistic over clusters of a kind.

    Args:
        cut: its sums.
        value: its formula.
        size: the quantity whose total is n.
        kind: of the clusters.
        total: the statistic is a total, whose delete-one values are scaled up by G / (G - 1).
    """
    # By itself: numpy adds ten numbers in another order if they stand beside others.
    estimate = float(evaluate_at(value, cut.total)[0])
    kinds = ["document", "worker"] if kind == "two-way" else [kind]
    every = [*kinds, "cell"] if kind == "two-way" else kinds
    parts = [_parts(cut, one, value, size, total=total) for one in every]
    natural = _combined([part.variance for part in parts])
    logit = _combined([part.logit_variance for part in parts])
    main = parts[: len(kinds)]
    both = kind == "two-way" and parts[0].variance > 0
    return Spread(
        estimate=estimate,
        n=float(cut.total[size][0]),
        kind=kind,
        clusters=min(part.clusters for part in main),
        effective=min(part.effective for part in main),
        member=max(part.member for part in main),
        variance=natural,
        logit_variance=logit,
        ratio=sqrt(natural / parts[0].variance) if both else float("nan"),
        rarer=min(part.rarer for part in main),
        values=parts[0].values,
    )


@dataclass(frozen=True)
class _Part:
    """The same for one kind of clusters."""

    clusters: int
    effective: float
    member: float
    variance: float
    logit_variance: float
    rarer: int
    values: Floats


@dataclass(frozen=True)
class _Parts:
    """That of every dataset: arrays by dataset, whose own values are bounds[i] to bounds[i + 1] - 1."""

    clusters: Codes
    effective: Floats
    member: Floats
    variance: Floats
    logit_variance: Floats
    rarer: Codes
    values: Floats
    bounds: Codes

    def of(self, place: int) -> _Part:
        """That of one dataset."""
        return _Part(
            int(self.clusters[place]),
            float(self.effective[place]),
            float(self.member[place]),
            float(self.variance[place]),
            float(self.logit_variance[place]),
            int(self.rarer[place]),
            self.values[self.bounds[place] : self.bounds[place + 1]],
        )


def _parts(cut: Cut, kind: str, value: Value, size: str, *, total: bool) -> _Part:
    """That of the cut's dataset, found for all datasets in one stroke."""
    whole = cut.dataset == ALL_DATASETS
    # The formula itself is in the key, so that it lives as long as what was made of it.
    key = ("jackknife", kind, value, size, total, whole)
    memo = cut.tally.memo
    if key not in memo:
        sizes = ("sizes", kind, size, whole)
        without = cut.tally.without(kind, whole=whole)
        if sizes not in memo:
            memo[sizes] = _Sizes.of(without, size, whole=whole)
        cells = kind == "cell"
        memo[key] = _every(without, memo[sizes], value, total=total, whole=whole, cells=cells)
    found: _Parts = memo[key]
    return found.of(0 if whole else cut.dataset)


@dataclass(frozen=True)
class _Sizes:
    """How large the clusters of every dataset are, whatever is asked of them."""

    count: Codes
    effective: Floats
    member: Floats

    @classmethod
    def of(cls, kind: Without, size: str, *, whole: bool) -> _Sizes:
        members = kind.clusters[size]
        squares, n = _added(kind, members**2, whole=whole), _added(kind, members, whole=whole)
        with np.errstate(all="ignore"):
            return cls(
                np.bincount(kind.dataset, minlength=len(kind.total[size])),
                np.where(squares > 0, n**2 / squares, 0.0),
                np.where(n > 0, squares / n, 0.0),
            )


def _added(kind: Without, values: NDArray[Any], *, whole: bool) -> Floats:
    """Sums by dataset, which hang on its own clusters alone."""
    if whole:
        return np.array([values.sum()], dtype=np.float64)
    return np.bincount(kind.dataset, weights=values, minlength=len(next(iter(kind.total.values())))).astype(
        np.float64, copy=False
    )


def _every(kind: Without, sizes: _Sizes, value: Value, *, total: bool, whole: bool, cells: bool) -> _Parts:
    """(G - 1) / G sum (delete-one value - estimate)^2 and its like; nan where deleting one leaves nothing.

    Of cells, which are many, only the variances are asked for.
    """
    count = sizes.count
    estimate, values = evaluate_at(value, kind.total), evaluate_at(value, kind.left)
    nothing = values[:0]
    own = nothing if cells else evaluate_at(value, kind.clusters)

    def added(terms: NDArray[Any]) -> Floats:
        return _added(kind, terms, whole=whole)

    def each(by_dataset: Floats) -> Floats:
        """That of its dataset for each cluster: datasets ascend, to repeat is quicker than to look up."""
        return by_dataset if whole else np.repeat(by_dataset, count)

    with np.errstate(all="ignore"):
        if total:
            values = values * each(np.where(count > 1, count / (count - 1), 1.0))
        factor = np.where(count > 1, (count - 1) / count, np.nan)
        variance = factor * added((values - each(estimate)) ** 2)
        # A delete-one value of 0 or 1 is infinite on the logit scale.
        logit = factor * added((special.logit(values) - each(special.logit(estimate))) ** 2)
        inside = np.isfinite(logit) & (estimate > 0) & (estimate < 1)
        return _Parts(
            count,
            sizes.effective,
            sizes.member,
            variance,
            np.where(inside, logit, np.nan),
            count if cells else np.minimum(added(own > 0), added(own < 1)).astype(np.int64),
            nothing if cells else values,
            np.concatenate([[0], np.cumsum(count)]),
        )


def _combined(variances: list[float]) -> float:
    """V = max(Vd + Vw - Vdw, Vd, Vw) of two-way clusters; the only one otherwise."""
    if len(variances) == 1 or any(np.isnan(variances)):
        return variances[0] if len(variances) == 1 else float("nan")
    documents, workers, cells = variances
    return max(documents + workers - cells, documents, workers)


def limits(
    found: Spread,
    level: float,
    span: tuple[float, float | None],
    icc: float,
    *,
    rare: bool = False,
    exact: bool = False,
) -> tuple[float, float, str] | None:
    """Lower and upper limit and the name of the method; None where there is no interval.

    Args:
        found: the spread.
        level: of the interval.
        span: smallest and largest value of the statistic; [0, 1] is on the logit scale.
        icc: pooled over the study's other cells, for an estimate of 0 or 1.
        rare: the share is one that is rare by its nature (a letter of coverage, i of n). Where under
            `FEW_OUTCOMES` clusters hold it, its logit jumps when one of them is left out, and the interval
            would be wider than where a single one holds it.
        exact: Korn-Graubard for every share, not only where the logit scale fails.
    """
    p = found.estimate
    if span == (0.0, 1.0):
        return _of_a_share(found, level, icc, rare=rare, exact=exact)
    if np.isnan(found.variance) or found.df <= 0 or found.variance <= 0:
        return None
    half = float(special.stdtrit(found.df, (1 + level) / 2)) * sqrt(found.variance)
    return max(span[0], p - half), min(span[1] or np.inf, p + half), "jackknife-t, natural scale"


def _of_a_share(
    found: Spread, level: float, icc: float, *, rare: bool, exact: bool
) -> tuple[float, float, str] | None:
    p = found.estimate
    if p in (0.0, 1.0) and found.n > 0:
        low, high = at_the_edge(p, found.n, found.member, max(MIN_ICC, icc), level)
        return low, high, "Clopper-Pearson on the effective n"
    if np.isnan(found.variance) or found.df <= 0 or p > 1:
        return None
    if rare and found.rarer < FEW_OUTCOMES:
        size = found.n / (1 + max(0.0, found.member - 1) * max(MIN_ICC, icc))
        low, high = korn_graubard(p, size, found.variance, found.df, level)
        return low, high, "Korn-Graubard on the effective n"
    if exact or np.isnan(found.logit_variance) or found.logit_variance <= 0:
        low, high = korn_graubard(p, found.n, found.variance, found.df, level)
        return low, high, "Korn-Graubard"
    half = float(special.stdtrit(found.df, (1 + level) / 2)) * sqrt(found.logit_variance)
    centre = special.logit(p)
    return (
        float(special.expit(centre - half)),
        float(special.expit(centre + half)),
        "jackknife-t, logit scale",
    )
