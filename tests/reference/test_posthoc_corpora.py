"""Posthoc recall of wiki-fair-v2 with everything verified: values of docs/definitions.md section 7."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from tests.support.judged_studies import all_verified

METRICS = ["posthoc_recall", "union_size", "verification_rate"]


@pytest.fixture(scope="module")
def corpus():
    """GT, REL and ReFinED cropped to the evaluation spans, each document one segment."""
    return all_verified("wiki-fair-v2", "rel", "refined").study


def _row(study, policy, metric, source="GT"):
    got = evaluate(study, [metric], by=["source"], policy=policy, replicates=100)
    return got.set_index("source").loc[source]


def test_paper_counts_1478_of_1785(corpus):
    row = _row(corpus, "paper", "posthoc_recall")
    assert (row["estimate"], row["n"]) == (pytest.approx(1478 / 1785, abs=1e-12), 1785)


def test_original_counts_1910_of_1772_over_114_documents_and_says_so(corpus):
    row = _row(corpus, "original", "posthoc_recall")
    assert (row["estimate"], row["n"]) == (pytest.approx(1910 / 1772, abs=1e-12), 1772)
    assert "above 1" in row["reason"]
    assert measure(corpus, "original").segments["shared"].sum() == 114


def test_recommended_counts_1918_of_2524_distinct_items(corpus):
    row = _row(corpus, "recommended", "posthoc_recall")
    assert row["estimate"] == pytest.approx(1918 / 2524, abs=1e-12)
    assert _row(corpus, "recommended", "union_size", "")["estimate"] == 2524


def test_everything_verified_is_a_rate_of_one(corpus):
    row = _row(corpus, "recommended", "verification_rate", "refined")
    assert (row["estimate"], row["high"], row["n"]) == (1.0, 1.0, 1322)


def test_sources_of_equal_quality_come_out_equal_and_majority_makes_them_differ():
    """Membership as in wiki-fair-v2, nine links of ten right, accuracy .93 / .60, k = 1 a source."""
    base = all_verified("wiki-fair-v2", "rel", "refined").study["annotations"]
    base = base[base["shown"]]
    random = np.random.default_rng(3)
    copies = []
    for copy in range(6):
        rows = base[["dataset", "document", "source", "start", "end"]].assign(entity=base["key"])
        item = rows.groupby(["document", "start", "end", "entity"]).ngroup().to_numpy()
        right = random.random(item.max() + 1)[item] < 0.9
        verified = random.random(len(rows)) < np.where(right, 0.93, 0.40)
        made = rows.assign(document=f"{copy}-" + rows["document"], worker="w" + rows["source"])
        copies.append(made.assign(decision=np.where(verified, "verify", "remove")))
    study = load(pd.concat(copies))

    def rates(**choices):
        got = evaluate(study, ["verification_rate"], by=["source"], overrides=choices, replicates=0)
        return got.set_index("source")["estimate"]

    share = rates()
    assert share.max() - share.min() < 0.012
    majority = rates(resolution="majority")
    assert majority["rel"] - majority["GT"] > 0.008
