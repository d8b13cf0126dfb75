"""The corrected rate finds the truth behind a crowd that accepts a third of what is wrong."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.corrected import RATE, corrected_rows
from analysis.engine.counts import Counts
from analysis.engine.errors_in_judging import Share, audited_rate, worth
from analysis.engine.jackknife import MIN_ICC, spread
from analysis.engine.tally import ALL_DATASETS, Tally
from analysis.measured import Measured
from analysis.metrics.registry import ratio
from analysis.outcomes import measure
from tests.support.controlled_studies import study_of_links

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "recovery.json"
CAMPAIGNS = 1000
TRUE = 0.8  # of documents like these
APART = 0.1  # workers differ in what they accept
HARDER = 0.2
AUDITED = (150, 60)  # of the verified, and of the rest
_Z = 1.959964


def _audit(measured: Measured, right: np.ndarray, seed: int) -> tuple[float, float]:
    """Limits of the true rate when experts, who never err, decide a random part of each outcome."""
    votes = measured.votes
    verified = votes["verify"].to_numpy() == 1
    truth = right[votes["annotation"].to_numpy()]
    r = np.random.default_rng([seed, 1])
    outcomes = zip((verified, ~verified), AUDITED, strict=True)
    seen = [r.choice(np.flatnonzero(rows), n, replace=False) for rows, n in outcomes]
    ppv, npv = truth[seen[0]].mean(), 1 - truth[seen[1]].mean()
    counts = Counts.of(
        document=votes["document_code"],
        unit=votes["annotation"],
        worker=votes["worker"],
        quantities={"hit": verified, "judged": 1},
    )
    found = spread(
        Tally(counts, measured.bounds).cut(ALL_DATASETS), ratio("hit", "judged"), "judged", "two-way"
    )
    p = Share(found.estimate, worth(found.estimate, found.n, found.variance, found.member, MIN_ICC))
    rate, error = audited_rate(p, Share(ppv, AUDITED[0]), Share(npv, AUDITED[1]))
    return rate - _Z * error, rate + _Z * error


def _campaign(seed: int, harder: float) -> dict[str, Any]:
    made, right = study_of_links(seed, documents=120, controls=90, harder=harder, apart=APART)
    measured = measure(made)
    rows, curve, warnings = corrected_rows(measured, 0.95)
    row = next(row for row in rows if row["metric"] == RATE and row["dataset"] == "*")
    low, high = _audit(measured, right, seed)
    return {
        "held": row["low"] <= TRUE <= row["high"],
        "estimate": row["estimate"],
        "raw": row["raw"],
        "width": row["high"] - row["low"],
        "warned": any("as hard to see" in said for said in warnings) and not curve.empty,
        "audit held": low <= TRUE <= high,
        "audit": (low + high) / 2,
        "audit width": high - low,
    }


def recovered(campaigns: int, harder: float = 0.0, workers: int | None = None) -> dict[str, Any]:
    """How often intervals hold the true rate, and what is said beside it."""
    with ProcessPoolExecutor(workers) as pool:
        made = list(pool.map(partial(_campaign, harder=harder), range(campaigns), chunksize=10))
    of = {name: np.array([one[name] for one in made], dtype=float) for name in made[0]}
    return {
        "campaigns": campaigns,
        "real errors are verified more often than planted ones by": harder,
        "true rate": TRUE,
        "mean raw rate": round(float(of["raw"].mean()), 4),
        "mean corrected rate": round(float(of["estimate"].mean()), 4),
        "intervals that hold the truth": int(of["held"].sum()),
        "mean width": round(float(of["width"].mean()), 4),
        "the assumption and the curve are shown": int(of["warned"].sum()),
        "mean rate by the expert audit": round(float(of["audit"].mean()), 4),
        "audit intervals that hold the truth": int(of["audit held"].sum()),
        "mean width of the audit's": round(float(of["audit width"].mean()), 4),
    }


def written(campaigns: int, workers: int | None = None) -> list[dict[str, Any]]:
    """Both crowds, kept in docs/proofs."""
    found = [recovered(campaigns, harder, workers) for harder in (0.0, HARDER)]
    what = (
        "A crowd that verifies 30 % of wrong links, workers differing (correlation .1); controls that decide"
        " nothing, by 120 workers, 60 distinct wrong ones; experts who audit 150 verified links and 60 others"
    )
    text = json.dumps({"what": what, "crowds": found}, indent=2)
    PROOF.write_text(f"{text}\n", encoding="utf-8")
    return found


@pytest.mark.prove
def test_the_truth_is_in_930_of_1000_corrected_intervals_and_harder_errors_come_with_a_warning():
    same, harder = written(CAMPAIGNS)
    assert same["intervals that hold the truth"] >= 0.93 * CAMPAIGNS
    assert harder["the assumption and the curve are shown"] == CAMPAIGNS
    assert min(crowd["audit intervals that hold the truth"] for crowd in (same, harder)) >= 0.93 * CAMPAIGNS
