"""Matching predictions against the ground truth by span and entity: counts per document.

Under one-to-one matching a ground-truth annotation and a prediction stand in at most one pair; right-entity
pairs are made first, as many as can be, then pairs of spans alone, as many as still can be. Hits are the
right-entity pairs; all pairs are the mentions that were detected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy  # scipy.optimize is slow to load: it is when first used
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from analysis.errors import InputError, plain
from analysis.keys import LINK, NIL, NIL_KIND
from analysis.spans import Ints, Spans, codes, overlapping

Match = Literal["exact", "overlap"]
NilRule = Literal["drop", "ignore", "require"]
Pairing = Literal["one_to_one", "many_to_one"]
MATCHES: Final[tuple[str, ...]] = get_args(Match)
NIL_RULES: Final[tuple[str, ...]] = get_args(NilRule)
PAIRINGS: Final[tuple[str, ...]] = get_args(Pairing)

# Above this many cells a component is solved as a sparse problem: a dense table would not fit in memory.
_DENSE_CELLS: Final = 1_000_000
_TWO: Final = 2


@dataclass(frozen=True)
class Matched:
    """Counts per document (arrays indexed by document code).

    Attributes:
        hits: right-entity pairs (many-to-one: predictions with a right-entity partner).
        paired: pairs of spans, right or wrong (many-to-one: predictions with a partner).
        predicted: predictions that count.
        gold: ground-truth annotations that count.
    """

    hits: Ints
    paired: Ints
    predicted: Ints
    gold: Ints


def match(
    gt: pd.DataFrame,
    predictions: pd.DataFrame,
    documents: int,
    *,
    spans: str = "exact",
    nil: str = "drop",
    pairing: str = "one_to_one",
) -> Matched:
    """Match one source's predictions against the ground truth.

    Both frames have columns `document` (codes under `documents`), `start`, `end`, `key`, `kind`. The same
    span and key twice in one document is one annotation. Links enter; NIL enters as `nil` says: "drop",
    on neither side; "ignore", besides, a prediction on the span of a NIL annotation of the ground truth
    that finds no right partner is not counted; "require", NIL is an entity. What is unmapped or has no
    link enters on neither side.

    Args:
        gt: ground-truth annotations, already cropped.
        predictions: predictions, already cropped.
        documents: number of documents.
        spans: "exact" or "overlap" (at least one code point shared).
        nil: "drop", "ignore" or "require".
        pairing: "one_to_one" or "many_to_one" (each prediction takes any partner, taken or not).

    Raises:
        InputError: an option has another value.
    """
    _check("match", spans, MATCHES)
    _check("nil", nil, NIL_RULES)
    kinds = (LINK, NIL_KIND) if nil == "require" else (LINK,)
    gold, predicted = _entering(gt, kinds), _entering(predictions, kinds)
    if nil == "ignore":
        predicted = _without_nil_spans(gt, gold, predicted, spans)
    key = codes(pd.concat([gold["key"], predicted["key"]]))
    sides = Side(Spans.of(gold), key[: len(gold)]), Side(Spans.of(predicted), key[len(gold) :])
    return match_sides(*sides, pairs(sides[0].spans, sides[1].spans, spans), documents, pairing)


@dataclass(frozen=True)
class Side:
    """The annotations that enter on one side, each once.

    Attributes:
        spans: theirs.
        key: codes of their keys, the same on both sides.
    """

    spans: Spans
    key: Ints


def match_sides(
    gold: Side, predicted: Side, edges: tuple[Ints, Ints], documents: int, pairing: str = "one_to_one"
) -> Matched:
    """Match what enters on both sides.

    Args:
        gold: of the ground truth.
        predicted: of the source.
        edges: row pairs of the two whose spans match.
        documents: number of documents.
        pairing: "one_to_one" or "many_to_one".

    Raises:
        InputError: no such pairing.
    """
    _check("matching", pairing, PAIRINGS)
    rows, columns = edges
    right = gold.key[rows] == predicted.key[columns]
    document = predicted.spans.document
    if pairing == "many_to_one":
        hits = _per_document(document[np.unique(columns[right])], documents)
        paired = _per_document(document[np.unique(columns)], documents)
    else:
        hits, paired = _one_to_one((rows, columns, right), len(gold.key), document, documents)
    return Matched(
        hits, paired, _per_document(document, documents), _per_document(gold.spans.document, documents)
    )


def pairs(left: Spans, right: Spans, spans: str) -> tuple[Ints, Ints]:
    """Row pairs whose spans match: equal ("exact") or overlapping ("overlap")."""
    rows, columns = overlapping(left, right)
    return (rows, columns) if spans == "overlap" else equal(left, right, (rows, columns))


def equal(left: Spans, right: Spans, edges: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Those of some row pairs whose spans are equal."""
    rows, columns = edges
    same = (left.start[rows] == right.start[columns]) & (left.end[rows] == right.end[columns])
    return rows[same], columns[same]


