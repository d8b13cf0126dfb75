"""What holds of the posthoc scores whatever the judgments."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.evaluate import evaluate
from analysis.load import load
from tests.support.examples import examples
from tests.support.plain_posthoc import Plain
from tests.support.random_studies import SOURCES, frame, frames

SCORES = [
    "verification_rate",
    "edit_rate",
    "removal_rate",
    "posthoc_recall",
    "leave_own_out_recall",
    "unique_verified",
]
CHOICES = list(
    itertools.product(
        ("own", "item"),
        ("share", "majority", "first", "unanimous"),
        ("no", "yes"),
        ("distinct", "groups", "thinned", "greedy"),
    )
)


def _everywhere(rows: pd.DataFrame, choices: dict[str, str]) -> dict[tuple[str, str], float]:
    """Estimates over all datasets, by source and metric."""
    got = evaluate(load(rows), SCORES, by=["source"], overrides=choices, replicates=0)
    return dict(zip(zip(got["source"], got["metric"], strict=True), got["estimate"], strict=True))


@pytest.mark.parametrize("choice", CHOICES[::3], ids="-".join)
def test_equals_plain_loops(choice):
    """Estimates over all datasets equal an implementation by loops, under every combination of choices."""
    pooling, resolution, edits, union = choice
    rows = frame(seed=CHOICES.index(choice))
    chosen = {"pooling": pooling, "resolution": resolution, "union_edits": edits, "recall_union": union}
    got = _everywhere(rows, chosen)
    plain = Plain(rows, pooling=pooling, resolution=resolution, edits=edits, union=union)
    for source in SOURCES:
        wanted = [
            *(plain.rate(source, i) for i in range(3)),
            plain.recall(source),
            plain.recall(source, others=True),
        ]
        wanted = [np.nan if value is None else value for value in [*wanted, plain.unique(source)]]
        assert [got[source, name] for name in SCORES] == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@given(frames, st.sampled_from(["paper", "recommended"]))
@examples(15)
def test_recall_is_never_above_one(rows, policy):
    """A source has no more of the union than there is, under paper and recommended."""
    got = evaluate(
        load(rows), ["posthoc_recall", "posthoc_f1", "leave_own_out_recall"], policy=policy, replicates=20
    )
    for column in ("estimate", "high", "bootstrap_high"):
        assert not (got[column] > 1).any()


@given(frames, st.randoms(use_true_random=False))
@examples(8)
def test_order_of_rows_changes_no_byte(rows, random):
    """Permuted rows give the same bytes (a worker's last row is his voice: he speaks once per item here)."""
    rows = rows.drop_duplicates(
        ["dataset", "document", "start", "end", "entity", "worker"], ignore_index=True
    )
    order = list(range(len(rows)))
    random.shuffle(order)
    one, other = (
        evaluate(load(r), [*SCORES, "posthoc_f1", "posthoc_f1_macro"], replicates=30).to_csv()
        for r in (rows, rows.iloc[order])
    )
    assert one == other


@given(frames)
@examples(12)
def test_outcomes_add_to_one(rows):
    """Verified, edited and removed are shares of the same judgments, and the interval holds the estimate."""
    got = evaluate(load(rows), ["verification_rate", "edit_rate", "removal_rate"], replicates=0)
    total = got.groupby(["dataset", "source"])["estimate"].sum(min_count=3).dropna()
    assert total.to_numpy() == pytest.approx(np.ones(len(total)))
    known = got.dropna(subset=["low"])
    assert ((known["low"] <= known["estimate"] + 1e-12) & (known["estimate"] <= known["high"] + 1e-12)).all()


@given(frames)
@examples(8)
def test_undefined_has_a_reason(rows):
    """A number that is missing says why; one that is there is finite."""
    got = evaluate(load(rows), replicates=10)
    missing = got["estimate"].isna() | got["low"].isna()
    assert (got.loc[missing, "reason"] != "").all()
    assert np.isfinite(got[["estimate", "low", "high"]].to_numpy()[~missing.to_numpy()]).all()
