"""The sums of one metric's counts by every kind of cluster, made once for all datasets and cut by dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from analysis.engine.counts import Bools, Codes, Counts, Floats, Prepared, Sums, distinct

Value = Callable[[Mapping[str, NDArray[Any]]], NDArray[Any]]
ALL_DATASETS: Final = -1
# Differences of sums are off by rounding; a value that near to an edge is at the edge.
_EDGE: Final = 1e-12


def evaluate_at(value: Value, of: Mapping[str, NDArray[Any]]) -> Floats:
    """The formula at sums, nan where undefined; what lies within rounding of 0 or 1 is 0 or 1."""
    with np.errstate(all="ignore"):
        out = np.array(value(of), dtype=float, ndmin=1)
    out[np.abs(out) < _EDGE] = 0.0
    out[np.abs(out - 1.0) < _EDGE] = 1.0
    return out


def without_each(clusters: Sums, total: Sums) -> Sums:
    """The sums of everything but one cluster, for each."""
    return {name: total[name] - values for name, values in clusters.items()}


@dataclass(frozen=True)
class Without:
    """Clusters of one kind, of every dataset or of all together.

    Attributes:
        clusters: their sums.
        left: the sums of their dataset without them.
        dataset: of each, ascending; 0 for all together.
        total: by dataset.
    """

    clusters: Mapping[str, Floats]
    left: Mapping[str, Floats]
    dataset: Codes
    total: Sums


class _Those(Mapping[str, Floats]):
    """The sums of some of the clusters, made when they are asked for: a formula looks at few of many."""

    def __init__(self, sums: Sums, there: Bools | None) -> None:
        self._sums, self._there = sums, there

    def __getitem__(self, name: str) -> Floats:
        values = self._sums[name]
        return values if self._there is None else values[self._there]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sums)

    def __len__(self) -> int:
        return len(self._sums)


class _Left(_Those):
    """What is left of their datasets without each of them, made likewise."""

    def __init__(self, sums: Sums, there: Bools | None, total: Sums, dataset: Codes) -> None:
        super().__init__(sums, there)
        # Datasets ascend: to repeat is quicker than to look up.
        self._total, self._count = total, np.bincount(dataset, minlength=len(next(iter(total.values()))))

    def __getitem__(self, name: str) -> Floats:
        total = self._total[name]
        return (total if len(total) == 1 else np.repeat(total, self._count)) - super().__getitem__(name)


class Tally:
    """Sums over documents, (document, worker) cells, workers, datasets.

    Attributes:
        counts: the rows.
        bounds: (datasets + 1,) the documents of dataset i are bounds[i] to bounds[i + 1] - 1.
        memo: what was computed from it and is wanted again.

    Args:
        counts: the rows.
        bounds: as the attribute.
        weight: of each segment; None: all weigh 1.
        units: segments or units will be asked for. Else the rows of one document and worker are added at
            once: the same sums to the bit, in a fraction of the memory.
    """

    def __init__(
        self,
        counts: Counts,
        bounds: Sequence[int] | Codes,
        weight: Floats | None = None,
        *,
        units: bool = True,
    ) -> None:
        self._few = weight is None and not units
        self.counts = counts.merged() if self._few else counts
        self.bounds = np.asarray(bounds, dtype=np.int64)
        self._weight = weight
        self._units: dict[str, tuple[Sums, Codes]] = {}
        # A cut names its tally: held weakly, both go when nobody uses them, and their memory with them.
        self._cuts: WeakValueDictionary[int, Cut] = WeakValueDictionary()
        self._without: dict[tuple[str, bool], Without] = {}
        self.memo: dict[Any, Any] = {}

    @property
    def datasets(self) -> int:
        """Number of datasets."""
        return len(self.bounds) - 1

    @cached_property
    def _rows(self) -> Counts:
        """The rows that documents and workers are summed from; with weights, their segments are needed."""
        return self.counts if self._few or self._weight is not None else self.counts.merged()

    @cached_property
    def _prepared(self) -> Prepared:
        return Prepared(self._rows, self._weight)

    @cached_property
    def _dataset(self) -> Codes:
        """Dataset of each row."""
        return np.searchsorted(self.bounds, self._rows.document, side="right") - 1

    @cached_property
    def totals(self) -> Sums:
        """By dataset, and last over all: (datasets + 1,)."""
        return self._by_document[1]

    @cached_property
    def documents(self) -> Sums:
        """By document; documents without rows hold 0."""
        return self._by_document[0]

    @cached_property
    def _by_document(self) -> tuple[Sums, Sums]:
        """By document; and by dataset, and last over all."""
        prepared, size = self._prepared, int(self.bounds[-1])
        if self._weight is not None:
            parts = prepared.sums(self._dataset, self.datasets)
            whole = prepared.sums(np.zeros(len(self._rows), dtype=np.int64), 1)
            totals = {name: np.concatenate([parts[name], whole[name]]) for name in parts}
            return prepared.sums(self._rows.document, size), totals
        tables = prepared.tables(self._rows.document, size)
        # Whole numbers are added, so that it is the same in what order.
        added = {
            name: np.stack(
                [
                    *(table[low:high].sum(axis=0) for low, high in pairwise(self.bounds)),
                    table.sum(axis=0),
                ]
            )
            for name, table in tables.items()
        }
        return prepared.divided(tables), prepared.divided(added)

    @cached_property
    def _cells(self) -> tuple[Codes, Codes, Codes]:
        """Cell of each row; document and worker of each cell, in that order."""
        width = int(self._rows.worker.max(initial=-1)) + 2
        pair = self._rows.document * width + self._rows.worker + 1
        pairs, code = distinct(pair, int(self.bounds[-1]) * width)
        return code, pairs // width, pairs % width - 1

    @cached_property
    def cells(self) -> Sums:
        """By (document, worker); rows that are nobody's lie in no cell."""
        code, document, worker = self._cells
        every = self._prepared.sums(code, len(document))
        somebody = worker >= 0
        return every if somebody.all() else {name: values[somebody] for name, values in every.items()}

    @cached_property
    def cell_document(self) -> Codes:
        """Document of each cell, ascending."""
        _, document, worker = self._cells
        return document if (worker >= 0).all() else document[worker >= 0]

    @cached_property
    def cell_worker(self) -> Codes:
        """Worker of each cell."""
        _, _, worker = self._cells
        return worker if (worker >= 0).all() else worker[worker >= 0]

    @cached_property
    def _workers(self) -> Sums:
        """By (dataset, worker + 1), and last by worker + 1 over all: (datasets + 1, workers + 1)."""
        width = int(self._rows.worker.max(initial=-1)) + 2
        worker, prepared = self._rows.worker + 1, self._prepared
        cluster, size = self._dataset * width + worker, self.datasets * width
        if self._weight is not None:
            parts, whole = prepared.sums(cluster, size), prepared.sums(worker, width)
        else:
            tables = prepared.tables(cluster, size)
            parts = prepared.divided(tables)
            whole = prepared.divided(
                {name: table.reshape(self.datasets, width, -1).sum(axis=0) for name, table in tables.items()}
            )
        return {name: np.concatenate([parts[name], whole[name]]).reshape(-1, width) for name in parts}

    def workers(self, dataset: int) -> Sums:
        """By worker, over one dataset or all."""
        return {name: values[dataset, 1:] for name, values in self._workers.items()}

    def _every_worker(self) -> Sums:
        """By (dataset, worker), one after another."""
        return {name: values[:-1, 1:].reshape(-1) for name, values in self._workers.items()}

    def without(self, kind: str, *, whole: bool) -> Without:
        """The clusters of a kind that contribute something, and what is left without each.

        Args:
            kind: of the clusters.
            whole: of all datasets together; else of each dataset by itself, all at once.
        """
        if (kind, whole) not in self._without:
            sums, dataset = self._clusters(kind, whole=whole)
            there: Bools | None = np.zeros(len(dataset), dtype=bool)
            for values in sums.values():
                there |= values != 0
            if there is not None and there.all():
                there = None
            dataset = dataset if there is None else dataset[there]
            total = {name: values[-1:] if whole else values[:-1] for name, values in self.totals.items()}
            left = _Left(sums, there, total, dataset)
            self._without[kind, whole] = Without(_Those(sums, there), left, dataset, total)
        return self._without[kind, whole]

    def forget(self) -> None:
        """Let go of what is large and found again when asked for: cells, and what is left without each."""
        self._without.clear()
        for name in ("_prepared", "_cells", "cells"):
            self.__dict__.pop(name, None)

    def release(self) -> None:
        """Let go of the rows where only sums by document, dataset and all are wanted from now on.

        Units are resampled later: where they can be asked for, rows stay.
        """
        self.forget()
        if not self._few:
            return
        self.documents, self.totals = self.documents, self.totals
        for name in ("_rows", "_dataset", "_workers", "cell_document", "cell_worker"):
            self.__dict__.pop(name, None)
        self.memo.clear()
        # By numbers: a slice would hold on to all that it is cut from.
        self.counts = self.counts.select(np.empty(0, dtype=np.int64))

    def _clusters(self, kind: str, *, whole: bool) -> tuple[Sums, Codes]:
        """The sums of all clusters of a kind, and the dataset of each (0 for all together)."""
        if kind == "worker":
            sums = self.workers(ALL_DATASETS) if whole else self._every_worker()
            size = len(next(iter(sums.values())))
            per = size if whole else size // max(self.datasets, 1)
            return sums, np.arange(size) // max(per, 1)
        if kind == "document":
            sums, document = self.documents, np.arange(int(self.bounds[-1]))
        elif kind == "cell":
            sums, document = self.cells, self.cell_document
        else:
            sums, document = self.units(kind)
        if whole:
            return sums, np.zeros(len(document), dtype=np.int64)
        return sums, np.searchsorted(self.bounds, document, side="right") - 1

    @cached_property
    def _each(self) -> Prepared:
        """Every row by itself, for clusters that are neither documents nor workers."""
        return Prepared(self.counts, self._weight)

    def units(self, kind: str) -> tuple[Sums, Codes]:
        """By segment, or by what the counts are units of; and the document of each cluster, ascending."""
        if kind not in self._units:
            codes = self.counts.unit
            if kind == "segment":
                # Rows in no segment are a cluster with their document.
                codes = np.where(self.counts.segment >= 0, self.counts.segment, -1)
            order = np.lexsort((codes, self.counts.document))
            document, code = self.counts.document[order], codes[order]
            new = np.ones(len(order), dtype=bool)
            new[1:] = (document[1:] != document[:-1]) | (code[1:] != code[:-1])
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.cumsum(new) - 1
            self._units[kind] = self._each.sums(place, int(new.sum())), document[new]
        return self._units[kind]

    @cached_property
    def present(self) -> Codes:
        """How many workers have a row: by dataset, and last over all, (datasets + 1,)."""
        seen = np.zeros((self.datasets + 1, int(self.cell_worker.max(initial=-1)) + 1), dtype=bool)
        seen[np.searchsorted(self.bounds, self.cell_document, side="right") - 1, self.cell_worker] = True
        seen[-1] = seen[:-1].any(axis=0)
        return np.asarray(seen.sum(axis=1), dtype=np.int64)

    def cut(self, dataset: int) -> Cut:
        """The part of one dataset, or all; metrics that are counted alike share it."""
        found = self._cuts.get(dataset)
        if found is None:
            found = self._cuts[dataset] = Cut(self, dataset)
        return found


