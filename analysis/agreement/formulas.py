"""The formulas of agreement: from sums over units to observed and expected disagreement.

Every chance-corrected coefficient is 1 - observed / expected disagreement. A formula takes sums with any
leading shape (one set for each replicate, or for each cluster left out) and gives the two disagreements in
that shape. An expectation of 0 makes the coefficient undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from analysis.engine.counts import Floats

Sums = Mapping[str, Floats]
Parts = tuple[Floats, Floats]
Formula = Callable[[Sums], Parts]

NO_OVERLAP: Final = "no unit has labels of two workers"
ONE_CATEGORY: Final = "only one category was used, so no disagreement is expected by chance"
NO_CHANCE: Final = "no disagreement is expected by chance"
_TINY: Final = 1e-12


def quotient(above: Floats, below: Floats) -> Floats:
    """Above / below, nan where below is 0 (to rounding, its terms being of the order of 1)."""
    defined = below > _TINY
    return np.where(defined, above / np.where(defined, below, 1.0), np.nan)


def value(parts: Parts) -> Floats:
    """1 - observed / expected disagreement."""
    return 1 - quotient(*parts)


def observed(sums: Sums) -> Floats:
    """Observed agreement: mean over units of the share of their pairs that agree."""
    return quotient(sums["agree"][..., 0], sums["paired"][..., 0])


def plain(sums: Sums) -> Parts:
    """Observed agreement itself: nothing is expected of chance."""
    disagreement = 1 - observed(sums)
    return disagreement, np.ones_like(disagreement)


def twice(sums: Sums) -> Parts:
    """2 Ao - 1."""
    disagreement = 1 - observed(sums)
    return disagreement, np.full_like(disagreement, 0.5)


def uniform(categories: int) -> Formula:
    """Chance picks each declared category alike."""

    def parts(sums: Sums) -> Parts:
        disagreement = 1 - observed(sums)
        return disagreement, np.full_like(disagreement, 1 - 1 / categories)

    return parts


def shares(sums: Sums) -> Floats:
    """Share of each category: the mean over units of its share of their labels."""
    share = sums["share"]
    return quotient(share, share.sum(axis=-1, keepdims=True))


def multi_pi(sums: Sums) -> Parts:
    """Chance draws twice from the categories' shares."""
    return 1 - observed(sums), 1 - (shares(sums) ** 2).sum(axis=-1)


def binary_pi(sums: Sums) -> Parts:
    """Multi-pi of each category against all others: a value a category."""
    p = shares(sums)
    return 1 - quotient(sums["binary"], sums["paired"]), 2 * p * (1 - p)


def margins(sums: Sums, workers: int) -> tuple[Floats, Floats]:
    """Each worker's shares of the categories (0 for one without labels), and who has labels."""
    table = sums["margin"].reshape(*sums["margin"].shape[:-1], workers, -1)
    given = table.sum(axis=-1, keepdims=True)
    there = given > _TINY
    return np.where(there, table / np.where(there, given, 1.0), 0.0), there[..., 0].sum(axis=-1)


def multi_kappa(workers: int) -> Formula:
    """Chance draws from the shares of two different workers, every two alike; Cohen's for two workers."""

    def parts(sums: Sums) -> Parts:
        p, present = margins(sums, workers)
        both = (p.sum(axis=-2) ** 2).sum(axis=-1) - (p * p).sum(axis=(-2, -1))
        return 1 - observed(sums), 1 - quotient(both, present * (present - 1.0))

    return parts


def kappa_max(sums: Sums) -> Parts:
    """Cohen's kappa at the largest agreement that the two workers' shares allow."""
    p, _ = margins(sums, 2)
    most = p.min(axis=-2).sum(axis=-1)
    disagreement = np.where(np.isnan(observed(sums)), np.nan, 1 - most)
    return disagreement, 1 - (p[..., 0, :] * p[..., 1, :]).sum(axis=-1)


def kappa_weighted(weights: Floats) -> Formula:
    """Cohen's kappa with weights of agreement."""

    def parts(sums: Sums) -> Parts:
        p, _ = margins(sums, 2)
        both = sums["joint"].sum(axis=-1)
        agreement = quotient(sums["joint"] @ weights.reshape(-1), both)
        return 1 - agreement, 1 - ((p[..., 0, :] @ weights) * p[..., 1, :]).sum(axis=-1)

    return parts


