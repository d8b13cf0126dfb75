"""Builds the local knowledge base, one SQLite file, from a table of entities or a dump of Wikidata."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis.errors import StateError
from analysis.keys import check_language
from verifier.kb.dump import is_dump, read_dump
from verifier.kb.images import Images
from verifier.kb.names import fold, without_qualifier
from verifier.kb.rows import EntityRow, read_rows

FORMAT: Final = "1"

# Names are numbered by falling popularity: the full-text index answers in that order, so the best known
# of many matches come first without sorting them all.
_TABLES: Final = """
create table fact (name text primary key, value text not null);
create table entity (
    id integer primary key, key text not null unique, title text not null, description text,
    extract text, popularity real not null, url text, image text, credit text
);
create table name (
    id integer primary key, entity integer not null references entity (id), name text not null,
    folded text not null, is_title integer not null
);
create virtual table name_words using fts5 (
    folded, content='name', content_rowid='id', detail=full, prefix='1 2 3',
    tokenize='unicode61 remove_diacritics 2'
);
create virtual table name_letters using fts5 (
    folded, content='name', content_rowid='id', detail=none, tokenize='trigram'
);
create virtual table letter using fts5vocab (name_letters, row);
"""
_INDEXES: Final = """
create index name_folded on name (folded);
create index name_entity on name (entity);
insert into name_words (name_words) values ('rebuild');
insert into name_letters (name_letters) values ('rebuild');
insert into name_words (name_words) values ('optimize');
insert into name_letters (name_letters) values ('optimize');
analyze;
"""


@dataclass(frozen=True)
class BuildReport:
    """What went into a knowledge base."""

    entities: int
    names: int
    target: Path


def build(source: Path, target: Path, *, language: str = "en") -> BuildReport:
    """Build the knowledge base `target` from a table or a dump of Wikidata, whole or not at all.

    Args:
        source: tab-separated, see `verifier.kb.rows.read_rows`; or a file whose name ends in .json, .json.gz
            or .json.bz2, see `verifier.kb.dump.read_dump`.
        target: the file to write; an older one is replaced once the new one is complete.
        language: of keys that are bare titles; of a dump, of labels, descriptions and articles.

    Raises:
        InputError: the table cannot be used, every bad row is listed; or the language is none.
        StateError: the target cannot be written.
    """
    check_language(language)
    read = read_dump if is_dump(source) else read_rows
    rows = sorted(read(source, language), key=lambda row: (-row.popularity, row.key))
    with source.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with _said_of(target):
        names = _replace(target, rows, {"format": FORMAT, "source_sha256": digest, "language": language})
    return BuildReport(len(rows), names, target)


@contextmanager
def _said_of(target: Path) -> Iterator[None]:
    """Say of the knowledge base what the system says of its draft."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        raise StateError(
            "the knowledge base cannot be written",
            where=str(target),
            got=getattr(error, "strerror", None) or str(error),
            remedy="Give yourself the right to write there, or make room.",
        ) from error


def _replace(target: Path, rows: list[EntityRow], facts: dict[str, str]) -> int:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        names = _write(part, rows, facts, Images(target))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return names


def _write(path: Path, rows: list[EntityRow], facts: dict[str, str], images: Images) -> int:
    connection = sqlite3.connect(path)
    try:
        connection.executescript("pragma journal_mode = off; pragma synchronous = off;" + _TABLES)
        connection.executemany("insert into fact values (?, ?)", sorted(facts.items()))
        connection.executemany(
            "insert into entity values (?, ?, ?, ?, ?, ?, ?, ?, ?)", _entities(rows, images)
        )
        connection.executemany("insert into name values (?, ?, ?, ?, ?)", _names(rows))
        connection.commit()
        connection.executescript(_INDEXES)
        connection.commit()
        (count,) = connection.execute("select count(*) from name").fetchone()
    finally:
        connection.close()
    return int(count)


def _entities(rows: Iterable[EntityRow], images: Images) -> Iterator[tuple[object, ...]]:
    for number, row in enumerate(rows, start=1):
        image = images.keep(row.image.read_bytes()) if row.image else None
        told = row.key, row.title, row.description, row.extract, row.popularity, row.url
        yield number, *told, image, row.credit


def _names(rows: Iterable[EntityRow]) -> Iterator[tuple[int, int, str, str, bool]]:
    """Every name of every entity, each folded form once, the title first."""
    number = 0
    for entity, row in enumerate(rows, start=1):
        seen: set[str] = set()
        for name in (row.title, without_qualifier(row.title), *row.aliases):
            folded = fold(name)
            if folded and folded not in seen:
                number += 1
                yield number, entity, name, folded, not seen
                seen.add(folded)
