"""Labels as codes: who gave which unit which label, read from a long table under named rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools, Codes, Floats
from analysis.errors import InputError, Problem, plain

Repeats = Literal["error", "first", "last"]
REPEATS: Final[tuple[str, ...]] = get_args(Repeats)
SEPARATOR: Final = "|"
_SHOWN: Final = 5


@dataclass(frozen=True)
class Labels:
    """One entry a label, sorted by unit, then worker; nobody labels a unit twice.

    Attributes:
        unit: unit codes.
        worker: worker codes.
        label: category codes.
        units: names, ascending.
        workers: names, ascending.
        categories: names, in the order that was declared, else those seen, ascending.
        declared: the set and the order of categories were given; they are never inferred.
        numbers: the categories as numbers; None where one is no number.
        cluster: cluster of each unit; None: units are by themselves.
        notes: what was done to the table on the way, in words.
    """

    unit: Codes
    worker: Codes
    label: Codes
    units: tuple[str, ...]
    workers: tuple[str, ...]
    categories: tuple[str, ...]
    declared: bool
    numbers: Floats | None
    cluster: Codes | None = None
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        """Number of labels."""
        return len(self.unit)


def read(
    table: pd.DataFrame,
    *,
    unit: str,
    worker: str,
    label: str,
    categories: Sequence[object] | None = None,
    repeats: str = "error",
    cluster: str | None = None,
    sets: bool = False,
) -> Labels:
    """The labels of a long table, one row a label.

    Args:
        table: any frame.
        unit: the column that names the unit.
        worker: the column that names the worker.
        label: the column of labels; an empty one is no label (with `sets`: the empty set, which is one).
        categories: every category, in order (with `sets`: every member a set may have); None: not declared.
        repeats: what becomes of a second label by one worker for one unit: error, first, last.
        cluster: a column constant within units, whose values are the clusters of intervals.
        sets: labels are sets, as Python collections or written `a|b`.

    Raises:
        InputError: a column is missing, a label is not among the categories, a worker labelled a unit twice
            and no rule was given, a unit lies in two clusters, or nothing is left.
    """
    if repeats not in REPEATS:
        raise InputError("unknown rule", where="repeats", got=plain(repeats), expected=" or ".join(REPEATS))
    columns = [unit, worker, label, *([cluster] if cluster else [])]
    if missing := [name for name in columns if name not in table.columns]:
        raise InputError(
            f"no column {', '.join(map(repr, missing))}",
            got=f"the columns {', '.join(map(str, table.columns))}",
            remedy="Name yours with unit, worker and label.",
        )
    kept, notes = _kept(table[columns], unit, worker, label, sets=sets)
    units, unit_names = _coded(kept[unit])
    workers, worker_names = _coded(kept[worker])
    given = _factorized(kept[label].map(as_set)) if sets else _texts(kept[label])
    chosen, said = _chosen(units, workers, repeats, unit_names, worker_names)
    notes += said
    label_codes, names = _labels(given, categories, sets=sets)
    return Labels(
        unit=units[chosen],
        worker=workers[chosen],
        label=label_codes[chosen],
        units=unit_names,
        workers=worker_names,
        categories=names,
        declared=categories is not None and not sets,
        numbers=numbers_of(names),
        cluster=_clusters(kept, units, len(unit_names), cluster) if cluster else None,
        notes=tuple(notes),
    )


def of_matrix(matrix: Codes, categories: Sequence[object]) -> Labels:
    """The labels of a matrix of category codes, units x workers; -1 where there is no label.

    Raises:
        InputError: a code is no category's.
    """
    names = checked(matrix, categories)
    units, workers = np.nonzero(matrix >= 0)
    return Labels(
        unit=units.astype(np.int64),
        worker=workers.astype(np.int64),
        label=matrix[units, workers].astype(np.int64),
        units=tuple(map(str, range(matrix.shape[0]))),
        workers=tuple(map(str, range(matrix.shape[1]))),
        categories=names,
        declared=True,
        numbers=numbers_of(names),
    )


def checked(matrix: Codes, categories: Sequence[object]) -> tuple[str, ...]:
    """The names of the categories of a matrix of codes.

    Raises:
        InputError: a code is no category's, or there is no label.
    """
    names = tuple(text_of(name) for name in categories)
    _check_distinct(names)
    low, high = int(matrix.min(initial=0)), int(matrix.max(initial=-1))
    if low < -1 or high >= len(names):
        raise InputError(
            "a code is no category's",
            got=str(low if low < -1 else high),
            expected=f"-1 (no label) to {len(names) - 1}",
        )
    if high < 0:
        raise InputError("there is no label in the table")
    return names


def text_of(value: object) -> str:
    """A label as text: numbers that are whole are written so, whatever type a column gave them."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def as_set(value: object) -> str:
    """A set of labels, from a collection or from `a|b`, as its sorted members between bars."""
    if isinstance(value, Collection) and not isinstance(value, str):
        members = {text_of(member) for member in value}
    elif _empty(value):
        members = set()
    else:
        members = {member.strip() for member in text_of(value).split(SEPARATOR)} - {""}
    return SEPARATOR.join(sorted(members))


def members_of(name: str) -> frozenset[str]:
    """The members of a set that `as_set` wrote."""
    return frozenset(name.split(SEPARATOR)) if name else frozenset()


def _empty(value: Any) -> bool:
    """None, nan and the like, or no text at all."""
    return (
        value is None
        or (isinstance(value, str) and not value)
        or (not isinstance(value, Collection) and bool(pd.isna(value)))
    )


def _factorized(texts: pd.Series) -> tuple[Codes, list[str]]:
    values, names = pd.factorize(texts.to_numpy(dtype=object))
    return values.astype(np.int64), [str(name) for name in names]


