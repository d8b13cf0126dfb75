"""Six coefficients with intervals from resampled units, against a loop over krippendorff for one."""

from __future__ import annotations

import krippendorff
import numpy as np

from analysis.agreement import Agreement, agreement
from tests.bench.rows import Row, seconds

REPLICATES = 1000
SIZES = {10_000: 10, 100_000: 3, 1_000_000: 1}
SIX = ["observed_agreement", "brennan_prediger", "multi_pi", "multi_kappa", "alpha_nominal", "ac1"]
NAMES = ["a", "b", "c"]


def run() -> list[Row]:
    """The rows of this bench."""
    rows = []
    for units, replicates in SIZES.items():
        codes = _codes(units)
        _ours(codes)
        rows.append(
            Row(
                f"six coefficients, {units:,} units x 3 workers, a fifth missing, {REPLICATES} replicates",
                seconds(lambda codes=codes: _ours(codes), 3),
                "seconds",
                _theirs(codes, replicates),
                f"alpha alone, loop over krippendorff (from {replicates} replicates)",
                0.5 if units == max(SIZES) else None,
            )
        )
    return rows


def _codes(units: int) -> np.ndarray:
    """Units x workers: codes of three categories, -1 for a fifth that is missing."""
    r = np.random.default_rng(5)
    right = r.integers(0, 3, (units, 1))
    labels = np.where(r.random((units, 3)) < 0.8, right, r.integers(0, 3, (units, 3)))
    return np.where(r.random((units, 3)) < 0.2, -1, labels)


def _ours(codes: np.ndarray) -> Agreement:
    return agreement(codes, categories=NAMES, coefficients=SIX, interval="percentile", replicates=REPLICATES)


def _theirs(codes: np.ndarray, replicates: int) -> float:
    r = np.random.default_rng(0)
    counts = np.stack([(codes == category).sum(axis=1) for category in range(3)], axis=1)

    def loop() -> None:
        for _ in range(replicates):
            drawn = counts[r.integers(0, len(counts), len(counts))]
            krippendorff.alpha(value_counts=drawn, level_of_measurement="nominal")

    return seconds(loop) * REPLICATES / replicates
