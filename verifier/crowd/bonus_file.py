"""The file that says who gets which bonus and why: read with every fault listed, written as a proposal."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from analysis.errors import InputError, Problem, StateError, plain
from verifier.given import rows_of

COLUMNS: Final = ("assignment", "worker", "amount", "reason")
MOST_LETTERS: Final = 1000
_AMOUNT: Final = re.compile(r"\d{1,7}(\.\d{1,2})?")
_COMMA: Final = re.compile(r"^(\d{1,7}),(\d{1,2})$")
_NUMBER: Final = re.compile(r"[1-9]\d{0,17}")
_OWNER_ALONE: Final = 0o600


@dataclass(frozen=True)
class Asked:
    """One line of the file: for an assignment by its number, or for a worker by his pseudonym.

    Attributes:
        where: file and line.
        assignment: its number; None if the worker is named.
        worker: pseudonym; None if the assignment is named.
        amount: what the worker gets.
        reason: in words; the worker reads it.
    """

    where: str
    assignment: int | None
    worker: str | None
    amount: Decimal
    reason: str

    def stranger(self) -> Problem:
        """That nobody is meant by this line."""
        return Problem(
            "nobody handed in under this name",
            self.where,
            str(self.assignment or self.worker),
            "the number of a submitted assignment, or the pseudonym of its worker",
            "posthoc review STUDY --json lists both.",
        )

    def twice(self) -> Problem:
        """That another line asks for the same."""
        return Problem(
            "the same bonus is asked for twice", self.where, remedy="Give the second another reason."
        )


def read(path: Path) -> list[Asked]:
    """The bonuses of a CSV file with the columns amount, reason, and assignment or worker (or both).

    Raises:
        InputError: the file cannot be read, or lines are wrong; all are listed.
    """
    (_, first), *rows = rows_of(path) or [(0, [])]
    header = [name.strip().lower() for name in first]
    _check_header(path, header)
    found: list[Asked] = []
    problems: list[Problem] = []
    for number, row in rows:
        if any(cell.strip() for cell in row):
            told = {name: cell.strip() for name, cell in zip(header, row, strict=False)}
            item = _line(f"{path}:{number}", told)
            (problems if isinstance(item, Problem) else found).append(item)  # type: ignore[arg-type]  # by kind
    if problems:
        raise InputError.of(problems)
    return found


def write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file that does not exist yet, which its owner alone can read.

    Raises:
        InputError: the file exists.
        StateError: it cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ALONE)
    except FileExistsError:
        raise InputError(
            "the file exists", where=str(path), remedy="Name a new one: it is never overwritten."
        ) from None
    except OSError as error:
        raise StateError("the file cannot be written", where=str(path), got=error.strerror or "") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def _check_header(path: Path, header: Sequence[str]) -> None:
    missing = [name for name in ("amount", "reason") if name not in header]
    if not {"assignment", "worker"} & set(header):
        missing.append("assignment or worker")
    unknown = [name for name in header if name not in COLUMNS]
    if missing or unknown or len(set(header)) != len(header):
        raise InputError(
            "the columns are not those of a bonus file",
            where=f"{path}:1",
            got=", ".join(header)[:200] or "nothing",
            expected="amount, reason, and assignment or worker",
        )


def _line(where: str, told: dict[str, str]) -> Asked | Problem:
    number, worker = told.get("assignment", ""), told.get("worker", "")
    amount, reason = _COMMA.sub(r"\1.\2", told.get("amount", "")), told.get("reason", "")
    if number and not _NUMBER.fullmatch(number):
        return Problem("not the number of an assignment", where, plain(number))
    if not number and not worker:
        return Problem("neither an assignment nor a worker is named", where)
    if not _AMOUNT.fullmatch(amount) or Decimal(amount) <= 0:
        return Problem("not an amount", where, plain(amount), "such as 0.50, more than nothing")
    if not reason or len(reason) > MOST_LETTERS or not reason.isprintable():
        expected = f"1 to {MOST_LETTERS} characters on one line: the worker reads it"
        return Problem("not a reason", where, plain(reason[:40]), expected)
    return Asked(where, int(number) if number else None, worker or None, Decimal(amount), reason)
