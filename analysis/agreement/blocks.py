"""The blocks of columns that coefficients sum over units: each a function of the classes alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from analysis.agreement.classes import Block, Classes, Tallied
from analysis.engine.counts import Floats

# Made from label counts alone, or from who gave which label.
OfCounts = Callable[[Tallied], Floats]
OfWorkers = Callable[[Classes], Block]


def paired(of: Tallied) -> Floats:
    """Units with two labels or more."""
    return of.paired[:, None]


def agree(of: Tallied) -> Floats:
    """Share of a unit's pairs of labels that agree."""
    alike: Floats = (of.counts * (of.counts - 1)).sum(axis=1) * of.per_pair
    return alike[:, None]


def share(of: Tallied) -> Floats:
    """Share of each category among the labels of a unit; a lone label counts."""
    return of.counts / np.where(of.m > 0, of.m, 1.0)[:, None]


def pairable(of: Tallied) -> Floats:
    """Labels of each category in units with two labels or more."""
    return of.counts * of.paired[:, None]


def matches(of: Tallied) -> Floats:
    """Agreeing ordered pairs of labels of a unit, over m - 1."""
    alike: Floats = (of.counts * (of.counts - 1)).sum(axis=1) * of.per_pair * of.m
    return alike[:, None]


def margin(of: Classes) -> Block:
    """Labels by each worker and category, worker by worker."""
    code = of.worker * of.categories + of.label
    return of.spread_out(code, of.row, np.ones(len(of.row)), of.workers * of.categories)


def joint(of: Classes) -> Block:
    """Units that got each pair of categories from two workers, the first worker's category first."""
    first, second = of.pairs
    code = of.label[first] * of.categories + of.label[second]
    return of.spread_out(code, of.row[first], np.ones(len(first)), of.categories**2)


def coincidence(of: Tallied) -> Floats:
    """Krippendorff's coincidences of each pair of categories: ordered pairs of labels over m - 1."""
    table = np.einsum("rk,rl->rkl", of.counts, of.counts)
    places = np.arange(of.counts.shape[1])
    table[:, places, places] -= of.counts
    scaled: Floats = table * (of.per_pair * of.m)[:, None, None]
    return scaled.reshape(len(table), -1)


def common(of: Classes) -> Block:
    """Units labelled by both of each two workers."""
    return _by_two(of, same=False)


def same(of: Classes) -> Block:
    """Units labelled alike by both of each two workers."""
    return _by_two(of, same=True)


def _by_two(of: Classes, *, same: bool) -> Block:
    first, second = of.pairs
    low, high = of.worker[first], of.worker[second]
    code = low * of.workers + high
    worth = (of.label[first] == of.label[second]) if same else np.ones(len(first))
    return of.spread_out(code, of.row[first], worth.astype(np.float64), of.workers**2)


def specific(of: Tallied) -> Floats:
    """Agreeing ordered pairs of labels of each category."""
    return of.counts * (of.counts - 1)


def possible(of: Tallied) -> Floats:
    """Ordered pairs of labels whose first is of each category."""
    return of.counts * (of.m - 1)[:, None]


def binary(of: Tallied) -> Floats:
    """Share of a unit's pairs that agree on each category or not."""
    rest = of.m[:, None] - of.counts
    return (of.counts * (of.counts - 1) + rest * (rest - 1)) * of.per_pair[:, None]


def weighted(weights: Floats) -> OfCounts:
    """Mean weight of a unit's ordered pairs of labels, for symmetric weights."""

    def make(of: Tallied) -> Floats:
        with_itself = of.counts @ np.diag(weights)
        mean: Floats = (((of.counts @ weights) * of.counts).sum(axis=1) - with_itself) * of.per_pair
        return mean[:, None]

    return make


def apart(distance: Floats) -> OfCounts:
    """Sum of distances of a unit's ordered pairs of labels, over m - 1."""

    def make(of: Tallied) -> Floats:
        total: Floats = ((of.counts @ distance) * of.counts).sum(axis=1) * of.per_pair * of.m
        return total[:, None]

    return make


OF_COUNTS: Final[dict[str, OfCounts]] = {
    "paired": paired,
    "agree": agree,
    "share": share,
    "pairable": pairable,
    "matches": matches,
    "coincidence": coincidence,
    "specific": specific,
    "possible": possible,
    "binary": binary,
}
OF_WORKERS: Final[dict[str, OfWorkers]] = {
    "margin": margin,
    "joint": joint,
    "common": common,
    "same": same,
}
