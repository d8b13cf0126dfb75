"""One-to-one matching against trying every matching there is; overlap joins against a double loop."""

from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import matching
from analysis.matching import match
from analysis.spans import Spans, overlapping
from tests.support.examples import examples

SPAN = st.tuples(st.integers(0, 1), st.integers(0, 8), st.integers(1, 5), st.sampled_from("abc"))
SIDE = st.lists(SPAN, max_size=5)


def _frame(rows: list[tuple[int, int, int, str]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["document", "start", "length", "key"]).astype(
        {"document": "int64", "start": "int64", "length": "int64"}
    )
    return table.assign(end=table["start"] + table["length"], kind="link")


def _best(gold: list, predicted: list, spans: str) -> tuple[int, int]:
    """Most right-entity pairs, then most pairs, by trying every set of edges."""
    edges = [
        (i, j, g[3] == p[3])
        for i, g in enumerate(gold)
        for j, p in enumerate(predicted)
        if _fits(g, p, spans)
    ]
    best = (0, 0)
    for size in range(1, min(len(gold), len(predicted)) + 1):
        for chosen in combinations(edges, size):
            if len({e[0] for e in chosen}) == len({e[1] for e in chosen}) == size:
                best = max(best, (sum(e[2] for e in chosen), size))
    return best


def _fits(g: tuple, p: tuple, spans: str) -> bool:
    if spans == "exact":
        return g[:3] == p[:3]
    return g[0] == p[0] and g[1] < p[1] + p[2] and p[1] < g[1] + g[2]


@examples(100)
@given(SIDE, SIDE, st.sampled_from(["exact", "overlap"]))
def test_one_to_one_matching_equals_brute_force(gold, predicted, spans):
    gold, predicted = sorted(set(gold)), sorted(set(predicted))
    got = match(_frame(gold), _frame(predicted), 2, spans=spans)
    for document in (0, 1):
        here = [[row for row in side if row[0] == document] for side in (gold, predicted)]
        assert (got.hits[document], got.paired[document]) == _best(*here, spans)
        assert got.hits[document] <= got.paired[document] <= min(map(len, here))


@examples(30)
@given(SIDE, SIDE)
def test_a_component_too_large_for_a_dense_table_is_solved_alike(gold, predicted):
    dense = match(_frame(gold), _frame(predicted), 2, spans="overlap")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "_DENSE_CELLS", 0)
        sparse = match(_frame(gold), _frame(predicted), 2, spans="overlap")
    assert (dense.hits.tolist(), dense.paired.tolist()) == (sparse.hits.tolist(), sparse.paired.tolist())


@examples(30)
@given(SIDE, SIDE, st.sampled_from(["exact", "overlap"]))
def test_many_to_one_finds_at_least_as_much(gold, predicted, spans):
    one = match(_frame(gold), _frame(predicted), 2, spans=spans)
    many = match(_frame(gold), _frame(predicted), 2, spans=spans, pairing="many_to_one")
    assert (many.hits >= one.hits).all()
    assert (many.hits <= many.predicted).all()


@examples(30)
@given(SIDE, SIDE)
def test_matching_is_symmetric(gold, predicted):
    one, other = match(_frame(gold), _frame(predicted), 2), match(_frame(predicted), _frame(gold), 2)
    assert one.hits.tolist() == other.hits.tolist()
    assert one.predicted.tolist() == other.gold.tolist()


@examples(30)
@given(SIDE, SIDE)
def test_overlap_join_equals_a_double_loop(left, right):
    rows, columns = overlapping(Spans.of(_frame(left)), Spans.of(_frame(right)))
    expected = [(i, j) for i, a in enumerate(left) for j, b in enumerate(right) if _fits(a, b, "overlap")]
    assert list(zip(rows, columns, strict=True)) == expected
