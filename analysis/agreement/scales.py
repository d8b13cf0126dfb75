"""Weights of agreement and distances between categories: by place, by number, by set, or given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.agreement.labels import members_of, text_of
from analysis.csv_table import whole_table
from analysis.dialect import dialect_of, numbers
from analysis.engine.counts import Codes, Floats
from analysis.errors import InputError

# MASI: what a shared part is worth when one set holds the other, and when neither does (Passonneau 2006).
_HOLDS: Final = 2 / 3
_SHARES: Final = 1 / 3
_TINY: Final = 1e-12


def linear(places: Floats) -> Floats:
    """Weights 1 - |i - j| / largest."""
    return _closeness(np.abs(places[:, None] - places[None, :]))


def quadratic(places: Floats) -> Floats:
    """Weights 1 - (i - j)^2 / largest."""
    return _closeness((places[:, None] - places[None, :]) ** 2)


def gwet_ordinal(categories: int) -> Floats:
    """Gwet's ordinal weights: 1 - C(|i - j| + 1, 2) / C(q, 2); not Krippendorff's ordinal distance."""
    apart = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))).astype(np.float64)
    return _closeness(apart * (apart + 1) / 2)


def gwet_ratio(numbers: Floats) -> Floats:
    """Gwet's ratio weights: 1 - ((a - b) / (a + b))^2 / largest."""
    return _closeness(ratio_distance(numbers))


def interval_distance(numbers: Floats) -> Floats:
    """(a - b)^2."""
    return np.asarray((numbers[:, None] - numbers[None, :]) ** 2)


def ratio_distance(numbers: Floats) -> Floats:
    """((a - b) / (a + b))^2, 0 where both are 0."""
    total = numbers[:, None] + numbers[None, :]
    return np.asarray(((numbers[:, None] - numbers[None, :]) / np.where(total > 0, total, 1.0)) ** 2)


def jaccard(names: Sequence[str]) -> Floats:
    """1 - shared members / all members of two sets (Jaccard 1908); two empty sets are equal."""
    return 1 - _shared(names)[0]


def masi(names: Sequence[str]) -> Floats:
    """1 - Jaccard's similarity x (1 equal, 2/3 one within the other, 1/3 they meet, 0 they do not)."""
    similar, both, sizes = _shared(names)
    smaller = np.minimum(sizes[:, None], sizes[None, :])
    equal = similar > 1 - _TINY
    worth = np.where(equal, 1.0, np.where(both == smaller, _HOLDS, np.where(both > 0, _SHARES, 0.0)))
    return np.asarray(1 - similar * worth)


def _shared(names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Jaccard's similarity of every two sets, the members they share, and the size of each."""
    sets = [members_of(name) for name in names]
    member = {one: place for place, one in enumerate(sorted(set().union(*sets)))}
    table = np.zeros((len(sets), len(member)))
    for row, one in enumerate(sets):
        table[row, [member[name] for name in one]] = 1
    both, sizes = table @ table.T, table.sum(axis=1)
    either = sizes[:, None] + sizes[None, :] - both
    return np.where(either > 0, both / np.where(either > 0, either, 1.0), 1.0), both, sizes


def _closeness(distance: Floats) -> Floats:
    largest = distance.max(initial=0.0)
    return np.asarray(1 - distance / (largest if largest > 0 else 1.0))


def square(table: pd.DataFrame | Path | str, what: str) -> tuple[tuple[str, ...], Floats]:
    """The names and numbers of a square table whose rows and columns are the same categories.

    Columns are put in the order of the rows, by name.

    Args:
        table: a frame with categories as index and columns, or a CSV with them in first row and column.
        what: what it is, for messages.

    Raises:
        InputError: it is not square, rows and columns differ, or a cell is no number.
    """
    frame = table if isinstance(table, pd.DataFrame) else _csv(Path(table))
    rows = [text_of(name) for name in frame.index]
    columns = [text_of(name) for name in frame.columns]
    if len(rows) != len(columns):
        raise InputError(
            f"{what} is not square", got=f"{len(rows)} rows and {len(columns)} columns", expected="as many"
        )
    if len(set(rows)) < len(rows) or set(rows) != set(columns):
        raise InputError(
            f"{what}: rows and columns are not the same categories",
            got=f"rows {', '.join(rows)}; columns {', '.join(columns)}",
            expected="every category once in each",
        )
    try:
        cells = np.asarray(frame.to_numpy(), dtype=object).astype(np.float64)
    except (TypeError, ValueError):
        cells = np.full((len(rows), len(rows)), np.nan)
    if not np.isfinite(cells).all():
        raise InputError(f"{what}: a cell is no number", where=_where(rows, frame), expected="numbers alone")
    return tuple(rows), cells[:, [columns.index(name) for name in rows]]


def _csv(path: Path) -> pd.DataFrame:
    dialect = dialect_of(path)
    whole = whole_table(path, dialect)
    frame = whole.set_index(whole.columns[0])
    plain = numbers(frame.to_numpy().ravel(), dialect, str(path))
    return pd.DataFrame(np.reshape(plain, frame.shape), index=frame.index, columns=frame.columns)


def _where(rows: Sequence[str], frame: pd.DataFrame) -> str:
    for row, values in zip(rows, frame.to_numpy(), strict=True):
        for column, value in zip(frame.columns, values, strict=True):
            if not _is_number(value):
                return f"row {row}, column {column}"
    return ""


def _is_number(value: Any) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError):
        return False


def weights_table(table: pd.DataFrame | Path | str, categories: Sequence[str]) -> Floats:
    """Agreement weights for the categories: 1 on the diagonal, between 0 and 1 elsewhere.

    Raises:
        InputError: they are not, or categories are missing.
    """
    cells = _for("the table of weights", table, categories)
    if not np.allclose(np.diag(cells), 1.0) or cells.min() < 0 or cells.max() > 1:
        raise InputError(
            "weights of agreement are 1 on the diagonal and between 0 and 1 elsewhere",
            where="weights",
            remedy="For disagreements, which are 0 on the diagonal, give a distance.",
        )
    return cells


def distance_table(table: pd.DataFrame | Path | str, categories: Sequence[str]) -> Floats:
    """Distances between the categories: 0 on the diagonal, symmetric, never negative.

    Raises:
        InputError: they are not, or categories are missing.
    """
    cells = _for("the table of distances", table, categories)
    if np.abs(np.diag(cells)).max() > 0 or cells.min() < 0 or not np.allclose(cells, cells.T):
        raise InputError(
            "distances are 0 on the diagonal, symmetric and never negative",
            where="distance",
            remedy="For weights of agreement, which are 1 on the diagonal, give weights.",
        )
    return cells


def _for(what: str, table: pd.DataFrame | Path | str, categories: Sequence[str]) -> Floats:
    names, cells = square(table, what)
    if missing := [name for name in categories if name not in names]:
        raise InputError(f"{what} lacks categories", got=", ".join(names), expected=", ".join(missing))
    places = [names.index(name) for name in categories]
    return cells[np.ix_(places, places)]


def joint_table(table: pd.DataFrame | Path | str) -> tuple[tuple[str, ...], Codes]:
    """The joint table of two workers: how many units got which pair of categories.

    Raises:
        InputError: it is not square, or a cell is no count.
    """
    names, cells = square(table, "the joint table")
    whole = np.rint(cells)
    if (cells < 0).any() or np.abs(cells - whole).max(initial=0.0) > 0:
        raise InputError("a cell of the joint table is no count", expected="whole numbers, 0 or more")
    return names, whole.astype(np.int64)
