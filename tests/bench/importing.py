"""Importing 100,000 annotations, against reading the same file with json.loads and nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests.bench import corpora
from tests.bench.rows import Row, seconds
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.corpus.reading import read_file
from verifier.study import Study

DOCUMENTS, LINKS = 10_000, 10


def run() -> list[Row]:
    """The rows of this bench."""
    with tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made:
        folder = Path(made) / "study"
        path = corpora.write_corpus(Path(made) / "gt.jsonl", DOCUMENTS, LINKS)
        plain = seconds(lambda: [json.loads(line) for line in path.open(encoding="utf-8")], 3)
        Study.create(folder, "link", name="bench").close()
        with Study.open(folder) as study:
            request = Request((path,), "news", "GT")
            took = seconds(lambda: import_files(study, request, now=clock.now()))
        read = seconds(lambda: read_file(path, format="auto", language="en"))
    what = f"{DOCUMENTS * LINKS:,} annotations in {DOCUMENTS:,} documents"
    return [
        Row(
            f"import {what}, checked and stored",
            took,
            "seconds",
            plain,
            "json.loads of each line, nothing kept",
        ),
        Row(
            "the reading and checking of it", read, "seconds", plain, "json.loads of each line, nothing kept"
        ),
    ]
