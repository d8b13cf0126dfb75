"""Intervals of agreement and what stands beside the coefficients."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.agreement import agreement
from analysis.agreement.found import band
from analysis.errors import InputError
from tests.support.oracles import long

R = np.random.default_rng(4)
RIGHT = R.integers(0, 2, 60)
MATRIX = np.where(R.random((60, 3)) < 0.85, RIGHT[:, None], 1 - RIGHT[:, None])
NAMES = ["x", "y"]


def frame(matrix=MATRIX, **columns):
    rows = [(u, w, NAMES[matrix[u, w]]) for u, w in np.ndindex(*matrix.shape)]
    return long(rows).assign(**columns)


@pytest.mark.parametrize("method", ["jackknife", "percentile", "basic", "bca"])
def test_limits_lie_about_the_estimate(method):
    for record in agreement(MATRIX, categories=NAMES, interval=method, replicates=200).records:
        if record["estimate"] is not None:
            assert record["low"] < record["estimate"] < record["high"], record["coefficient"]


def test_clusters_of_one_unit_are_units():
    table = frame()
    one = agreement(table, categories=NAMES, replicates=0)
    other = agreement(
        table.assign(document=table["unit"]), categories=NAMES, cluster="document", replicates=0
    )
    for a, b in zip(one.records, other.records, strict=True):
        assert b["low"] == (None if a["low"] is None else pytest.approx(a["low"], abs=1e-9))


def test_units_that_repeat_within_clusters_widen_the_interval():
    table = frame(np.repeat(MATRIX, 4, axis=0))
    table["document"] = table["unit"] // 4
    plain, by = (
        agreement(table, categories=NAMES, cluster=cluster, replicates=300)["alpha_nominal"]
        for cluster in (None, "document")
    )
    for low, high in (("low", "high"), ("bootstrap_low", "bootstrap_high")):
        assert by[high] - by[low] > 1.6 * (plain[high] - plain[low])


def test_few_workers_are_not_left_out_one_by_one():
    found = agreement(frame(), categories=NAMES, cluster="worker", replicates=0)
    assert "over units" in found["alpha_nominal"]["method"]
    assert "3 workers are too few to stand for others" in found.warnings[0]


def test_many_workers_are_left_out_one_by_one():
    matrix = np.where(R.random((60, 10)) < 0.85, RIGHT[:, None], 1 - RIGHT[:, None])
    found = agreement(frame(matrix), categories=NAMES, cluster="worker", replicates=0)["multi_kappa"]
    without = [
        agreement(np.delete(matrix, w, 1), categories=NAMES, replicates=0)["multi_kappa"]["estimate"]
        for w in range(10)
    ]
    values = np.arctanh(np.array(without)) - np.arctanh(found["estimate"])
    spread = np.sqrt(9 / 10 * (values**2).sum()) * 2.262157
    assert found["low"] == pytest.approx(np.tanh(np.arctanh(found["estimate"]) - spread), abs=1e-6)
    assert "over workers" in found["method"]


def test_perfect_agreement_has_a_lower_limit_below_1():
    found = agreement(np.array([[0, 0]] * 15 + [[1, 1]] * 15), categories=NAMES, replicates=0)
    assert found["kappa_cohen"]["high"] == 1
    assert found["kappa_cohen"]["low"] == pytest.approx(1 - 2 * (1 - 0.8842967), abs=1e-6)


def test_equal_weights_of_units_give_the_estimate():
    """The sums over classes, each as often as it is there, are those of the units."""
    doubled = agreement(np.repeat(MATRIX, 2, axis=0), categories=NAMES, replicates=0)
    once = agreement(MATRIX, categories=NAMES, replicates=0)
    for name in ("observed_agreement", "multi_pi", "multi_kappa", "ac1"):
        assert doubled[name]["estimate"] == pytest.approx(once[name]["estimate"], abs=1e-12)


def test_same_seed_same_numbers_in_any_order_of_rows():
    table = frame()
    one = agreement(table, categories=NAMES, replicates=100)
    assert agreement(table.sample(frac=1, random_state=1), categories=NAMES, replicates=100) == one


def test_bands_are_read_at_the_lower_limit():
    assert band("alpha_nominal", 0.79) == "for tentative conclusions"
    assert band("kappa_cohen", 0.61) == "substantial"
    assert band("kappa_cohen", None) == ""
    assert agreement(MATRIX, categories=NAMES)["alpha_nominal"]["band"] == "not reliable"


def test_prevalence_that_makes_kappa_low_is_said():
    cells = pd.DataFrame([[118, 5], [2, 0]], index=NAMES, columns=NAMES)
    found = agreement(table=cells, replicates=0)
    assert any("kappa, pi and alpha are low although people nearly always agree" in w for w in found.warnings)


def test_a_worker_who_sways_the_result_is_named():
    matrix = np.column_stack([MATRIX, 1 - RIGHT])
    found = agreement(matrix, categories=NAMES, replicates=0)
    assert any("without worker 3 nominal alpha would be" in warning for warning in found.warnings)


def test_units_that_disagree_most_come_first():
    found = agreement(np.array([[0, 0], [0, 1], [1, 1]]), categories=NAMES, replicates=0)
    assert found.units == [{"unit": "1", "agreement": 0.0, "labels": {"x": 1, "y": 1}}]


@pytest.mark.parametrize(
    ("option", "value"), [("scale", "cardinal"), ("interval", "wald"), ("level", 95), ("replicates", -1)]
)
def test_a_strange_option_is_refused(option, value):
    with pytest.raises(InputError, match=option):
        agreement(MATRIX, categories=NAMES, **{option: value})


def test_lone_labels_that_shift_chance_are_said():
    matrix = np.concatenate([MATRIX[:, :2], np.column_stack([np.zeros(40, int), np.full(40, -1)])])
    found = agreement(matrix, categories=NAMES, replicates=0)
    assert any("with lone labels the share of" in warning for warning in found.warnings)


def test_a_rare_category_is_only_as_sure_as_the_units_that_have_it():
    """Two of 60 units have it and agree: Clopper and Pearson's of 2 of 2, not of 60 of 60."""
    matrix = np.array([[0, 0]] * 56 + [[0, 2], [2, 0], [1, 1], [1, 1]])
    rare = agreement(matrix, categories=["x", "y", "z"], replicates=0)["specific_agreement"]
    assert (rare[1]["estimate"], rare[1]["high"]) == (1, 1)
    assert rare[1]["low"] == pytest.approx(0.158, abs=5e-4)
    assert rare[2]["estimate"] == rare[2]["low"] == 0
    assert rare[2]["high"] == pytest.approx(0.842, abs=5e-4)


