"""Frames that hold exactly what a table of the schema says: its columns, types, nulls and key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd

from analysis.errors import InputError, Problem
from analysis.schema import TABLES, Column, Table
from analysis.values import faults

_DTYPES: Final = {"string": "str", "int": "int64", "float": "float64", "time": "datetime64[us, UTC]"}

# (table, column) -> (table, column): what must be found there.
_REFERENCES: Final = {
    ("source_documents", "source"): ("sources", "source"),
    ("annotations", "source"): ("sources", "source"),
    ("tasks", "segment"): ("segments", "segment"),
    ("displays", "task"): ("tasks", "task"),
    ("credits", "display"): ("displays", "display"),
    ("credits", "annotation"): ("annotations", "annotation"),
    ("judgments", "display"): ("displays", "display"),
    ("judgments", "assignment"): ("assignments", "assignment"),
    ("namings", "display"): ("displays", "display"),
    ("namings", "assignment"): ("assignments", "assignment"),
    ("comments", "display"): ("displays", "display"),
    ("comments", "assignment"): ("assignments", "assignment"),
    ("missing_mentions", "assignment"): ("assignments", "assignment"),
}


def dtype(column: Column) -> str:
    """The pandas type of a column."""
    if column.type == "bool":
        return "boolean" if column.null else "bool"
    if column.type == "int" and column.null:
        return "Int64"
    return _DTYPES[column.type]


def empty(table: Table) -> pd.DataFrame:
    """A frame of the table without rows."""
    return pd.DataFrame({column.name: pd.Series(dtype=dtype(column)) for column in table.columns})


def conform(table: Table, frame: pd.DataFrame, where: str = "") -> pd.DataFrame:
    """The frame with exactly the table's columns and types, sorted by its key.

    Raises:
        InputError: columns are missing, hold the wrong type or nulls, or the key repeats; all are listed.
    """
    where = where or table.name
    problems = [
        Problem("column missing", f"{where}: {name}", expected=", ".join(table.names))
        for name in table.names
        if name not in frame.columns and name not in _later(table)
    ]
    columns: dict[str, pd.Series] = {}
    for column in table.columns:
        if column.name in frame.columns:
            try:
                columns[column.name] = _cast(column, frame[column.name])
            except (ValueError, TypeError, OverflowError) as error:
                fault = Problem(
                    "wrong values", f"{where}: {column.name}", got=str(error)[:120], expected=column.type
                )
                problems.append(fault)
        elif column.name in _later(table):
            nothing = pd.Series([None] * len(frame), index=frame.index, dtype="object")
            columns[column.name] = _cast(column, nothing)
    if problems:
        raise InputError.of(problems)
    out = pd.DataFrame(columns)
    key = list(table.key)
    if _rises(out, key):
        return out.reset_index(drop=True)
    if out.duplicated(key).any():
        first = out.loc[out.duplicated(key), key].iloc[0].to_dict()
        raise InputError("two rows with one key", where=where, got=str(first), expected="one row each")
    return out.sort_values(key, kind="stable", ignore_index=True)


def _rises(frame: pd.DataFrame, key: list[str]) -> bool:
    """Whether rows are in the order of their key, each with its own; it is looked at where keys are ids."""
    if any(frame[name].dtype != np.int64 for name in key):
        return False
    after = np.zeros(max(len(frame) - 1, 0), dtype=bool)
    same = np.ones_like(after)
    for name in key:
        values = frame[name].to_numpy()
        after |= same & (values[1:] > values[:-1])
        same &= values[1:] == values[:-1]
    return bool(after.all())


def _later(table: Table) -> set[str]:
    """Columns that came after the table: what was made before does not have them, and they are empty."""
    return {column.name for column in table.columns if column.null and column.since > table.since}


def conform_all(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Every table of the schema from `tables`; what is not given is empty.

    Raises:
        InputError: a table is unknown or does not conform, or a reference leads nowhere; all are listed.
    """
    problems = [
        Problem("no such table", name, expected=", ".join(TABLES)) for name in tables if name not in TABLES
    ]
    out: dict[str, pd.DataFrame] = {}
    for name, table in TABLES.items():
        try:
            out[name] = conform(table, tables[name]) if name in tables else empty(table)
        except InputError as error:
            problems += error
    if not problems:
        problems = [*dangling(out), *faults(out)]
    if problems:
        raise InputError.of(problems)
    return out


def dangling(tables: Mapping[str, pd.DataFrame]) -> list[Problem]:
    """References that lead nowhere."""
    problems = []
    for (name, column), (other, key) in _REFERENCES.items():
        lost = tables[name].loc[~tables[name][column].isin(tables[other][key]), column]
        if len(lost):
            problems.append(
                Problem(
                    f"{len(lost)} rows name what {other} does not hold",
                    f"{name}: {column}",
                    got=str(lost.iloc[0]),
                )
            )
    documents = pd.MultiIndex.from_frame(tables["documents"][["dataset", "document"]])
    for name in ("source_documents", "annotations", "segments", "missing_mentions"):
        found = pd.MultiIndex.from_frame(tables[name][["dataset", "document"]]).isin(documents)
        if not found.all():
            first = tables[name].loc[~found, ["dataset", "document"]].iloc[0]
            what = f"{(~found).sum()} rows name documents that are not there"
            problems.append(Problem(what, name, got=" / ".join(first)))
    return problems


def _cast(column: Column, values: pd.Series) -> pd.Series:
    null = values.isna()
    if null.any() and not column.null:
        raise ValueError(f"{int(null.sum())} empty values, which are not allowed here")
    kind = pd.api.types.pandas_dtype(dtype(column))
    if column.type == "string":
        if values.dtype == kind:
            return values
        values = values.astype("str").where(~null, np.nan)
    elif column.type == "int" and not pd.api.types.is_integer_dtype(values.dtype):
        values = pd.to_numeric(values)
    elif column.type == "time":
        values = pd.to_datetime(values, utc=True)
    return values.astype(kind)
