"""The published cells from studies built to have their counts, and what other policies make of these.

The cells and their source: tests/reference/published/README.md.
"""

from __future__ import annotations

import math
from functools import cache

import pytest

from analysis.coverage_table import coverage_table
from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from tests.support.plain_posthoc import Plain
from tests.support.published_study import SOURCES, cells, judged, published

DATASETS = sorted(cells("outcomes")["dataset"].unique())
RATES = {"verify_rate": "verification_rate", "edit_rate": "edit_rate", "remove_rate": "removal_rate"}
SMALL = ("ace2004", "msnbc")


@cache
def _original(make: str):
    """All datasets under `original`; the study too."""
    study = load(published(make))
    return measure(study, "original")


@cache
def _numbers(make: str, *metrics: str, replicates: int = 0):
    frame = evaluate(_original(make), list(metrics), replicates=replicates)
    return frame.set_index(["dataset", "source", "metric"])


@pytest.mark.parametrize("dataset", DATASETS)
def test_rates_are_those_published_to_the_printed_digit(dataset):
    got = _numbers("judged", *RATES.values(), "unjudged_rate")
    for cell in cells("outcomes").query("dataset == @dataset").itertuples():
        for name, metric in RATES.items():
            assert (
                f"{got.loc[(dataset, cell.source, metric), 'estimate']:.6f}" == f"{getattr(cell, name):.6f}"
            )
        row = got.loc[(dataset, cell.source, "unjudged_rate")]
        unjudged = cell.shown - cell.verify - cell.edit - cell.remove
        assert (row["n"], row["estimate"]) == (cell.shown, pytest.approx(unjudged / cell.shown, abs=1e-12))


@pytest.mark.parametrize("dataset", DATASETS)
def test_letters_of_the_union_and_back_are_those_published(dataset):
    table = coverage_table(_original("judged")).set_index(["dataset", "direction", "letter"])
    for cell in cells("coverage").query("dataset == @dataset").itertuples():
        for letter in "ABCDE":
            row = table.loc[(dataset, cell.direction, letter)]
            share = getattr(cell, f"{letter}_share")
            assert row["n"] == getattr(cell, letter), (cell.direction, letter)
            assert f"{row['share']:.6f}" == f"{share:.6f}"


@pytest.mark.parametrize("dataset", DATASETS)
def test_union_and_coverage_metrics_are_those_of_the_table(dataset):
    metrics = ["union_size", *(f"coverage_{letter}" for letter in "ABCDE")]
    got = _numbers("judged", *metrics)
    cell = cells("coverage").query("dataset == @dataset and direction == 'union_vs_gt'").iloc[0]
    assert got.loc[(dataset, "", "union_size"), "estimate"] == cell["total"]
    assert [got.loc[(dataset, "", f"coverage_{letter}"), "n"] for letter in "ABCDE"] == list(cell["A":"E"])


@pytest.mark.parametrize("dataset", DATASETS)
def test_posthoc_scores_are_those_published_to_the_printed_digit(dataset):
    got = _numbers("scored", "posthoc_precision", "posthoc_recall", "posthoc_f1", replicates=1000)
    for cell in cells("posthoc").query("dataset == @dataset").itertuples():
        rows = {name: got.loc[(dataset, cell.source, f"posthoc_{name}")] for name in ("precision", "recall")}
        assert (rows["precision"]["n"], rows["recall"]["n"]) == (cell.shown, cell.union)
        hits = rows["precision"]["estimate"] * cell.shown, rows["recall"]["estimate"] * cell.union
        assert hits == pytest.approx((cell.tp, cell.tp))
        for name in ("precision", "recall", "f1"):
            estimate = got.loc[(dataset, cell.source, f"posthoc_{name}"), "estimate"]
            assert f"{estimate:.6f}" == f"{getattr(cell, name):.6f}"