def crop(
    annotations: pd.DataFrame, evaluation_start: npt.NDArray[np.int64], evaluation_end: npt.NDArray[np.int64]
) -> pd.DataFrame:
    """The annotations wholly inside the evaluation span of their document (arrays by document code)."""
    document = annotations["document"].to_numpy(np.int64)
    inside: npt.NDArray[np.bool_] = (
        annotations["start"].to_numpy(np.int64) >= evaluation_start[document]
    ) & (annotations["end"].to_numpy(np.int64) <= evaluation_end[document])
    return annotations.loc[inside]


def _check(name: str, got: str, allowed: tuple[str, ...]) -> None:
    if got not in allowed:
        raise InputError(f"unknown value of {name}", got=plain(got), expected=" or ".join(allowed))


def _entering(annotations: pd.DataFrame, kinds: tuple[str, ...]) -> pd.DataFrame:
    """The distinct annotations of the given kinds; every NIL has one key."""
    chosen = annotations["kind"].isin(kinds).to_numpy()
    kept = annotations[["document", "start", "end", "key"]].loc[chosen]
    if NIL_KIND in kinds:
        nil = (annotations["kind"] == NIL_KIND).to_numpy()[chosen]
        kept = kept.assign(key=kept["key"].astype(object).mask(nil, NIL))
    return kept.drop_duplicates(["document", "start", "end", "key"]).reset_index(drop=True)


def _without_nil_spans(
    gt: pd.DataFrame, gold: pd.DataFrame, predicted: pd.DataFrame, spans: str
) -> pd.DataFrame:
    """Leave out predictions on the span of a NIL annotation, but for those with a right-entity partner.

    Whether a prediction is left out hangs on its own partners alone, never on how ties between
    predictions were resolved, so the counts are unique.
    """
    nil = gt[gt["kind"] == NIL_KIND]
    on_nil = np.zeros(len(predicted), bool)
    on_nil[pairs(Spans.of(nil), Spans.of(predicted), spans)[1]] = True
    rows, columns = pairs(Spans.of(gold), Spans.of(predicted), spans)
    right = gold["key"].to_numpy()[rows] == predicted["key"].to_numpy()[columns]
    on_nil[columns[right]] = False
    return predicted[~on_nil].reset_index(drop=True)


def _per_document(document: Ints, documents: int) -> Ints:
    return np.bincount(document, minlength=documents).astype(np.int64)


def _one_to_one(
    edges: tuple[Ints, Ints, npt.NDArray[np.bool_]], gold: int, document: Ints, documents: int
) -> tuple[Ints, Ints]:
    """Hits and pairs per document, component by component of the graph of matching spans."""
    rows, columns, right = edges
    hits, paired = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
    if not len(rows):
        return hits, paired
    nodes = gold + len(document)
    graph = csr_array((np.ones(len(rows), np.int8), (rows, columns + gold)), shape=(nodes, nodes))
    count, label = connected_components(graph, directed=False)
    component = label[rows].astype(np.int64)
    n, m = (np.bincount(side, minlength=count) for side in (label[:gold], label[gold:]))
    place = np.zeros(count, np.int64)
    place[component] = document[columns]
    # One annotation on a side: one pair, right if any is.
    made = ((n > 0) & (m > 0)).astype(np.int64)
    found = (np.bincount(component, weights=right, minlength=count) > 0).astype(np.int64)
    table = _Components(component, _within(label[:gold])[rows], _within(label[gold:])[columns], right)
    _pairs_of_two(table, np.flatnonzero((n == _TWO) & (m == _TWO)), found, made)
    for one in np.flatnonzero((np.minimum(n, m) > 1) & (np.maximum(n, m) > _TWO)).tolist():
        found[one], made[one] = _assign(*table.of(one), (int(n[one]), int(m[one])))
    np.add.at(hits, place, found)
    np.add.at(paired, place, made)
    return hits, paired


