"""Units that were labelled alike, together: every statistic of agreement is a sum over such classes.

A class is a set of units with the same labels by the same workers. A million units labelled by three workers
with three categories fall into at most 64 classes, so that what is computed per unit is computed 64 times,
and a bootstrap of units is a multinomial draw of the classes. Where workers are many every unit is a class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from scipy import sparse

from analysis.agreement.labels import Labels
from analysis.engine.counts import Codes, Floats, distinct

Block = Floats | sparse.csr_array

# Patterns are numbered by a table of marks up to this many.
_PATTERNS: Final = 1 << 21
# A block with more cells than this is kept sparse.
_DENSE: Final = 20_000_000


class Tallied:
    """Rows of label counts, and what follows from the counts alone."""

    def __init__(self, counts: Floats) -> None:
        self._counts = counts

    @property
    def counts(self) -> Floats:
        """Rows x categories: labels of a unit."""
        return self._counts

    @cached_property
    def m(self) -> Floats:
        """Labels of a unit."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def paired(self) -> Floats:
        """1 for units with two labels or more."""
        return (self.m > 1).astype(np.float64)

    @cached_property
    def per_pair(self) -> Floats:
        """1 / (m (m - 1)), 0 where there is no pair."""
        return self.paired / np.where(self.m > 1, self.m * (self.m - 1), 1.0)


@dataclass(frozen=True)
class Classes(Tallied):
    """Classes of units; entry by entry, sorted by class, then worker.

    Attributes:
        row: class of each label.
        worker: its worker.
        label: its category.
        size: number of classes.
        workers: number of workers.
        categories: number of categories.
        groups: which clusters hold how many units of which class, clusters x classes; one row a class of
            its own where units are the clusters.
        count: units of each class.
        place: class of each unit, -1 for one without labels; None where there are no units by name.
    """

    row: Codes
    worker: Codes
    label: Codes
    size: int
    workers: int
    categories: int
    count: Floats
    groups: Block | None = None
    place: Codes | None = None

    @classmethod
    def of(cls, labels: Labels) -> Classes:
        """The classes of labels."""
        width, units = len(labels.workers), len(labels.units)
        base = len(labels.categories) + 1
        if not few_patterns(base - 1, width):
            place = np.arange(units, dtype=np.int64)
            parts = (labels.unit, labels.worker, labels.label)
        else:
            step = (labels.label + 1) * (base ** np.arange(width, dtype=np.int64))[labels.worker]
            code = np.bincount(labels.unit, weights=step, minlength=units).astype(np.int64)
            parts, place = _patterns(code, base, width)
        return cls._made_of(parts, place, (width, base - 1), labels.cluster)

    @classmethod
    def of_matrix(cls, matrix: Codes, categories: int, cluster: Codes | None = None) -> Classes:
        """The classes of a matrix of codes, units x workers, -1 for none; for few patterns alone."""
        base, width = categories + 1, matrix.shape[1]
        code = np.zeros(len(matrix), dtype=np.int64)
        for worker in range(width):
            code += (matrix[:, worker].astype(np.int64) + 1) * base**worker
        parts, place = _patterns(code, base, width)
        return cls._made_of(parts, place, (width, categories), cluster)

    @classmethod
    def _made_of(
        cls, parts: tuple[Codes, Codes, Codes], place: Codes, shape: tuple[int, int], cluster: Codes | None
    ) -> Classes:
        size = int(place.max(initial=-1)) + 1
        # Units without labels come last, as one more.
        count = np.bincount(np.where(place < 0, size, place), minlength=size)[:size].astype(np.float64)
        groups = None
        if cluster is not None:
            groups = _grouped(cluster, place, size)
        return cls(*parts, size, *shape, count, groups, place)

    @classmethod
    def of_counts(cls, table: Codes, cluster: Codes) -> Classes:
        """The classes of a table of counts, units x categories, where it is not asked who gave which label.

        Nothing that hangs on workers can be computed of them.
        """
        patterns, place = _distinct_rows(table)
        row, label = np.nonzero(patterns)
        many = patterns[row, label]
        entries = (np.repeat(row, many), np.zeros(int(many.sum()), dtype=np.int64), np.repeat(label, many))
        return cls._made_of(entries, place, (1, table.shape[1]), cluster)

    @classmethod
    def of_joint(cls, table: Codes) -> Classes:
        """The classes of a joint table of two workers: its cells."""
        rows, columns = np.nonzero(table)
        cells = np.arange(len(rows), dtype=np.int64)
        return cls(
            row=np.repeat(cells, 2),
            worker=np.tile(np.array([0, 1], dtype=np.int64), len(cells)),
            label=np.stack([rows, columns], axis=1).reshape(-1).astype(np.int64),
            size=len(cells),
            workers=2,
            categories=len(table),
            count=table[rows, columns].astype(np.float64),
        )

    @cached_property
    def counts(self) -> Floats:
        """Classes x categories: labels of a unit of the class."""
        code = self.row * self.categories + self.label
        flat = np.bincount(code, minlength=self.size * self.categories)
        return flat.reshape(self.size, self.categories).astype(np.float64)

    @cached_property
    def pairs(self) -> tuple[Codes, Codes]:
        """Entries of every two labels of a class, the worker of the first before that of the second."""
        length = np.bincount(self.row, minlength=self.size)
        start = np.cumsum(length) - length
        # Each entry is followed by the rest of its class.
        after = start[self.row] + length[self.row] - np.arange(len(self.row)) - 1
        first = np.repeat(np.arange(len(self.row)), after)
        within = np.arange(len(first)) - np.repeat(np.cumsum(after) - after, after)
        return first, first + 1 + within

    @cached_property
    def _made(self) -> dict[str, Block]:
        return {}

    def block(self, name: str, make: Callable[[Classes], Block]) -> Block:
        """A block of columns, a row a class; made once for all coefficients that sum it."""
        if name not in self._made:
            self._made[name] = make(self)
        return self._made[name]

    def total(self, block: Block) -> Floats:
        """Sums of a block over all units."""
        return np.asarray(self.count @ block)

    def spread_out(self, code: Codes, row: Codes, values: Floats, width: int) -> Block:
        """A block from values at (row, code); dense where that is small."""
        shape = (self.size, width)
        if self.size * width <= _DENSE:
            flat = np.bincount(row * width + code, weights=values, minlength=self.size * width)
            return flat.reshape(shape).astype(np.float64)
        return sparse.csr_array((values, (row, code)), shape=shape)


