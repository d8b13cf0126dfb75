"""Real crowds with known truth: coefficients with intervals, and what majority and Dawid-Skene make."""

import time
from pathlib import Path

import pandas as pd
import pytest

from analysis.agreement import agreement, infer
from analysis.errors import InputError

CROWDS = Path(__file__).parents[3] / "shared" / "data" / "crowd"
pytestmark = pytest.mark.skipif(not CROWDS.is_dir(), reason="the crowd data are not beside the tree")


def labels(name):
    return pd.read_csv(CROWDS / name / "label.csv")


def accuracy(name, model):
    truth = pd.read_csv(CROWDS / name / "truth.csv").set_index("item")["truth"]
    units = infer(labels(name), unit="item", categories=[0, 1], repeats="last", model=model).units
    known = units.loc[units["unit"].astype(int).isin(truth.index)]
    return (known["label"].astype(int).to_numpy() == truth.loc[known["unit"].astype(int)].to_numpy()).mean()


@pytest.mark.parametrize(
    ("name", "alpha", "ac1"),
    [("rte", 0.2415, 0.2727), ("bluebird", 0.1255, 0.2218), ("ZenCrowd_us", 0.2235, 0.5182)],
)
def test_coefficients_have_intervals(name, alpha, ac1):
    found = agreement(labels(name), unit="item", categories=[0, 1], repeats="last")
    for coefficient, expected in (("alpha_nominal", alpha), ("ac1", ac1)):
        record = found[coefficient]
        assert record["estimate"] == pytest.approx(expected, abs=5e-5)
        assert record["low"] < record["estimate"] < record["high"]


@pytest.mark.parametrize("name", ["rte", "bluebird", "ZenCrowd_us"])
def test_it_takes_no_long_time(name):
    """Well under a second on a quiet machine; more than ten would mean that it no longer counts once."""
    rows, start = labels(name), time.process_time()
    agreement(rows, unit="item", categories=[0, 1], repeats="last")
    infer(rows, unit="item", categories=[0, 1], repeats="last")
    assert time.process_time() - start < 10


def test_pairs_that_contradict_themselves_need_a_rule():
    with pytest.raises(InputError, match="795 pairs of unit and worker have more than one label"):
        agreement(labels("ZenCrowd_us"), unit="item")


@pytest.mark.parametrize(
    ("name", "model", "expected"),
    [
        ("rte", "majority", 0.9188),
        ("rte", "dawid_skene", 0.9275),
        ("bluebird", "majority", 0.7593),
        ("bluebird", "dawid_skene", 0.8981),
        ("ZenCrowd_us", "majority", 0.8696),
        ("ZenCrowd_us", "dawid_skene", 0.8235),
        ("ZenCrowd_us", "one_coin", 0.9039),
    ],
)
def test_accuracy_against_truth(name, model, expected):
    assert accuracy(name, model) == pytest.approx(expected, abs=5e-5)
