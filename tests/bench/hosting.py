"""Publishing 2,000 places on the local MTurk, and collecting what was handed in for them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench import corpora
from tests.bench.places import BAR, DOCUMENTS, PLACES, collect, hosted, publish
from tests.bench.rows import Row, seconds
from verifier import clock
from verifier.config import MTurkPlatform
from verifier.crowd.localmturk import work
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.plan.planning import plan


def run() -> list[Row]:
    """The rows of this bench."""
    with (
        tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made,
        LocalMTurk(Path(made) / "mturk.db", balance=10_000_000) as platform,
        corpora.study(Path(made) / "study", documents=DOCUMENTS, links=3) as opened,
    ):
        study = hosted(opened, MTurkPlatform(endpoint_url=platform.endpoint, worker_url=platform.site))
        plan(study, now=clock.now())
        published = seconds(lambda: publish(study))
        for number, hit in enumerate(platform.service.statement()["hits"]):
            assignment = work.accept(platform.service.state, f"A{number}", hit["id"])
            work.submit(platform.service.state, assignment, [("code", "x")])
        collected = seconds(lambda: collect(study))
    return [
        Row(f"publish {PLACES:,} places on the local MTurk", published, "seconds", bar=BAR),
        Row(f"collect {PLACES:,} assignments from it", collected, "seconds", bar=BAR),
    ]
