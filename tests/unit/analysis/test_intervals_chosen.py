"""Every interval can be asked for by name, and gives what its library gives for the same share."""

from __future__ import annotations

import pytest
from scipy import stats

from analysis.errors import ConfigError
from analysis.evaluate import evaluate
from analysis.load import load
from analysis.policy import INTERVALS
from tests.support.random_studies import frame

STUDY = load(frame(7, rows=900, documents=60, workers=30))


def _row(interval: str, metric: str = "verification_rate", **options):
    rows = evaluate(STUDY, [metric], replicates=100, interval=interval, **options)
    rows = rows[(rows["dataset"] == "*") & (rows["source"] == "A")]
    return rows.iloc[0], rows


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("metric", ["verification_rate", "posthoc_recall", "posthoc_f1", "unique_verified"])
def test_every_interval_holds_the_estimate_and_says_what_it_is(interval, metric):
    row, _ = _row(interval, metric)
    assert row["low"] < row["estimate"] < row["high"]
    assert row["method"]
    assert row["target"]


@pytest.mark.parametrize(("interval", "method"), [("wilson", "wilson"), ("clopper_pearson", "exact")])
def test_plain_intervals_are_scipys_of_the_same_hits(interval, method):
    """Under majority a value is 0 or 1, so that the hits are whole."""
    row, _ = _row(interval, overrides={"resolution": "majority"})
    n = int(row["n"])
    expected = stats.binomtest(round(row["estimate"] * n), n).proportion_ci(0.95, method)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert row["target"] == "hits like these"


def test_plain_intervals_say_that_they_take_hits_as_independent():
    _, rows = _row("wilson")
    assert not rows.empty
    warned = evaluate(STUDY, ["verification_rate"], replicates=0, interval="wilson").attrs["warnings"]
    assert any("independent" in said for said in warned)


def test_what_is_no_share_keeps_the_jackknife():
    row, _ = _row("clopper_pearson", "posthoc_f1")
    assert row["method"].startswith("jackknife-t")


def test_korn_graubard_is_by_documents_and_workers():
    row, _ = _row("korn_graubard")
    assert row["method"].startswith("Korn-Graubard, documents x workers")


def test_plain_intervals_know_no_clusters():
    with pytest.raises(ConfigError, match="as independent"):
        _row("wilson", cluster="document")
