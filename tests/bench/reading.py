"""Reading a corpus from other formats, against parsing the same file with a library and keeping nothing."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable
from pathlib import Path

import rdflib
from defusedxml import ElementTree

from tests.bench import corpora
from tests.bench.rows import Row, seconds
from verifier.corpus import read_corpus, writers

DOCUMENTS, LINKS = 500, 10


def run() -> list[Row]:
    """The rows of this bench."""
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made:
        folder = Path(made)
        documents = read_corpus(corpora.write_corpus(folder / "gt.jsonl", DOCUMENTS, LINKS))
        rows = []
        for form, peer, name in PEERS:
            path = folder / form / f"gt{writers.format_of(form).suffix}"
            path.parent.mkdir()
            writers.write(documents, path, form=form, name="gt", language="en")
            plain = seconds(lambda path=path, peer=peer: peer(path), 3)
            took = seconds(lambda path=path, form=form: read_corpus(path, format=form), 3)
            what = f"read and check {form}, {DOCUMENTS * LINKS:,} annotations"
            rows.append(Row(what, took, "seconds", plain, name))
        return rows


def _xml(path: Path) -> object:
    return ElementTree.parse(path)


def _turtle(path: Path) -> object:
    return rdflib.Graph().parse(path, format="turtle")


def _csv(path: Path) -> object:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


PEERS: tuple[tuple[str, Callable[[Path], object], str], ...] = (
    ("nif", _turtle, "rdflib alone"),
    ("wned", _xml, "defusedxml alone, without the texts"),
    ("csv", _csv, "csv alone"),
)
