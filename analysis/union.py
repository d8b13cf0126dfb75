"""The verification union: which items it holds, what recall counts of it, and what a source has of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from analysis.engine.counts import Bools, Codes
from analysis.measured import Measured, View
from analysis.spans import Spans, overlapping


def union(view: View) -> Codes:
    """Codes of the items of the union: in the view's documents, in scope, verified (y > 0)."""
    items = view.items
    inside: Bools = ((items["y"] > 0) & items["in_scope"]).to_numpy(bool)
    codes: Codes = items.index.to_numpy(np.int64)[inside]
    return codes


def speakers(view: View, sources: Bools) -> pd.DataFrame:
    """For each in-scope verified item of some sources, the annotation of theirs with the largest value.

    Args:
        view: whose documents.
        sources: (sources,) which of them.

    Returns:
        item, annotation, y; one row an item, y > 0.
    """
    memo = view.measured.memo
    name = f"speakers {view.dataset} {view.source} {sources.tolist()}"
    if name not in memo:
        memo[name] = _speakers(view, sources)
    found: pd.DataFrame = memo[name]
    return found.copy()


def _speakers(view: View, sources: Bools) -> pd.DataFrame:
    frame = view.measured.annotations
    rows = (
        sources[frame["source_code"].to_numpy()]
        & view.in_documents[frame["document_code"].to_numpy()]
        & ((frame["item"] >= 0) & frame["shown"] & frame["in_scope"] & (frame["verify"] > 0)).to_numpy()
    )
    annotation = np.flatnonzero(rows)
    item, verify, n = (frame[name].to_numpy()[rows] for name in ("item", "verify", "n"))
    y = verify / n
    order = np.lexsort((annotation, -y, item))
    first = np.ones(len(order), dtype=bool)
    first[1:] = item[order][1:] != item[order][:-1]
    best = order[first]
    return pd.DataFrame({"item": item[best], "annotation": annotation[best], "y": y[best]})


def votes_of(measured: Measured, annotations: Codes) -> Codes:
    """The row numbers of the votes that speak for some annotations."""
    chosen = np.zeros(len(measured.annotations), dtype=bool)
    chosen[annotations] = True
    return np.flatnonzero(chosen[measured.votes["annotation"].to_numpy()])


def counted(measured: Measured, items: Codes, how: str) -> Codes:
    """For each item of the union the item that stands for it in what recall counts; -1: not counted.

    Args:
        measured: the study.
        items: codes of the union's items.
        how: distinct: itself; thinned, greedy: itself or -1; groups: the first item of its mention group.
    """
    if how == "distinct":
        return items
    if how == "groups":
        return items[group_of(measured, items)]
    return np.where(thinned(measured, items), items, -1)


def thinned(measured: Measured, items: Codes) -> Bools:
    """Which items stay when overlaps are thinned out.

    Sorted by start, longest first, then entity; what starts at or after the end of the last kept is kept.
    """
    frame = measured.items.iloc[items]
    document, start, end = (frame[name].to_numpy() for name in ("document_code", "start", "end"))
    order = np.lexsort((frame["key_code"].to_numpy(), -end, start, document))
    kept = np.zeros(len(items), dtype=bool)
    last, reach = -1, 0
    for row, where, begin, stop in zip(
        order.tolist(), document[order].tolist(), start[order].tolist(), end[order].tolist(), strict=True
    ):
        if where != last or begin >= reach:
            kept[row] = True
            last, reach = where, stop
    return kept


def group_of(measured: Measured, items: Codes) -> Codes:
    """Mention groups: for each item the place (in `items`) of the first of its group.

    A group is a connected component of overlapping spans.
    """
    spans = Spans.of(measured.items.iloc[items], document="document_code")
    left, right = overlapping(spans, spans)
    size = len(items)
    graph = csr_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    return np.asarray(first[label], dtype=np.int64)


def best_of_group(frame: pd.DataFrame) -> pd.DataFrame:
    """The row with the largest y of each `counted` item; the lowest item where several have it."""
    if frame["counted"].is_unique:
        return frame
    ranked = frame.assign(fall=-frame["y"]).sort_values(["counted", "fall", "item"], kind="stable")
    return ranked.drop_duplicates("counted").drop(columns="fall")


def weak_hits(view: View, items: Codes) -> pd.DataFrame:
    """Judged annotations in scope that overlap an item of the union with the same entity.

    Many-to-one: every annotation takes the item with the largest value, whether or not another has it.

    Returns:
        annotation, item; one row an annotation that has a hit.
    """
    annotations = view.annotations
    rows = (annotations["judged"] & annotations["in_scope"] & (annotations["item"] >= 0)).to_numpy()
    annotations = annotations[rows]
    union_ = view.measured.items.iloc[items]
    # Pairs in one document with one key: one code stands for both.
    place = view.measured.entity_places
    left = Spans(place[annotations["item"].to_numpy()], *_ends(annotations))
    right = Spans(place[items], *_ends(union_))
    row, column = overlapping(left, right)
    frame = pd.DataFrame(
        {
            "annotation": annotations.index.to_numpy()[row],
            "item": items[column],
            "fall": -union_["y"].to_numpy()[column],
        }
    )
    frame = frame.sort_values(["annotation", "fall", "item"]).drop_duplicates("annotation")
    return frame[["annotation", "item"]].reset_index(drop=True)


def _ends(frame: pd.DataFrame) -> tuple[Codes, Codes]:
    return frame["start"].to_numpy(np.int64), frame["end"].to_numpy(np.int64)
