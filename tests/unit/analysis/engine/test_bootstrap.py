"""The cluster bootstrap and its bit stream."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.engine.bits import below, stream, uniforms
from analysis.engine.bootstrap import Weights, _classes, binomial, interval, quantiles, resample_units
from analysis.engine.counts import Counts
from analysis.engine.tally import Tally


def test_a_stream_is_fixed_for_ever():
    """These numbers must never change: every published interval hangs on them."""
    assert below(stream(0, "d"), 10, 8).tolist() == [9, 3, 2, 7, 2, 8, 3, 7]
    assert uniforms(stream(0, "d"), 2) == pytest.approx([0.3283788841046435, 0.7210739260185199], abs=1e-15)


def test_weights_of_a_dataset_hang_on_no_other():
    one = Weights(["a", "b"], [3, 5], 20, 7).of("b")
    other = Weights(["b", "c"], [5, 9], 20, 7).of("b")
    assert (one == other).all()
    assert (one.sum(axis=1) == 5).all()
    assert (one != Weights(["b"], [5], 20, 8).of("b")).any()


def test_replicates_are_weights_times_sums():
    """And all datasets together are the sum of each resampled by itself."""
    counts = Counts.of(document=[0, 1, 2, 2], unit=range(4), quantities={"x": [1, 2, 3, 4]})
    weights = Weights(["a", "b"], [2, 1], 30, 0)
    [[a, b, both]] = weights.resample([Tally(counts, [0, 2, 3])])
    assert a["x"] == pytest.approx(weights.of("a") @ np.array([1.0, 2.0]))
    assert (b["x"] == 7).all()
    assert both["x"] == pytest.approx(a["x"] + 7)


def test_equal_units_are_resampled_as_classes_with_the_same_law():
    """Mean and variance of a resampled sum are n p and n p (1 - p); the number of units never changes."""
    sums = {
        "hit": np.repeat([1.0, 0.0, 0.0], 100),
        "other": np.repeat([0.0, 1.0, 0.0], 100),
        "all": np.ones(300),
    }
    drawn = resample_units(sums, 4000, 3, "x")
    assert (drawn["all"] == 300).all()
    for name in ("hit", "other"):
        assert drawn[name].mean() == pytest.approx(100, abs=0.6)
        assert drawn[name].var() == pytest.approx(300 / 3 * 2 / 3, rel=0.1)
    assert np.cov(drawn["hit"], drawn["other"])[0, 1] == pytest.approx(-300 / 9, rel=0.2)


def test_many_classes_are_drawn_one_by_one():
    drawn = resample_units({"x": np.arange(200.0)}, 500, 1, "y")
    assert drawn["x"].mean() == pytest.approx(np.arange(200).sum(), rel=0.01)


def test_binomial_inversion_agrees_with_the_distribution():
    u = uniforms(stream(1, "u"), 200)
    assert (binomial(u, np.full(200, 50), 0.3) == stats.binom.ppf(u, 50, 0.3)).all()
    assert binomial(u, np.full(200, 50), 1.0).tolist() == [50] * 200


def test_percentile_basic_and_undefined_replicates():
    values = np.append(np.linspace(0, 1, 101), np.nan)
    assert interval(values, 0.4, 0.9, "percentile") == pytest.approx((0.05, 0.95))
    assert interval(values, 0.4, 0.9, "basic") == pytest.approx((0.8 - 0.95, 0.8 - 0.05))
    assert interval(np.array([np.nan, 1.0]), 1.0, 0.9, "percentile") is None


def test_bca_takes_its_acceleration_from_the_data():
    """Symmetric data: BCa is the percentile; skewed delete-one values move it."""
    values, even = np.linspace(0, 1, 1001), np.array([1.0, 2.0, 3.0])
    assert interval(values, 0.5, 0.9, "bca", even) == pytest.approx((0.05, 0.95), abs=1e-3)
    skewed = interval(values, 0.5, 0.9, "bca", np.array([1.0, 1.0, 1.0, 9.0]))
    assert skewed != pytest.approx((0.05, 0.95), abs=1e-2)


def test_quantiles_are_numpys():
    values = np.random.default_rng(2).random(997)
    shares = np.array([0.0, 0.025, 0.5, 0.9, 0.975, 1.0])
    assert (quantiles(values, shares) == np.quantile(values, shares)).all()


def test_classes_of_rows_are_numpys_distinct_rows():
    table = np.random.default_rng(3).integers(0, 3, (400, 4)) / 3
    classes, code, count = _classes(table)
    expected, often = np.unique(table, axis=0, return_counts=True)
    assert (classes == expected).all()
    assert (count == often).all()
    assert (classes[code] == table).all()
