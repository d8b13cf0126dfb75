"""Claims a place for who arrives from a platform, while others may be after the same one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from analysis.errors import StateError
from verifier.crowd.base import Arrival, Arrived
from verifier.plan import draw
from verifier.store import crowd

if TYPE_CHECKING:
    from verifier.study import Study


@dataclass(frozen=True)
class Free:
    """A place that a worker can claim, once the assignment `holder` is let go of, if there is one."""

    place: int
    worker: int
    holder: int | None = None


def claim(study: Study, free: Free, arrival: Arrival, now: datetime) -> Arrived | None:
    """The worker at work in the place; None if, at this moment, it went to somebody else or was handed in."""
    try:
        if free.holder is not None:
            draw.release(study, free.holder, state="returned", now=now)
        claimed = draw.claim(study, place_id=free.place, worker_id=free.worker, now=now)
    except draw.NothingLeft:
        return Arrived(None, "nothing_left")
    except StateError:
        return None
    with study.write() as session:
        row = crowd.assignment(session, claimed)
        row.platform_assignment = arrival.platform_assignment
        return Arrived(row.token, "working")
