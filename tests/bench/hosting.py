"""Publishing 2,000 places on the local MTurk, and collecting what was handed in for them."""

from __future__ import annotations

import tempfile
from decimal import Decimal
from pathlib import Path

from tests.bench import corpora
from tests.bench.rows import Row, seconds
from verifier import clock
from verifier.config import BudgetSection, MTurkPlatform, ServerSection
from verifier.crowd import campaigns, collecting, publishing
from verifier.crowd.localmturk import work
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.plan.planning import plan
from verifier.study import Study

PLACES, DOCUMENTS = 2_000, 700
BAR = 60.0


def run() -> list[Row]:
    """The rows of this bench."""
    with (
        tempfile.TemporaryDirectory(prefix="posthoc-bench-") as made,
        LocalMTurk(Path(made) / "mturk.db", balance=10_000_000) as platform,
        corpora.study(Path(made) / "study", documents=DOCUMENTS, links=3) as opened,
    ):
        study = _hosted(opened, platform)
        plan(study, now=clock.now())
        published = seconds(lambda: _publish(study))
        for number, hit in enumerate(platform.service.statement()["hits"]):
            assignment = work.accept(platform.service.state, f"A{number}", hit["id"])
            work.submit(platform.service.state, assignment, [("code", "x")])
        collected = seconds(lambda: _collect(study))
    return [
        Row(f"publish {PLACES:,} places on the local MTurk", published, "seconds", bar=BAR),
        Row(f"collect {PLACES:,} assignments from it", collected, "seconds", bar=BAR),
    ]


def _hosted(study: Study, platform: LocalMTurk) -> Study:
    """The study, with one task in a place, for the local MTurk."""
    update = {
        "platform": MTurkPlatform(endpoint_url=platform.endpoint, worker_url=platform.site),
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
