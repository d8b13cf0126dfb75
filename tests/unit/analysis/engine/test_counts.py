"""Exact sums of counts."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.engine.counts import Counts, Prepared, distinct
from analysis.engine.tally import ALL_DATASETS, MacroTally, Tally
from analysis.metrics.registry import ratio

DOCUMENT = np.array([0, 0, 0, 1, 1, 2])
COUNTS = Counts.of(
    document=DOCUMENT,
    segment=[0, 0, 1, 2, 2, 3],
    unit=[0, 0, 0, 1, 1, 2],
    worker=[0, 1, 2, 0, 1, 2],
    n=[3, 3, 3, 2, 2, 1],
    quantities={"verify": [1, 1, 1, 1, 0, 0], "judged": 1},
)


def test_a_unit_of_thirds_sums_to_exactly_one():
    """Integers are summed before they are divided."""
    assert Prepared(COUNTS).sums(DOCUMENT, 3)["verify"].tolist() == [1.0, 0.5, 0.0]


def test_weights_enter_after_counting():
    """Segment 0 holds two thirds of a unit and weighs 3, segment 1 one third and weighs 1."""
    weighted = Prepared(COUNTS, np.array([3.0, 1.0, 2.0, 1.0])).sums(DOCUMENT, 3)
    assert weighted["judged"] == pytest.approx([3 * 2 / 3 + 1 / 3, 2.0, 1.0])


def test_deleting_a_worker_recomputes_no_share():
    """Worker 0 gave a third of one unit and half of another."""
    cut = Tally(COUNTS, [0, 3]).cut(ALL_DATASETS)
    assert cut.by("worker")["judged"] == pytest.approx([1 / 3 + 1 / 2, 1 / 3 + 1 / 2, 1 / 3 + 1])


def test_a_dataset_is_a_stretch_of_documents():
    tally = Tally(COUNTS, [0, 1, 3])
    assert tally.cut(0).total["judged"].tolist() == [1.0]
    assert tally.cut(1).total["verify"].tolist() == [0.5]
    assert tally.cut(1).n_workers == 3


def test_macro_averages_documents_and_cells_tell_what_a_worker_changes():
    """Without worker 0 document 0 stays at 1, document 1 falls from a half to none."""
    macro = MacroTally(Tally(COUNTS, [0, 3]), ratio("verify", "judged"), "judged").cut(ALL_DATASETS)
    assert macro.total["value"].tolist() == [1.5]
    assert macro.by("worker")["value"][0] == pytest.approx(0.5)


def test_rows_of_nobody_are_no_cell():
    counts = Counts.of(document=[0, 0], unit=[0, 1], worker=[-1, 4], quantities={"hits": 1})
    cut = Tally(counts, [0, 1]).cut(ALL_DATASETS)
    assert cut.n_workers == 1
    assert cut.by("cell")["hits"].tolist() == [1.0]


def test_merged_rows_have_the_same_sums_to_the_bit():
    r = np.random.default_rng(1)
    rows = {name: r.integers(0, most, 500) for name, most in (("document", 6), ("worker", 9), ("unit", 90))}
    n = r.integers(1, 8, 500)
    counts = Counts.of(**rows, n=n, quantities={"verify": r.integers(0, 2, 500), "judged": 1})
    fewer = counts.merged()
    assert len(fewer) < len(counts)
    for by in ("document", "worker"):
        whole = Prepared(counts).sums(getattr(counts, by), 9)
        merged = Prepared(fewer).sums(getattr(fewer, by), 9)
        assert all((whole[name] == merged[name]).all() for name in whole)


def test_no_rows_merge_to_none():
    assert len(COUNTS.select(slice(0, 0)).merged()) == 0


@pytest.mark.parametrize("size", [10, 10**12])
def test_distinct_codes_ascend_whether_few_or_far_apart(size):
    values, place = distinct(np.array([7, 3, 7, 0, 3]), size)
    assert values.tolist() == [0, 3, 7]
    assert place.tolist() == [2, 1, 2, 0, 1]
