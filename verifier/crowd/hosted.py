"""Arrivals on a platform that hosts the places: the link names the place, and who holds it there."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from verifier.crowd import vault
from verifier.crowd.base import Arrival, Arrived
from verifier.crowd.claiming import Free, claim
from verifier.store import crowd, hosting

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import Place
    from verifier.study import Study

_TRIES: Final = 5


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
        if (arrived := claim(study, found, arrival, now)) is not None:
            return arrived
    return Arrived(None, "nothing_left")


def _look(session: Session, study: Study, platform: str, arrival: Arrival) -> Arrived | Free:
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


def _free(session: Session, place: Place, worker: int) -> Arrived | Free:
    if place.state == "submitted":
        return Arrived(None, "nothing_left")
    holder = hosting.holder(session, place.id)
    return Free(place.id, worker, holder.id if holder else None)
