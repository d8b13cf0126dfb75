"""Studies of which a sample was judged: weighted numbers by hand, and what a sample does not allow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.compare import comparisons
from analysis.corrected import corrected_rows
from analysis.coverage_table import coverage_table
from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError
from analysis.evaluate import evaluate
from analysis.keys import read_entity
from analysis.load import load
from analysis.metrics.registry import names
from analysis.outcomes import measure
from analysis.points import points
from analysis.sampled import Strata
from analysis.score_judged import score_judged
from analysis.study import Study
from tests.support.judged_studies import JUDGMENTS
from tests.support.random_studies import frame
from tests.support.sampled_studies import drawn_segments, sampled, sampled_tasks, segmented

ROWS = [
    # segment a: GT and A have one link each, both right.
    ("t", "GT", 0, 5, "Q1", "verify", "a"),
    ("t", "A", 0, 5, "Q1", "verify", "a"),
    # segment b: GT's link is wrong, A's overlapping one right.
    ("t", "GT", 10, 15, "Q2", "remove", "b"),
    ("t", "A", 10, 16, "Q3", "verify", "b"),
    # segment c: A has nothing.
    ("u", "GT", 0, 5, "Q4", "verify", "c"),
    # segment e: A's alone.
    ("u", "A", 10, 15, "Q5", "remove", "e"),
]


def _study(weight=(2.0, 4.0, 0.0, 4.0), **plan):
    rows = [("d", t, s, start, end, q, "w", said, "", part) for t, s, start, end, q, said, part in ROWS]
    whole = load(pd.DataFrame(rows, columns=[*JUDGMENTS, "segment"]))
    return sampled(whole, np.array(weight), **{"unit": "segment", "method": "size", **plan})


def _value(study, metric, source="GT", **options):
    got = evaluate(study, [metric], replicates=0, **options)
    return got[(got["dataset"] == "d") & (got["source"] == source)].iloc[0]


@pytest.mark.parametrize(
    ("metric", "source", "wanted"),
    [
        # Judged: a (2) verified, b (4) removed.
        ("verification_rate", "GT", 2 / 6),
        # a (2) and b (4) verified, e (4) removed.
        ("verification_rate", "A", 6 / 10),
        # The union: a's item (2) and b's (4).
        ("union_size", "", 6),
        ("posthoc_recall", "GT", 2 / 6),
        ("coverage_D", "", 4 / 6),
        # Links of A in judged segments weigh 2 + 4 + 4, of which GT has the first; of GT 2 + 4.
        ("pre_precision_exact_judged", "A", 2 / 10),
        ("pre_recall_exact_judged", "A", 2 / 6),
        # All that was imported, sampled or not: GT has 3 links, A has 3, one is the same.
        ("pre_precision_exact", "A", 1 / 3),
    ],
)
def test_a_segment_stands_for_those_that_were_not_drawn(metric, source, wanted):
    assert _value(_study(), metric, source)["estimate"] == pytest.approx(wanted, abs=1e-12)


def test_n_is_what_was_judged_and_not_what_it_stands_for():
    assert _value(_study(), "verification_rate", "A")["n"] == 3
    assert _value(_study(), "pre_precision_exact_judged", "A")["n"] == 3


def test_the_coverage_table_is_weighted_and_knows_only_what_was_drawn():
    table = coverage_table(measure(_study()))
    here = table[(table["dataset"] == "d") & (table["n"] > 0)].set_index(["direction", "letter"])
    assert here.loc["union_vs_gt", "sum"].to_dict() == {"A": 2.0, "D": 4.0}
    assert here.loc["gt_vs_union", "sum"].to_dict() == {"A": 2.0, "D": 4.0}


def test_the_audit_counts_nothing_that_was_not_drawn_as_unjudged():
    assert _value(_study(), "unjudged_rate")["estimate"] == 0


def test_a_new_source_is_scored_where_something_was_drawn():
    entity = read_entity("Q1", "en")
    marks = [Annotation(Span(0, 5), entity), Annotation(Span(12, 14), entity)]
    found = score_judged(_study(), {"new": [Document("t", "", tuple(marks)), Document("u", "", (marks[0],))]})
    record = found.records[0]
    assert (record["predicted"], record["judged"], record["unjudged"]) == (2, 1, 1)
    assert (record["precision_if_wrong"], record["precision_if_right"]) == (2 / 6, 1.0)
    assert "1 links lie where nothing was drawn" in record["warnings"][-1]


def test_equal_weights_change_no_interval():
    """Whoever draws every second segment and weighs each by two knows what was judged, and no more."""
    study = load(frame(5, rows=300, documents=6, workers=12))
    three = load({**study.tables, "segments": study["segments"].assign(weight=3.0)})
    names_ = ["verification_rate", "posthoc_recall", "posthoc_f1", "coverage_A", "edit_rate"]
    one, other = (evaluate(each, names_, replicates=50) for each in (study, three))
    both = ["estimate", "low", "high", "n", "bootstrap_low", "bootstrap_high"]
    np.testing.assert_allclose(other[both].to_numpy(), one[both].to_numpy(), rtol=1e-9)


def test_unequal_weights_leave_less_than_was_judged():
    study = load(frame(5, rows=300, documents=6, workers=12).assign(decision="verify", new_entity=""))
    count = len(study["segments"])
    uneven = load({**study.tables, "segments": study["segments"].assign(weight=1 + np.arange(count) % 2 * 9)})
    low, lower = (_lowest(each) for each in (study, uneven))
    assert lower < low < 1


def _lowest(study):
    return evaluate(study, ["verification_rate"], by=["source"], replicates=0)["low"].iloc[0]


@pytest.mark.parametrize("corpus", ["wiki-fair-v2"])
def test_thirty_percent_of_segments_give_the_recall_of_all(corpus):
    """GT has 1918 of 2524 items; eight samples lie around it, and the intervals of each hold it."""
    study = segmented(corpus, "rel", "refined")
    rows = [
        evaluate(_thirty(study, seed), ["posthoc_recall"], by=["source"], replicates=0).iloc[0]
        for seed in range(8)
    ]
    assert np.mean([row["estimate"] for row in rows]) == pytest.approx(1918 / 2524, abs=0.02)
    assert all(row["low"] <= 1918 / 2524 <= row["high"] for row in rows)
    assert {row["target"] for row in rows} == {"documents like these"}
    one = evaluate(_thirty(study, 0), ["posthoc_recall"], by=["source"], cluster="segment").iloc[0]
    assert one["target"] == "this corpus, all of it judged"
    assert one["high"] - one["low"] < rows[0]["high"] - rows[0]["low"]


def _thirty(study, seed):
    return sampled(study, drawn_segments(study, 0.3, seed), unit="segment", method="simple", share=0.3)


def test_thirty_percent_of_tasks_are_refused_for_what_sources_found_together():
    whole = segmented("wiki-fair-v2", "rel", "refined")
    drawn = np.random.default_rng(1).random(len(whole["tasks"])) < 0.3
    measured = measure(sampled_tasks(whole, drawn, unit="task", method="simple", share=0.3))
    got = evaluate(measured, replicates=0).set_index(["dataset", "source", "metric"])
    refused = got[got["reason"].str.startswith("the plan drew tasks of single sources")]
    assert set(refused.index.get_level_values("metric")) == {
        *("union_size", "unique_verified", "leave_own_out_recall", "missed_mentions", "found_share"),
        *(f"posthoc_{kind}{form}" for kind in ("recall", "f1") for form in ("", "_macro")),
        *(f"coverage_{letter}" for letter in (*"ABCDE", "E0", "E1")),
        *(name for name in names(measured) if name.startswith("verified_")),
    }
    assert refused["estimate"].isna().all()
    assert got.loc[("*", "GT", "verification_rate"), "estimate"] == 1
    assert coverage_table(measured).empty
    rows, _ = comparisons(measured)
    assert rows.loc[rows["metric"] == "posthoc_recall", "reason"].str.contains("single sources").all()
    assert any("recall, F1, union, coverage" in said for said in measured.warnings)
    assert all(
        row["reason"] for row in corrected_rows(measured, 0.95)[0] if row["metric"] == "corrected_recall"
    )


def test_a_mean_over_documents_is_refused_where_they_were_seen_in_part():
    assert "parts of documents" in _value(_study(), "posthoc_precision_macro")["reason"]
    even = _study((2.0, 2.0, 0.0, 0.0), unit="document")
    assert _value(even, "posthoc_precision_macro")["estimate"] == 1 / 2


def test_a_mean_over_documents_of_unequal_chances_is_weighted():
    """Hajek's: GT is right once of twice in the document that weighs 2, and in the other, that weighs 4."""
    uneven = _study((2.0, 2.0, 4.0, 4.0), unit="document")
    found = _value(uneven, "posthoc_precision_macro")
    assert found["estimate"] == pytest.approx((2 / 2 + 4) / 6, abs=1e-12)
    assert found["n"] == 3
    moving = points(measure(uneven), ["posthoc_precision_macro"])
    assert moving["d", "GT", "posthoc_precision_macro"] == found["estimate"]
    rows, _ = comparisons(measure(uneven), ["posthoc_precision_macro"])
    # A: both right in the first, its one link of the second wrong.
    row = rows[(rows["dataset"] == "d") & (rows["source"] == "A") & (rows["other"] == "GT")].iloc[0]
    assert row["estimate"] == pytest.approx(2 / 6 - 5 / 6, abs=1e-12)
    # All that was imported was not drawn, and weighs alike.
    assert _value(uneven, "pre_precision_exact_macro", "A")["estimate"] == pytest.approx((1 / 2 + 0) / 2)


