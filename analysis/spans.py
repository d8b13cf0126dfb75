"""Which spans overlap, and codes for tuples of columns: the joins under matching and coverage letters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Spans:
    """Spans as columns; `document` holds codes shared by everything they are joined with.

    Attributes:
        document: document codes, 0 or more.
        start: first code point.
        end: one past the last code point.
    """

    document: Ints
    start: Ints
    end: Ints

    @classmethod
    def of(cls, frame: pd.DataFrame, document: str = "document") -> Spans:
        """The spans of a frame with columns `start`, `end` and the document codes in column `document`."""
        return cls(*(frame[name].to_numpy(np.int64) for name in (document, "start", "end")))

    def __len__(self) -> int:
        return len(self.start)


def overlapping(left: Spans, right: Spans) -> tuple[Ints, Ints]:
    """Row numbers (of left, of right) of all pairs in one document that share at least one code point.

    Two spans overlap when one starts inside the other, so two sorted look-ups find every pair once; the
    work is proportional to the number of pairs, however long a span is.

    Returns:
        The pairs, sorted by left row, then right row.
    """
    if not len(left) or not len(right):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    width = max(int(left.end.max()), int(right.end.max())) + 1
    # A right span starts inside the left one (or with it).
    first = _starts_within(left, right, width, side="left")
    # The left span starts inside the right one, after its start: equal starts are found already.
    second = _starts_within(right, left, width, side="right")
    rows = np.concatenate([first[0], second[1]])
    columns = np.concatenate([first[1], second[0]])
    order = np.lexsort((columns, rows))
    return rows[order], columns[order]


def _starts_within(outer: Spans, inner: Spans, width: int, side: str) -> tuple[Ints, Ints]:
    """Pairs (outer, inner) where inner starts in [outer.start, outer.end); side right: after outer.start."""
    place = inner.document * width + inner.start
    order = np.argsort(place, kind="stable")
    place = place[order]
    base = outer.document * width
    low = np.searchsorted(place, base + outer.start, side="left" if side == "left" else "right")
    high = np.searchsorted(place, base + outer.end, side="left")
    count = np.maximum(high - low, 0)
    rows = np.repeat(np.arange(len(outer)), count)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    return rows, order[np.repeat(low, count) + within]


def codes(*columns: npt.ArrayLike | pd.Series) -> Ints:
    """One integer per row, equal where all columns are equal; numbered in order of first appearance."""
    combined: Ints | None = None
    for column in columns:
        code, _ = pd.factorize(np.asarray(column))
        code = code.astype(np.int64)
        if combined is None:
            combined = code
        else:
            combined = pd.factorize(combined * (int(code.max(initial=0)) + 2) + code + 1)[0].astype(np.int64)
    if combined is None:
        raise ValueError("codes() needs at least one column")
    return combined
