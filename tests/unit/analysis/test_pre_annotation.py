"""Scores before verification, as metrics of a study."""

import pytest

from analysis.errors import ConfigError
from analysis.evaluate import evaluate
from analysis.metrics.registry import registered
from tests.support.judged_studies import measured

ROWS = [
    "one GT 0-5 Paris a verify",
    "one GT 6-9 Rome a verify",
    "two GT 0-5 Bern a verify",
    "one M 0-5 Paris b verify",
    "one M 6-9 Oslo b remove",
    "two M 0-3 Bern b edit",
]


def values(study, *names: str, source: str = "M") -> list[float]:
    """Estimates over all datasets."""
    frame = evaluate(study, list(names), replicates=0)
    chosen = frame[(frame["dataset"] == "*") & (frame["source"] == source)].set_index("metric")
    return [chosen.loc[name, "estimate"] for name in names]


def test_exact_scores_do_not_depend_on_judgments():
    assert values(measured(ROWS), "pre_precision_exact", "pre_recall_exact", "pre_f1_exact") == [1 / 3] * 3


def test_overlap_takes_spans_that_share_a_code_point():
    assert values(measured(ROWS), "pre_precision_overlap") == [2 / 3]


def test_macro_is_the_mean_over_documents():
    assert values(measured(ROWS), "pre_precision_exact_macro") == [1 / 4]


def test_under_original_macro_precision_leaves_out_documents_without_a_hit():
    assert values(measured(ROWS, "original"), "pre_precision_exact_macro", "pre_recall_exact_macro") == [
        0.5,
        0.25,
    ]


def test_mention_detection_and_linking_come_apart():
    study = measured(ROWS)
    assert values(study, "mention_precision", "mention_recall", "linking_accuracy") == [2 / 3, 2 / 3, 0.5]


def test_annotations_that_were_not_shown_are_scored_too():
    study = measured(ROWS, imported=["two M 9-12 Wien"])
    assert values(study, "pre_precision_exact") == [0.25]


def test_judged_segments_alone_share_their_denominator_with_the_judged():
    """The second document was shown and judged for nobody: it leaves both sides."""
    rows = [*ROWS[:2], "two GT 0-5 Bern - -", *ROWS[3:5], "two M 0-3 Bern - -"]
    study = measured(rows)
    assert values(study, "pre_precision_exact", "pre_precision_exact_judged") == [1 / 3, 1 / 2]
    assert values(study, "pre_recall_exact", "pre_recall_exact_judged") == [1 / 3, 1 / 2]


def test_the_ground_truth_is_not_scored_against_itself():
    frame = evaluate(measured(ROWS), ["pre_f1_exact"], replicates=0).set_index(["dataset", "source"])
    assert frame.loc[("*", "GT"), "reason"].startswith("the source is the ground truth itself")


def test_without_a_ground_truth_nothing_is_scored():
    frame = evaluate(measured([row for row in ROWS if " M " in row]), ["pre_f1_exact"], replicates=0)
    assert frame["estimate"].isna().all()
    assert (frame["reason"] != "").all()


def test_every_score_has_a_macro_and_a_judged_form():
    names = {metric.name for metric in registered()}
    for score in ("precision", "recall", "f1"):
        for spans in ("exact", "overlap"):
            name = f"pre_{score}_{spans}"
            assert {name, f"{name}_macro", f"{name}_judged", f"{name}_macro_judged"} <= names


def test_scores_refuse_clusters_other_than_documents():
    with pytest.raises(ConfigError, match="cannot be clustered by worker"):
        evaluate(measured(ROWS), ["pre_f1_exact"], cluster="worker")
