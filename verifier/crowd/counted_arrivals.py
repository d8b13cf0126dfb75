"""Arrivals where places are a number of one study: the link names the study and the submission there."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from analysis.errors import StateError
from verifier.crowd import campaigns, vault
from verifier.crowd.base import ENVIRONMENT, Arrival, Arrived
from verifier.crowd.claiming import Free, claim
from verifier.crowd.counted_base import CountedRequester
from verifier.crowd.counted_collecting import release_ended
from verifier.crowd.pacing import Pacer
from verifier.store import counted, crowd, facts, hosting

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import AssignmentRow
    from verifier.study import Study

_TRIES: Final = 12
# Among so many free places one is chosen by chance, so that those who come together do not all claim one.
_CHOICE: Final = 100
# How often, at most, the platform is asked who has gone, however many come for whom no place is free.
_PAUSE: Final = 1.0
_asked: Final[dict[Path, float]] = {}


def arrive(study: Study, platform: str, arrival: Arrival, now: datetime) -> Arrived:
    """Receive who comes for a place of the study that the platform has.

    Places are alike, so a worker gets any that is free. If none is, somebody has given his back on the
    platform and not said so here: the platform is asked who. What it says at collection wins in any case.
    """
    for _ in range(_TRIES):
        with study.write() as session:
            found = _look(session, study, platform, arrival)
        if isinstance(found, Arrived):
            return found
        if found is None:
            if not _refreshed(study, arrival.platform_place or "", now):
                return Arrived(None, "nothing_left")
            continue
        if (arrived := claim(study, found, arrival, now)) is not None:
            return arrived
    return Arrived(None, "nothing_left")


def _look(session: Session, study: Study, platform: str, arrival: Arrival) -> Arrived | Free | None:
    """What the worker has here, or a place for him; None if no place is free."""
    hosted, submission = arrival.platform_place or "", arrival.platform_assignment or ""
    if not counted.is_hosted(session, platform, hosted):
        return Arrived(None, "nothing_left")
    worker = vault.enter(session, study, platform, arrival.participant)
    known = counted.by_submission(session, submission)
    if known and known[0].worker_id != worker.id:
        # A submission is one person's: this link was passed on, or made up.
        return Arrived(None, "nothing_left")
    rows = crowd.assignments_of(session, worker.id)
    if (before := _standing(rows, known)) is not None:
        if before.state == "claimed" and not _moved(session, platform, hosted, before):
            return None
        before.platform_assignment = submission
        return Arrived(before.token, "working" if before.state == "claimed" else "already_done")
    done = sum(row.state == "submitted" for row in rows) >= _most(study)
    if done or worker.excluded:
        return Arrived(None, "already_done" if done else "excluded")
    free = counted.free(session, platform, hosted, _CHOICE)
    return Free(secrets.choice(free), worker.id) if free else None


def _standing(rows: Sequence[AssignmentRow], known: Sequence[AssignmentRow]) -> AssignmentRow | None:
    """The assignment that the worker comes back to: of this submission, or one that he is at work in.

    Who is at work and comes with another submission has returned the one and taken another: he goes on.
    """
    if known and known[0].state in ("claimed", "submitted", "no_consent"):
        return known[0]
    return next((row for row in reversed(rows) if row.state == "claimed"), None)


def _moved(session: Session, platform: str, hosted: str, row: AssignmentRow) -> bool:
    """Have a worker's place in the study that he came from; False if none is free there."""
    if hosting.place(session, row.place_id).platform_place == hosted:
        return True
    free = counted.free(session, platform, hosted, 1)
    if free:
        hosting.move(session, row, hosting.place(session, free[0]))
    return bool(free)


def _most(study: Study) -> int:
    """How often one worker may take part."""
    return int(getattr(study.config.platform, "submissions_per_participant", 1))


def _refreshed(study: Study, hosted: str, now: datetime) -> bool:
    """Ask the platform who has gone, and free their places; whether any is free now."""
    last = _asked.get(study.path)
    if last is not None and time.monotonic() - last < _PAUSE:
        return False
    _asked[study.path] = time.monotonic()
    with study.read() as session:
        environment = facts.get(session, ENVIRONMENT)
    try:
        requester = campaigns.requester(study, environment, Pacer(attempts=1))
        release_ended(study, cast("CountedRequester", requester), hosted, now)
    except StateError:
        return False  # whoever came is told that nothing is left now, and may come again
    with study.read() as session:
        return bool(counted.free(session, study.config.platform.kind, hosted, 1))
