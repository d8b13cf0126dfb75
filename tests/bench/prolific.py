"""Publishing 2,000 places on the local Prolific, and collecting what was handed in for them."""

from __future__ import annotations

import tempfile
from decimal import Decimal
from pathlib import Path

from tests.bench import corpora
from tests.bench.rows import Row, seconds
from verifier import clock
from verifier.config import BudgetSection, ProlificPlatform, ServerSection
from verifier.crowd import campaigns, collecting, publishing
from verifier.crowd.localprolific import taking
from verifier.crowd.localprolific.server import LocalProlific
from verifier.plan.planning import plan
from verifier.study import Study

PLACES, DOCUMENTS = 2_000, 700
BAR = 60.0


def run() -> list[Row]:
    """The rows of this bench."""
    with (
        tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made,
        LocalProlific(Path(made) / "prolific.db", balance=10_000_000) as platform,
        corpora.study(Path(made) / "study", documents=DOCUMENTS, links=3) as opened,
    ):
        study = _hosted(opened, platform)
        plan(study, now=clock.now())
        published = seconds(lambda: _publish(study))
        state, hosted = platform.service.state, platform.service.statement()["studies"][0]["id"]
        for number in range(PLACES):
            taking.take(state, f"{number:024x}", hosted)
            taking.complete(state, f"{number:024x}", taking.NO_CODE)
        collected = seconds(lambda: _collect(study))
    return [
        Row(f"publish {PLACES:,} places on the local Prolific", published, "seconds", bar=BAR),
        Row(f"collect {PLACES:,} submissions from it", collected, "seconds", bar=BAR),
    ]


def _hosted(study: Study, platform: LocalProlific) -> Study:
    """The study, with one task in a place, for the local Prolific."""
    update = {
        "platform": ProlificPlatform(api_url=platform.endpoint, worker_url=platform.site),
        "server": ServerSection(public_url="http://127.0.0.1:9"),
        "budget": BudgetSection(cap=Decimal(100_000)),
        "place": study.config.place.model_copy(update={"tasks": 1, "controls": 0}),
    }
    return Study(study.path, study.config.model_copy(update=update), study.secrets, study.store)


def _publish(study: Study) -> None:
    account = campaigns.requester(study, "local")
    done = publishing.publish(study, account, "local", places=PLACES, now=clock.now())
    if done != PLACES:
        raise RuntimeError(f"{done} places published")


def _collect(study: Study) -> None:
    account = campaigns.requester(study, "local")
    found = collecting.collect(study, account, "local", now=clock.now(), live=True)
    if sum(found.found.values()) != PLACES:
        raise RuntimeError(f"collected {found.found}")
