"""The product of weights and sums is the same to the bit in whatever order its terms are added."""

import numpy as np
import pytest

from analysis.engine.exact import product


def example(clusters=200, replicates=50):
    bits = np.random.Generator(np.random.PCG64(5))
    weights = bits.multinomial(clusters, [1 / clusters] * clusters, replicates).astype(float)
    shares = bits.integers(0, 400, (clusters, 3)) / np.array([1, 3, 7])
    return weights, np.column_stack([shares, bits.random((clusters, 2)) * 1e5])


def test_the_order_of_clusters_changes_no_bit():
    weights, table = example()
    order = np.random.Generator(np.random.PCG64(6)).permutation(len(table))
    again = product(np.ascontiguousarray(weights[:, order]), np.ascontiguousarray(table[order]))
    assert np.array_equal(product(weights, table), again)


def test_sums_of_shares_are_exact():
    """Each column is a multiple of 1, 1/3 or 1/7: times that it is a whole number again."""
    weights, table = example()
    found = product(weights, table)[:, :3] * [1, 3, 7]
    assert np.abs(found - np.rint(found)).max() < 1e-9


def test_it_is_the_product():
    weights, table = example()
    assert product(weights, table) == pytest.approx(weights @ table, rel=1e-12)


def test_nothing_is_lost_for_very_large_and_very_small_sums():
    weights, table = example()
    for factor in (1e-9, 1e12):
        near = pytest.approx(weights @ (table * factor), rel=1e-6 if factor < 1 else 1e-12)
        assert product(weights, table * factor) == near
