"""Planning a study of 100,000 annotations."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench import corpora
from tests.bench.rows import Row, seconds
from verifier import clock
from verifier.plan.planning import plan

DOCUMENTS, LINKS = 3_334, 10


def run() -> list[Row]:
    """The rows of this bench."""
    with (
        tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made,
        corpora.study(Path(made) / "study", documents=DOCUMENTS, links=LINKS) as study,
    ):
        what = f"plan {DOCUMENTS * LINKS * len(corpora.SOURCES):,} annotations of three sources"
        dry = seconds(lambda: plan(study, dry_run=True, now=clock.now()))
        took = seconds(lambda: plan(study, now=clock.now()))
    return [Row(f"{what}, dry run", dry, "seconds"), Row(f"{what}, stored", took, "seconds")]
