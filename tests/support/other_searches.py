"""What one would search names with instead: rapidfuzz and difflib over all of them, and FTS5 by itself."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tests.support.searches import LIMIT, Search

Names = Sequence[tuple[str, str]]
_CUTOFF = 0.6


def names_of(table: Path) -> list[tuple[str, str]]:
    """Name and key of all that a table of entities names, titles and aliases, the better known first."""
    found = []
    with table.open(encoding="utf-8") as file:
        next(file)
        for line in file:
            key, title, _, aliases, popularity = line.rstrip("\n").split("\t")
            found += [(-float(popularity), name, key) for name in [title, *filter(None, aliases.split("|"))]]
    return [(name, key) for _, name, key in sorted(found)]


def by_rapidfuzz(names: Names) -> Search | None:
    """Its usual score over all names, folded as it does; None where it is not installed."""
    if find_spec("rapidfuzz") is None:
        return None
    fuzz, process, utils = (import_module(f"rapidfuzz.{one}") for one in ("fuzz", "process", "utils"))
    folded = [utils.default_process(name) for name, _ in names]

    def search(query: str) -> list[str]:
        asked = utils.default_process(query)
        best = process.extract(asked, folded, scorer=fuzz.WRatio, processor=None, limit=3 * LIMIT)
        return _distinct(names[at][1] for _, _, at in best)

    return search


def by_difflib(names: Names) -> Search:
    """The names nearest by its ratio."""
    keys: dict[str, list[str]] = {}
    for name, key in names:
        keys.setdefault(name.lower(), []).append(key)
    every = list(keys)

    def search(query: str) -> list[str]:
        best = difflib.get_close_matches(query.lower(), every, LIMIT, _CUTOFF)
        return _distinct(key for name in best for key in keys[name])

    return search


def by_fts5(names: Names) -> Search:
    """All words, the last one as a beginning, in its own order."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "create virtual table named using fts5 (name, key unindexed, prefix='1 2 3',"
        " tokenize='unicode61 remove_diacritics 2')"
    )
    connection.executemany("insert into named values (?, ?)", names)
    statement = f"select key from named where named match ? order by rank limit {3 * LIMIT}"

    def search(query: str) -> list[str]:
        words = re.findall(r"\w+", query)
        if not words:
            return []
        asked = " ".join(f'"{word}"' for word in words) + "*"
        return _distinct(row[0] for row in connection.execute(statement, (asked,)))

    return search


def _distinct(keys: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(keys))[:LIMIT]


PEERS: dict[str, Callable[[Names], Search | None]] = {
    "rapidfuzz over all names": by_rapidfuzz,
    "FTS5 alone": by_fts5,
    "difflib over all names": by_difflib,
}