class MacroTally(Tally):
    """The tally of a formula's mean over the documents that have a value.

    Its quantities are `value`, the sum of documents' values, `documents`, how many have one, and `n`, the
    size of what was averaged. Deleting a worker changes the values of the documents he worked on.

    Args:
        tally: of the formula's quantities.
        value: the formula.
        size: the quantity whose total is n.
        weight: of each document in the mean; None: all weigh 1.
    """

    def __init__(self, tally: Tally, value: Value, size: str, weight: Floats | None = None) -> None:
        self.counts, self.bounds = tally.counts, tally.bounds
        self._inner, self._value, self._size, self._of_documents = tally, value, size, weight
        self._few = tally._few  # noqa: SLF001 - a tally of the same kind
        self._cuts, self._without, self.memo = WeakValueDictionary(), {}, {}

    def _of(self, of: Sums, document: Codes | None = None) -> Sums:
        """The values, and which are defined, of all documents or of those that are named."""
        worth = evaluate_at(self._value, of)
        defined = ~np.isnan(worth)
        values, there = np.where(defined, worth, 0.0), defined.astype(float)
        if self._of_documents is not None:
            weight = self._of_documents if document is None else self._of_documents[document]
            values, there = weight * values, weight * there
        return {"value": values, "documents": there}

    @cached_property
    def documents(self) -> Sums:
        """Each document's value, and whether it has one."""
        return self._of(self._inner.documents) | {"n": self._inner.documents[self._size]}

    @cached_property
    def totals(self) -> Sums:
        """By dataset, and last over all."""
        out = {}
        for name, values in self.documents.items():
            parts = [values[low:high].sum() for low, high in zip(self.bounds, self.bounds[1:], strict=False)]
            out[name] = np.array([*parts, values.sum()])
        return out | {"n": self._inner.totals[self._size]}

    @cached_property
    def cells(self) -> Sums:
        """What each document's value loses when a worker is deleted from it."""
        document = self._inner.cell_document
        with_all = {name: values[document] for name, values in self._inner.documents.items()}
        before = self._of(with_all, document)
        after = self._of(without_each(self._inner.cells, with_all), document)
        return {name: before[name] - after[name] for name in before} | {"n": self._inner.cells[self._size]}

    @cached_property
    def present(self) -> Codes:
        """How many workers have a row: by dataset, and last over all."""
        return self._inner.present

    @cached_property
    def cell_document(self) -> Codes:
        """Document of each cell, ascending."""
        return self._inner.cell_document

    @cached_property
    def cell_worker(self) -> Codes:
        """Worker of each cell."""
        return self._inner.cell_worker

    def workers(self, dataset: int) -> Sums:
        """What all documents' values lose when a worker is deleted."""
        cut = self.cut(dataset)
        worker = self.cell_worker[cut.cell_rows]
        size = int(self.cell_worker.max(initial=-1)) + 1
        out: Sums = {}
        for name, values in self.cells.items():
            out[name] = np.bincount(worker, weights=values[cut.cell_rows], minlength=size).astype(np.float64)
        return out

    def _every_worker(self) -> Sums:
        """What all documents' values lose when a worker is deleted from a dataset."""
        size = int(self.cell_worker.max(initial=-1)) + 1
        dataset = np.searchsorted(self.bounds, self.cell_document, side="right") - 1
        place = dataset * size + self.cell_worker
        return {
            name: np.bincount(place, weights=values, minlength=self.datasets * size).astype(np.float64)
            for name, values in self.cells.items()
        }


