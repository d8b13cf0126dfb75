"""Builds the local knowledge base, one SQLite file, from a table of entities or a dump of Wikidata."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from analysis.errors import InputError, Problem, StateError
from analysis.keys import check_language, normalise
from verifier.kb import index
from verifier.kb.dump import is_dump, read_dump
from verifier.kb.images import Images
from verifier.kb.names import fold, marks, without_qualifier
from verifier.kb.pages import is_pages, read_pages
from verifier.kb.rows import EntityRow, OtherName, Read, read_rows

T = TypeVar("T")

# Entities are numbered by falling popularity: the index answers in that order, so the best known of many
# matches come first without sorting them all.
_TABLES: Final = """
create table fact (name text primary key, value text not null);
create table entity (
    id integer primary key, key text not null unique, title text not null, description text,
    extract text, popularity real not null, url text, image text, credit text
);
create table address (key text not null, entity integer not null, primary key (key, entity)) without rowid;
create table name (
    id integer primary key, entity integer not null references entity (id), name text not null,
    folded text not null, is_title integer not null
);
"""
# What is read is put down first, in the order read: what comes last may be best known, or name the first.
_STAGE: Final = """
create table stage.row (
    line integer not null, key text not null, title text not null, description text, extract text,
    popularity real not null, url text, image blob, credit text, aliases text not null
);
create table stage.alias (key text not null, name text not null);
"""
_PUT_ROW: Final = "insert into stage.row values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# Of several rows with the least number, the line is that row's: so SQLite has it. Two may stand on one line.
_TWICE: Final = (
    "select r.key, r.line, k.line, r.rowid from"
    " (select key, min(rowid) as first, line from stage.row group by key having count(*) > 1) k"
    " join stage.row r on r.key = k.key and r.rowid > k.first order by r.rowid"
)
_MOST_TOLD: Final = 1000
_DRAFTS: Final = ("part", "stage")
_GATHER: Final = """
create table stage.called (key text primary key, names text not null, n integer not null) without rowid;
insert into stage.called select key, json_group_array(name), count(*) from stage.alias group by key;
"""
_ORDERED: Final = (
    "select r.key, r.title, r.description, r.extract, r.popularity + coalesce(c.n, 0) as known, r.url,"
    " r.image, r.credit, r.aliases, c.names from stage.row r left join stage.called c on c.key = r.key"
    " order by known desc, length(r.key), r.key"
)
_QUICK: Final = """
pragma main.journal_mode = off; pragma main.synchronous = off; pragma main.cache_size = -32000;
pragma stage.journal_mode = off; pragma stage.synchronous = off;
"""
_BATCH: Final = 2000


@dataclass(frozen=True)
class BuildReport:
    """What went into a knowledge base.

    Attributes:
        entities, names: how many.
        target: the file.
        repeated: pages of a Wikipedia whose title came again, and were passed over.
    """

    entities: int
    names: int
    target: Path
    repeated: int = 0


def build(source: Path, target: Path, *, language: str = "en") -> BuildReport:
    """Build the knowledge base `target` from a table or a dump, whole or not at all.

    What is read goes straight into a file beside the target, from there in order into the target: neither is
    ever in memory as a whole.

    Args:
        source: tab-separated, see `verifier.kb.rows.read_rows`; or a file whose name ends in .json, .json.gz
            or .json.bz2, see `verifier.kb.dump.read_dump`, or in .xml, .xml.gz or .xml.bz2, see
            `verifier.kb.pages.read_pages`.
        target: the file to write; an older one is replaced once the new one is complete.
        language: of keys that are bare titles; of a dump, of labels, descriptions and articles.

    Raises:
        InputError: the table cannot be used, every bad row is listed; or the language is none.
        StateError: the target cannot be written.
    """
    check_language(language)
    read = read_dump if is_dump(source) else read_pages if is_pages(source) else read_rows
    with _drafts(target) as (part, stage):
        # A page that is moved while Wikipedia writes them out stands there twice; else it is a mistake.
        repeated = _stage(part, stage, read(source, language), source, again=read is read_pages)
        with source.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        facts = {"format": index.FORMAT, "source_sha256": digest, "language": language}
        with _said_of(target):
            entities, names = _write(part, facts, Images(target))
            part.close()
            stage.unlink(missing_ok=True)
            _draft(target, "part").replace(target)
    return BuildReport(entities, names, target, repeated)


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


@contextmanager
def _drafts(target: Path) -> Iterator[tuple[sqlite3.Connection, Path]]:
    """A draft of the target, opened, with a file to put down beside it what is read; both go afterwards."""
    part, stage = (_draft(target, what) for what in _DRAFTS)
    try:
        with _said_of(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            _sweep(target)
            connection = sqlite3.connect(part)
        try:
            with _said_of(target):
                connection.execute("attach ? as stage", (str(stage),))
                connection.executescript(_QUICK)
                connection.executescript(_STAGE)
            yield connection, stage
        finally:
            connection.close()
    finally:
        for path in (part, stage):
            path.unlink(missing_ok=True)


def _sweep(target: Path) -> None:
    """Away with what a killed build has left, which may be large; one that is at work keeps its own."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.*.*"):
        number, _, what = path.name.removeprefix(f".{target.name}.").partition(".")
        # SQLite may have left a journal with it.
        if what.partition("-")[0] in _DRAFTS and number.isdecimal() and not _runs(int(number)):
            path.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """Whether there is another process of this number; it may be anybody's."""
    if process == os.getpid():
        return False
    if os.name == "nt":
        # To ask there would end it.
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _draft(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.{what}")


def _stage(
    connection: sqlite3.Connection, target: Path, read: Iterable[Read], source: Path, *, again: bool
) -> int:
    """Put down what is read, in the order read; how many came `again`, where they may, and are passed over.

    Raises:
        InputError: rows are bad, or name one entity twice; all are listed.
    """
    problems: list[tuple[int, Problem]] = []
    for batch in _batches(read, _BATCH):
        good = [(line, found) for line, found in batch if not isinstance(found, InputError)]
        problems += [(n, one) for n, found in batch if isinstance(found, InputError) for one in found]
        with _said_of(target):
            connection.executemany(
                _PUT_ROW, (_cells(n, one) for n, one in good if isinstance(one, EntityRow))
            )
            connection.executemany(
                "insert into stage.alias values (?, ?)",
                ((one.key, one.name) for _, one in good if isinstance(one, OtherName)),
            )
    with _said_of(target):
        connection.commit()
        twice = connection.execute(_TWICE).fetchall()
        if again:
            connection.executemany("delete from stage.row where rowid = ?", ((row,) for *_, row in twice))
            connection.commit()
    for key, line, first, _ in () if again else twice[:_MOST_TOLD]:
        problem = Problem(f"second row for {key}", f"{source}:{line}", got=f"the first is line {first}")
        problems.append((line, problem))
    if problems:
        raise InputError.of([problem for _, problem in sorted(problems, key=lambda one: one[0])])
    return len(twice)


def _cells(line: int, row: EntityRow) -> tuple[object, ...]:
    told = row.key, row.title, row.description, row.extract, row.popularity, row.url
    image = os.fsencode(row.image) if row.image else None
    # No alias holds NUL.
    return line, *told, image, row.image_credit, "\0".join(row.aliases)


def _batches(found: Iterable[T], size: int) -> Iterator[list[T]]:
    every = iter(found)
    while batch := list(islice(every, size)):
        yield batch


def _write(connection: sqlite3.Connection, facts: dict[str, str], images: Images) -> tuple[int, int]:
    """Turn what was put down into the knowledge base; how many entities and names it has."""
    connection.executescript(_TABLES + index.TABLES)
    connection.executemany("insert into fact values (?, ?)", sorted(facts.items()))
    connection.executescript(_GATHER)
    entities = names = 0
    for batch in _batches(connection.execute(_ORDERED), _BATCH):
        rows, called, worded, at = [], [], [], []
        for *told, image, credit, aliases, others in batch:
            entities += 1
            name = images.keep(Path(os.fsdecode(image)).read_bytes()) if image else None
            rows.append((entities, *told, name, credit))
            at += [(other, entities) for other in _address(*told)]
            led_here = sorted(json.loads(others)) if others else []
            own = list(_names(told[1], [*filter(None, aliases.split("\0")), *led_here]))
            called += [(names + n, entities, *one) for n, one in enumerate(own, start=1)]
            names += len(own)
            worded.append((entities, index.words_of((one[1] for one in own), told[2])))
        connection.executemany("insert into entity values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("insert into name values (?, ?, ?, ?, ?)", called)
        connection.executemany("insert into address values (?, ?)", at)
        connection.executemany("insert into words (rowid, said) values (?, ?)", worded)
    connection.commit()
    connection.execute("detach stage")
    index.finish(connection)
    connection.commit()
    return entities, names


def _address(key: str, *told: Any) -> Iterator[str]:
    """The key of the article at an entity's address, where that is not the entity's own."""
    url = told[-1]
    if not url or "wiki" not in url:
        return
    try:
        other = normalise(url, "en")
    except InputError:
        return
    if other != key and not other.startswith("id:"):
        yield other


def _names(title: str, aliases: Iterable[str]) -> Iterator[tuple[str, str, bool]]:
    """Every name of an entity, each folded form once, the title first."""
    seen: set[str] = set()
    for name in (title, without_qualifier(title), *aliases):
        folded = fold(name) or marks(name)
        if folded and folded not in seen:
            yield name, folded, not seen
            seen.add(folded)
