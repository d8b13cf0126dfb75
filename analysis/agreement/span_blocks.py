"""What agreement about spans sums over documents: matched spans of every two workers, tags of positions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import maximum_bipartite_matching

from analysis.agreement.classes import Classes
from analysis.agreement.marks import Marks
from analysis.engine.counts import Bools, Codes, Floats
from analysis.spans import Spans, overlapping

OUTSIDE: Final = "O"
SCHEMES: Final = ("IO", "BIO", "in or out")


@dataclass(frozen=True)
class Matching:
    """When two spans may be a pair.

    Attributes:
        spans: exact (same start and end), overlap (a position shared), or iou (shared over all positions).
        typed: their labels must be equal.
        share: least intersection over union, for iou.
    """

    spans: str
    typed: bool = True
    share: float = 0.5


def pairs_of(marks: Marks) -> list[tuple[int, int]]:
    """Every two workers."""
    return list(combinations(range(len(marks.workers)), 2))


def matched(marks: Marks, how: Matching) -> Floats:
    """Documents x (pairs of workers, twice): matched spans x 2, then spans of both, in documents both did.

    Matching is one to one and as large as can be, never greedy.
    """
    every = pairs_of(marks)
    documents = len(marks.documents)
    out = np.zeros((documents, 2 * len(every)))
    for place, (one, other) in enumerate(every):
        both = marks.done[:, one] & marks.done[:, other]
        left, right = (_of_worker(marks, worker, both, how) for worker in (one, other))
        sizes = [np.bincount(marks.document[rows], minlength=documents) for rows in (left, right)]
        out[:, place] = 2 * _hits(marks, left, right, how)
        out[:, len(every) + place] = sizes[0] + sizes[1]
    return out


def _of_worker(marks: Marks, worker: int, both: Bools, how: Matching) -> Codes:
    """Rows of a worker's spans in some documents; without labels, equal spans are one."""
    rows = np.flatnonzero((marks.worker == worker) & both[marks.document])
    if how.typed or not len(rows):
        return rows
    spans = np.stack([marks.document[rows], marks.start[rows], marks.end[rows]], axis=1)
    return rows[np.sort(np.unique(spans, axis=0, return_index=True)[1])]


def _hits(marks: Marks, left: Codes, right: Codes, how: Matching) -> Codes:
    """Pairs per document in a largest one-to-one matching."""
    documents = len(marks.documents)
    one, other = (Spans(marks.document[rows], marks.start[rows], marks.end[rows]) for rows in (left, right))
    rows, columns = overlapping(one, other)
    if not len(rows):
        return np.zeros(documents, dtype=np.int64)
    allowed = _alike(one, other, rows, columns, how)
    if how.typed:
        allowed &= marks.label[left][rows] == marks.label[right][columns]
    rows, columns = rows[allowed], columns[allowed]
    graph = sparse.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(len(left), len(right)))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    return np.bincount(one.document[partner >= 0], minlength=documents).astype(np.int64)


def _alike(one: Spans, other: Spans, rows: Codes, columns: Codes, how: Matching) -> Bools:
    """Whether the spans of overlapping pairs match."""
    starts, ends = (one.start[rows], other.start[columns]), (one.end[rows], other.end[columns])
    if how.spans == "overlap":
        return np.ones(len(rows), dtype=bool)
    if how.spans == "exact":
        return np.asarray((starts[0] == starts[1]) & (ends[0] == ends[1]))
    shared = np.minimum(*ends) - np.maximum(*starts)
    return np.asarray(shared >= how.share * (np.maximum(*ends) - np.minimum(*starts)))


def documents_as_classes(marks: Marks) -> Classes:
    """Each document a class of its own, with a label by everyone who worked on it."""
    row, worker = np.nonzero(marks.done)
    return Classes(
        row=row.astype(np.int64),
        worker=worker.astype(np.int64),
        label=np.zeros(len(row), dtype=np.int64),
        size=len(marks.documents),
        workers=len(marks.workers),
        categories=1,
        count=np.ones(len(marks.documents)),
    )


def positions(marks: Marks, scheme: str) -> tuple[Classes, tuple[str, ...]]:
    """Positions of documents of known length as units, their tags as labels; and the names of the tags.

    Stretches between the ends of spans are tagged alike, so that a class is a pattern of tags and as many
    units as there are positions with it.

    Args:
        marks: the spans.
        scheme: IO (the label, or O), BIO (B- where a span starts, I- further in), or "in or out".
    """
    tags: dict[str, int] = {OUTSIDE: 0}
    rows, lengths, owners = [], [], []
    bounds = np.searchsorted(marks.document, np.arange(len(marks.documents) + 1))
    for document in np.flatnonzero(marks.length > 0).tolist():
        here = np.arange(bounds[document], bounds[document + 1])
        length = int(marks.length[document])
        table, widths = _stretches(marks, here, length, scheme, tags)
        table[:, ~marks.done[document]] = -1
        rows.append(table)
        lengths.append(widths)
        owners.append(np.full(len(widths), document, dtype=np.int64))
    if not rows:
        empty = np.empty(0, dtype=np.int64)
        return Classes(empty, empty, empty, 0, len(marks.workers), 1, np.empty(0)), (OUTSIDE,)
    patterns, place = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    width, owner = np.concatenate(lengths).astype(np.float64), np.concatenate(owners)
    shape = (len(marks.documents), len(patterns))
    groups = sparse.csr_array((width, (owner, place.reshape(-1))), shape=shape)
    row, worker = np.nonzero(patterns >= 0)
    classes = Classes(
        row=row.astype(np.int64),
        worker=worker.astype(np.int64),
        label=patterns[row, worker].astype(np.int64),
        size=len(patterns),
        workers=len(marks.workers),
        categories=len(tags),
        count=np.bincount(place.reshape(-1), weights=width, minlength=len(patterns)).astype(np.float64),
        groups=groups,
    )
    return classes, tuple(tags)


def _stretches(
    marks: Marks, here: Codes, length: int, scheme: str, tags: dict[str, int]
) -> tuple[Codes, Codes]:
    """Stretches of a document x workers: tag of each; and how long each stretch is."""
    start, end = marks.start[here], marks.end[here]
    cuts = [np.array([0, length]), start, end, *([start + 1] if scheme == "BIO" else [])]
    edges = np.unique(np.concatenate(cuts))
    inside: dict[tuple[int, int], list[str]] = {}
    for row, low, high in zip(here, *(np.searchsorted(edges, side) for side in (start, end)), strict=True):
        label = marks.labels[marks.label[row]] if scheme != "in or out" else ""
        for place in range(low, high):
            first = scheme == "BIO" and place == low
            tag = f"{'B' if first else 'I'}-{label}"
            inside.setdefault((place, int(marks.worker[row])), []).append(tag)
    table = np.zeros((len(edges) - 1, len(marks.workers)), dtype=np.int64)
    for (place, worker), given in inside.items():
        # Spans of one worker that overlap make one tag together.
        table[place, worker] = tags.setdefault("+".join(sorted(set(given))), len(tags))
    return table, np.diff(edges)
