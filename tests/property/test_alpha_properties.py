"""Nominal alpha against an independent package, and what must not change it."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.alpha import alpha_nominal
from tests.support.examples import examples

TABLES = arrays(np.int64, st.tuples(st.integers(1, 8), st.integers(2, 4)), elements=st.integers(0, 4))


@examples(100)
@given(TABLES)
def test_alpha_equals_the_krippendorff_package(counts):
    ours = alpha_nominal(counts).estimate
    used = counts[counts.sum(axis=1) > 1].sum(axis=0) > 0
    if used.sum() < 2:
        assert ours is None
    else:
        theirs = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
        assert ours == pytest.approx(theirs, abs=1e-9)


@examples(50)
@given(TABLES, st.randoms(use_true_random=False))
def test_order_of_units_and_categories_does_not_matter(counts, random):
    units, columns = list(range(len(counts))), list(range(counts.shape[1]))
    random.shuffle(units)
    random.shuffle(columns)
    one, other = alpha_nominal(counts), alpha_nominal(counts[units][:, columns])
    assert one.n_units == other.n_units
    assert (one.estimate is None) == (other.estimate is None)
    assert one.estimate is None or other.estimate == pytest.approx(one.estimate, abs=1e-12)
