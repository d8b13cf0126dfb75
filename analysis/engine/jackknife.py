"""The delete-one jackknife-t by documents, workers or both, with its fall-backs at the edges of [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy import special

from analysis.engine.counts import Floats, Sums
from analysis.engine.proportions import at_the_edge, korn_graubard
from analysis.engine.tally import Cut, Value, evaluate_at

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
    estimate = float(evaluate_at(value, cut.total)[0])
    kinds = ["document", "worker"] if kind == "two-way" else [kind]
    every = [*kinds, "cell"] if kind == "two-way" else kinds
    parts = [_part(*cut.deleted(one), value, size, estimate, total=total) for one in every]
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


def _part(clusters: Sums, deleted: Sums, value: Value, size: str, estimate: float, *, total: bool) -> _Part:
    members = clusters[size]
    count = len(members)
    values = evaluate_at(value, deleted)
    if total and count > 1:
        values = values * count / (count - 1)
    own = evaluate_at(value, clusters)
    squares = float((members**2).sum())
    n = float(members.sum())
    inside = bool(((values > 0) & (values < 1)).all()) and 0 < estimate < 1
    return _Part(
        clusters=count,
        effective=n**2 / squares if squares > 0 else 0.0,
        member=squares / n if n > 0 else 0.0,
        variance=_variance(values, estimate),
        logit_variance=_variance(special.logit(values), float(special.logit(estimate))) if inside else np.nan,
        rarer=int(min((own > 0).sum(), (own < 1).sum())),
        values=values,
    )


def _variance(values: Floats, estimate: float) -> float:
    """(G - 1) / G sum (delete-one value - estimate)^2; nan where deleting one leaves nothing."""
    count = len(values)
    if count < 2 or np.isnan(values).any():  # noqa: PLR2004 - one cluster has no spread
        return float("nan")
    return float((count - 1) / count * ((values - estimate) ** 2).sum())


def _combined(variances: list[float]) -> float:
    """V = max(Vd + Vw - Vdw, Vd, Vw) of two-way clusters; the only one otherwise."""
    if len(variances) == 1 or any(np.isnan(variances)):
        return variances[0] if len(variances) == 1 else float("nan")
    documents, workers, cells = variances
    return max(documents + workers - cells, documents, workers)


def limits(
    found: Spread, level: float, span: tuple[float, float | None], icc: float
) -> tuple[float, float, str] | None:
    """Lower and upper limit and the name of the method; None where there is no interval.

    Args:
        found: the spread.
        level: of the interval.
        span: smallest and largest value of the statistic; [0, 1] is on the logit scale.
        icc: pooled over the study's other cells, for an estimate of 0 or 1.
    """
    p = found.estimate
    proportion = span == (0.0, 1.0)
    if proportion and p in (0.0, 1.0) and found.n > 0:
        low, high = at_the_edge(p, found.n, found.member, max(MIN_ICC, icc), level)
        return low, high, "Clopper-Pearson on the effective n"
    if np.isnan(found.variance) or found.df <= 0 or (proportion and p > 1):
        return None
    t = float(special.stdtrit(found.df, (1 + level) / 2))
    if not proportion:
        if found.variance <= 0:
            return None
        half = t * sqrt(found.variance)
        return max(span[0], p - half), min(span[1] or np.inf, p + half), "jackknife-t, natural scale"
    if np.isnan(found.logit_variance) or found.logit_variance <= 0:
        low, high = korn_graubard(p, found.n, found.variance, found.df, level)
        return low, high, "Korn-Graubard"
    centre, half = special.logit(p), t * sqrt(found.logit_variance)
    return (
        float(special.expit(centre - half)),
        float(special.expit(centre + half)),
        "jackknife-t, logit scale",
    )
