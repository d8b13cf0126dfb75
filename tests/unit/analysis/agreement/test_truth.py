"""Truth and workers' quality from labels alone."""

import numpy as np
import pandas as pd
import pytest

from analysis.agreement import infer
from analysis.errors import InputError
from tests.support.oracles import long

NAMES = ["a", "b", "c"]
R = np.random.default_rng(2)
RIGHT = R.integers(0, 3, 200)
ACCURACY = np.array([0.9, 0.85, 0.8, 0.9, 0.85, 0.3])
GIVEN = np.where(
    R.random((200, 6)) < ACCURACY, RIGHT[:, None], (RIGHT[:, None] + R.integers(1, 3, (200, 6))) % 3
)
LABELS = long([(u, w, NAMES[GIVEN[u, w]]) for u, w in np.ndindex(200, 6)])
TRUE = np.array(NAMES)[RIGHT]


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin"])
def test_likelihood_never_falls_and_converges(model):
    found = infer(LABELS, categories=NAMES, model=model, restarts=1)
    steps = np.diff(found.likelihood)
    assert (steps >= -1e-9 * abs(found.likelihood[-1])).all()
    assert found.converged


def test_models_beat_the_majority_where_a_worker_is_bad():
    share = {
        model: (infer(LABELS, categories=NAMES, model=model).units["label"].to_numpy() == TRUE).mean()
        for model in ("majority", "one_coin", "dawid_skene")
    }
    assert share["one_coin"] >= share["majority"]
    assert share["dawid_skene"] > 0.95


def test_accuracy_of_workers_is_recovered():
    workers = infer(LABELS, categories=NAMES, model="one_coin").workers
    hits = (RIGHT[:, None] == GIVEN).mean(axis=0)
    assert workers["accuracy"].to_numpy() == pytest.approx(hits, abs=0.04)
    assert (workers["low"] < workers["accuracy"]).all()


def test_only_who_is_surely_worse_is_flagged():
    assert infer(LABELS, categories=NAMES).workers["flagged"].tolist() == [False] * 5 + [True]


def test_nobody_is_flagged_among_equals():
    given = np.where(R.random((200, 6)) < 0.85, RIGHT[:, None], (RIGHT[:, None] + 1) % 3)
    equal = long([(u, w, NAMES[given[u, w]]) for u, w in np.ndindex(200, 6)])
    assert not infer(equal, categories=NAMES).workers["flagged"].any()


def test_ties_of_the_majority_are_said():
    found = infer(long([(1, "x", "a"), (1, "y", "b"), (2, "x", "a"), (2, "y", "a")]), model="majority")
    assert found.units["tied"].tolist() == [True, False]


def test_order_of_rows_changes_nothing():
    one, other = (infer(rows, categories=NAMES) for rows in (LABELS, LABELS.sample(frac=1, random_state=3)))
    pd.testing.assert_frame_equal(one.units, other.units)
    pd.testing.assert_frame_equal(one.workers, other.workers)


def test_an_unknown_model_is_refused():
    with pytest.raises(InputError, match="no such model"):
        infer(LABELS, model="glad")
