"""A made-up study on a local platform, its places published and collected, for the benches of both."""

from __future__ import annotations

from decimal import Decimal

from verifier import clock
from verifier.config import BudgetSection, MTurkPlatform, ProlificPlatform, ServerSection
from verifier.crowd import campaigns, collecting, publishing
from verifier.study import Study

PLACES, DOCUMENTS = 2_000, 700
BAR = 60.0


def hosted(study: Study, platform: MTurkPlatform | ProlificPlatform) -> Study:
    """The study, with one task in a place, for a platform."""
    update = {
        "platform": platform,
        "server": ServerSection(public_url="http://127.0.0.1:9"),
        "budget": BudgetSection(cap=Decimal(100_000)),
        "place": study.config.place.model_copy(update={"tasks": 1, "controls": 0}),
    }
    return Study(study.path, study.config.model_copy(update=update), study.secrets, study.store)


def publish(study: Study) -> None:
    """Publish all places."""
    account = campaigns.requester(study, "local")
    done = publishing.publish(study, account, "local", places=PLACES, now=clock.now())
    if done != PLACES:
        raise RuntimeError(f"{done} places published")


def collect(study: Study) -> None:
    """Collect what was handed in for them."""
    account = campaigns.requester(study, "local")
    found = collecting.collect(study, account, "local", now=clock.now(), live=True)
    if sum(found.found.values()) != PLACES:
        raise RuntimeError(f"collected {found.found}")
