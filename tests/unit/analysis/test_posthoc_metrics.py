"""Posthoc precision, recall, F1 and the union, by hand."""

from __future__ import annotations

import pytest

from analysis.evaluate import evaluate
from analysis.outcomes import measure
from analysis.policy import get_policy
from tests.support.judged_studies import measured

# GT and A share one item, GT has one more; A's second is longer and overlaps it; A's third is wrong.
ROWS = [
    "t GT 0-3 Q1 w1 verify",
    "t A 0-3 Q1 w2 verify",
    "t GT 10-13 Q2 w1 verify",
    "t A 10-15 Q2 w2 verify",
    "t A 20-22 Q3 w2 remove",
]


def _estimate(metric: str, source: str, rows=ROWS, **choices: str) -> float:
    got = evaluate(
        measure(measured(rows).study, get_policy("recommended", choices)),
        [metric],
        by=["source"],
        replicates=0,
    )
    return float(got.set_index("source").loc[source, "estimate"])


def test_precision_is_the_verification_rate():
    assert _estimate("posthoc_precision", "A") == _estimate("verification_rate", "A") == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("union", "gt", "a"),
    [("distinct", 2 / 3, 2 / 3), ("groups", 1, 1), ("thinned", 1 / 2, 1), ("greedy", 1, 1)],
)
def test_recall_by_what_counts_in_the_union(union, gt, a):
    """Three distinct items; two groups; thinning keeps the longer of the two that overlap."""
    assert _estimate("posthoc_recall", "GT", recall_union=union) == pytest.approx(gt)
    assert _estimate("posthoc_recall", "A", recall_union=union) == pytest.approx(a)


def test_weak_hits_match_overlapping_spans_with_the_same_entity():
    """GT 10-13 Q2 is hit by A 10-15 Q2 even if it was not verified itself."""
    rows = [row.replace("GT 10-13 Q2 w1 verify", "GT 10-13 Q2 w1 remove") for row in ROWS]
    assert _estimate("posthoc_precision", "GT", rows) == 0.5
    assert _estimate("posthoc_precision", "GT", rows, hits="weak") == 1.0
    assert _estimate("posthoc_recall", "GT", rows, hits="weak") == 1.0


def test_f1_is_the_harmonic_mean():
    p, r = 2 / 3, 2 / 3
    assert _estimate("posthoc_f1", "A") == pytest.approx(2 * p * r / (p + r))


def test_macro_averages_documents_that_have_a_denominator():
    """Document u has one judged annotation, v only one that nobody judged."""
    rows = [*ROWS, "u A 0-3 Q1 w2 verify", "v A 0-3 Q1 - -"]
    assert _estimate("posthoc_precision_macro", "A", rows) == pytest.approx((2 / 3 + 1) / 2)
    assert _estimate("posthoc_precision", "A", rows) == pytest.approx(3 / 4)


def test_recall_against_the_others_and_what_is_unique():
    assert _estimate("leave_own_out_recall", "GT") == pytest.approx(1 / 2)
    assert _estimate("unique_verified", "GT") == 1.0


def test_a_dataset_with_ground_truth_alone_has_recall_one_and_no_others():
    rows = ["t GT 0-3 Q1 w1 verify"]
    assert _estimate("posthoc_recall", "GT", rows) == 1.0
    got = evaluate(measured(rows), ["leave_own_out_recall"], replicates=0)
    assert got["reason"].tolist() == ["the other sources have nothing that was verified"] * 2


def test_a_source_is_scored_on_the_documents_it_ran_on():
    study = measured([*ROWS, "u GT 0-3 Q9 w1 verify"]).study
    table = study["source_documents"]
    ran = ~((table["document"] == "u") & (table["source"] == "A"))
    half = type(study)({**study.tables, "source_documents": table.assign(ran=ran)}, study.manifest)
    got = evaluate(half, ["posthoc_recall"], by=["source"], replicates=0).set_index("source")
    assert got.loc["A", ["estimate", "n"]].tolist() == pytest.approx([2 / 3, 3])
    assert got.loc["GT", "n"] == 4
