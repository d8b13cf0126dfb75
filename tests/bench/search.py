"""Searching a knowledge base of 100,000 titles, against `like '%...%'` on a plain table."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import corpora
from tests.bench.rows import Row, median, seconds, tail
from verifier.kb.build import build
from verifier.kb.local import LocalKb

SIZE = 100_000
QUERIES = 300


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
        kb.close()
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
