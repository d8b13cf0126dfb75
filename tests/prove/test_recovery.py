"""The corrected rate finds the truth behind a crowd that accepts a third of what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.corrected import RATE, corrected_rows
from analysis.outcomes import measure
from tests.support.controlled_studies import study

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "recovery.json"
CAMPAIGNS = 1000
TRUE = 0.8  # of documents like these


def recovered(campaigns: int, harder: float = 0.0) -> dict[str, Any]:
    """How often the raw and the corrected interval hold the true rate, and what is said beside it."""
    held, estimates, raw, warned = [], [], [], []
    for seed in range(campaigns):
        made, _ = study(seed, documents=120, controls=90, harder=harder)
        rows, curve, warnings = corrected_rows(measure(made), 0.95)
        row = next(row for row in rows if row["metric"] == RATE and row["dataset"] == "*")
        held.append(row["low"] <= TRUE <= row["high"])
        estimates.append(row["estimate"])
        raw.append(row["raw"])
        warned.append(any("as hard to see" in said for said in warnings) and not curve.empty)
    return {
        "campaigns": campaigns,
        "real errors are verified more often than planted ones by": harder,
        "true rate": TRUE,
        "mean raw rate": round(float(np.mean(raw)), 4),
        "mean corrected rate": round(float(np.mean(estimates)), 4),
        "intervals that hold the truth": int(np.sum(held)),
        "the assumption and the curve are shown": int(np.sum(warned)),
    }


def written(campaigns: int) -> list[dict[str, Any]]:
    """Both crowds, kept in docs/proofs."""
    found = [recovered(campaigns), recovered(campaigns, harder=0.2)]
    what = "A crowd that verifies 30 % of wrong links; controls by 120 workers, 60 distinct wrong ones"
    text = json.dumps({"what": what, "crowds": found}, indent=2)
    PROOF.write_text(f"{text}\n", encoding="utf-8")
    return found


@pytest.mark.prove
def test_the_truth_is_in_930_of_1000_corrected_intervals_and_harder_errors_come_with_a_warning():
    same, harder = written(CAMPAIGNS)
    assert same["intervals that hold the truth"] >= 0.93 * CAMPAIGNS
    assert harder["the assumption and the curve are shown"] == CAMPAIGNS
