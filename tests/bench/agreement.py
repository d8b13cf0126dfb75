"""Nominal alpha with an interval from resampled units, against a loop over the package krippendorff."""

from __future__ import annotations

import krippendorff
import numpy as np

from analysis.alpha import agreeing_pairs, alpha_from_sums, labels_of
from analysis.engine.bootstrap import resample_units
from analysis.spans import Ints
from tests.bench.rows import Row, seconds

REPLICATES = 1000
SIZES = {10_000: 10, 100_000: 3, 1_000_000: 1}


def run() -> list[Row]:
    """The rows of this bench."""
    rows = []
    for units, replicates in SIZES.items():
        counts = _counts(units)
        _ours(counts)
        rows.append(
            Row(
                f"alpha, {units:,} units x 3 labels, {REPLICATES} replicates",
                seconds(lambda counts=counts: _ours(counts), 3),
                "seconds",
                _theirs(counts, replicates),
                f"loop over krippendorff (from {replicates} replicates)",
                0.5 if units == max(SIZES) else None,
            )
        )
    return rows


def _counts(units: int) -> Ints:
    """Units x categories: three labels each, of three categories."""
    r = np.random.default_rng(5)
    right = r.integers(0, 3, units)
    labels = np.where(r.random((3, units)) < 0.8, right, r.integers(0, 3, (3, units)))
    return np.stack([(labels == category).sum(axis=0) for category in range(3)], axis=1).astype(np.int64)


def _ours(counts: Ints) -> np.ndarray:
    sums = {"agree": agreeing_pairs(counts) / (labels_of(counts) - 1)}
    sums |= {str(category): counts[:, category].astype(float) for category in range(counts.shape[1])}
    drawn = resample_units(sums, REPLICATES, 0, "units")
    alpha = alpha_from_sums(drawn["agree"], [drawn[str(category)] for category in range(counts.shape[1])])
    return np.quantile(alpha, [0.025, 0.975])


def _theirs(counts: Ints, replicates: int) -> float:
    r = np.random.default_rng(0)

    def loop() -> None:
        for _ in range(replicates):
            drawn = counts[r.integers(0, len(counts), len(counts))]
            krippendorff.alpha(value_counts=drawn, level_of_measurement="nominal")

    return seconds(loop) * REPLICATES / replicates
