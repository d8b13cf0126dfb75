"""Observed agreement and Krippendorff's nominal alpha, as sums over units: kernels of a study.

Both come from a table of counts, units x categories: how many workers gave the unit each label. The set of
categories is the caller's, never inferred from what was seen; it changes no value, but a label outside it
is an error. Only pairable values count: a unit with fewer than two labels enters nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtri

from analysis.agreement import formulas
from analysis.agreement.formulas import NO_OVERLAP, ONE_CATEGORY
from analysis.errors import InputError
from analysis.spans import Ints

Floats = npt.NDArray[np.float64]
NO_SPREAD = "no interval: leaving out a unit changes nothing, or leaves nothing to compare"


@dataclass(frozen=True)
class Coefficient:
    """An agreement coefficient: its value, or the reason why it has none.

    Attributes:
        estimate: the value; None if undefined.
        n_units: units with labels of at least two workers.
        reason: why it is undefined, or has no interval, else "".
        low, high: of its 95 % interval by the delete-one jackknife over units, which takes units as
            independent (Efron & Stein 1981, doi:10.1214/aos/1176345462); None without one.
    """

    estimate: float | None
    n_units: int
    reason: str = ""
    low: float | None = None
    high: float | None = None


def counts_of(unit: Ints, label: Sequence[str] | pd.Series, units: int, categories: Sequence[str]) -> Ints:
    """The units x categories table of labels given one per row.

    Args:
        unit: unit code of each label, under `units`.
        label: the labels.
        units: number of units.
        categories: every category, in order.

    Raises:
        InputError: a label is not among the categories.
    """
    column = pd.Index(list(categories)).get_indexer(pd.Index(np.asarray(label, dtype=object)))
    if (column < 0).any():
        strange = sorted({str(value) for value in np.asarray(label, dtype=object)[column < 0]})
        raise InputError("unknown category", got=", ".join(strange), expected=", ".join(categories))
    return table_of(np.asarray(unit), column, units, len(categories))


def table_of(unit: Ints, category: Ints, units: int, categories: int) -> Ints:
    """The units x categories table of labels given as codes."""
    flat = np.bincount(unit * categories + category, minlength=units * categories)
    return flat.reshape(units, categories).astype(np.int64)


def labels_of(counts: Ints) -> Ints:
    """Number of labels of each unit."""
    return np.asarray(counts.sum(axis=1), dtype=np.int64)


def agreeing_pairs(counts: Ints) -> Ints:
    """Ordered pairs of labels of a unit that agree: sum over categories of c(c - 1)."""
    return np.asarray((counts * (counts - 1)).sum(axis=1), dtype=np.int64)


def observed_from_sums(agreement: npt.ArrayLike, units: npt.ArrayLike) -> Floats:
    """Observed agreement, from the sum over units of agreeing pairs / (m(m - 1)) and the number of units."""
    return formulas.quotient(np.asarray(agreement, float), np.asarray(units, float))


def alpha_from_sums(agreement: npt.ArrayLike, totals: Sequence[npt.ArrayLike]) -> Floats:
    """Nominal alpha from sums over units with at least two labels; nan where undefined.

    alpha = 1 - (n - 1)(n - sum of agreeing pairs / (m - 1)) / (n^2 - sum over categories of n_c^2)

    Args:
        agreement: sum over units of agreeing pairs / (m - 1); any shape (one value per replicate).
        totals: for each category, the number of pairable labels; shapes as `agreement`.

    Reference:
        Krippendorff (2004), Content Analysis, chapter 11; Hayes & Krippendorff (2007),
        doi:10.1080/19312450709336664.
    """
    pairable = np.stack([np.asarray(total, float) for total in totals], axis=-1)
    matches = np.asarray(agreement, float)[..., None]
    return formulas.value(formulas.alpha_nominal({"matches": matches, "pairable": pairable}))


def observed_agreement(counts: Ints) -> Coefficient:
    """Observed agreement: the mean over units of the share of pairs of labels that agree."""
    return _measured(counts, lambda kept: _pairs(kept) / labels_of(kept), _observed, least=0.0)


def alpha_nominal(counts: Ints) -> Coefficient:
    """Krippendorff's alpha for nominal labels, by pairable values."""
    return _measured(counts, _pairs, _alpha, least=-1.0)


def _pairs(kept: Ints) -> Floats:
    """Agreeing pairs of each unit / (m - 1)."""
    return np.asarray(agreeing_pairs(kept) / (labels_of(kept) - 1), dtype=np.float64)


def _observed(agreement: Floats, totals: Floats, units: float) -> Floats:
    del totals
    return observed_from_sums(agreement, units)


def _alpha(agreement: Floats, totals: Floats, units: float) -> Floats:
    del units
    return alpha_from_sums(agreement, list(np.moveaxis(totals, -1, 0)))


def _measured(
    counts: Ints,
    agreement: Callable[[Ints], Floats],
    value: Callable[[Floats, Floats, float], Floats],
    *,
    least: float,
) -> Coefficient:
    """A coefficient of sums over units, with the interval that leaving out one unit at a time gives."""
    kept = counts[labels_of(counts) > 1]
    units = len(kept)
    if not units:
        return Coefficient(None, 0, NO_OVERLAP)
    agreed, totals = agreement(kept).sum(), kept.sum(axis=0)
    estimate = float(value(agreed, totals, units))
    if np.isnan(estimate):
        return Coefficient(None, units, ONE_CATEGORY)
    # Units with the same labels are left out with the same result.
    alike = pd.DataFrame(kept).value_counts(sort=False)
    kinds, times = np.array([*alike.index], dtype=np.int64), alike.to_numpy()
    without = value(agreed - agreement(kinds), totals - kinds, units - 1)
    about = (times * without).sum() / units
    half = ndtri(0.975) * np.sqrt((units - 1) / units * (times * (without - about) ** 2).sum())
    if not half > 0:
        return Coefficient(estimate, units, NO_SPREAD)
    return Coefficient(
        estimate, units, "", max(least, float(estimate - half)), min(1.0, float(estimate + half))
    )
