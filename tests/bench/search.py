"""Searching a knowledge base of 100,000 titles, beside `like '%...%'`, FTS5 alone and rapidfuzz."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import corpora
from tests.bench.rows import Row, median, seconds, tail
from tests.support.other_searches import PEERS, names_of
from tests.support.searched import quality
from tests.support.searches import Query
from verifier.kb.build import build
from verifier.kb.local import LocalKb

SIZE = 100_000
QUERIES = 300
FEW = 12


def run() -> list[Row]:
    """The rows of this bench."""
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made:
        folder = Path(made)
        titles = corpora.write_titles(folder / "kb.tsv", SIZE)
        built = seconds(lambda: build(folder / "kb.tsv", folder / "kb.db"))
        rows = [Row(f"build a knowledge base of {SIZE:,} titles", built, "seconds")]
        kb, plain = LocalKb(folder / "kb.db"), _plain(folder / "kb.db")
        for name, asked in _queries(titles).items():
            ours, theirs = _took(kb.search, asked), _took(plain, asked[:20])
            peer = {
                "peer": median(theirs),
                "beside": "select ... where title like '%...%' order by popularity",
            }
            rows.append(Row(f"search, {name}: median", median(ours), "ms", **peer))
            rows.append(Row(f"search, {name}: p99", tail(ours, 99), "ms"))
        rows += _missed(folder, kb, titles)
        kb.close()
    return rows


def _missed(folder: Path, kb: LocalKb, titles: list[str]) -> list[Row]:
    """How many of a hundred misspelt titles are not first, and what a search of them takes, beside others."""
    names = [(name, f"wd:{key}") for name, key in names_of(folder / "kb.tsv")]
    asked = [
        Query(text, f"wd:Q{number + 1}")
        for number in range(0, SIZE, SIZE // FEW)
        if len(name := titles[number]) > len("name")
        for text in (name[:2] + name[3] + name[2] + name[4:], name[1:], name[:4] + name[5:])
    ]
    took: list[float] = []
    ours = quality(lambda query: [one.key for one in kb.search(query)], asked, took)
    rows = []
    for name, make in PEERS.items():
        if name.startswith("difflib") or (search := make(names)) is None:
            continue
        theirs_took: list[float] = []
        theirs = quality(search, asked, theirs_took)
        missed = [100 * (1 - one.first / one.n) for one in (ours, theirs)]
        rows += [
            Row("misspelt titles that are not found first", missed[0], "in 100", missed[1], name),
            Row("search, misspelt: processor time, median", median(took), "ms", median(theirs_took), name),
        ]
    return rows


def _queries(titles: list[str]) -> dict[str, list[str]]:
    chosen = titles[:: SIZE // QUERIES]
    return {
        "whole titles": chosen,
        "as typed, the first three letters": [title[:3] for title in chosen],
        "as typed, all but the end": [title[: len(title) - 3] for title in chosen],
        "two letters changed places": [title[:2] + title[3] + title[2] + title[4:] for title in chosen],
    }


def _took(search: Callable[[str], object], queries: list[str]) -> list[float]:
    took = []
    for query in queries:
        start = time.perf_counter()
        search(query)
        took.append(1000 * (time.perf_counter() - start))
    return took


def _plain(path: Path) -> Callable[[str], object]:
    connection = sqlite3.connect(path)
    statement = "select key, title from entity where title like ? order by popularity desc limit 10"
    return lambda query: connection.execute(statement, (f"%{query}%",)).fetchall()
