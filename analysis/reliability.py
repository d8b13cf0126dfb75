"""The reliability curve: in each bin of a source's confidence, the share that people verified."""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis.evaluate import evaluate
from analysis.measured import Measured

COLUMNS: Final = (
    "policy",
    "dataset",
    "source",
    "bin",
    "n",
    "confidence",
    "verified",
    "low",
    "high",
    "level",
    "method",
    "warning",
    "reason",
)
_METRICS: Final = ("verification_rate", "mean_confidence")
_KEY: Final = ["dataset", "source", "group"]


def reliability(measured: Measured, level: float | None = None) -> pd.DataFrame:
    """A row a dataset, source and bin that holds judged annotations; edits and removals are not verified.

    A source whose confidences mean what they say has `verified` near `confidence` in every bin.

    Args:
        measured: the study.
        level: of the intervals; None: the policy's.

    Returns:
        No rows where no source gives a confidence between 0 and 1.
    """
    confidence = measured.annotations["confidence"]
    if not confidence.between(0, 1).any():
        return pd.DataFrame(columns=list(COLUMNS))
    rows = evaluate(
        measured,
        _METRICS,
        by=("dataset", "source", "confidence_bin"),
        replicates=0,
        level=level,
        interval="jackknife",
    )
    rate, mean = (rows[rows["metric"] == name] for name in _METRICS)
    # Only annotations with a confidence have a mean of it.
    known = mean.loc[mean["estimate"].notna(), [*_KEY, "estimate"]].rename(columns={"estimate": "confidence"})
    found = rate.merge(known, on=_KEY).rename(columns={"group": "bin", "estimate": "verified"})
    return found[list(COLUMNS)]
