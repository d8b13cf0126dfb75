"""Means over documents drawn with unequal chances, against the mean over documents like these."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from tests.support.sampled_means import Design, campaign, target

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "sampled-means.json"
CAMPAIGNS = 2000
WANTED = 0.93
DESIGNS = {
    "60 of 600, larger ones harder": Design(600, 60, 0.8),
    "30 of 600, larger ones harder": Design(600, 30, 0.8),
    "120 of 600, size says nothing": Design(600, 120, 0.0),
    "60 of 600, larger ones harder, workers differ": Design(600, 60, 0.8, 0.5),
}


def _report(design: Design, campaigns: int) -> dict[str, float]:
    true = target(design)
    every = [campaign(design, seed) for seed in range(campaigns)]
    estimates = np.array([one.estimate for one in every])
    return {
        "target": round(true, 4),
        "mean": round(float(estimates.mean()), 4),
        "mean of plain means": round(float(np.mean([one.plain for one in every])), 4),
        "standard deviation": round(float(estimates.std(ddof=1)), 4),
        "width": round(float(np.mean([one.high - one.low for one in every])), 4),
        "held": round(float(np.mean([one.low <= true <= one.high for one in every])), 4),
    }


@pytest.mark.prove
def test_weighted_means_over_documents_hit_their_target():
    """At least .93 less two standard errors hold it; the bias is under a tenth of the standard deviation."""
    least = WANTED - 2 * sqrt(WANTED * (1 - WANTED) / CAMPAIGNS)
    report = {name: _report(design, CAMPAIGNS) for name, design in DESIGNS.items()}
    said = {"campaigns": CAMPAIGNS, "target of 'held'": "the mean over documents like these"}
    said |= {"at least": round(least, 4), "results": report}
    PROOF.write_text(f"{json.dumps(said, indent=2)}\n", encoding="utf-8")
    for name, row in report.items():
        assert row["held"] >= least, name
        assert abs(row["mean"] - row["target"]) < 0.1 * row["standard deviation"], name


def test_few_campaigns_show_that_the_plain_mean_is_off():
    """Documents drawn by their size are the larger ones, on which rates are lower."""
    found = _report(DESIGNS["60 of 600, larger ones harder"], 40)
    assert abs(found["mean"] - found["target"]) < 0.02
    assert found["mean of plain means"] < found["target"] - 0.08