@pytest.mark.parametrize(
    "plan", ["all", {"unit": "word"}, {"unit": "segment", "share": 3}, {"unit": "segment", "share": "half"}]
)
def test_a_manifest_that_says_no_sampling_plan_is_refused(plan):
    study = _study()
    with pytest.raises(InputError, match="sampling"):
        measure(Study(study.tables, {**study.manifest, "sampling": plan}))


def _within_documents(study, seed):
    """Half of each document's segments, at least one; weights of a sample stratified by document."""
    r = np.random.default_rng(seed)
    weight = np.zeros(len(study["segments"]))
    for rows in study["segments"].groupby("document").indices.values():
        drawn = r.choice(rows, max(1, len(rows) // 2), replace=False)
        weight[drawn] = len(rows) / len(drawn)
    return sampled(study, weight, unit="segment", method="stratified", strata=["document"])


def _by_segments(study, **plan):
    made = Study(study.tables, {**study.manifest, "sampling": {**study.manifest["sampling"], **plan}})
    return evaluate(made, ["posthoc_recall"], by=["source"], cluster="segment", replicates=0).iloc[0]


def test_segments_drawn_within_documents_are_compared_within_them():
    """Four samples of about half: .760 lies in all intervals, which are not those that know of no strata."""
    whole = segmented("wiki-fair-v2", "rel", "refined")
    for seed in range(4):
        made = _within_documents(whole, seed)
        row = _by_segments(made)
        assert row["low"] <= 1918 / 2524 <= row["high"]
        assert row["low"] != _by_segments(made, method="simple")["low"]


def test_one_stratum_is_no_stratum():
    made = _thirty(segmented("wiki-fair-v2", "rel", "refined"), 1)
    one, none = (_by_segments(made, method=name, strata=["dataset"]) for name in ("stratified", "simple"))
    assert one["low"] == pytest.approx(none["low"], abs=0.002)
    assert one["high"] == pytest.approx(none["high"], abs=0.002)


def test_the_variance_within_strata_by_hand():
    """Strata {0, 2} and {1}: 2/1 x ((0 - 1)^2 + (2 - 1)^2) x 1/2 + 3^2 x (1 - 1/4) = 8.75."""
    strata = Strata(np.array([0, 1]), np.array([1 / 2, 1 / 4]))
    assert strata.variance(np.array([10.0, 12.0, 13.0]), 10.0, np.array([0, 0, 1])) == pytest.approx(8.75)
