"""Mistakes seen in other software, each on a table where the mistake gives another number."""

import numpy as np
import pytest

from analysis.agreement import agreement
from analysis.agreement.classes import Classes
from analysis.agreement.coefficient import Facts
from analysis.agreement.formulas import NO_OVERLAP, ONE_CATEGORY, value
from analysis.agreement.intervals import Sampled, Settings
from analysis.agreement.labels import of_matrix
from analysis.agreement.registry import COEFFICIENTS
from analysis.engine.bootstrap import interval
from analysis.errors import InputError
from tests.support.oracles import long


def of_pairs(pairs):
    """Units labelled by two workers."""
    return long(
        [(unit, worker, label) for unit, pair in enumerate(pairs) for worker, label in enumerate(pair)]
    )


def estimate(found, name):
    return found[name]["estimate"]


def test_labels_are_paired_by_unit_and_not_by_position():
    """By position the two lists x y x, x x y agree once; by unit they always do."""
    rows = [(1, "a", "x"), (2, "a", "y"), (3, "a", "x"), (3, "b", "x"), (1, "b", "x"), (2, "b", "y")]
    assert estimate(agreement(long(rows), replicates=0), "kappa_cohen") == 1


def test_units_with_another_number_of_labels_than_most_count():
    """Without the pair of unit 3 nobody would disagree."""
    rows = [(u, w, "x" if u == 1 else "y") for u in (1, 2) for w in "abc"] + [(3, "a", "x"), (3, "b", "y")]
    assert estimate(agreement(long(rows), replicates=0), "observed_agreement") == pytest.approx(2 / 3)


def test_a_worker_who_marked_nothing_gave_the_empty_set():
    """As missing, unit 2 would vanish and agreement be perfect."""
    frame = long([(1, "a", "A|B"), (1, "b", "B|A"), (2, "a", "A"), (2, "b", "")])
    found = agreement(frame, distance="jaccard", replicates=0)
    assert found["alpha_jaccard"]["n_units"] == 2
    assert estimate(found, "alpha_jaccard") < 1


def test_two_empty_sets_agree():
    frame = long([(1, "a", set()), (1, "b", set()), (2, "a", {"A"}), (2, "b", {"A"})])
    assert estimate(agreement(frame, distance="masi", replicates=0), "alpha_masi") == 1


def test_ordinal_distance_is_made_of_labels_and_not_of_ranks():
    """Squared rank differences would give alpha_interval of the places."""
    frame = of_pairs(["11", "11", "11", "12", "23", "33"])
    found = agreement(frame, categories=["1", "2", "3"], replicates=0)
    assert estimate(found, "alpha_ordinal") == pytest.approx(0.7840740741)
    assert estimate(found, "alpha_interval") == pytest.approx(0.7884615385)


def test_the_order_of_words_is_never_that_of_the_alphabet():
    """high, low, mid sorted would put low between high and mid."""
    frame = of_pairs([("low", "mid"), ("mid", "high"), ("low", "low"), ("high", "high")])
    declared = agreement(frame, categories=["low", "mid", "high"], replicates=0)
    alphabet = agreement(frame, categories=["high", "low", "mid"], replicates=0)
    assert estimate(declared, "kappa_weighted_quadratic") > estimate(alphabet, "kappa_weighted_quadratic")
    undeclared = agreement(frame, replicates=0)
    assert estimate(undeclared, "alpha_ordinal") is None
    assert "order" in undeclared["alpha_ordinal"]["reason"]


def test_categories_are_never_inferred_from_what_was_seen():
    rows = [(1, "a", "x"), (1, "b", "x"), (2, "a", "y"), (2, "b", "x")]
    three = agreement(long(rows), categories=["x", "y", "z"], replicates=0)
    assert estimate(three, "s_bennett") == pytest.approx((0.5 - 1 / 3) / (2 / 3))
    undeclared = agreement(long(rows), replicates=0)
    for name in ("s_bennett", "brennan_prediger", "ac1"):
        assert estimate(undeclared, name) is None
        assert "not declared" in undeclared[name]["reason"]


def test_no_overlap_is_not_perfect_agreement():
    found = agreement(long([(1, "a", "x"), (2, "b", "y")]), categories=["x", "y"], replicates=0)
    for name in ("observed_agreement", "alpha_nominal", "kappa_cohen", "ac1"):
        assert (estimate(found, name), found[name]["reason"]) == (None, NO_OVERLAP)
    assert any("not perfect" in warning for warning in found.warnings)


def test_with_one_category_seen_only_what_expects_no_chance_is_defined():
    found = agreement(of_pairs(["xx", "xx", "xx"]), categories=["x", "y"], replicates=0)
    undefined = "kappa_cohen pi_scott multi_pi multi_kappa kappa_light alpha_nominal alpha_ordinal"
    for name in undefined.split():
        assert (estimate(found, name), found[name]["reason"]) == (None, ONE_CATEGORY)
    for name in ("observed_agreement", "s_bennett", "ac1"):
        assert estimate(found, name) == 1


def test_acceleration_comes_from_leaving_out_units_and_not_from_replicates():
    matrix = np.array([[0, 0]] * 28 + [[0, 1], [1, 1], [1, 1], [1, 0], [1, 1]])
    found = agreement(matrix, categories=["x", "y"], interval="bca", replicates=400)["alpha_nominal"]
    ready = COEFFICIENTS["alpha_nominal"].make(Facts(("x", "y"), True, None, 2))[0]
    sampled = Sampled(Classes.of(of_matrix(matrix, ["x", "y"])), Settings(replicates=400))
    drawn, (observed, expected, times) = value(sampled.resampled(ready)), sampled.deleted(ready)
    deleted = np.repeat(value((observed, expected)), times.astype(int))
    right, wrong = (interval(drawn, found["estimate"], 0.95, "bca", each) for each in (deleted, drawn))
    assert (found["low"], found["high"]) == right != wrong


@pytest.mark.parametrize("name", ["chi2", "chi_square", "pearson", "spearman", "kendall_tau", "cramers_v"])
def test_what_does_not_measure_agreement_is_refused_with_the_reason(name):
    with pytest.raises(InputError, match=r"does not measure agreement: a (chi-square|correlation).*Use "):
        agreement(long([(1, "a", "x")]), coefficients=[name])
