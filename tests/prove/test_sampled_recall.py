"""Recall from samples of wiki-fair-v2, everything verified, against the recall when all of it is judged."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from analysis.evaluate import evaluate
from analysis.measured import Measured
from analysis.outcomes import measure
from tests.support.sampled_studies import drawn_segments, sampled, segmented

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "sampled-recall.json"
SAMPLES = 1000
CORPUS = ("wiki-fair-v2", "rel", "refined")
FULL = {"GT": 1918 / 2524}
SHARE = 0.3
# Which clusters, and what their interval is about.
TARGETS = {None: "documents like these", "segment": "this corpus, all of it judged"}


def _documents(seed: int) -> np.ndarray:
    """Weights of a simple sample of documents, by segment."""
    segments = segmented(*CORPUS)["segments"]
    names = segments["document"].unique()
    drawn = np.random.default_rng(seed).choice(names, round(SHARE * len(names)), replace=False)
    return np.where(segments["document"].isin(drawn), len(names) / len(drawn), 0.0)


def _recall(measured: Measured, cluster: str | None) -> list[tuple[str, float, float, float]]:
    got = evaluate(measured, ["posthoc_recall"], by=["source"], replicates=0, cluster=cluster)
    return [(row.source, row.estimate, row.low, row.high) for row in got.itertuples()]


def _sample(seed: int) -> dict[str, list[tuple[str, float, float, float]]]:
    study = segmented(*CORPUS)
    plan = {"method": "simple", "share": SHARE}
    one = measure(sampled(study, drawn_segments(study, SHARE, seed), unit="segment", **plan))
    made = {f"segments, {target}": _recall(one, cluster) for cluster, target in TARGETS.items()}
    two = measure(sampled(study, _documents(seed), unit="document", **plan))
    return {**made, "documents, documents like these": _recall(two, None)}


@pytest.mark.prove
def test_samples_of_segments_and_documents_give_the_full_recall():
    """The mean of many samples is the full recall, and at least .93 less two standard errors hold it."""
    study = segmented(*CORPUS)
    full = {source: estimate for source, estimate, _, _ in _recall(measure(study), None)}
    assert full["GT"] == pytest.approx(FULL["GT"], abs=1e-12)
    with ProcessPoolExecutor(1) as pool:
        every = list(pool.map(_sample, range(SAMPLES), chunksize=10))
    report = {}
    for kind in every[0]:
        for source, true in full.items():
            rows = np.array([row[1:] for one in every for row in one[kind] if row[0] == source], dtype=float)
            held = (rows[:, 1] <= true) & (true <= rows[:, 2])
            report[f"{kind}: {source}"] = {
                "full": round(true, 4),
                "mean": round(float(rows[:, 0].mean()), 4),
                "standard deviation": round(float(rows[:, 0].std(ddof=1)), 4),
                "width": round(float((rows[:, 2] - rows[:, 1]).mean()), 4),
                "held": round(float(held.mean()), 4),
            }
    least = 0.93 - 2 * (0.93 * 0.07 / SAMPLES) ** 0.5
    told = {
        "samples": SAMPLES,
        "share": SHARE,
        "segments": len(study["segments"]),
        "documents": len(study["documents"]),
        "target of 'held'": "the recall when all of the corpus is judged",
        "at least": round(least, 4),
        "results": report,
    }
    PROOF.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    for name, row in report.items():
        assert row["held"] >= least, name
        assert abs(row["mean"] - row["full"]) <= 4 * row["standard deviation"] / SAMPLES**0.5 + 0.005, name