def light(workers: int) -> Formula:
    """Mean of Cohen's kappa over every two workers for whom it is defined; as 1 - (1 - mean)/2 / (1/2)."""
    one, other = np.triu_indices(workers, 1)
    place = one * workers + other

    def parts(sums: Sums) -> Parts:
        p, _ = margins(sums, workers)
        # Two who share no unit have no kappa, whatever is left out: of many workers that is most pairs.
        met = place[sums["common"].reshape(-1, workers * workers)[:, place].max(axis=0) > _TINY]
        agreement = quotient(sums["same"][..., met], sums["common"][..., met])
        chance = (p @ np.swapaxes(p, -1, -2)).reshape(*p.shape[:-2], -1)[..., met]
        kappa = value((1 - agreement, 1 - chance))
        defined = ~np.isnan(kappa)
        mean = quotient(np.where(defined, kappa, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64))
        # Half of it lies in [0, 1], as an observed disagreement does.
        return (1 - mean) / 2, np.full_like(mean, 0.5)

    return parts


def alpha_nominal(sums: Sums) -> Parts:
    """Krippendorff's alpha from matches: D_o = 1 - matches / n, D_e = (n^2 - sum n_c^2) / (n (n - 1))."""
    n_c = sums["pairable"]
    n = n_c.sum(axis=-1)
    expected = quotient(n * n - (n_c * n_c).sum(axis=-1), n * (n - 1))
    return 1 - quotient(sums["matches"][..., 0], n), expected


def alpha_distance(name: str, distance: Floats) -> Formula:
    """Krippendorff's alpha with a given distance."""

    def parts(sums: Sums) -> Parts:
        n_c = sums["pairable"]
        n = n_c.sum(axis=-1)
        expected = quotient(((n_c @ distance) * n_c).sum(axis=-1), n * (n - 1))
        return quotient(sums[name][..., 0], n), expected

    return parts


def alpha_ordinal(sums: Sums) -> Parts:
    """Krippendorff's alpha with the ordinal distance, which is rebuilt for every set of sums.

    The distance of two categories is the square of the difference of their mid-ranks.
    """
    n_c = sums["pairable"]
    n = n_c.sum(axis=-1)
    rank = np.cumsum(n_c, axis=-1) - n_c / 2
    # Scaled to [0, 1], so that rounding is seen against 1.
    rank = rank / np.where(n > 0, n, 1.0)[..., None]
    table = sums["coincidence"].reshape(*n_c.shape, n_c.shape[-1])
    # sum o (a - b)^2 = 2 sum n a^2 - 2 sum o a b, the coincidences being symmetric with sums n.
    apart = 2 * (n_c * rank**2).sum(axis=-1) - 2 * np.einsum("...kl,...k,...l->...", table, rank, rank)
    chance = 2 * n * (n_c * rank**2).sum(axis=-1) - 2 * (n_c * rank).sum(axis=-1) ** 2
    return np.maximum(quotient(apart, n), 0.0), quotient(chance, n * (n - 1))


def ac1(categories: int) -> Formula:
    """Gwet's AC1: chance agreement is sum of p (1 - p) / (q - 1)."""

    def parts(sums: Sums) -> Parts:
        p = shares(sums)
        return 1 - observed(sums), 1 - (p * (1 - p)).sum(axis=-1) / (categories - 1)

    return parts


def ac2(name: str, weights: Floats) -> Formula:
    """Gwet's AC2: AC1 with weights of agreement; chance is sum w x sum of p (1 - p) / (q (q - 1))."""
    q = len(weights)

    def parts(sums: Sums) -> Parts:
        p = shares(sums)
        chance = weights.sum() * (p * (1 - p)).sum(axis=-1) / (q * (q - 1))
        return 1 - quotient(sums[name][..., 0], sums["paired"][..., 0]), 1 - chance

    return parts


def prevalence(sums: Sums) -> Parts:
    """p(first) - p(second), written as 1 - x / 1 like everything here."""
    p = shares(sums)
    found = p[..., 0] - p[..., 1]
    return 1 - found, np.ones_like(found)


def bias(sums: Sums) -> Parts:
    """The first worker's share of the first category less the second's."""
    p, present = margins(sums, 2)
    found = np.where(present > 1, p[..., 0, 0] - p[..., 1, 0], np.nan)
    return 1 - found, np.ones_like(found)


def specific(category: int) -> Formula:
    """Agreement on one category: its agreeing pairs over the pairs that have it."""

    def parts(sums: Sums) -> Parts:
        found = quotient(sums["specific"][..., category], sums["possible"][..., category])
        return 1 - found, np.ones_like(found)

    return parts
