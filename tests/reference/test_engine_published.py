"""What intervals, comparisons and corrections rest on, against published and recomputed values."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from analysis.agreement.benchmark import FLEISS, band_probabilities, error_by_chance
from analysis.engine.contrast import Linear, difference, holm, sign_flips
from analysis.engine.errors_in_judging import Share, chao2, chapman, lang_reiczigel, rogan_gladen
from analysis.engine.proportions import clopper_pearson, wilson
from tests.support.oracles import entries, measured


def only(coefficient, name=None):
    (found,) = (entry for entry in entries(coefficient) if name in (None, entry["name"]))
    return found["input_table"], found["expected"], found["tolerance"]


@pytest.mark.parametrize("name", ["proportion_727_of_727", "proportion_256_of_257"])
def test_limits_of_a_share(name):
    given, expected, tolerance = only("wilson_and_clopper_pearson_95", name)
    for theirs, ours in (("wilson", wilson), ("clopper_pearson", clopper_pearson)):
        assert ours(given["k"], given["n"]) == pytest.approx(expected[theirs], abs=tolerance)


def by_document(given, source):
    """A source's rate with the linearised contribution of each document."""
    n, v = (np.array(given[f"{what}_{source}"], dtype=float) for what in "nv")
    rate = v.sum() / n.sum()
    none = np.zeros(0)
    code = np.zeros(0, dtype=np.int64)
    return rate, Linear(rate, (v - rate * n) / n.sum(), none, none, code, code, n / n.sum(), none)


def test_rates_and_their_difference_over_documents():
    given, expected, _ = only("verification_rate_cluster_se")
    _, paired, _ = only("paired_rate_difference")
    (rate_a, a), (rate_b, b) = by_document(given, "A"), by_document(given, "B")
    for name, rate, linear in (("A", rate_a, a), ("B", rate_b, b)):
        size = len(linear.documents)
        error = sqrt(size / (size - 1) * float((linear.documents**2).sum()))
        assert (rate, error) == pytest.approx((expected[f"rate_{name}"], expected[f"se_{name}"]), abs=1e-9)
    found = difference(a, b, 0.0, two_way=False)
    assert (found.estimate, sqrt(found.variance)) == pytest.approx((paired["diff"], paired["se"]), abs=1e-9)


def test_sign_flips():
    given, expected, tolerance = only("signflip_p_two_sided")
    table = np.array(given["d"])[:, None]
    p, exact = sign_flips(table, np.array([0, len(table)]), ["d"], 0)
    assert exact.all()
    assert p[0] == pytest.approx(expected, abs=tolerance)


def test_several_p_values():
    given, expected, tolerance = only("holm_adjusted_p")
    assert holm(given["p"]) == pytest.approx(expected, abs=tolerance)
    _, expected, _ = only("bh_adjusted_p")
    assert stats.false_discovery_control(given["p"]) == pytest.approx(expected, abs=tolerance)


def test_a_rate_corrected_for_controls():
    given, expected, tolerance = only("rogan_gladen")
    p = Share(given["accepted"] / given["judged"], given["judged"])
    se = Share(given["valid_controls_accepted"] / given["valid_controls"], given["valid_controls"])
    sp = Share(given["invalid_controls_rejected"] / given["invalid_controls"], given["invalid_controls"])
    got = rogan_gladen(p.value, se.value, sp.value)
    assert got == pytest.approx(expected["estimate"], abs=tolerance)
    assert lang_reiczigel(p, se, sp) == pytest.approx(expected["lang_reiczigel_ci"], abs=tolerance)


def test_capture_and_recapture():
    given, expected, tolerance = only("chapman")
    got = chapman(given["n1"], given["n2"], given["both"])
    assert got == pytest.approx([expected["chapman"], *expected["ci"]], abs=tolerance)
    _, expected, tolerance = only("chao2")
    got = chao2(expected["S_obs"], expected["Q1"], expected["Q2"], 3)
    assert got == pytest.approx([expected["chao2_classic"], *expected["lognormal_ci"]], abs=1e-6)


def test_bands_of_agreement_and_their_probabilities():
    given, expected, tolerance = only("cumulative_band_probability")
    found = band_probabilities(given["estimate"], given["se"])
    assert list(found.values()) == pytest.approx(expected["landis_koch"], abs=tolerance)
    found = band_probabilities(given["estimate"], given["se"], FLEISS)
    assert list(found.values()) == pytest.approx(expected["fleiss"], abs=tolerance)


def test_the_error_that_chance_alone_gives_multi_pi():
    given, expected, tolerance = only("fleiss_kappa_se0_and_z")
    error = error_by_chance(np.array(given["table"]))
    assert error == pytest.approx(expected["se0"], abs=tolerance)
    kappa = measured(given)["multi_pi"]["estimate"]
    assert kappa / error == pytest.approx(expected["z"], abs=tolerance)
