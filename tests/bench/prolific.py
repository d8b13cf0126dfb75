"""Publishing 2,000 places on the local Prolific, and collecting what was handed in for them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench import corpora
from tests.bench.places import BAR, DOCUMENTS, PLACES, collect, hosted, publish
from tests.bench.rows import Row, seconds
from verifier import clock
from verifier.config import ProlificPlatform
from verifier.crowd.localprolific import taking
from verifier.crowd.localprolific.server import LocalProlific
from verifier.plan.planning import plan


def run() -> list[Row]:
    """The rows of this bench."""
    with (
        tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made,
        LocalProlific(Path(made) / "prolific.db", balance=10_000_000) as platform,
        corpora.study(Path(made) / "study", documents=DOCUMENTS, links=3) as opened,
    ):
        study = hosted(opened, ProlificPlatform(api_url=platform.endpoint, worker_url=platform.site))
        plan(study, now=clock.now())
        published = seconds(lambda: publish(study))
        state, made_there = platform.service.state, platform.service.statement()["studies"][0]["id"]
        for number in range(PLACES):
            taking.take(state, f"{number:024x}", made_there)
            taking.complete(state, f"{number:024x}", taking.NO_CODE)
        collected = seconds(lambda: collect(study))
    return [
        Row(f"publish {PLACES:,} places on the local Prolific", published, "seconds", bar=BAR),
        Row(f"collect {PLACES:,} submissions from it", collected, "seconds", bar=BAR),
    ]
