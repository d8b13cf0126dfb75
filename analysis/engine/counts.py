"""Exact counts of a metric, row by row, and their sums over clusters, which do not depend on row order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Sums = dict[str, Floats]

# Codes are found by a table of marks where that is at most so many times as long as they are.
_DENSE: Final = 4


@dataclass(frozen=True)
class Counts:
    """What a metric counted: one row is one judgment's (or one document's) integer contributions.

    A judgment of a unit with n judgments contributes its integers over n, so that the rows of a unit add
    to the unit's value y in a numerator and to 1 in a denominator. A plain count has n = 1.

    Attributes:
        document: codes into `Measured.documents`.
        segment: codes into `Measured.segments`; -1 where not known.
        unit: annotation, item or label code: what the estimate is about.
        worker: codes into `Measured.workers`; -1: the row is nobody's (matching, unjudged).
        n: the denominator of the row.
        quantities: named integer numerators, one value a row. The value of a quantity in a cluster is
            the sum over n, ascending, of (sum of the quantity over the cluster's rows with that n) / n.
        few: rows are in the order of document, worker and n, and no two have all three alike.
        cell: of each row, numbered in the order of document, worker and n, where that is known: what is
            counted of the same rows over and over is then numbered once.
    """

    document: Codes
    segment: Codes
    unit: Codes
    worker: Codes
    n: Codes
    quantities: dict[str, Codes]
    few: bool = False
    cell: Codes | None = None

    @classmethod
    def of_votes(cls, votes: pd.DataFrame, **quantities: Any) -> Counts:
        """What the votes of a view add up to: `verify=votes["verify"]` and the like, named as you wish."""
        return cls.of(
            document=votes["document_code"],
            segment=votes["segment"],
            unit=votes["annotation"],
            worker=votes["worker"],
            n=votes["n"],
            cell=votes["cell"],
            quantities=quantities,
        )

    @classmethod
    def of(
        cls,
        *,
        document: Any,
        unit: Any,
        quantities: Mapping[str, Any],
        segment: Any = -1,
        worker: Any = -1,
        n: Any = 1,
        cell: Any = None,
    ) -> Counts:
        """Counts from arrays, columns or scalars; a scalar stands for every row."""
        rows = len(document)

        def column(values: Any) -> Codes:
            array = np.asarray(values)
            if array.ndim == 0:
                return np.full(rows, array, dtype=np.int64)
            return array.astype(np.int64, copy=False)

        return cls(
            column(document),
            column(segment),
            column(unit),
            column(worker),
            column(n),
            {name: column(values) for name, values in quantities.items()},
            cell=None if cell is None else column(cell),
        )

    @classmethod
    def concat(cls, parts: Sequence[Counts]) -> Counts:
        """Rows of several counts under one another; a quantity that a part lacks is 0 there."""
        names = list(dict.fromkeys(name for part in parts for name in part.quantities))
        return cls(
            np.concatenate([part.document for part in parts]),
            np.concatenate([part.segment for part in parts]),
            np.concatenate([part.unit for part in parts]),
            np.concatenate([part.worker for part in parts]),
            np.concatenate([part.n for part in parts]),
            {
                name: np.concatenate(
                    [part.quantities.get(name, np.zeros(len(part), dtype=np.int64)) for part in parts]
                )
                for name in names
            },
            cell=cls._cells([part.cell for part in parts]),
        )

    @staticmethod
    def _cells(parts: Sequence[Codes | None]) -> Codes | None:
        known = [part for part in parts if part is not None]
        return np.concatenate(known) if known and len(known) == len(parts) else None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.document)

    def select(self, rows: Bools | Codes | slice) -> Counts:
        """The counts of some of the rows, which keep their order if they are marked."""
        marked = isinstance(rows, slice) or rows.dtype == bool
        return Counts(
            self.document[rows],
            self.segment[rows],
            self.unit[rows],
            self.worker[rows],
            self.n[rows],
            {name: values[rows] for name, values in self.quantities.items()},
            few=self.few and marked,
            cell=None if self.cell is None else self.cell[rows],
        )

    def narrow(self) -> Counts:
        """The same in half the memory where numbers are small: to be kept, not to be counted with."""
        small = np.iinfo(np.int32)
        every = (self.document, self.worker, self.n, *self.quantities.values())
        if not self.few or any(len(e) and (e.max() > small.max or e.min() < small.min) for e in every):
            return self
        return self._as(np.int32)

    def wide(self) -> Counts:
        """What `narrow` made narrow, as it was."""
        return self._as(np.int64) if self.document.dtype == np.int32 else self

    def _as(self, kind: Any) -> Counts:
        document, worker, n = (each.astype(kind) for each in (self.document, self.worker, self.n))
        quantities: dict[str, Any] = {name: each.astype(kind) for name, each in self.quantities.items()}
        return replace(self, document=document, worker=worker, n=n, quantities=quantities)

    def merged(self) -> Counts:
        """The same sums in fewer rows: those of one document, worker and n are added.

        Segments and units are lost. Integers are added exactly, so every sum over documents, workers or both
        stays what it was, to the bit.
        """
        if self.few:
            return self
        first, row = self._found()
        nowhere = np.broadcast_to(np.int64(-1), len(first))
        sums = {
            name: _added(row, each.astype(np.float64), len(first)).astype(np.int64)
            for name, each in self.quantities.items()
        }
        place = (self.document[first], nowhere, nowhere, self.worker[first], self.n[first])
        return Counts(*place, sums, few=True)

    def _found(self) -> tuple[Codes, Codes]:
        """A row of each document, worker and n, in their order; and the place among them of each row."""
        if self.cell is not None:
            values, row = distinct(self.cell, int(self.cell.max(initial=-1)) + 1)
        else:
            cells, size = cell_of(self.document, self.worker, self.n)
            values, row = distinct(cells, size)
        first = np.empty(len(values), dtype=np.int64)
        first[row] = np.arange(len(row))
        return first, row


def cell_of(document: Codes, worker: Codes, n: Codes) -> tuple[Codes, int]:
    """A number of each document, worker and n, ascending with them; and what all numbers are under."""
    values, place = distinct(n, int(n.max(initial=0)) + 1)
    width, columns = int(worker.max(initial=-1)) + 2, max(len(values), 1)
    return (document * width + worker + 1) * columns + place, (
        int(document.max(initial=0)) + 1
    ) * width * columns


def distinct(codes: Codes, size: int) -> tuple[Codes, Codes]:
    """The distinct codes, ascending, and the place of each code among them; all lie in [0, size)."""
    if (codes[1:64] >= codes[:-1][:63]).all() and (codes[1:] >= codes[:-1]).all():
        new = np.ones(len(codes), dtype=bool)
        new[1:] = codes[1:] != codes[:-1]
        return codes[new], np.cumsum(new) - 1
    if size <= _DENSE * (len(codes) + 64):
        seen = np.zeros(size, dtype=bool)
        seen[codes] = True
        values = np.flatnonzero(seen)
        rank = np.empty(size, dtype=np.int64)
        rank[values] = np.arange(len(values))
        return values, rank[codes]
    # Hashing, and sorting what is distinct, is several times quicker than sorting all.
    place, found = pd.factorize(codes)
    order = np.argsort(found)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return found[order], rank[place]


def _added(cluster: Codes, values: Floats, size: int) -> Floats:
    return np.bincount(cluster, weights=values, minlength=size).astype(np.float64, copy=False)


class Prepared:
    """Counts made ready to be summed by any clusters: the values of n, and quantities as floats."""

    def __init__(self, counts: Counts, weight: Floats | None = None) -> None:
        self.counts = counts
        self.weight = weight
        n, index = distinct(counts.n, int(counts.n.max(initial=0)) + 1)
        self._n = n
        self._index: Codes | None = index if len(n) > 1 else None
        # float64 holds integers exactly up to 2^53: sums of them are exact in any order.
        self._values = {name: values.astype(np.float64) for name, values in counts.quantities.items()}

    def sums(self, cluster: Codes, size: int) -> Sums:
        """Sum of every quantity in every cluster: integers first, division by n after, n ascending.

        Weights of segments enter after counting: sums within (cluster, segment) first, then weighted
        and added in the order of segments.

        Args:
            cluster: code of each row's cluster, in [0, size).
            size: number of clusters.

        Returns:
            Name of quantity -> array (size,).
        """
        if self.weight is None:
            return self._plain(cluster, size)
        segments = len(self.weight) + 1  # one more for "not known", which weighs 1
        pairs, codes = np.unique(cluster * segments + self.counts.segment + 1, return_inverse=True)
        plain = self._plain(codes, len(pairs))
        factor = np.concatenate([[1.0], self.weight])[pairs % segments]
        owner = pairs // segments
        return {name: _added(owner, values * factor, size) for name, values in plain.items()}

    def _plain(self, cluster: Codes, size: int) -> Sums:
        code = self._code(cluster)
        if not (code[1:] > code[:-1]).all():
            return self.divided(self.tables(cluster, size))
        # No two rows are added before they are divided, and n ascends in each cluster.
        n = self.counts.n
        shares = self._values if self._one() else {name: v / n for name, v in self._values.items()}
        if len(cluster) == size and (cluster[1:] > cluster[:-1]).all():
            return shares
        return {name: _added(cluster, values, size) for name, values in shares.items()}

    def _code(self, cluster: Codes) -> Codes:
        """Of cluster and n of each row."""
        return cluster if self._index is None else cluster * len(self._n) + self._index

    def _one(self) -> bool:
        """Whether n is 1 everywhere."""
        return len(self._n) == 0 or (len(self._n) == 1 and self._n[0] == 1)

    def tables(self, cluster: Codes, size: int) -> Sums:
        """Sums by cluster and n, which are whole and may be added further: (size, values of n)."""
        columns = max(len(self._n), 1)
        code = self._code(cluster)
        if self.counts.few and (code[1:] >= code[:-1]).all():
            found = self._stretches(code, size * columns)
        else:
            found = {name: _added(code, values, size * columns) for name, values in self._values.items()}
        return {name: values.reshape(size, columns) for name, values in found.items()}

    def _stretches(self, code: Codes, size: int) -> Sums:
        """Sums where each code is a stretch of rows."""
        new = np.ones(len(code), dtype=bool)
        new[1:] = code[1:] != code[:-1]
        first = np.flatnonzero(new)
        alone, place = len(first) == len(code), code[first]
        out = {}
        for name, values in self._values.items():
            out[name] = np.zeros(size)
            if len(first):
                out[name][place] = values if alone else np.add.reduceat(values, first)
        return out

    def divided(self, tables: Sums) -> Sums:
        """Sums over n, ascending, of what stands in its column over n."""
        divisors = self._n if len(self._n) else np.ones(1, dtype=np.int64)
        if self._one():
            return {name: table[:, 0] for name, table in tables.items()}
        out = {}
        for name, table in tables.items():
            total = table[:, 0] / divisors[0]
            for column, n in enumerate(divisors[1:], start=1):
                total += table[:, column] / n
            out[name] = total
        return out
