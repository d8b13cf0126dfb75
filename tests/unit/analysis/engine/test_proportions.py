"""Intervals for one proportion."""

from __future__ import annotations

import pytest

from analysis.engine.proportions import at_the_edge, clopper_pearson, korn_graubard, wilson


def test_wilson_and_clopper_pearson_of_727_of_727():
    """The values of docs/definitions.md section 3."""
    assert wilson(727, 727) == (pytest.approx(0.9947, abs=5e-5), 1.0)
    assert clopper_pearson(727, 727) == (pytest.approx(0.9949, abs=5e-5), 1.0)


def test_none_of_n_mirrors_all_of_n():
    assert clopper_pearson(0, 727) == (0.0, pytest.approx(1 - 0.9949, abs=5e-5))
    assert wilson(0, 727) == (0.0, pytest.approx(1 - 0.9947, abs=5e-5))


def test_korn_graubard_never_uses_more_than_the_units_there_are():
    """Without variance between clusters it is Clopper-Pearson on n."""
    assert korn_graubard(0.5, 40, 0.0, 10) == clopper_pearson(20, 40)
    low, high = korn_graubard(0.5, 40, 0.02, 10)
    assert low < clopper_pearson(20, 40)[0]
    assert clopper_pearson(20, 40)[1] < high


def test_at_the_edge_divides_n_by_the_design_effect():
    """100 units in clusters of 11 with correlation .1 are worth 50."""
    assert at_the_edge(1.0, 100, 11.0, 0.1) == clopper_pearson(50, 50)
