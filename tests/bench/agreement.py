"""Six coefficients with intervals from resampled units or documents, and Dawid-Skene, beside packages."""

from __future__ import annotations

import importlib
import importlib.util

import krippendorff
import numpy as np
import pandas as pd

from analysis.agreement import Agreement, agreement, infer
from tests.bench.rows import Row, seconds

REPLICATES = 1000
DOCUMENTS = 20_000
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
    codes = _codes(max(SIZES))
    document = np.sort(np.random.default_rng(6).integers(0, DOCUMENTS, len(codes)))
    rows.append(
        Row(
            f"the same million units in {DOCUMENTS:,} documents, which are resampled",
            seconds(lambda: _ours(codes, document), 3),
            "seconds",
            bar=1.0,
        )
    )
    return [*rows, *_dawid_skene()]


def _dawid_skene() -> list[Row]:
    """Ours climbs until the likelihood stands still, from the majority alone and from six starts."""
    labels = _crowd()
    theirs: float | None = None
    beside = "crowd-kit, which is not installed"
    if importlib.util.find_spec("crowdkit"):
        model = importlib.import_module("crowdkit.aggregation").DawidSkene
        named = labels.rename(columns={"unit": "task"})
        theirs = seconds(lambda: model(n_iter=1000, tol=1e-9).fit(named), 3)
        beside = "crowd-kit, until its loss stands still, from the majority"
    what = f"Dawid-Skene on {len(labels):,} labels"
    return [
        Row(
            f"{what}, {starts}",
            seconds(lambda restarts=restarts: infer(labels, categories=[0, 1, 2], restarts=restarts), 3),
            "seconds",
            theirs,
            beside,
        )
        for restarts, starts in ((0, "from the majority"), (5, "and five shaken starts"))
    ]


def _crowd() -> pd.DataFrame:
    """Six labels of each of 40,000 units, by 300 workers of whom some are careless."""
    r = np.random.default_rng(3)
    units, workers, each = 40_000, 300, 6
    right, skill = r.integers(0, 3, (units, 1)), r.uniform(0.6, 0.95, workers)
    who = np.stack([r.choice(workers, each, replace=False) for _ in range(units)])
    hit = r.random((units, each)) < skill[who]
    label = np.where(hit, right, (right + r.integers(1, 3, (units, each))) % 3)
    unit = np.repeat(np.arange(units), each)
    return pd.DataFrame({"unit": unit, "worker": who.ravel(), "label": label.ravel()})


def _codes(units: int) -> np.ndarray:
    """Units x workers: codes of three categories, -1 for a fifth that is missing."""
    r = np.random.default_rng(5)
    right = r.integers(0, 3, (units, 1))
    labels = np.where(r.random((units, 3)) < 0.8, right, r.integers(0, 3, (units, 3)))
    return np.where(r.random((units, 3)) < 0.2, -1, labels)


def _ours(codes: np.ndarray, document: np.ndarray | None = None) -> Agreement:
    return agreement(
        codes,
        categories=NAMES,
        coefficients=SIX,
        interval="percentile",
        replicates=REPLICATES,
        cluster=document,
    )


def _theirs(codes: np.ndarray, replicates: int) -> float:
    r = np.random.default_rng(0)
    counts = np.stack([(codes == category).sum(axis=1) for category in range(3)], axis=1)

    def loop() -> None:
        for _ in range(replicates):
            drawn = counts[r.integers(0, len(counts), len(counts))]
            krippendorff.alpha(value_counts=drawn, level_of_measurement="nominal")

    return seconds(loop) * REPLICATES / replicates