@dataclass(frozen=True)
class Cut:
    """One dataset's part of a tally, or all of it (`ALL_DATASETS`)."""

    tally: Tally
    dataset: int

    @property
    def rows(self) -> slice:
        """The documents."""
        bounds = self.tally.bounds
        if self.dataset == ALL_DATASETS:
            return slice(0, int(bounds[-1]))
        return slice(int(bounds[self.dataset]), int(bounds[self.dataset + 1]))

    @cached_property
    def cell_rows(self) -> slice:
        """The cells in those documents."""
        low, high = np.searchsorted(self.tally.cell_document, [self.rows.start, self.rows.stop])
        return slice(int(low), int(high))

    @cached_property
    def total(self) -> Sums:
        """Sums over everything: name -> (1,)."""
        place = self.dataset % (self.tally.datasets + 1)
        return {name: values[place : place + 1] for name, values in self.tally.totals.items()}

    @property
    def n_workers(self) -> int:
        """Number of workers who have a row."""
        return int(self.tally.present[self.dataset])

    def by(self, kind: str) -> Sums:
        """Sums by clusters of a kind; clusters without rows may be among them, with 0."""
        if kind == "document":
            return {name: values[self.rows] for name, values in self.tally.documents.items()}
        if kind == "cell":
            return {name: values[self.cell_rows] for name, values in self.tally.cells.items()}
        if kind == "worker":
            return self.tally.workers(self.dataset)
        sums, document = self.tally.units(kind)
        low, high = np.searchsorted(document, [self.rows.start, self.rows.stop])
        return {name: values[low:high] for name, values in sums.items()}
