"""The state of a local MTurk: one SQLite file, one writer at a time, and a clock that can be put forward."""

from __future__ import annotations

import json
import secrets
import sqlite3
import string
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from analysis.errors import StateError

_LETTERS: Final = string.ascii_uppercase + string.digits
_ID_LENGTH: Final = 30
_TABLES: Final = """
create table if not exists account (
    id integer primary key check (id = 1), balance integer not null, ahead real not null
) strict;
create table if not exists hit_type (
    number integer primary key, id text unique not null, terms text unique not null, reward integer not null
) strict;
create table if not exists hit (
    number integer primary key, id text unique not null, type text not null references hit_type (id),
    created real not null, expires real not null, most integer not null, fee integer not null,
    question text not null, annotation text, reviewing integer not null default 0,
    disposed integer not null default 0, held integer not null default 0, ended integer not null default 0
) strict;
create index if not exists hit_expires on hit (expires) where ended = 0;
create index if not exists hit_held on hit (held) where held > 0;
create table if not exists assignment (
    number integer primary key, id text not null, hit text not null references hit (id), worker text not null,
    status text not null, accepted real not null, deadline real not null, submitted real, automatic real,
    approved real, rejected real, feedback text, answer text
) strict;
create index if not exists assignment_id on assignment (id);
create index if not exists assignment_hit on assignment (hit, status);
create index if not exists assignment_deadline on assignment (deadline) where status = 'Accepted';
create index if not exists assignment_automatic on assignment (automatic) where status = 'Submitted';
create table if not exists bonus (
    number integer primary key, assignment text not null, hit text not null, worker text not null,
    amount integer not null, reason text not null, at real not null
) strict;
create table if not exists entry (
    number integer primary key, at real not null, kind text not null, subject text not null,
    amount integer not null, fee integer not null
) strict;
create table if not exists token (
    operation text not null, token text not null, result text not null, at real not null,
    primary key (operation, token)
) strict;
create table if not exists qualification_type (
    number integer primary key, id text unique not null, created real not null, terms text not null
) strict;
create table if not exists qualification (
    number integer primary key, type text not null, worker text not null, value integer not null,
    at real not null, status text not null, unique (type, worker)
) strict;
create table if not exists worker (id text primary key, profile text not null) strict;
create table if not exists message (
    number integer primary key, worker text not null, subject text not null, text text not null,
    at real not null
) strict;
"""


class State:
    """An open state file.

    Args:
        path: of the SQLite file, made if it is not there; None: in memory, gone when closed.
        balance: the account's balance in cents, when the file is made.

    Raises:
        StateError: the file cannot be opened, or is no state of a local MTurk.
    """

    def __init__(self, path: Path | None, balance: int) -> None:
        try:
            self._connection = sqlite3.connect(
                ":memory:" if path is None else path, check_same_thread=False, isolation_level=None
            )
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("pragma journal_mode=WAL")
            self._connection.execute("pragma synchronous=NORMAL")
            self._connection.executescript(_TABLES)
            self._connection.execute("insert or ignore into account values (1, ?, 0)", (balance,))
        except sqlite3.Error as error:
            raise StateError(
                "the state file cannot be used", where=str(path), got=str(error), remedy="Name a new file."
            ) from error
        self._lock = threading.RLock()

    @contextmanager
    def change(self) -> Iterator[State]:
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
        """Cents put aside for work that was asked for and is not decided."""
        return int(self.one("select coalesce(sum(held), 0) as sum from hit where held > 0")["sum"])

    @property
    def available(self) -> int:
        """Cents that may be spent: the balance less what is put aside."""
        return int(self.one("select balance from account")["balance"]) - self.held

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def identifier(first: str = "3") -> str:
    """A new id in MTurk's form; nobody can guess it."""
    return first + "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH - len(first)))


def packed(value: Any) -> str:
    """A value as JSON, always the same for the same value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
