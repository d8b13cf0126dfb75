"""What a live knowledge base has answered: dated, in one file of the study, never replaced."""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

_TABLE: Final = (
    "create table if not exists answer (asked text not null, fetched text not null, said text not null, "
    "primary key (asked, fetched)) without rowid"
)
_PATIENCE: Final = 5.0


@dataclass(frozen=True)
class Answer:
    """One answer, as JSON values, and when it was fetched."""

    said: Any
    fetched: datetime


class Answers:
    """Answers by what was asked; safe to share between threads and processes.

    A later answer to the same question stands beside the earlier one, so the file tells what was shown when.
    Where the file cannot be written, or is none of ours, answers are kept in memory alone.
    """

    def __init__(self, path: Path) -> None:
        self._turn = threading.Lock()
        try:
            self._connection = self._opened(str(path))
        except sqlite3.Error:
            self._connection = self._opened(":memory:")
        weakref.finalize(self, self._connection.close)

    def latest(self, asked: str) -> Answer | None:
        """The last answer to a question; None if it was never answered."""
        try:
            with self._turn:
                row = self._connection.execute(
                    "select said, fetched from answer where asked = ? order by fetched desc limit 1", (asked,)
                ).fetchone()
            return None if row is None else Answer(json.loads(row[0]), datetime.fromisoformat(row[1]))
        except (sqlite3.Error, ValueError):
            return None

    def keep(self, asked: str, said: Any, fetched: datetime) -> None:
        """Put an answer down. What cannot be kept is asked again."""
        self.keep_all({asked: said}, fetched)

    def keep_all(self, answers: Mapping[str, Any], fetched: datetime) -> None:
        """Put down several, by what was asked, at once: the disk is waited for once."""
        if not answers:
            return
        rows = [
            (asked, fetched.isoformat(), json.dumps(said, ensure_ascii=False, sort_keys=True))
            for asked, said in answers.items()
        ]
        with suppress(sqlite3.Error, UnicodeEncodeError), self._turn, self._connection:
            self._connection.executemany("insert or replace into answer values (?, ?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        with self._turn, suppress(sqlite3.Error):
            self._connection.close()

    @staticmethod
    def _opened(address: str) -> sqlite3.Connection:
        connection = sqlite3.connect(address, timeout=_PATIENCE, check_same_thread=False)
        try:
            with connection:
                connection.execute(_TABLE)
        except sqlite3.Error:
            connection.close()
            raise
        return connection
