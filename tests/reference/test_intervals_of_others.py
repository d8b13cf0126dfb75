"""Intervals on the same data and the same draws as scipy's bootstrap and statsmodels give them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.sandwich_covariance import cov_cluster, cov_cluster_2groups

from analysis.engine.bootstrap import Weights, interval
from analysis.engine.contrast import difference, linearise
from analysis.engine.counts import Counts
from analysis.engine.jackknife import spread
from analysis.engine.proportions import at_the_edge, clopper_pearson, korn_graubard, wilson
from analysis.engine.tally import ALL_DATASETS, Tally, evaluate_at
from analysis.metrics.registry import ratio

VALUE = ratio("hit", "judged")
DOCUMENTS, WORKERS = 25, 14
CLOSE = 1e-9


def _judgments(seed: int):
    """Document, worker and outcome of 700 judgments that hang together by both."""
    r = np.random.default_rng(seed)
    document, worker = r.integers(0, DOCUMENTS, 700), r.integers(0, WORKERS, 700)
    lean = r.normal(0, 0.1, DOCUMENTS)[document] + r.normal(0, 0.1, WORKERS)[worker]
    return document, worker, (r.random(700) < 0.8 + lean).astype(np.int64)


def _tally(seed: int) -> Tally:
    document, worker, hit = _judgments(seed)
    counts = Counts.of(
        document=document, unit=range(700), worker=worker, quantities={"hit": hit, "judged": 1}
    )
    return Tally(counts, [0, DOCUMENTS])


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("n", [1, 7, 100, 727])
def test_wilson_and_clopper_pearson_are_those_of_two_libraries(n, level):
    for hits in {0, 1, n // 2, n}:
        for ours, theirs, exact in ((wilson, "wilson", "wilson"), (clopper_pearson, "beta", "exact")):
            got = ours(hits, n, level)
            assert got == pytest.approx(proportion_confint(hits, n, 1 - level, theirs), abs=CLOSE)
            of_scipy = stats.binomtest(hits, n).proportion_ci(level, exact)
            assert got == pytest.approx((of_scipy.low, of_scipy.high), abs=CLOSE)


def test_the_replicates_are_those_of_documents_drawn_again():
    """Weights times sums give what a plain average over the judgments of the drawn documents gives."""
    document, _, hit = _judgments(1)
    weights = Weights(("d",), (DOCUMENTS,), 40, 3)
    got = evaluate_at(VALUE, weights.resample([_tally(1)])[0][0])
    for replicate, drawn in zip(got, weights.of("d").astype(int), strict=True):
        rows = np.concatenate([np.flatnonzero(document == d) for d in np.repeat(range(DOCUMENTS), drawn)])
        assert replicate == pytest.approx(hit[rows].mean(), abs=1e-12)


@pytest.mark.parametrize("how", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_bootstrap_limits_are_scipys_on_the_same_draws(how, seed):
    cut = _tally(seed).cut(ALL_DATASETS)
    found = spread(cut, VALUE, "judged", "document")
    replicates = evaluate_at(VALUE, Weights(("d",), (DOCUMENTS,), 999, seed).resample([cut.tally])[0][0])
    sums = cut.by("document")
    theirs = stats.bootstrap(
        (sums["hit"], sums["judged"]),
        lambda hit, judged, axis=-1: hit.sum(axis=axis) / judged.sum(axis=axis),
        paired=True,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=replicates),
        method=how,
    ).confidence_interval
    ours = interval(replicates, found.estimate, 0.95, how, found.values)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=CLOSE)


def _regression(seed: int):
    """The two sources' judgments in one regression: its slope is the difference of their rates."""
    document, worker, hit = _judgments(seed)
    source = np.random.default_rng(seed + 100).integers(0, 2, 700)
    fitted = sm.OLS(hit, sm.add_constant(source)).fit()
    sides = []
    for which in (1, 0):
        rows = source == which
        counts = Counts.of(
            document=document[rows],
            unit=np.flatnonzero(rows),
            worker=worker[rows],
            quantities={"hit": hit[rows], "judged": 1},
        )
        sides.append(linearise(Tally(counts, [0, DOCUMENTS]).cut(ALL_DATASETS), VALUE, "judged", WORKERS))
    return document, worker, fitted, sides


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_difference_has_the_cluster_robust_variance_of_statsmodels(seed):
    document, worker, fitted, (a, b) = _regression(seed)
    assert a.estimate - b.estimate == pytest.approx(fitted.params[1], abs=CLOSE)
    one = difference(a, b, 0.8, two_way=False)
    count = len(np.unique(document))
    theirs = cov_cluster(fitted, document, use_correction=False)[1, 1] * count / (count - 1)
    assert one.variance == pytest.approx(theirs, abs=CLOSE)
    assert one.variance == pytest.approx(theirs, rel=1e-6)
    both = difference(a, b, 0.8, two_way=True)
    pair = document * WORKERS + worker
    parts = [
        cov_cluster(fitted, group, use_correction=False)[1, 1] * size / (size - 1)
        for group, size in ((group, len(np.unique(group))) for group in (document, worker, pair))
    ]
    expected = parts[0] + parts[1] - parts[2]
    assert both.variance == pytest.approx(expected if expected > 0 else min(parts[:2]), abs=CLOSE)


def test_the_two_way_variance_is_put_together_as_statsmodels_does():
    document, worker, fitted, _ = _regression(1)
    pair = document * WORKERS + worker
    by = [cov_cluster(fitted, group, use_correction=False) for group in (document, worker, pair)]
    theirs, _, _ = cov_cluster_2groups(fitted, document, worker, use_correction=False)
    assert by[0] + by[1] - by[2] == pytest.approx(theirs, abs=1e-12)


def test_korn_graubard_is_the_exact_interval_on_the_effective_size():
    """Of 183 units 4, V from 15 clusters: statsmodels' exact interval on n (z / t)^2 over design effect."""
    p, n, variance, df = 4 / 183, 183, 0.0226**2, 14
    size = p * (1 - p) / variance * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, df)) ** 2
    assert size < n
    expected = proportion_confint(p * size, size, 0.05, "beta")
    assert korn_graubard(p, n, variance, df) == pytest.approx(expected, abs=CLOSE)


def test_the_effective_size_at_an_edge_is_kishs():
    """60 units in 6 clusters of 10 that correlate by .2 are worth 60 / 2.8."""
    size = 60 / (1 + 9 * 0.2)
    assert at_the_edge(1.0, 60, 10.0, 0.2) == pytest.approx(
        proportion_confint(size, size, 0.05, "beta"), abs=CLOSE
    )
