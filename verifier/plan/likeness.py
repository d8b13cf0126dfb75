"""Forecasts agreement: lets the judgments that are laid out fall, some dozens of times, and looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
import scipy  # scipy.optimize is slow to load: it is when first used
from scipy import special

from verifier.plan.design import Design, Floats, Ints
from verifier.plan.layout import Bools, Items, Layout, quantile

CASTS: Final = 48
_ALMOST: Final = 0.98


@dataclass(frozen=True)
class Likeness:
    """An agreement to expect.

    Attributes:
        coefficient: its name, as in metrics.csv.
        value: on average.
        half_width: of its interval on average; None where it is not defined.
        units: items with two judgments or more.
        documents: effective number.
    """

    coefficient: str
    value: float
    half_width: float | None
    units: int
    documents: float


def latent(design: Design) -> tuple[float, float, float]:
    """Shares of documents, workers and items in a normal value whose sign is the verdict.

    They are such that verdicts resemble each other as the design says: two standard normal values that
    correlate by rho both lie under c with the chance Phi(c) - 2 T(c, sqrt((1 - rho) / (1 + rho))).

    References:
        Owen (1956), doi 10.1214/aoms/1177728074: the function T.
    """
    cut = float(special.ndtri(design.rate))

    def share(alike: float) -> float:
        def beyond(rho: float) -> float:
            both = design.rate - 2 * special.owens_t(cut, sqrt((1 - rho) / (1 + rho)))
            return float(both - design.rate**2 - alike * design.variance)

        if beyond(_ALMOST) < 0:
            return _ALMOST
        return float(scipy.optimize.brentq(beyond, 0.0, _ALMOST)) if alike > 0 else 0.0

    document, worker = share(design.document), share(design.worker)
    item = share(design.document + design.annotation) - document
    total = document + worker + item
    scale = min(1.0, _ALMOST / total) if total else 1.0
    return document * scale, worker * scale, item * scale


def likeness(
    items: Items, layout: Layout, documents: Bools, design: Design, *, level: float, seed: int
) -> list[Likeness]:
    """Observed agreement and alpha (verified or not) over items with two judgments or more.

    Intervals are delete-one by documents, workers being fixed, as in the analysis.
    """
    of_item = np.zeros(len(layout.of_item), np.int64)
    of_item[items.item] = items.document
    wanted = (layout.of_item > 1) & documents[of_item]
    keep = wanted[layout.item]
    if not keep.any() or not 0 < design.rate < 1:
        return []
    _, item = np.unique(layout.item[keep], return_inverse=True)
    _, document = np.unique(layout.document[keep], return_inverse=True)
    where = np.zeros(int(item.max()) + 1, np.int64)
    where[item] = document
    sizes = np.bincount(where).astype(float)
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    cast = _Cast(item, document, layout.worker[keep], where, design, effective, level)
    random = np.random.default_rng(np.random.SeedSequence([seed, len(item)]))
    found = [cast.once(random) for _ in range(CASTS)]
    names = ("observed_agreement_verified", "alpha_nominal_verified")
    told = ((name, [one[place] for one in found]) for place, name in enumerate(names))
    return [
        Likeness(name, *_mean(values), len(where), float(effective))
        for name, values in told
        if not all(np.isnan(value) for value, _ in values)
    ]


def _mean(found: list[tuple[float, float]]) -> tuple[float, float | None]:
    values = np.array([value for value, _ in found])
    halves = np.array([half for _, half in found if not np.isnan(half)])
    return float(np.nanmean(values)), float(halves.mean()) if len(halves) else None


@dataclass(frozen=True)
class _Cast:
    """What judgments fall on: codes of item, document and worker of each, and the document of each item."""

    item: Ints
    document: Ints
    worker: Ints
    where: Ints
    design: Design
    effective: float
    level: float

    def once(self, random: np.random.Generator) -> tuple[tuple[float, float], tuple[float, float]]:
        """Value and half-width of observed agreement and of alpha, judgments having fallen once."""
        shares = latent(self.design)
        value = sqrt(1 - sum(shares)) * random.standard_normal(len(self.item))
        for share, code in zip(shares, (self.document, self.worker, self.item), strict=True):
            value += sqrt(share) * random.standard_normal(int(code.max()) + 1)[code]
        verified = (value < special.ndtri(self.design.rate)).astype(float)
        m = np.bincount(self.item).astype(float)
        v = np.bincount(self.item, verified).astype(float)
        apart = 2 * v * (m - v) / (m - 1)
        parts = (1 - apart / m, np.ones_like(m), apart, m, v)
        sums = np.stack([np.bincount(self.where, part).astype(float) for part in parts])
        total = sums.sum(axis=1, keepdims=True)
        return self._half(_agreed, sums, total, logit=True), self._half(_alpha, sums, total, logit=False)

    def _half(
        self, formula: Callable[[Floats], Floats], sums: Floats, total: Floats, *, logit: bool
    ) -> tuple[float, float]:
        value = float(formula(total)[0])
        count = sums.shape[1]
        degrees = self.effective - 1
        # Without the only document there is nothing left.
        if count == 1 or degrees < 1:
            return value, float("nan")
        left = formula(total - sums)
        if np.isnan(left).any() or (logit and not 0 < value < 1):
            return value, float("nan")
        t = quantile(self.level, degrees)
        if not logit:
            return value, t * sqrt((count - 1) / count * float(((left - value) ** 2).sum()))
        if not ((left > 0) & (left < 1)).all():
            return value, float("nan")
        centre = float(special.logit(value))
        half = t * sqrt((count - 1) / count * float(((special.logit(left) - centre) ** 2).sum()))
        return value, float(special.expit(centre + half) - special.expit(centre - half)) / 2


def _agreed(sums: Floats) -> Floats:
    found: Floats = sums[0] / sums[1]
    return found


def _alpha(sums: Floats) -> Floats:
    _, _, apart, n, verified = sums
    expected = 2 * verified * (n - verified) / np.maximum(n - 1, 1)
    found: Floats = np.where(expected > 0, 1 - apart / np.where(expected > 0, expected, 1), np.nan)
    return found
