"""Writing CSV so that readers get back what was put in: a line feed ends a row, a carriage return is quoted.

Python quotes a cell for the characters that end its rows. Rows are therefore made as if CR and LF ended them,
and end with a line feed in the file. Reading has one thing more to say: how long a cell may be.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    import pandas as pd

_END: Final = "\r\n"


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Within it cells may be as long as texts are; Python's own limit, the whole process's, comes back."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


class _Lines(io.TextIOBase):
    """Takes whole rows, as the csv module writes them, and ends each with a line feed."""

    def __init__(self, file: TextIO) -> None:
        super().__init__()
        self._file = file

    def writable(self) -> bool:
        """It can be."""
        return True

    def write(self, row: str) -> int:
        """Write one row."""
        return self._file.write(row.removesuffix(_END) + "\n")


def line(cells: Iterable[Any]) -> str:
    """One row, with its end."""
    file = io.StringIO()
    write_rows(file, [cells])
    return file.getvalue()


def write_rows(file: TextIO, rows: Iterable[Iterable[Any]]) -> None:
    """Write rows to a file that was opened with `newline=""`."""
    csv.writer(_Lines(file), lineterminator=_END).writerows(rows)


def write_frame(frame: pd.DataFrame, target: Path | TextIO, *, quoting: int = csv.QUOTE_MINIMAL) -> None:
    """Write a frame with its column names and without its index."""
    if isinstance(target, Path):
        with target.open("w", encoding="utf-8", newline="") as file:
            write_frame(frame, file, quoting=quoting)
        return
    frame.to_csv(_Lines(target), index=False, lineterminator=_END, quoting=quoting)  # type: ignore[call-overload]  # any writable will do


def whole(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame, its n written as whole numbers unless weights make some fractional."""
    if "n" not in frame or not (frame["n"].dropna() % 1 == 0).all():
        return frame
    return frame.assign(n=frame["n"].astype("Int64"))


def write_records(file: TextIO, columns: Sequence[str], records: Iterable[dict[str, Any]]) -> None:
    """Write a heading and records by their columns."""
    write_rows(file, [columns])
    write_rows(file, ([record.get(column, "") for column in columns] for record in records))