def _within(label: npt.NDArray[np.int32]) -> Ints:
    """The place of each node among the nodes of its component on its side."""
    order = np.argsort(label, kind="stable")
    ordered = label[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)])
    place = np.empty(len(label), np.int64)
    place[order] = np.arange(len(label)) - np.repeat(first, np.diff(np.r_[first, len(label)]))
    return place


class _Components:
    """Edges sorted by component, rows and columns numbered within it."""

    def __init__(self, component: Ints, row: Ints, column: Ints, right: npt.NDArray[np.bool_]) -> None:
        order = np.argsort(component, kind="stable")
        self.component = component[order]
        self.row, self.column, self.right = row[order], column[order], right[order]

    def of(self, one: int) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
        """The edges of a component."""
        low, high = np.searchsorted(self.component, [one, one + 1])
        return self.row[low:high], self.column[low:high], self.right[low:high]


def _pairs_of_two(table: _Components, chosen: Ints, found: Ints, made: Ints) -> None:
    """Solve all components of two by two at once: either diagonal, right pairs first."""
    code = np.full(len(found), -1, np.int64)
    code[chosen] = np.arange(len(chosen))
    here = code[table.component]
    inside = here >= 0
    worth = np.zeros((len(chosen), _TWO, _TWO), np.int64)
    # A right pair outweighs the two pairs there can be.
    worth[here[inside], table.row[inside], table.column[inside]] = np.where(table.right[inside], 4, 1)
    straight = worth[:, 0, 0], worth[:, 1, 1]
    crossed = worth[:, 0, 1], worth[:, 1, 0]
    better = sum(straight) >= sum(crossed)
    one, other = (np.where(better, a, b) for a, b in zip(straight, crossed, strict=True))
    found[chosen] = (one > 1).astype(np.int64) + (other > 1)
    made[chosen] = (one > 0).astype(np.int64) + (other > 0)


def _assign(row: Ints, column: Ints, right: npt.NDArray[np.bool_], shape: tuple[int, int]) -> tuple[int, int]:
    """Most right-entity pairs, then most pairs, of one component: an assignment problem.

    A right pair weighs more than all other pairs that the component can hold together.
    """
    heavy = min(shape) + 1
    weight = np.where(right, heavy + 1, 1)
    if shape[0] * shape[1] > _DENSE_CELLS:
        return _assign_sparse(row, column, weight, shape, heavy)
    table = np.zeros(shape, np.int64)
    table[row, column] = weight
    chosen = table[scipy.optimize.linear_sum_assignment(table, maximize=True)]
    return int((chosen > 1).sum()), int((chosen > 0).sum())


def _assign_sparse(
    row: Ints, column: Ints, weight: Ints, shape: tuple[int, int], heavy: int
) -> tuple[int, int]:
    """The same as a minimum-weight full matching, where every row may also stay alone at the highest cost."""
    n, m = shape
    alone = heavy + 2
    data = np.concatenate([alone - weight, np.full(n, alone)])
    rows = np.concatenate([row, np.arange(n)])
    columns = np.concatenate([column, m + np.arange(n)])
    graph = csr_array((data.astype(np.float64), (rows, columns)), shape=(n, m + n))
    chosen_rows, chosen_columns = min_weight_full_bipartite_matching(graph)
    cost = np.asarray(graph[chosen_rows, chosen_columns]).ravel()
    return int((cost == 1).sum()), int((cost < alone).sum())
