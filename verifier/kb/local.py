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
from typing import Any

from analysis.errors import StateError
from verifier.kb.index import FORMAT
from verifier.kb.names import address_of, fold
from verifier.kb.searching import Searching
from verifier.kb.vocabulary import Vocabulary


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
        self._guard = threading.RLock()
        self._closed = False
        self._words: Vocabulary | None = None
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
        """The key by which the knowledge base names the entity; None if it is not there.

        Where that is not the key itself, the entity's row has its address; or it has none at all, and it is
        the only such one with just the title of this article of the data set's language.
        """
        if self._one("select 1 from entity where key = ?", (key,)):
            return key
        rows = self._all(
            "select e.key from address a join entity e on e.id = a.entity where a.key = ? limit 2", (key,)
        )
        if not rows and key.startswith(f"w:{language}:"):
            title = key.removeprefix(f"w:{language}:")
            rows = self._all(
                "select e.key from name n join entity e on e.id = n.entity"
                " where replace(n.folded, ' ', '') = ? and n.name = ? and n.is_title"
                " and e.key not like 'w:%' and coalesce(e.url, '') = '' limit 2",
                (fold(title).replace(" ", ""), title),
            )
        return rows[0][0] if len(rows) == 1 else None

    def without_article(self) -> int:
        """How many items of Wikidata have no address, so that an article leads to them by its title alone."""
        (number,) = self._one(
            "select count(*) from entity where key like 'wd:%' and coalesce(url, '') = ''"
        ) or (0,)
        return int(number)

    def search(self, query: str, limit: int = 10, language: str | None = None) -> list[Candidate]:
        """Entities that `query` may mean, best first.

        See `verifier.kb.searching` for how they are found, and in which order.

        Args:
            query: what was typed; accents, case and punctuation do not matter.
            limit: the most to return.
            language: makes no difference here; names of all languages are in one index.
        """
        del language
        return self._candidates(Searching(self._all, self._vocabulary, query, limit).found())

    def namesakes(self, key: str, limit: int = 10) -> list[str]:
        """Other entities that share a title or an alias with this one, the better known first."""
        rows = self._all(
            "select distinct other.entity from name own join name other "
            "on replace(other.folded, ' ', '') = replace(own.folded, ' ', '') and other.folded = own.folded "
            "where own.entity = (select id from entity where key = ?) and other.entity != own.entity "
            "order by other.entity limit ?",
            (key, limit),
        )
        return [candidate.key for candidate in self._candidates([row[0] for row in rows])]

    def named(self, name: str, limit: int = 10) -> list[str]:
        """Entities that go by exactly this name, accents and case aside, the best known first."""
        rows = self._all(
            "select e.key from name n join entity e on e.id = n.entity "
            "where replace(n.folded, ' ', '') = ? and n.folded = ? order by e.id limit ?",
            (fold(name).replace(" ", ""), fold(name), limit),
        )
        return [row[0] for row in rows]

    def titled(self, title: str, limit: int, language: str | None = None) -> list[str]:
        """Entities with just this title, accents and case aside, the best known first."""
        del language
        rows = self._all(
            "select e.key from name n join entity e on e.id = n.entity"
            " where replace(n.folded, ' ', '') = ? and n.folded = ? and n.is_title order by e.id limit ?",
            (fold(title).replace(" ", ""), fold(title), limit),
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

    def _vocabulary(self) -> Vocabulary:
        """The words of all names, read once they are needed."""
        with self._guard:
            if self._words is None:
                self._words = Vocabulary(self._connection())
            return self._words

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