def few_patterns(categories: int, workers: int) -> bool:
    """Whether units fall into few enough patterns of labels to be numbered."""
    return bool((categories + 1) ** workers <= _PATTERNS)


def _distinct_rows(table: Codes) -> tuple[Codes, Codes]:
    """The distinct rows of a table of counts, and the place of each row among them."""
    base = int(table.max(initial=0)) + 1
    if base ** table.shape[1] > _PATTERNS:
        patterns, place = np.unique(table, axis=0, return_inverse=True)
        return patterns, place.reshape(-1).astype(np.int64)
    powers = base ** np.arange(table.shape[1], dtype=np.int64)
    codes, place = distinct(table @ powers, base ** table.shape[1])
    return codes[:, None] // powers % base, place


def _grouped(cluster: Codes, place: Codes, size: int) -> Block:
    """How many units of each class each cluster holds."""
    many = int(cluster.max(initial=-1)) + 1
    if many * (size + 1) <= _DENSE:
        code = cluster * (size + 1) + np.where(place < 0, size, place)
        table = np.bincount(code, minlength=many * (size + 1)).reshape(many, size + 1)
        return table[:, :size].astype(np.float64)
    present = place >= 0
    pairs = (cluster[present], place[present])
    return sparse.csr_array((np.ones(int(present.sum())), pairs), shape=(many, size))


def _patterns(code: Codes, base: int, width: int) -> tuple[tuple[Codes, Codes, Codes], Codes]:
    """Entries of the patterns that are there (class, worker, label), and the class of each unit."""
    marks = np.bincount(code, minlength=1) > 0
    marks[0] = False  # a unit without labels says nothing
    patterns = np.flatnonzero(marks)
    rank = np.full(len(marks), -1, dtype=np.int64)
    rank[patterns] = np.arange(len(patterns))
    digits = patterns[:, None] // (base ** np.arange(width, dtype=np.int64))[None, :] % base
    row, worker = np.nonzero(digits)
    return (row.astype(np.int64), worker.astype(np.int64), digits[row, worker] - 1), rank[code]
