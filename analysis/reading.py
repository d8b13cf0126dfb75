"""A table being read: its columns under our names, where its rows stand, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.csv_table import CsvTable, lines_of, read_table
from analysis.dialect import Dialect, dialect_of, numbers
from analysis.engine.counts import Codes
from analysis.errors import InputError, Problem, plain
from analysis.own_words import Closed, Words, remedy, translated

# What the only dataset is called where no column names datasets.
ONE_DATASET: Final = "corpus"
_LISTED: Final = 200
# What most tables are about.
JUDGMENTS: Final = "judgments"
_OTHERS: Final = (
    "Columns of other names: --column decision=Verdict. A study folder or a bundle can be"
    " given as well; linkers' output is for posthoc score."
)


@dataclass
class Reading:
    """A table being checked.

    Attributes:
        frame: its text columns.
        path: its file, if it has one.
        dialect: how it was saved.
        records: which record of the file each row is.
        problems: what is wrong so far.
        bad: how many values are.
    """

    frame: pd.DataFrame
    path: Path | None
    dialect: Dialect
    records: Codes
    problems: list[Problem] = field(default_factory=list)
    bad: int = 0

    def refuse(self, rows: pd.Series | np.ndarray, what: str, column: str, expected: str = "") -> None:
        """Note the rows (a mask) as bad; at most `_LISTED` are described."""
        places = np.flatnonzero(np.asarray(rows))
        self.bad += len(places)
        for number in places[: max(0, _LISTED - len(self.problems))]:
            got = plain(str(self.frame[column].iloc[number])) if column in self.frame else ""
            self.problems.append(Problem(what, f"\0{number}", got=f"{column} {got}", expected=expected))

    def refuse_words(self, text: pd.Series, what: str, known: Sequence[str], expected: str) -> None:
        """Note the words of a column that are none of its values: each once, at its first row.

        Args:
            text: the column as it is compared.
            what: what is wrong with one.
            known: its values, an example first.
            expected: the same for people.
        """
        column = str(text.name)
        strange = text[~text.isin(known)]
        rows = strange.value_counts(sort=False)
        places = np.flatnonzero(~text.isin(known).to_numpy())[~strange.duplicated().to_numpy()]
        self.bad += len(places)
        for number in places[: max(0, _LISTED - len(self.problems))]:
            word = text.iloc[number]
            shown = self.frame[column].iloc[number].strip()
            several = f" ({rows[word]:,} rows, this is the first)" if rows[word] > 1 else ""
            got = f"{column} {plain(shown)}{several}"
            advice = remedy(column, shown, known)
            self.problems.append(Problem(what, f"\0{number}", got, expected, advice))

    def numbers(self, name: str) -> pd.Series:
        """A column of numbers as text, as computers write them.

        Raises:
            InputError: what a comma or a point in them means cannot be told.
        """
        text = self.frame[name].str.strip()
        if not self.dialect.decimal_comma:
            return text
        return pd.Series(numbers(text, self.dialect, f"{self.path}: {name}"), index=text.index, dtype="str")

    def finish(self) -> None:
        """Raise what was noted, in the order of the rows, with their place.

        Raises:
            InputError: anything was noted.
        """
        if not self.problems:
            return
        lines = lines_of(self.path, self.dialect) if self.path else None
        self.problems.sort(key=lambda problem: int(problem.where.removeprefix("\0")))
        placed = []
        for problem in self.problems:
            number = int(problem.where.removeprefix("\0"))
            where = f"row {number + 1}" if lines is None else f"{self.path}:{lines[self.records[number]]}"
            placed.append(Problem(problem.what, where, problem.got, problem.expected, problem.remedy))
        if self.bad > len(placed):
            placed.append(Problem(f"and {self.bad - len(placed)} more bad values", str(self.path or "")))
        raise InputError.of(placed)


def open_table(
    source: str | Path | pd.DataFrame,
    required: tuple[str, ...],
    optional: tuple[str, ...],
    columns: Mapping[str, str] | None = None,
    *,
    values: Words | None = None,
    closed: Closed | None = None,
    about: str = JUDGMENTS,
) -> Reading:
    """The columns of a table that are ours, to be checked.

    Args:
        source: path or frame.
        required: names of columns.
        optional: the same.
        columns: our name -> the one that it has there.
        values: column -> a word of the table -> what we call it.
        closed: columns of few values, and these.
        about: what the table holds, for messages.

    Raises:
        InputError: it is no such table.
    """
    path = None if isinstance(source, pd.DataFrame) else Path(source)
    dialect = dialect_of(path) if path else Dialect()
    table = _of_frame(source) if isinstance(source, pd.DataFrame) else read_table(Path(source), dialect)
    where = str(path) if path else "frame"
    _check_separator(table.frame, where)
    frame = _renamed(table.frame, columns or {}, (*required, *optional), where)
    _check_columns(frame, required, optional, where, about)
    if "dataset" not in frame.columns:
        frame = frame.assign(dataset=ONE_DATASET)
    if frame.empty:
        expected = "a row for each shown annotation and worker" if about == JUDGMENTS else ""
        raise InputError("no rows", where=where, expected=expected)
    kept = frame[[name for name in (*required, *optional) if name in frame]]
    if values:
        kept = translated(kept, values, closed or {}, where)
    reading = Reading(kept, path, dialect, table.records)
    reading.refuse(table.short, "too few fields", required[0], f"{len(table.frame.columns)} fields")
    for column in map(str, kept):
        nul = kept[column].str.contains("\0", regex=False)
        reading.refuse(nul, "a NUL character", column, "text")
    return reading


def _check_columns(
    frame: pd.DataFrame, required: tuple[str, ...], optional: tuple[str, ...], where: str, about: str
) -> None:
    """Refuse a table that lacks a column, or has one twice.

    Raises:
        InputError: it does; all are named.
    """
    if not set(required) & set(frame.columns):
        raise InputError(
            f"no CSV of {about}: it has none of the columns",
            where=where,
            got=plain(", ".join(map(str, frame.columns))),
            expected=", ".join(required),
            remedy=_OTHERS if about == JUDGMENTS else "",
        )
    problems = []
    for name in [*required, *optional]:
        count = list(frame.columns).count(name)
        if count == 0 and name in required and name != "dataset":
            got = ", ".join(map(str, frame.columns))[:200]
            problems.append(Problem(f"column {name!r} missing", where, got, ", ".join(required)))
        elif count > 1:
            problems.append(Problem(f"column {name!r} appears {count} times", where, expected="once"))
    if problems:
        raise InputError.of(problems)


def _renamed(
    frame: pd.DataFrame, columns: Mapping[str, str], known: tuple[str, ...], where: str
) -> pd.DataFrame:
    """The frame with our names for columns that have others; one that had our name by chance is left out.

    Else capitals are no other name.

    Raises:
        InputError: a name is none of ours, or none of its columns, or one of them is named twice.
    """
    for ours, theirs in columns.items():
        if ours not in known:
            raise InputError("no such column", where="--column", got=plain(ours), expected=", ".join(known))
        if theirs not in frame.columns:
            raise InputError(
                "--column names a column that is not there",
                where=where,
                got=plain(theirs),
                expected=plain(", ".join(map(str, frame.columns))),
            )
    if len(set(columns.values())) < len(columns):
        named = list(columns.values())
        twice = next(theirs for theirs in named if named.count(theirs) > 1)
        raise InputError("--column names a column twice", where=where, got=plain(twice), expected="once")
    kept = [name not in columns or name in columns.values() for name in frame.columns]
    back = {theirs: ours for ours, theirs in columns.items()}
    frame = frame.loc[:, kept].rename(columns=back)
    there = set(frame.columns)
    return frame.rename(columns={name: name.lower() for name in there if name.lower() in set(known) - there})


def _check_separator(frame: pd.DataFrame, where: str) -> None:
    """One column whose name holds bars: the file is parted by what is no separator here.

    Raises:
        InputError: it seems to be separated by something else.
    """
    if len(frame.columns) == 1 and "|" in str(frame.columns[0]):
        raise InputError(
            "the columns are separated by bars",
            where=where,
            expected="commas, semicolons or tabs",
            remedy="Save it as a comma-separated file (CSV, UTF-8).",
        )


def _of_frame(frame: pd.DataFrame) -> CsvTable:
    """A frame as text columns, none of whose rows are short."""
    return CsvTable(_text(frame), np.arange(len(frame)), np.zeros(len(frame), dtype=bool))


def _text(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as text columns; nulls are the empty string, whole floats are integers."""
    columns = {}
    for name in frame.columns:
        values = frame[name].reset_index(drop=True)
        if pd.api.types.is_float_dtype(values.dtype) and (values.dropna() % 1 == 0).all():
            values = values.astype("Int64")
        columns[str(name)] = values.astype("str").where(values.notna(), "")
    return pd.DataFrame(columns, dtype="str")
