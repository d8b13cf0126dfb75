"""The rows of metrics.csv: grouping, intervals by policy, refusals, reasons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import analysis
from analysis.errors import ConfigError, InputError
from analysis.evaluate import COLUMNS, evaluate
from analysis.load import load
from analysis.metrics.registry import get, names
from analysis.outcomes import measure
from tests.support.random_studies import frame

STUDY = load(frame(5, rows=300, documents=6, workers=12))
RATE = ["verification_rate"]


def _one(metric="verification_rate", **options):
    got = evaluate(STUDY, [metric], **{"by": ["source"], "replicates": 100} | options)
    return got.set_index("source").iloc[0]


def test_the_public_names_work_whatever_was_imported_before():
    got = analysis.evaluate(analysis.load(frame(5)), RATE, by=["dataset", "source"], replicates=10)
    assert tuple(got.columns) == COLUMNS
    assert got["dataset"].tolist() == ["d0"] * 3 + ["d1"] * 3 + ["*"] * 3
    assert "posthoc_recall" in analysis.metrics()


def test_every_metric_parses_back():
    for name in names(measure(STUDY)):
        assert str(get(name)) == name
    with pytest.raises(InputError, match="no such metric"):
        get("verification")


def test_union_size_has_no_source_and_a_natural_scale():
    got = evaluate(STUDY, ["union_size"], replicates=0)
    assert got["source"].tolist() == [""] * 3
    assert got["method"].str.contains("natural scale").all()
    assert got["estimate"].iloc[2] == pytest.approx(got["estimate"].iloc[:2].sum())


def test_the_default_interval_is_two_way_with_a_bootstrap_beside_it():
    row = _one()
    assert row["method"].startswith("jackknife-t, logit scale, documents x workers, SE ")
    assert row["target"] == "documents like these"
    assert row["level"] == 0.95
    assert row["low"] < row["bootstrap_low"] < row["estimate"] < row["bootstrap_high"] < row["high"]


def test_under_eight_workers_they_are_fixed():
    got = evaluate(load(frame(5, workers=7)), RATE, by=["source"], replicates=0)
    assert set(got["target"]) == {"documents like these, these workers"}
    assert any("Fewer than 8 workers" in warning for warning in got.attrs["warnings"])


def test_without_worker_ids_intervals_are_by_documents_with_a_warning():
    got = evaluate(load(frame(5).assign(worker="")), RATE, by=["source"], replicates=0)
    assert got["method"].str.endswith("documents").all()
    assert any("Workers are not known" in warning for warning in got.attrs["warnings"])


def test_the_paper_resamples_annotations_and_items():
    assert _one(policy="paper")["method"] == "percentile bootstrap, annotations, 100 replicates"
    assert _one("posthoc_recall", policy="paper")["method"] == "percentile bootstrap, items, 100 replicates"
    assert _one("posthoc_f1_macro", policy="paper")["method"].startswith("percentile bootstrap, documents")


def test_the_original_resamples_hits_at_ninety_percent():
    row = _one(policy="original", replicates=1000)
    assert row["level"] == 0.9
    assert row["method"] == "percentile of 1000 resamples of the 0/1 hits"
    half = 1.645 * np.sqrt(row["estimate"] * (1 - row["estimate"]) / row["n"])
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=0.15)


@pytest.mark.parametrize("interval", ["percentile", "basic", "bca"])
def test_intervals_can_be_chosen(interval):
    row = _one(interval=interval)
    assert row["method"] == f"{interval} bootstrap, documents, 100 replicates"
    assert row["low"] < row["estimate"] < row["high"]


@pytest.mark.parametrize("cluster", ["document", "segment", "annotation", "worker", "two-way"])
def test_clusters_can_be_chosen(cluster):
    row = _one(cluster=cluster)
    assert row["low"] < row["estimate"] < row["high"]
    assert row["target"] == ("this corpus" if cluster == "worker" else row["target"])


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("posthoc_recall", {"cluster": "annotation"}, "distinct items vanish"),
        ("union_size", {"cluster": "worker"}, "cannot be clustered by worker"),
        ("verification_rate", {"cluster": "worker", "interval": "percentile"}, "workers are never resampled"),
        ("verification_rate", {"interval": "wald"}, "no such interval"),
        ("verification_rate", {"level": 95}, "not a level"),
        ("verification_rate", {"interval": "bca", "replicates": 0}, "need replicates"),
        ("verification_rate", {"by": ["source", "moon"]}, "cannot part by that"),
        ("verification_rate", {"by": ["dataset"]}, "is about one source"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(metric, options, message):
    with pytest.raises((ConfigError, InputError), match=message):
        evaluate(STUDY, [metric], **options)


def test_nobody_counted_leaves_every_rate_undefined_with_that_reason():
    study = load(frame(5).assign(counted="0"))
    got = evaluate(study, [*RATE, "unjudged_rate", "posthoc_recall", "posthoc_f1_macro", "union_size"])
    assert got["estimate"].isna().all()
    assert got["reason"].str.startswith("no assignment counts: not counted").all()
    assert evaluate(study, RATE, overrides={"gate": "none"}, replicates=0)["estimate"].notna().all()


def test_no_judgments_at_all_is_said():
    got = evaluate(load(frame(5).assign(decision="")), RATE)
    assert set(got["reason"]) == {"there are no judgments"}


def test_all_verified_has_a_one_sided_interval():
    got = evaluate(load(frame(5).assign(decision="verify")), RATE, replicates=20)
    assert (got["estimate"] == 1).all()
    assert got["method"].str.startswith("Clopper-Pearson on the effective n").all()
    assert (got["low"] < 1).all()
    assert (got["high"] == 1).all()


def test_one_document_has_an_estimate_and_says_why_no_interval():
    got = evaluate(load(frame(5, datasets=1, documents=1)), RATE, replicates=0)
    assert got["estimate"].notna().all()
    assert got["reason"].str.startswith("no interval: everything lies in one of the documents").all()


def test_same_seed_same_bytes_another_seed_other_bounds():
    one, two, three = (evaluate(STUDY, RATE, replicates=50, seed=seed).to_csv() for seed in (1, 1, 2))
    assert one == two != three


def test_other_datasets_change_no_bound_of_a_dataset():
    """The bootstrap of a dataset is keyed by its name."""
    rows = frame(5, rows=300, documents=6, workers=12)
    alone = evaluate(load(rows[rows["dataset"] == "d1"]), RATE, replicates=50)
    both = evaluate(load(rows), RATE, replicates=50)
    pick = [f[f["dataset"] == "d1"].reset_index(drop=True) for f in (alone, both)]
    pd.testing.assert_frame_equal(pick[0], pick[1])


def test_segment_weights_enter_the_estimate():
    """A segment that weighs ten counts tenfold."""
    rows = pd.DataFrame(
        [
            ("d", "t", "GT", 0, 1, "Q1", "w", "verify", "s1"),
            ("d", "t", "GT", 5, 6, "Q1", "w", "remove", "s2"),
        ],
        columns=["dataset", "document", "source", "start", "end", "entity", "worker", "decision", "segment"],
    )
    study = load(rows)
    weighted = load({**study.tables, "segments": study["segments"].assign(weight=[10.0, 1.0])})
    assert evaluate(weighted, RATE, replicates=0)["estimate"].tolist() == pytest.approx([10 / 11] * 2)


def test_a_dataset_with_the_ground_truth_alone_is_said():
    rows = frame(5)
    got = evaluate(load(rows[(rows["source"] == "GT") | (rows["dataset"] == "d1")]), RATE, replicates=0)
    alone = [warning for warning in got.attrs["warnings"] if "ground truth alone" in warning]
    assert [warning.split()[1] for warning in alone] == ["d0"]


def test_one_name_and_repeated_names_are_taken():
    one, twice = (evaluate(STUDY, names, replicates=0) for names in ("edit_rate", ["edit_rate", "edit_rate"]))
    pd.testing.assert_frame_equal(one, twice)
