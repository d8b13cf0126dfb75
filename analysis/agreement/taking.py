"""Takes a table of labels however it is given: long, a matrix of codes, or the joint table of two workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, overload

import numpy as np
import pandas as pd

from analysis.agreement import scales
from analysis.agreement.classes import Classes, few_patterns
from analysis.agreement.coefficient import Facts
from analysis.agreement.labels import checked, numbers_of, of_matrix, read, text_of
from analysis.errors import InputError

SETS: Final = ("jaccard", "masi")
Table = pd.DataFrame | Path | str
_MATRIX: Final = 2


@dataclass(frozen=True)
class Columns:
    """Names of the columns of a long table, and what the clusters of intervals are."""

    unit: str
    worker: str
    label: str
    cluster: str | np.ndarray[Any, Any] | None

    @property
    def by_workers(self) -> bool:
        """Whether workers are left out one by one."""
        return isinstance(self.cluster, str) and self.cluster in ("worker", self.worker)

    @property
    def column(self) -> str | None:
        """The column of clusters; None where units or workers are the clusters."""
        named = isinstance(self.cluster, str) and self.cluster not in ("unit", self.unit)
        return str(self.cluster) if named and not self.by_workers else None

    @property
    def clustered(self) -> bool:
        """Whether clusters are neither units nor workers."""
        return self.column is not None or isinstance(self.cluster, np.ndarray)


@dataclass(frozen=True)
class Taken:
    """A table of labels, however it was given."""

    classes: Classes
    facts: Facts
    workers: Sequence[str]
    units: Sequence[str] = ()
    notes: tuple[str, ...] = ()


def _matrix(
    labels: np.ndarray[Any, Any], categories: Sequence[object] | None, cluster: np.ndarray[Any, Any] | None
) -> Taken:
    """A matrix of codes; where patterns are few its labels are never listed one by one."""
    if labels.ndim != _MATRIX or categories is None or not np.issubdtype(labels.dtype, np.integer):
        raise InputError(
            "a matrix of labels holds category codes, units x workers, -1 for none",
            remedy="Give whole numbers in two dimensions, and the categories that they stand for.",
        )
    if cluster is not None and (
        cluster.shape != labels.shape[:1] or cluster.dtype.kind not in "iu" or cluster.min() < 0
    ):
        raise InputError("clusters of a matrix are one whole number a unit, 0 or more", where="cluster")
    names = checked(labels, categories)
    workers = [str(place) for place in range(labels.shape[1])]
    facts = Facts(names, True, numbers_of(names), len(workers))
    few = few_patterns(len(names), len(workers))
    codes = None if cluster is None else cluster.astype(np.int64)
    classes = (
        Classes.of_matrix(labels, len(names), codes)
        if few
        else Classes.of(replace(of_matrix(labels, categories), cluster=codes))
    )
    return Taken(classes, facts, workers, _Numbered(len(labels)))


class _Numbered(Sequence[str]):
    """Names of units that have none but their number."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        """The name."""
        found = range(self._size)[place]
        return list(map(str, found)) if isinstance(found, range) else str(found)


def _long(
    labels: pd.DataFrame | None,
    columns: Columns,
    categories: Sequence[object] | None,
    repeats: str,
    *,
    sets: bool,
) -> Taken:
    """A long table."""
    if labels is None:
        raise InputError("no labels", expected="a table of labels, or a joint table")
    found = read(
        labels,
        unit=columns.unit,
        worker=columns.worker,
        label=columns.label,
        categories=categories,
        repeats=repeats,
        cluster=columns.column,
        sets=sets,
    )
    facts = Facts(found.categories, found.declared, found.numbers, len(found.workers), sets=sets)
    return Taken(Classes.of(found), facts, found.workers, found.units, found.notes)


def are_sets(distance: Table | None) -> bool:
    """Whether the distance is one of sets."""
    return isinstance(distance, str) and distance in SETS


def with_tables(facts: Facts, weights: Table | None, distance: Table | None) -> Facts:
    """The facts with the weights and distances that were given."""
    if weights is not None:
        facts = replace(facts, weights=scales.weights_table(weights, facts.names))
    if distance is not None and not are_sets(distance):
        facts = replace(facts, distance=scales.distance_table(distance, facts.names))
    return facts


def _joint(table: Table, categories: Sequence[object] | None) -> Taken:
    """A joint table of two workers; declared categories give the order, and may be more."""
    names, cells = scales.joint_table(table)
    if categories is not None:
        wanted = tuple(text_of(name) for name in categories)
        if strange := [name for name in names if name not in wanted]:
            raise InputError("unknown category", got=", ".join(strange), expected=", ".join(wanted))
        full = np.zeros((len(wanted), len(wanted)), dtype=np.int64)
        places = [wanted.index(name) for name in names]
        full[np.ix_(places, places)] = cells
        names, cells = wanted, full
    if not cells.any():
        raise InputError("the joint table is empty: every cell is 0")
    # A square table names its categories, those never used too, in its order.
    return Taken(Classes.of_joint(cells), Facts(names, True, numbers_of(names), 2), ("rows", "columns"))


def take(
    labels: pd.DataFrame | np.ndarray[Any, Any] | None,
    table: Table | None,
    columns: Columns,
    categories: Sequence[object] | None,
    repeats: str,
    *,
    sets: bool,
) -> Taken:
    """The table.

    Raises:
        InputError: none is given, or two, or it cannot be used.
    """
    if (labels is None) == (table is None):
        raise InputError("give labels or a joint table, one of the two")
    if columns.column is not None and not isinstance(labels, pd.DataFrame):
        raise InputError(
            "there is no column of clusters", where="cluster", got=columns.column, expected="a long table"
        )
    if table is not None:
        return _joint(table, categories)
    if isinstance(labels, np.ndarray):
        return _matrix(labels, categories, None if isinstance(columns.cluster, str) else columns.cluster)
    return _long(labels, columns, categories, repeats, sets=sets)
