"""Observed agreement and nominal alpha."""

import numpy as np
import pytest

from analysis.agreement.formulas import NO_OVERLAP, ONE_CATEGORY
from analysis.alpha import (
    alpha_from_sums,
    alpha_nominal,
    counts_of,
    observed_agreement,
    observed_from_sums,
)
from analysis.errors import InputError


def test_units_with_one_label_enter_nowhere():
    both = np.array([[2, 0], [1, 1], [0, 2]])
    lone = np.array([[2, 0], [1, 1], [0, 2], [1, 0], [0, 1], [0, 0]])
    assert alpha_nominal(lone) == alpha_nominal(both)
    assert observed_agreement(lone) == observed_agreement(both)


def test_no_overlap_is_undefined_and_not_perfect():
    got = alpha_nominal(np.array([[1, 0], [0, 1]]))
    assert (got.estimate, got.reason) == (None, NO_OVERLAP)
    assert observed_agreement(np.array([[1, 0]])).reason == NO_OVERLAP


def test_one_category_leaves_alpha_undefined_and_observed_agreement_one():
    constant = np.array([[3, 0], [2, 0]])
    assert (alpha_nominal(constant).estimate, alpha_nominal(constant).reason) == (None, ONE_CATEGORY)
    assert observed_agreement(constant).estimate == 1


def test_an_unused_category_changes_nothing():
    counts = np.array([[2, 1], [0, 3], [3, 0]])
    assert alpha_nominal(np.column_stack([counts, [0, 0, 0]])) == alpha_nominal(counts)


def test_units_of_different_sizes_all_count():
    """Dropping units whose number of labels is not the usual one would give 1."""
    assert observed_agreement(np.array([[3, 0], [3, 0], [1, 1]])).estimate == pytest.approx(2 / 3)


def test_labels_are_counted_by_unit_and_category():
    got = counts_of(np.array([0, 1, 1]), ["edit", "verify", "edit"], 3, ["verify", "edit", "remove"])
    assert got.tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 0]]


def test_a_label_outside_the_categories_is_refused():
    with pytest.raises(InputError, match="unknown category; got skip; expected verify, edit"):
        counts_of(np.array([0]), ["skip"], 1, ["verify", "edit"])


def test_formulas_take_one_sum_per_replicate():
    got = alpha_from_sums(np.array([4.0, 4.0]), [np.array([2.0, 4.0]), np.array([2.0, 0.0])])
    assert got[0] == 1
    assert np.isnan(got[1])
    assert np.isnan(observed_from_sums(0.0, 0.0))


@pytest.mark.parametrize(("measure", "least"), [(alpha_nominal, -1), (observed_agreement, 0)])
def test_the_interval_is_what_leaving_out_one_unit_at_a_time_gives(measure, least):
    counts = np.random.default_rng(5).multinomial(3, [0.7, 0.2, 0.1], size=40)
    values = np.array([measure(np.delete(counts, at, axis=0)).estimate for at in range(40)])
    half = 1.959963984540054 * np.sqrt(39 / 40 * ((values - values.mean()) ** 2).sum())
    found = measure(counts)
    limits = (max(least, found.estimate - half), min(1, found.estimate + half))
    assert (found.low, found.high) == pytest.approx(limits, abs=1e-12)


@pytest.mark.parametrize("counts", [[[3, 0], [2, 0]], [[1, 1]], [[2, 0], [0, 2]]])
def test_where_no_two_units_differ_there_is_no_interval(counts):
    for found in (alpha_nominal(np.array(counts)), observed_agreement(np.array(counts))):
        assert found.low is None
        assert found.high is None
        assert found.reason
