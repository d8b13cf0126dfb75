"""The state of a local platform: one SQLite file, one writer at a time, a clock that can be put forward."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from analysis.errors import StateError

_COMMON: Final = """
create table if not exists account (
    id integer primary key check (id = 1), balance integer not null, ahead real not null
) strict;
create table if not exists entry (
    number integer primary key, at real not null, kind text not null, subject text not null,
    amount integer not null, fee integer not null
) strict;
"""


class State:
    """An open state file.

    Args:
        path: of the SQLite file, made if it is not there; None: in memory, gone when closed.
        balance: the account's balance in cents, when the file is made.

    Raises:
        StateError: the file cannot be opened, or is no state of this platform.
    """

    tables: ClassVar[str] = ""

    def __init__(self, path: Path | None, balance: int) -> None:
        try:
            self._connection = sqlite3.connect(
                ":memory:" if path is None else path, check_same_thread=False, isolation_level=None
            )
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("pragma journal_mode=WAL")
            self._connection.execute("pragma synchronous=NORMAL")
            self._connection.executescript(_COMMON + self.tables)
            self._connection.execute("insert or ignore into account values (1, ?, 0)", (balance,))
        except sqlite3.Error as error:
            raise StateError(
                "the state file cannot be used", where=str(path), got=str(error), remedy="Name a new file."
            ) from error
        self._lock = threading.RLock()

    @contextmanager
    def change(self) -> Iterator[Self]:
        """One transaction: kept whole, or, if an error leaves it, not at all."""
        with self._lock:
            self._connection.execute("begin immediate")
            try:
                yield self
            except BaseException:
                self._connection.execute("rollback")
                raise
            self._connection.execute("commit")

    @property
    def now(self) -> float:
        """The platform's time in seconds: this machine's, and how far it was put forward."""
        return time.time() + float(self.one("select ahead from account")["ahead"])

    def advance(self, seconds: float) -> None:
        """Put the clock forward."""
        with self.change():
            self.run("update account set ahead = ahead + ?", seconds)

    def run(self, statement: str, *values: Any) -> int:
        """Change something; how many rows were."""
        return self._connection.execute(statement, values).rowcount

    def all(self, statement: str, *values: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self._connection.execute(statement, values).fetchall()

    def first(self, statement: str, *values: Any) -> sqlite3.Row | None:
        """The first row of a query; None if there is none."""
        row: sqlite3.Row | None = self._connection.execute(statement, values).fetchone()
        return row

    def one(self, statement: str, *values: Any) -> sqlite3.Row:
        """The row of a query that always has one."""
        return self.all(statement, *values)[0]

    def pay(self, kind: str, subject: str, amount: int, fee: int) -> None:
        """Take a payment and its fee from the balance, and write the line of the statement."""
        self.run("update account set balance = balance - ?", amount + fee)
        self.run(
            "insert into entry (at, kind, subject, amount, fee) values (?, ?, ?, ?, ?)",
            self.now,
            kind,
            subject,
            amount,
            fee,
        )

    @property
    def held(self) -> int:
        """Cents put aside for work that was asked for and is not decided; a platform says how many."""
        return 0

    @property
    def available(self) -> int:
        """Cents that may be spent: the balance less what is put aside."""
        return int(self.one("select balance from account")["balance"]) - self.held

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def packed(value: Any) -> str:
    """A value as JSON, always the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