@pytest.mark.parametrize("dataset", DATASETS)
def test_published_limits_are_the_5th_and_95th_percentile_within_the_noise_of_their_resamples(dataset):
    """Both are quantiles of 1,000 unseeded resamples: their difference has a known spread."""
    got = _numbers("scored", "posthoc_precision", "posthoc_recall", "posthoc_f1", replicates=1000)
    for cell in cells("posthoc").query("dataset == @dataset").itertuples():
        for name, n in (("precision", cell.shown), ("recall", cell.union)):
            row, p = got.loc[(dataset, cell.source, f"posthoc_{name}")], getattr(cell, name)
            one = math.sqrt(0.05 * 0.95 / 1000) / 0.1031 * math.sqrt(p * (1 - p) / n)
            for limit, printed in (
                (row["low"], getattr(cell, f"{name}_p05")),
                (row["high"], getattr(cell, f"{name}_p95")),
            ):
                assert abs(limit - printed) < 4 * math.sqrt(2) * one + 1 / n
            assert row["level"] == 0.9


@pytest.mark.parametrize("dataset", DATASETS)
def test_scores_before_verification_are_those_published(dataset):
    names = ("precision", "recall", "f1")
    got = _numbers("matched", *(f"pre_{name}_overlap" for name in names))
    for cell in cells("before").query("dataset == @dataset").itertuples():
        for name in names:
            estimate = got.loc[(dataset, cell.source, f"pre_{name}_overlap"), "estimate"]
            assert f"{estimate:.6f}" == f"{getattr(cell, name):.6f}"


def test_ace2004_by_hand():
    """239 of 249 verified; under `paper` the union loses every edited target and gains what lies apart."""
    rows = judged("ace2004")
    assert rows.query("source == 'GT'")["decision"].value_counts().to_dict() == {
        "verify": 239,
        "edit": 8,
        "": 7,
        "remove": 2,
    }
    got = evaluate(load(rows), policy="paper", replicates=2, by=["source"]).set_index(["source", "metric"])
    verified = rows[rows["decision"] == "verify"]
    items = verified.drop_duplicates(["document", "start", "end", "entity"])
    assert got.loc[("", "union_size"), "estimate"] == len(items)
    assert got.loc[("GT", "verification_rate"), "estimate"] == pytest.approx(239 / 249, abs=1e-12)
    # No two verified ground-truth links overlap, and every one of them is the first of its place.
    thinned = _thinned(items)
    assert got.loc[("GT", "posthoc_recall"), "n"] == thinned
    assert got.loc[("GT", "posthoc_recall"), "estimate"] < 239 / thinned + 1e-12


def _thinned(items) -> int:
    kept, last, reach = 0, "", 0
    ordered = items.assign(end_=-items["end"]).sort_values(["document", "start", "end_", "entity"])
    for row in ordered.itertuples():
        if row.document != last or row.start >= reach:
            kept, last, reach = kept + 1, row.document, row.end
    return kept


@pytest.mark.parametrize("dataset", SMALL)
@pytest.mark.parametrize(
    ("policy", "choices"),
    [
        ("paper", {"pooling": "own", "resolution": "first", "union": "thinned"}),
        ("recommended", {"pooling": "item", "resolution": "share", "union": "distinct"}),
    ],
)
def test_other_policies_give_what_loops_over_the_rows_give(dataset, policy, choices):
    rows = judged(dataset)
    plain = Plain(rows, edits="no", **choices)
    names = ["verification_rate", "edit_rate", "posthoc_precision", "posthoc_recall", "union_size"]
    got = evaluate(load(rows), names, policy=policy, replicates=2, by=["source"])
    got = got.set_index(["source", "metric"])["estimate"]
    assert got["", "union_size"] == pytest.approx(float(sum(plain.union(list(SOURCES)).values())), abs=1e-9)
    for source in SOURCES:
        assert got[source, "verification_rate"] == pytest.approx(plain.rate(source), abs=1e-12)
        assert got[source, "posthoc_precision"] == pytest.approx(plain.rate(source), abs=1e-12)
        assert got[source, "edit_rate"] == pytest.approx(plain.rate(source, 1), abs=1e-12)
        assert got[source, "posthoc_recall"] == pytest.approx(plain.recall(source), abs=1e-12)
