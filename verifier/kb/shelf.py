"""The knowledge base as it stands just now: built anew, replaced or taken away while a server runs."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from analysis.errors import StateError
from verifier.kb.local import Candidate, Card, LocalKb


class Shelf:
    """Holds the knowledge base of a server and opens it again when its file has become another.

    Every question looks first whether the file is still the one that was opened, so all threads turn to a new
    one at once. Where there is none, or none that can be read, questions find nothing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.Lock()
        self._mark: tuple[int, ...] | None = None
        self._kb: LocalKb | None = None
        # Others may still be reading from these; they are closed at the end.
        self._past: list[LocalKb] = []

    def kb(self) -> LocalKb | None:
        """The knowledge base; None if there is none now."""
        mark = self._marked()
        if mark != self._mark:
            with self._turn:
                if mark != self._mark:
                    self._open(mark)
        return self._kb

    def card(self, key: str) -> Card | None:
        """What is known of an entity; None if nothing is."""
        kb = self.kb()
        try:
            return kb.card(key) if kb else None
        except sqlite3.Error:
            return None

    def search(self, query: str, limit: int) -> list[Candidate] | None:
        """Entities that a name may mean; None if nothing can be searched."""
        kb = self.kb()
        try:
            return kb.search(query, limit) if kb else None
        except sqlite3.Error:
            return None

    def close(self) -> None:
        """Close what is open."""
        with self._turn:
            for kb in (*self._past, *([self._kb] if self._kb else [])):
                kb.close()
            self._past.clear()
            self._kb = self._mark = None

    def _marked(self) -> tuple[int, ...] | None:
        """What tells the file from any other; None if there is none."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _open(self, mark: tuple[int, ...] | None) -> None:
        if self._kb is not None:
            self._past.append(self._kb)
        try:
            self._kb = LocalKb(self._path) if mark else None
        except (StateError, sqlite3.Error):
            self._kb = None
        self._mark = mark
