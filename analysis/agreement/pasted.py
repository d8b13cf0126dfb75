"""Agreement of a table that was pasted as text: from a CSV, from a spreadsheet, in one of four shapes."""

from __future__ import annotations

from io import StringIO
from typing import Final

import numpy as np
import pandas as pd

from analysis.agreement.found import Agreement
from analysis.agreement.measure import agreement
from analysis.agreement.span_measure import span_agreement
from analysis.agreement.taking import are_sets
from analysis.dialect import Dialect, numbers, separator_of
from analysis.errors import InputError, plain

SHAPES: Final = {
    "labels": "one row a label: unit, worker, label",
    "matrix": "one row a unit: its name, then a column for each worker",
    "joint": "joint table of two workers: categories in the first row and column",
    "spans": "spans: document, worker, start, end, label, perhaps length",
}
_LONG: Final = ("unit", "worker", "label")


def of_text(
    text: str,
    *,
    shape: str = "labels",
    categories: str = "",
    scale: str = "nominal",
    distance: str = "",
    repeats: str = "error",
    level: float = 0.95,
) -> Agreement:
    """Every coefficient of a pasted table, intervals by jackknife.

    Args:
        text: the table; its columns are parted by tabs, semicolons or commas, whichever its first row has.
        shape: one of `SHAPES`.
        categories: every category in order, parted by commas; empty: not declared.
        scale: nominal, ordinal, interval or ratio.
        distance: jaccard or masi for labels that are sets; empty: they are none.
        repeats: what becomes of a worker's second label of a unit: error, first, last.
        level: of the intervals.

    Raises:
        InputError: the text is no such table, or an option has another value.
    """
    if shape not in SHAPES:
        raise InputError("no such shape", where="shape", got=plain(shape), expected=", ".join(SHAPES))
    frame = _read(text)
    dialect = Dialect(separator_of(text.lstrip("\ufeff")))
    if shape == "spans":
        return span_agreement(frame, level=level, replicates=0)
    names = [name.strip() for name in categories.split(",") if name.strip()] or None
    if distance and not are_sets(distance):
        raise InputError("no such distance", where="distance", got=plain(distance), expected="jaccard, masi")
    common = {"categories": names, "scale": scale, "distance": distance or None, "repeats": repeats}
    if shape == "joint":
        return agreement(table=_joint(frame, dialect), level=level, replicates=0, **common)  # type: ignore[arg-type]  # of one name each
    long = _long(frame) if shape == "labels" else _melted(frame)
    if scale in ("interval", "ratio"):
        long["label"] = numbers(long["label"], dialect, "the labels")
    return agreement(long, level=level, replicates=0, **common)  # type: ignore[arg-type]  # the same


def _read(text: str) -> pd.DataFrame:
    lines = text.lstrip("\ufeff").strip("\r\n")
    if not lines.strip():
        raise InputError("the table is empty", expected="a first row with names, then rows")
    first = lines.splitlines()[0]
    separator = separator_of(lines)
    try:
        frame = pd.read_csv(StringIO(lines), sep=separator, dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise InputError("the table cannot be read", got=str(error).strip()) from error
    if not isinstance(frame.index, pd.RangeIndex):
        raise InputError("rows have more cells than the first row has names", got=f"{first!r} first")
    frame.columns = frame.columns.str.strip()
    stripped: pd.DataFrame = frame.map(str.strip)
    return stripped


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns unit, worker, label; of other names, the first three."""
    if set(_LONG) <= set(frame.columns):
        return frame
    if len(frame.columns) < len(_LONG):
        raise InputError(
            "too few columns", got=", ".join(frame.columns), expected="three: unit, worker and label"
        )
    return frame.iloc[:, :3].set_axis(list(_LONG), axis=1)


def _melted(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a label, of a column a worker."""
    if len(frame.columns) < 3:  # noqa: PLR2004 - units and two workers
        raise InputError(
            "too few columns", got=", ".join(frame.columns), expected="units, then a column for each worker"
        )
    table = frame.set_axis(["unit", *frame.columns[1:]], axis=1)
    if (twice := table["unit"][table["unit"].duplicated()]).size:
        raise InputError("a unit has two rows", got=str(twice.iloc[0]), expected="one row a unit")
    return table.melt(id_vars="unit", var_name="worker", value_name="label")


def _joint(frame: pd.DataFrame, dialect: Dialect) -> pd.DataFrame:
    """Counts with names at both sides."""
    counts = frame.set_index(frame.columns[0])
    counts.index.name = None
    plain_cells = numbers(counts.to_numpy().ravel(), dialect, "the table")
    cells = pd.DataFrame(np.reshape(plain_cells, counts.shape), index=counts.index, columns=counts.columns)
    found = cells.apply(pd.to_numeric, errors="coerce")
    if (bad := found.isna().to_numpy()).any():
        row, column = (int(place[0]) for place in bad.nonzero())
        raise InputError(
            "a cell is no number",
            where=f"row {counts.index[row]}, column {counts.columns[column]}",
            got=plain(str(counts.iloc[row, column])),
        )
    return pd.DataFrame(found)
