"""Differences of sources: Holm, sign flips, linearised contributions, ranks."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.engine.contrast import gradient, holm, rank_probabilities, sign_flips
from analysis.metrics.posthoc import harmonic
from analysis.metrics.registry import ratio


def _p(*columns, datasets=("d",), seed=0):
    table = np.stack([np.asarray(column, dtype=float) for column in columns], axis=1)
    return sign_flips(table, np.array([0, len(table)]), datasets, seed)


def test_holm_of_the_printed_example():
    assert holm([0.001, 0.012, 0.014, 0.2]) == pytest.approx([0.004, 0.036, 0.036, 0.2])


def test_holm_keeps_the_order_it_was_given_and_never_exceeds_one():
    assert holm([0.9, 0.01, 0.8]) == pytest.approx([1.0, 0.03, 1.0])


def test_three_documents_that_agree_have_p_2_of_8():
    p, exact = _p([0.1, 0.2, 0.3])
    assert p[0] == pytest.approx(2 / 8)
    assert exact[0]


def test_documents_without_a_difference_do_not_count():
    p, _ = _p([0.1, 0.0, 0.2, 0.0, 0.3])
    assert p[0] == pytest.approx(2 / 8)


def test_no_difference_anywhere_has_p_1():
    assert _p([0.0, 0.0, 0.0])[0][0] == 1.0


def test_drawn_signs_give_nearly_what_every_pattern_gives():
    random = np.random.default_rng(5)
    contributions = random.normal(0.3, 1.0, 13)
    drawn, exact = _p(contributions)
    patterns = (np.arange(2**13)[:, None] >> np.arange(13)) & 1
    all_of_them = (np.abs((2 * patterns - 1) @ contributions) >= abs(contributions.sum()) - 1e-12).mean()
    assert not exact[0]
    assert drawn[0] == pytest.approx(all_of_them, abs=0.015)


def test_signs_of_a_dataset_hang_on_its_name_and_the_seed_alone():
    random = np.random.default_rng(6)
    one, other = random.normal(0.2, 1.0, 30), random.normal(0.0, 1.0, 20)
    alone, _ = sign_flips(one[:, None], np.array([0, 30]), ["a"], 1)
    both = np.zeros((50, 2))
    both[:30, 0], both[30:, 1] = one, other
    together, _ = sign_flips(both, np.array([0, 30, 50]), ["a", "b"], 1)
    assert together[0] == alone[0]


def test_gradient_of_a_ratio_is_the_known_one():
    got = gradient(ratio("a", "n"), {"a": np.array([30.0]), "n": np.array([40.0])})
    assert got == pytest.approx({"a": 1 / 40, "n": -30 / 1600}, rel=1e-8)


def test_gradient_of_f1_adds_to_nothing_when_all_sums_grow_alike():
    sums = {"hit": 30.0, "judged": 40.0, "found": 28.0, "union": 60.0}
    got = gradient(harmonic, {name: np.array([value]) for name, value in sums.items()})
    assert sum(got[name] * sums[name] for name in sums) == pytest.approx(0, abs=1e-9)


def test_probabilities_of_ranks_add_to_one_both_ways():
    spread = np.diag([0.01, 0.02, 0.005])
    table = rank_probabilities(np.array([0.9, 0.85, 0.8]), spread, 2000, 3, "d")
    assert table.sum(axis=0) == pytest.approx(np.ones(3))
    assert table.sum(axis=1) == pytest.approx(np.ones(3))


def test_two_normal_sources_have_the_known_probability_of_coming_first():
    table = rank_probabilities(np.array([0.1, 0.0]), np.diag([0.005, 0.005]), 40_000, 3, "d")
    assert table[0, 0] == pytest.approx(0.8413, abs=0.01)


def test_sources_that_are_one_share_their_ranks():
    table = rank_probabilities(np.array([0.5, 0.5]), np.full((2, 2), 0.01), 100, 0, "d")
    assert table == pytest.approx(np.full((2, 2), 0.5))
