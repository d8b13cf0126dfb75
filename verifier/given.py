"""Files that a person gives to a command: text, tables (CSV), and the numbers in them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from analysis.dialect import encoding_of, separator_of
from analysis.errors import InputError

# What 64 bits hold, and databases with them.
_DIGITS: Final = 18


def text_of(path: Path) -> str:
    """What a file says.

    Raises:
        InputError: it is not there, cannot be read, or is no UTF-8.
    """
    try:
        data = path.read_bytes()
        return data.decode(encoding_of(data)).replace("\r\n", "\n").replace("\r", "\n")
    except FileNotFoundError:
        raise InputError("file not found", where=str(path), remedy="Check the path.") from None
    except OSError as error:
        raise InputError("the file cannot be read", where=str(path), got=error.strerror or "") from None
    except UnicodeDecodeError:
        raise InputError(
            "not UTF-8 text", where=str(path), remedy="Save the file as UTF-8 (in Excel: CSV UTF-8)."
        ) from None


def rows_of(path: Path) -> list[tuple[int, list[str]]]:
    """The rows of a CSV, each with the line that it ends on; semicolons or tabs may part it too.

    Raises:
        InputError: as `text_of`, or it is no CSV.
    """
    text = text_of(path)
    separator = separator_of(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        return [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError("the file is no CSV", where=f"{path}:{reader.line_num}", got=str(error)) from None


def records_of(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The columns of a CSV, and what its rows have under them; rows that hold nothing are left out."""
    (_, columns), *rows = rows_of(path) or [(0, [])]
    return columns, [(line, dict(zip(columns, row, strict=False))) for line, row in rows if row]


def number_of(text: str) -> int | None:
    """The id that a cell holds; None if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None
