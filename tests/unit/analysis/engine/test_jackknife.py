"""The delete-one jackknife and its fall-backs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from analysis.engine.counts import Counts
from analysis.engine.jackknife import limits, spread
from analysis.engine.proportions import clopper_pearson
from analysis.engine.tally import ALL_DATASETS, Cut, Tally
from analysis.metrics.registry import ratio
from tests.support.plain_posthoc import delete_one_variance

VALUE = ratio("a", "b")


def _votes(seed: int = 1, rows: int = 400) -> pd.DataFrame:
    r = np.random.default_rng(seed)
    made = pd.DataFrame(
        {"document": r.integers(0, 12, rows), "worker": r.integers(0, 10, rows), "n": r.integers(1, 4, rows)}
    )
    return made.assign(a=(r.random(rows) < 0.6 + 0.03 * made["worker"]).astype(int))


def _cut(votes: pd.DataFrame) -> Cut:
    counts = Counts.of(
        document=votes["document"],
        unit=range(len(votes)),
        worker=votes["worker"],
        n=votes["n"],
        quantities={"a": votes["a"], "b": 1},
    )
    return Tally(counts, [0, int(votes["document"].max()) + 1]).cut(ALL_DATASETS)


def test_two_way_interval_equals_plain_loops():
    """V = max(Vd + Vw - Vdw, Vd, Vw) on the logit scale, t with min(Gd, Gw) - 1 degrees."""
    votes = _votes()
    found = spread(_cut(votes), VALUE, "b", "two-way")
    weight = 1 / votes["n"]
    p = (votes["a"] * weight).sum() / weight.sum()
    vd, vw, vdw = (
        delete_one_variance(votes, by, p) for by in (["document"], ["worker"], ["document", "worker"])
    )
    g = min(weight.sum() ** 2 / (weight.groupby(votes[by]).sum() ** 2).sum() for by in ("document", "worker"))
    half = stats.t.ppf(0.975, g - 1) * np.sqrt(max(vd + vw - vdw, vd, vw))
    low, high, method = limits(found, 0.95, (0.0, 1.0), 0.1)
    assert method == "jackknife-t, logit scale"
    assert (low, high) == pytest.approx(special.expit(special.logit(p) + np.array([-half, half])), abs=1e-12)


def test_delete_one_value_at_an_edge_is_korn_graubard():
    """All failures stand in one document: without it nothing failed."""
    votes = _votes().assign(a=1, n=1)
    votes.loc[votes.index[votes["document"] == 0][:3], "a"] = 0
    low, high, method = limits(spread(_cut(votes), VALUE, "b", "document"), 0.95, (0.0, 1.0), 0.1)
    assert method == "Korn-Graubard"
    assert 0.9 < low < 1 - 3 / 400 < high < 1


def test_estimate_at_an_edge_is_clopper_pearson_on_the_effective_n():
    votes = _votes().assign(a=1, n=1)
    found = spread(_cut(votes), VALUE, "b", "two-way")
    m = max((votes.groupby(by).size() ** 2).sum() / 400 for by in ("document", "worker"))
    low, high, _ = limits(found, 0.95, (0.0, 1.0), icc=0.3)
    n = 400 / (1 + (m - 1) * 0.3)
    assert (low, high) == (pytest.approx(clopper_pearson(n, n)[0]), 1.0)


def test_a_correlation_below_the_floor_is_raised_to_it():
    found = spread(_cut(_votes().assign(a=1)), VALUE, "b", "document")
    assert limits(found, 0.95, (0.0, 1.0), icc=-1.0) == limits(found, 0.95, (0.0, 1.0), icc=0.1)


def test_one_document_has_no_interval():
    assert (
        limits(spread(_cut(_votes().assign(document=0)), VALUE, "b", "document"), 0.95, (0.0, 1.0), 0.1)
        is None
    )


def test_total_is_on_the_natural_scale():
    """The variance of a total is G / (G - 1) sum (S_g - mean)^2."""
    votes = _votes().assign(n=1)
    found = spread(_cut(votes), lambda sums: sums["a"], "b", "document", total=True)
    each = votes.groupby("document")["a"].sum()
    assert found.variance == pytest.approx(12 / 11 * ((each - each.mean()) ** 2).sum())
    assert limits(found, 0.95, (0.0, None), 0.1)[2] == "jackknife-t, natural scale"


def test_intraclass_correlation_of_equal_answers_within_documents_is_one():
    """Documents that are all right or all wrong: every unit after the first says nothing."""
    votes = pd.DataFrame({"document": np.repeat(np.arange(40), 10), "worker": 0, "n": 1})
    votes["a"] = (votes["document"] % 2 == 0).astype(int)
    assert spread(_cut(votes), VALUE, "b", "document").icc == pytest.approx(1.0, abs=0.06)


def test_a_rare_share_in_few_clusters_is_no_wider_than_in_one():
    """On the logit scale two clusters would give twice the width of one: leaving one out doubles the odds."""
    widths = []
    for clusters in (1, 2, 4):
        votes = pd.DataFrame({"document": np.repeat(np.arange(40), 3), "worker": 0, "n": 1, "a": 0})
        votes.loc[votes.index[::3][:clusters], "a"] = 1
        low, high, method = limits(
            spread(_cut(votes), VALUE, "b", "document"), 0.95, (0.0, 1.0), 0.1, rare=True
        )
        assert method == "Korn-Graubard on the effective n"
        assert low < clusters / 120 < high
        widths.append(high - low)
    assert widths == sorted(widths)
    plain = limits(spread(_cut(votes), VALUE, "b", "document"), 0.95, (0.0, 1.0), 0.1)
    assert widths[-1] < plain[1] - plain[0]
