"""The local knowledge base: cards and search from one SQLite file, the same on every machine."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from analysis.errors import StateError
from verifier.kb.build import FORMAT
from verifier.kb.names import address_of, fold, similarity, trigrams

_POOL: Final = 200
_FEW: Final = 3
_LETTERS_ASKED: Final = 6
_ALIKE: Final = 0.5
_LONGEST_QUERY: Final = 200


@dataclass(frozen=True)
class Card:
    """What is known of an entity; `fetched` where it was asked for over the network, `image` by name.

    `image_credit` tells who made the image, and under which licence.
    """

    key: str
    title: str
    description: str | None
    extract: str | None
    url: str | None
    image: str | None = None
    fetched: datetime | None = None
    image_credit: str | None = None


@dataclass(frozen=True)
class Candidate:
    """One answer of a search."""

    key: str
    title: str
    description: str | None
    popularity: float
    image: str | None = None
    image_credit: str | None = None


class LocalKb:
    """A knowledge base opened for reading; safe to share between threads, each gets its connection."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise StateError(
                "the knowledge base is not built", where=str(path), remedy="Run: posthoc kb build STUDY FILE"
            )
        self.path = path
        self._own = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self._closed = False
        try:
            (found,) = self._one("select value from fact where name = 'format'") or ("none",)
        except sqlite3.DatabaseError:
            found = "not a knowledge base"
        if found != FORMAT:
            self.close()
            raise StateError(
                "the knowledge base cannot be read by this version",
                where=str(path),
                got=str(found),
                expected=f"format {FORMAT}",
                remedy="Build it again: posthoc kb build STUDY FILE",
            )
        (self.size,) = self._one("select count(*) from entity") or (0,)
        # Those built before cards had images have no column for them.
        columns = {row[1] for row in self._all("pragma table_info(entity)")}
        self._image = "image" if "image" in columns else "null"
        self._credit = "credit" if "credit" in columns else "null"

    def close(self) -> None:
        """Close every thread's connection."""
        with self._guard:
            self._closed = True
            for connection in self._connections:
                with suppress(sqlite3.Error):
                    connection.close()
            self._connections.clear()

    def card(self, key: str, language: str | None = None) -> Card | None:
        """What is known of the entity with this key, in whatever language; None if nothing is."""
        del language
        row = self._one(
            f"select key, title, description, extract, url, {self._image}, {self._credit}"
            " from entity where key = ?",
            (key,),
        )
        if row is None:
            return None
        own, title, description, extract, url, image, credit = row
        return Card(own, title, description, extract, url or address_of(key), image, image_credit=credit)

    def fetch(self, keys: Iterable[str], language: str | None = None) -> None:
        """Nothing: all cards are at hand."""
        del keys, language

    def meant(self, key: str, language: str) -> str | None:
        """The key as it is; None if it is not in the knowledge base."""
        del language
        return key if self.card(key) is not None else None

    def search(self, query: str, limit: int = 10, language: str | None = None) -> list[Candidate]:
        """Entities that `query` may mean, best first.

        Order: the whole name is equal, then all words found (the last one as a beginning), then, when
        those are few, names spelt nearly so; among equals the better known first.

        Args:
            query: what was typed; accents, case and punctuation do not matter.
            limit: the most to return.
            language: makes no difference here; names of all languages are in one index.
        """
        del language
        folded = fold(query[:_LONGEST_QUERY])
        if not folded:
            return []
        found = dict.fromkeys(self._equal(folded))
        found.update(dict.fromkeys(self._by_words(folded)))
        if len(found) < min(_FEW, limit):
            found.update(dict.fromkeys(self._by_letters(folded)))
        return self._candidates(list(found)[:limit])

    def namesakes(self, key: str, limit: int = 10) -> list[str]:
        """Other entities that share a title or an alias with this one, the better known first."""
        rows = self._all(
            "select distinct other.entity from name own join name other on other.folded = own.folded "
            "where own.entity = (select id from entity where key = ?) and other.entity != own.entity "
            "order by other.entity limit ?",
            (key, limit),
        )
        return [candidate.key for candidate in self._candidates([row[0] for row in rows])]

    def named(self, name: str, limit: int = 10) -> list[str]:
        """Entities that go by exactly this name, accents and case aside, the best known first."""
        rows = self._all(
            "select e.key from name n join entity e on e.id = n.entity "
            "where n.folded = ? order by e.id limit ?",
            (fold(name), limit),
        )
        return [row[0] for row in rows]

    def described(self, limit: int) -> list[tuple[str, str]]:
        """Key and description of the best known entities that have one."""
        rows = self._all(
            "select key, description from entity where description != '' order by id limit ?", (limit,)
        )
        return [(row[0], row[1]) for row in rows]

    def random(self, seed: int | str, limit: int = 10) -> list[str]:
        """Distinct entities drawn from a named seed: the same seed, the same entities."""
        wanted, drawn = min(limit, self.size), dict[int, None]()
        turn = 0
        while len(drawn) < wanted:
            digest = hashlib.sha256(f"{seed}/{turn}".encode()).digest()
            drawn[int.from_bytes(digest[:8]) % self.size + 1] = None
            turn += 1
        return [candidate.key for candidate in self._candidates(drawn)]

    def _equal(self, folded: str) -> list[int]:
        rows = self._all(
            "select entity from name where folded = ? order by is_title desc, id limit ?", (folded, _POOL)
        )
        return [row[0] for row in rows]

    def _by_words(self, folded: str) -> list[int]:
        words = folded.split()
        asked = " ".join([*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*'])
        rows = self._all(
            "select n.entity, n.folded from name_words w join name n on n.id = w.rowid "
            "where name_words match ? order by w.rowid limit ?",
            (asked, _POOL),
        )
        # A name that begins as typed reads as a better answer than one with the words inside.
        begins = [row[0] for row in rows if row[1].startswith(folded)]
        return begins + [row[0] for row in rows if not row[1].startswith(folded)]

    def _by_letters(self, folded: str) -> list[int]:
        """Entities with a name spelt nearly so, found through its rarest three-letter stretches."""
        whole = {folded[i : i + 3] for i in range(len(folded) - 2)}
        if not whole:
            return []
        marks = ",".join("?" * len(whole))
        known = self._all(
            f"select term from letter where term in ({marks}) order by doc, term", sorted(whole)
        )
        asked = " OR ".join(f'"{row[0]}"' for row in known[:_LETTERS_ASKED])
        if not asked:
            return []
        rows = self._all(
            "select n.entity, n.folded from name_letters l join name n on n.id = l.rowid "
            "where name_letters match ? order by l.rowid limit ?",
            (asked, 20 * _POOL),
        )
        own = trigrams(folded)
        # To be half alike a name shares a third of these at least: to look for them is quicker than to cut
        # every name up.
        near = (row for row in rows if 3 * sum(part in f" {row[1]} " for part in own) >= len(own))
        scored = ((similarity(own, trigrams(row[1])), row[0]) for row in near)
        alike = sorted(((-score, entity) for score, entity in scored if score >= _ALIKE))
        return [entity for _, entity in alike]

    def _candidates(self, entities: Iterable[int]) -> list[Candidate]:
        wanted = list(entities)
        marks = ",".join("?" * len(wanted))
        rows = self._all(
            f"select id, key, title, description, popularity, {self._image}, {self._credit} from entity "
            f"where id in ({marks})",
            wanted,
        )
        found = {row[0]: Candidate(*row[1:]) for row in rows}
        return [found[entity] for entity in wanted]

    def _one(self, query: str, values: tuple[object, ...] = ()) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._connection().execute(query, values).fetchone()
        return row

    def _all(self, query: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        return self._connection().execute(query, tuple(values)).fetchall()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            address = f"{self.path.resolve().as_uri()}?mode=ro"
            connection = sqlite3.connect(address, uri=True, check_same_thread=False)
            with self._guard:
                if self._closed:
                    connection.close()
                    raise StateError("the knowledge base is closed", where=str(self.path))
                self._connections.append(connection)
            self._own.connection = connection
        return connection
