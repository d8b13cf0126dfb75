"""The knowledge base as it stands just now: built anew, replaced or taken away while a server runs."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.errors import StateError
from verifier.kb.images import Images
from verifier.kb.local import Candidate, Card, LocalKb
from verifier.kb.names import title_of

if TYPE_CHECKING:
    from verifier.kb.pictures import Picture
    from verifier.kb.wikipedia import WikipediaKb


class Shelf:
    """Holds the local knowledge base of a server and opens it again when its file has become another.

    Every question looks first whether the file is still the one that was opened, so all threads turn to a new
    one at once. Where there is none, or none that can be read, questions find nothing.
    """

    # Answers come from a file: nobody need be asked ahead of time.
    live: Final = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self.images = Images(path)
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

    def card(self, key: str, language: str | None = None) -> Card | None:
        """What is known of an entity; None if nothing is."""
        del language
        kb = self.kb()
        try:
            return kb.card(key) if kb else None
        except sqlite3.Error:
            return None

    def check(self) -> None:
        """Look whether there is a knowledge base that can be read.

        Raises:
            StateError: there is none.
        """
        LocalKb(self._path).close()

    def at_hand(self, key: str, language: str | None = None) -> Card | None:
        """The same, for an answer that must not wait."""
        return self.card(key, language)

    def candidate(self, key: str, language: str | None = None) -> Candidate:
        """The entity with this key as an answer of a search."""
        card = self.card(key, language)
        if card is None:
            return Candidate(key, title_of(key), None, 0.0)
        return Candidate(key, card.title, card.description, 0.0, card.image, card.image_credit)

    def soon(self, name: str) -> tuple[bool, Picture | None]:
        """Every image is there, or is not: none comes later."""
        del name
        return True, None

    def search(self, query: str, limit: int, language: str | None = None) -> list[Candidate] | None:
        """Entities that a name may mean; None if nothing can be searched."""
        del language
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


class LiveShelf:
    """Holds the live knowledge base of a server; where it does not answer, questions find nothing."""

    live: Final = True

    def __init__(self, kb: WikipediaKb) -> None:
        self._kb = kb
        self.images = kb.images

    def kb(self) -> WikipediaKb:
        """The knowledge base."""
        return self._kb

    def card(self, key: str, language: str | None = None) -> Card | None:
        """What is known of an entity; None if nothing is, or nothing is told."""
        try:
            return self._kb.card(key, language)
        except StateError:
            return None

    def check(self) -> None:
        """Look whether the knowledge base answers.

        Raises:
            StateError: it does not.
        """
        self._kb.check()

    def at_hand(self, key: str, language: str | None = None) -> Card | None:
        """What was told of an entity before."""
        return self._kb.at_hand(key, language)

    def candidate(self, key: str, language: str | None = None) -> Candidate:
        """The entity with this key as an answer of a search."""
        try:
            return self._kb.candidate(key, language)
        except StateError:
            return Candidate(key, title_of(key), None, 0.0)

    def soon(self, name: str) -> tuple[bool, Picture | None]:
        """How it stands with an image of an answer; see `verifier.kb.pictures`."""
        return self._kb.soon(name)

    def search(self, query: str, limit: int, language: str | None = None) -> list[Candidate] | None:
        """Entities that a name may mean; None if nothing can be searched now."""
        try:
            return self._kb.search(query, limit, language)
        except StateError:
            return None

    def close(self) -> None:
        """Close what is open."""
        self._kb.close()