def test_a_kappa_that_is_0_by_construction_has_no_interval():
    """The second worker always says x: kappa is 0 whichever unit is left out, and that is no precision."""
    matrix = np.array([[0, 0]] * 30 + [[1, 0]] * 10)
    record = agreement(matrix, categories=["x", "y"], replicates=0)["kappa_cohen"]
    assert record["estimate"] == pytest.approx(0, abs=1e-12)
    assert record["low"] is None
    assert record["reason"].startswith("no interval: it is the same")


def test_who_surely_agrees_less_than_the_others_is_flagged_and_nobody_by_rank():
    r = np.random.default_rng(4)
    truth = r.integers(0, 2, 150)
    matrix = np.where(r.random((150, 6)) < 0.9, truth[:, None], 1 - truth[:, None])
    assert not any(row["flagged"] for row in agreement(matrix, categories=["x", "y"], replicates=0).workers)
    matrix[:, 5] = r.integers(0, 2, 150)
    rows = agreement(matrix, categories=["x", "y"], replicates=0).workers
    assert [row["flagged"] for row in rows] == [False] * 5 + [True]
    assert rows[5]["agreement_low"] < rows[5]["agreement_with_rest"] < rows[5]["agreement_high"] < 0.8


def test_what_is_left_without_a_worker_is_what_the_table_without_him_gives():
    matrix = np.random.default_rng(5).integers(-1, 3, (40, 4))
    found = agreement(matrix, categories=["x", "y", "z"], replicates=0)
    for place, row in enumerate(found.workers):
        rest = agreement(np.delete(matrix, place, axis=1), categories=["x", "y", "z"], replicates=0)
        assert set(row["without"]) == {
            "observed_agreement",
            "brennan_prediger",
            "multi_pi",
            "multi_kappa",
            "alpha_nominal",
            "ac1",
        }
        for name, number in row["without"].items():
            assert number == pytest.approx(rest[name]["estimate"], abs=1e-9), name


def test_gwets_interval_is_his_error_and_t_and_needs_units():
    r = np.random.default_rng(9)
    matrix = r.integers(-1, 2, (30, 3))
    record = agreement(matrix, categories=["x", "y"], interval="gwet", replicates=0)["ac1"]
    units = int((matrix >= 0).any(axis=1).sum())
    half = stats.t.ppf(0.975, units - 1) * record["se"]
    assert (record["low"], record["high"]) == pytest.approx(
        (record["estimate"] - half, min(1, record["estimate"] + half))
    )
    with pytest.raises(InputError, match="over units"):
        agreement(matrix, categories=["x", "y"], interval="gwet", cluster=np.arange(30) // 3)