def _texts(column: pd.Series) -> tuple[Codes, list[str]]:
    """The labels as codes, and the text of each code."""
    if column.dtype == object or not pd.api.types.is_numeric_dtype(column):
        return _factorized(column.map(text_of))
    values, names = pd.factorize(column)
    return values.astype(np.int64), [text_of(name) for name in names]


def _kept(
    table: pd.DataFrame, unit: str, worker: str, label: str, *, sets: bool
) -> tuple[pd.DataFrame, list[str]]:
    """The rows that say something; rows without unit or worker are refused, without label left out."""
    notes = []
    for name in (unit, worker):
        blank = _blank(table[name])
        if blank.any():
            first = int(np.flatnonzero(blank)[0]) + 1
            raise InputError(f"{int(blank.sum())} rows have no {name}", where=f"row {first}", got="nothing")
    if not sets:
        none = _blank(table[label])
        if none.any():
            notes.append(f"{int(none.sum()):,} rows have no label; they count as labels that were not given")
            table = table.loc[~none]
    if not len(table):
        raise InputError("there is no label in the table")
    return table.reset_index(drop=True), notes


def _blank(column: pd.Series) -> Bools:
    """Where a column says nothing."""
    nothing = column.isna()
    if not pd.api.types.is_numeric_dtype(column):
        nothing |= column.astype(object) == ""
    return np.asarray(nothing, dtype=bool)


def _coded(column: pd.Series) -> tuple[Codes, tuple[str, ...]]:
    """Codes of names in ascending order, which no order of rows changes."""
    values, names = pd.factorize(column)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu":
        sizes = np.argsort(names, kind="stable")
        rank = np.empty(len(sizes), dtype=np.int64)
        rank[sizes] = np.arange(len(sizes))
        return rank[values], tuple(map(str, names[sizes].tolist()))
    texts = [text_of(name) for name in names]
    order = sorted(range(len(texts)), key=lambda place: (_as_number(texts[place]), texts[place]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    ordered = tuple(texts[place] for place in order)
    if len(set(ordered)) < len(ordered):
        raise InputError("two names differ in type alone", where=str(column.name))
    return rank[values], ordered


def _as_number(text: str) -> float:
    """Names that are whole numbers go by their size, all others after them."""
    return float(text) if text.lstrip("-").isdecimal() and text.isascii() else float("inf")


def _chosen(
    unit: Codes, worker: Codes, repeats: str, units: tuple[str, ...], workers: tuple[str, ...]
) -> tuple[Codes, list[str]]:
    """Rows that enter, sorted by unit and worker, under the rule for a second label by one worker."""
    pair = unit * len(workers) + worker
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    if first.all():
        return order, []
    again = int((~first).sum())
    if repeats == "error":
        pairs = np.unique(ordered[~first])
        shown = [divmod(int(one), len(workers)) for one in pairs[:_SHOWN]]
        raise InputError(
            f"{len(pairs):,} pairs of unit and worker have more than one label",
            got=", ".join(f"unit {units[u]} by worker {workers[w]}" for u, w in shown)
            + (", ..." if len(pairs) > _SHOWN else ""),
            expected="one label for each unit by each worker",
            remedy="Say which one counts: repeats first or last.",
        )
    keep = first if repeats == "first" else np.append(first[1:], True)
    note = f"{again:,} labels repeat a worker's label of the same unit; his {repeats} one counts"
    return order[keep], [note]


def _labels(
    texts: tuple[Codes, Sequence[str]], categories: Sequence[object] | None, *, sets: bool
) -> tuple[Codes, tuple[str, ...]]:
    """Category of each label, and the names of all."""
    values, seen = texts
    names = tuple(str(name) for name in seen)
    given = None if categories is None else tuple(text_of(name) for name in categories)
    if given is not None:
        _check_distinct(given)
        members = {member: None for name in names for member in (members_of(name) if sets else (name,))}
        if strange := sorted(set(members) - set(given)):
            raise InputError.of(
                [
                    Problem(
                        "unknown category", got=name, expected=", ".join(given), remedy=_spelling(name, given)
                    )
                    for name in strange[:_SHOWN]
                ]
            )
    if given is not None and not sets:
        place = {name: code for code, name in enumerate(given)}
        return np.array([place[name] for name in names], dtype=np.int64)[values], given
    numbers = numbers_of(names)
    keys = names if numbers is None else numbers.tolist()
    order = sorted(range(len(names)), key=lambda code: keys[code])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[values], tuple(names[code] for code in order)


def _spelling(name: str, given: Sequence[str]) -> str:
    """What to do about a label that differs from a category in capitals or blanks alone."""
    alike = [other for other in given if other.strip().casefold() == name.strip().casefold()]
    return f"Spell both alike: {alike[0]} is a category, and capitals and blanks count." if alike else ""


def numbers_of(names: Sequence[str]) -> Floats | None:
    """The names as numbers, None where one is none (or endless)."""
    try:
        numbers = np.array([float(name) for name in names], dtype=np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _check_distinct(names: Sequence[str]) -> None:
    if not names:
        raise InputError("no categories", where="categories", expected="at least one name")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError("a category is given twice", where="categories", got=", ".join(twice))


def _clusters(table: pd.DataFrame, unit: Codes, units: int, cluster: str) -> Codes:
    """Cluster of each unit."""
    code, _ = _coded(table[cluster])
    found = np.full(units, -1, dtype=np.int64)
    found[unit] = code
    if (found[unit] != code).any():
        raise InputError(
            "a unit lies in two clusters",
            where=cluster,
            expected="one value for all labels of a unit",
            remedy="Cluster by a column that is constant within units.",
        )
    return found
