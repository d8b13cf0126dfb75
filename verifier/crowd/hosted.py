"""Arrivals on a platform that hosts the places: the link names the place, and who holds it there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from analysis.errors import StateError
from verifier.crowd import vault
from verifier.crowd.base import Arrival, Arrived
from verifier.plan import draw
from verifier.store import crowd, hosting

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import Place
    from verifier.study import Study

_TRIES: Final = 5


@dataclass(frozen=True)
class _Free:
    """What must be done so that the worker can claim his place: `holder` must be let go of first."""

    place: int
    worker: int
    holder: int | None


def arrive(study: Study, platform: str, arrival: Arrival, now: datetime) -> Arrived:
    """Receive who comes for the place that the platform gave him.

    The platform gives a place to one worker at a time: who comes for one that another holds here has it now,
    the other must have returned it. The ids of an arrival are taken as they come; what the platform says at
    collection wins.
    """
    for _ in range(_TRIES):
        with study.write() as session:
            found = _look(session, study, platform, arrival)
        if isinstance(found, Arrived):
            return found
        try:
            if found.holder is not None:
                draw.release(study, found.holder, state="returned", now=now)
            claimed = draw.claim(study, place_id=found.place, worker_id=found.worker, now=now)
        except draw.NothingLeft:
            return Arrived(None, "nothing_left")
        except StateError:
            # The place was claimed, or the holder handed in, at this moment: look again.
            continue
        with study.write() as session:
            row = crowd.assignment(session, claimed)
            row.platform_assignment = arrival.platform_assignment
            return Arrived(row.token, "working")
    return Arrived(None, "nothing_left")


def _look(session: Session, study: Study, platform: str, arrival: Arrival) -> Arrived | _Free:
    place = hosting.by_platform(session, platform, arrival.platform_place or "")
    if place is None or place.state == "closed":
        return Arrived(None, "nothing_left")
    worker = vault.enter(session, study, platform, arrival.participant)
    for row in reversed(crowd.assignments_of(session, worker.id)):
        here = row.place_id == place.id
        if row.state == "submitted":
            return Arrived(row.token if here else None, "already_done")
        if row.state == "claimed" and (here or place.state == "open"):
            if not here:
                hosting.move(session, row, place)
            row.platform_assignment = arrival.platform_assignment
            return Arrived(row.token, "working")
    if worker.excluded:
        return Arrived(None, "excluded")
    return _free(session, place, worker.id)


def _free(session: Session, place: Place, worker: int) -> Arrived | _Free:
    if place.state == "submitted":
        return Arrived(None, "nothing_left")
    holder = hosting.holder(session, place.id)
    return _Free(place.id, worker, holder.id if holder else None)
