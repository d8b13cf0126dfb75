"""A CSV file as text columns, each row with its record: blank rows are left out, short ones are marked."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.csv_lines import cells_of_any_length
from analysis.dialect import HEADER, Dialect
from analysis.engine.counts import Bools, Codes
from analysis.errors import InputError, plain

_TOLD: Final = "sep="


@dataclass(frozen=True)
class CsvTable:
    """What a file holds.

    Attributes:
        frame: its rows that hold anything, all columns text; names without blanks around them, as they stand.
        records: which record below the header each row is, from 0.
        short: whether it has fewer fields than the header; what it lacks is empty.
    """

    frame: pd.DataFrame
    records: Codes
    short: Bools


def read_table(path: Path, dialect: Dialect) -> CsvTable:
    """The table in a file.

    Raises:
        InputError: it cannot be read, or is no table.
    """
    try:
        text = path.read_bytes().decode(dialect.encoding)
        header = _header(text, dialect.separator, str(path))
        odd = _odd(text, dialect.separator)
        if odd:
            frame, sizes = _carefully(text, dialect.separator, str(path))
        else:
            frame = _quickly(path, dialect)
            sizes = _sizes(text, dialect)
    except FileNotFoundError as error:
        raise InputError("no such file", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError(
            "not UTF-8", where=str(path), got=str(error), remedy="Save it as UTF-8 (in Excel: CSV UTF-8)."
        ) from error
    except OSError as error:
        raise InputError("cannot be read", where=str(path), got=str(error)) from error
    except (pd.errors.ParserError, csv.Error) as error:
        raise InputError("not a CSV table", where=str(path), got=str(error).strip()) from error
    frame = frame.set_axis([name.strip() for name in header], axis=1)
    # A row that holds nothing begins with what parts columns, or with a quote.
    may_be = odd or any(f"\n{first}" in text for first in (dialect.separator, '"'))
    kept = ~_blank(frame) if may_be else np.ones(len(frame), dtype=bool)
    return CsvTable(
        frame.loc[kept].reset_index(drop=True), np.flatnonzero(kept), sizes[kept] < len(frame.columns)
    )


def whole_table(path: Path, dialect: Dialect) -> pd.DataFrame:
    """The rows of a file that may have no short ones and no name twice, blanks around cells taken off.

    Raises:
        InputError: it cannot be read, or is no such table.
    """
    table = read_table(path, dialect)
    names = [name for name in table.frame.columns if name]
    if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
        raise InputError("two columns of one name", where=f"{path}:1", got=plain(twice), expected="once")
    if table.short.any():
        line = lines_of(path, dialect)[table.records[table.short][0]]
        expected = f"{len(table.frame.columns)} fields, as in the first line"
        raise InputError("too few fields", where=f"{path}:{line}", expected=expected)
    stripped: pd.DataFrame = table.frame.map(str.strip)
    return stripped


def lines_of(path: Path, dialect: Dialect) -> list[int]:
    """Line number of each record below the header."""
    text = path.read_bytes().decode(dialect.encoding)
    return [line for line, _ in _records(text, dialect.separator)][1:]


def _records(text: str, separator: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """The records from the header on, each with its first line; quoted fields may hold line breaks."""
    with cells_of_any_length():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)
        end, begun = 0, False
        for record in reader:
            begun = begun or len(record) > 1 or bool(record and record[0].strip())
            if record and begun:
                yield end + 1, record
            end = reader.line_num


def _header(text: str, separator: str, where: str) -> list[str]:
    """The names in the first line that is not blank.

    Raises:
        InputError: there is none, or it names no columns but what parts them.
    """
    _, header = next(_records(text[:HEADER], separator), (0, []))
    if not header:
        raise InputError("empty file", where=where, expected="a header line and rows")
    if header[0].lower().startswith(_TOLD):
        raise InputError(
            "the first line says what parts columns, and names none",
            where=f"{where}:1",
            got=separator.join(header),
            expected="the names of the columns",
            remedy="Delete that line; what parts columns is told from their names.",
        )
    return header


def _odd(text: str, separator: str) -> bool:
    """Whether pandas would read it otherwise: it skips blanks that begin a line, errs after a lone CR."""
    blanks = " " if separator == "\t" else " \t"
    return text.count("\r") != text.count("\r\n") or any(
        text.startswith(blank) or f"\n{blank}" in text for blank in blanks
    )


def _quickly(path: Path, dialect: Dialect) -> pd.DataFrame:
    """The rows by pandas, blank lines left out."""
    separator, encoding = dialect
    frame = pd.read_csv(
        path, sep=separator, dtype="str", keep_default_na=False, na_filter=False, encoding=encoding
    )
    if not isinstance(frame.index, pd.RangeIndex):
        raise InputError(
            "rows have more fields than the header", where=f"{path}:1", expected="one name a column"
        )
    return frame


def _carefully(text: str, separator: str, where: str) -> tuple[pd.DataFrame, Codes]:
    """The rows by Python's reader, and their sizes."""
    (_, header), *records = _records(text, separator, strict=True)
    width = len(header)
    if (far := next((line for line, record in records if len(record) > width), None)) is not None:
        raise InputError(
            "a row has more fields than the header", where=f"{where}:{far}", expected="one name a column"
        )
    rows = [record + [""] * (width - len(record)) for _, record in records]
    sizes = np.array([len(record) for _, record in records], dtype=np.int64)
    return pd.DataFrame(rows, columns=range(width), dtype="str"), sizes


def _blank(frame: pd.DataFrame) -> Bools:
    """Rows that hold nothing: spreadsheets leave them behind."""
    blank = np.ones(len(frame), dtype=bool)
    for place in range(len(frame.columns)):
        left = np.flatnonzero(blank)
        blank[left] = (frame.iloc[left, place].str.strip(" \t\r\n") == "").to_numpy()
    return blank


def _sizes(text: str, dialect: Dialect) -> Codes:
    """Number of fields of each record below the header."""
    # Without quotes a field more is a separator more; with them only a reader of CSV can tell.
    if '"' in text:
        records = _records(text, dialect.separator)
        return np.array([len(record) for _, record in records], dtype=np.int64)[1:]
    letters = np.frombuffer(text.replace("\r\n", "\n").encode(), dtype=np.uint8)
    ends = np.append(np.flatnonzero(letters == ord("\n")), len(letters))
    starts = np.append(0, ends[:-1] + 1)
    parts = np.flatnonzero(letters == ord(dialect.separator))
    before, behind = np.searchsorted(parts, starts), np.searchsorted(parts, ends)
    return np.asarray(behind - before + 1, dtype=np.int64)[ends > starts][1:]
