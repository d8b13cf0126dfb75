"""Collecting: what the platform says was handed in, against what was handed in here; the platform wins."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from verifier.crowd import campaigns, submission, vault
from verifier.crowd.base import Capability, PlaceGoneError, Requester, Submission
from verifier.crowd.counted_base import is_counted
from verifier.store import hosting, ledger, work

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import AssignmentRow
    from verifier.study import Study

EVENT: Final = "collected"
What = Literal[
    "matched",
    "late",
    "other worker",
    "incomplete",
    "unknown",
    "left",
    "returned",
    "timed out",
    "only here",
    "gone",
]
WORDS: Final[dict[str, str]] = {
    "matched": "handed in on both sides",
    "late": "handed in on the platform alone, complete here: taken in",
    "other worker": "handed in by another worker than the one who came: the platform's stands",
    "incomplete": "handed in on the platform, incomplete here",
    "unknown": "handed in on the platform, never worked on here",
    "left": "ended there by the code of who did not agree, or found nothing left: to be returned",
    "returned": "given back on the platform: it does not count here",
    "timed out": "out of time on the platform; what was complete here is kept",
    "only here": "worked on here, unknown to the platform: a link that somebody made up; it does not count",
    "gone": "deleted on the platform",
}


@dataclass(frozen=True)
class Collected:
    """What collecting came to: places by what they were, and those that were not noted before."""

    found: dict[str, int]
    new: int


def collect(study: Study, requester: Requester, environment: str, *, now: datetime, live: bool) -> Collected:
    """Read every published place, and, if `live`, put on record what was handed in there.

    Args:
        study: published.
        requester: our account.
        environment: where it is published.
        now: the time of the record.
        live: write it down and keep who took part from taking another place.
    """
    if is_counted(study):
        from verifier.crowd import counted_collecting  # noqa: PLC0415 - it builds on this module

        return counted_collecting.collect(study, requester, environment, now=now, live=live)
    campaigns.check(study, environment, Capability.LIST_SUBMISSIONS)
    with study.read() as session:
        rejected, deleted = ledger.rejected_places(session), ledger.deleted_places(session)
        places = [
            (row.id, row.platform_place)
            for row in hosting.places(session, study.config.platform.kind)
            if row.platform_place is not None
            and (row.state != "closed" or row.id in rejected)
            and row.id not in deleted
        ]
        noted = hosting.collected(session, EVENT)
    if live:
        requester.prepare()
    found: Counter[str] = Counter()
    new = 0
    before = {place for place, _ in noted}
    for place, hosted in places:
        for told in _told(requester, hosted):
            if live and told is not None and place not in before:
                requester.took_part(told.participant)
            # What a reading session changes is thrown away.
            with study.write() if live else study.read() as session:
                what = _reconcile(session, study, place, told, now)
                if live and (place, what) not in noted:
                    work.log_event(session, None, EVENT, {"place": place, "what": what}, now)
            found[what] += 1
            new += (place, what) not in noted
    return Collected(dict(found), new)


def _told(requester: Requester, hosted: str) -> list[Submission | None]:
    """What was handed in for a place; None stands for a place that is gone."""
    try:
        return list(requester.submissions(hosted))
    except PlaceGoneError:
        return [None]


def _reconcile(session: Session, study: Study, place: int, told: Submission | None, now: datetime) -> What:
    if told is None:
        deleted = hosting.place(session, place)
        deleted.state = "closed" if deleted.state == "open" else deleted.state
        return "gone"
    person = vault.enter(session, study, study.config.platform.kind, told.participant)
    rows = hosting.assignments_in(session, place)
    mine = [row for row in rows if row.worker_id == person.id]
    other = [row for row in rows if row.platform_assignment == told.platform_assignment and row not in mine]
    row = next(iter([*_best(mine), *_best(other)]), None)
    if row is None:
        _strange(session, place, person.id, told, now)
        return "unknown"
    row.platform_assignment, row.platform_state = told.platform_assignment, told.status
    changed = row.worker_id != person.id
    row.worker_id = person.id
    what: What = "other worker" if changed else "matched"
    if row.state != "submitted":
        blank = ledger.is_blank(session, row.id)
        if blank or work.undecided(session, row.id):
            if row.state != "claimed":
                hosting.place(session, place).state = "submitted"
            _decided(session, row, told, now)
            return "unknown" if blank else "incomplete"
        submission.take_in(session, study, row, now)
        what = "other worker" if changed else "late"
    _decided(session, row, told, now)
    return what


def _strange(session: Session, place: int, worker: int, told: Submission, now: datetime) -> None:
    """Keep what was handed in on the platform alone, so that a person can decide about it."""
    row = hosting.place(session, place)
    hosted, state = told.platform_assignment, told.status
    ledger.add_stranger(session, row, worker, hosted=hosted, platform_state=state, now=now)


def _best(rows: list[AssignmentRow]) -> list[AssignmentRow]:
    """What was handed in first, then what is at work, then what ended; of each the newest."""
    order = {"submitted": 0, "claimed": 1}
    return sorted(rows, key=lambda row: order.get(row.state, 2))


def _decided(session: Session, row: AssignmentRow, told: Submission, now: datetime) -> None:
    """What the platform has decided by itself, or somebody on its site, is what is decided."""
    decision = {"approved": "approve", "rejected": "reject"}.get(told.status)
    if decision is None or (row.decision or "").startswith(decision):
        return
    row.decision, row.decided, row.decision_reason = decision, now, "decided on the platform"
    # What was rejected costs nothing.
    hosting.place(session, row.place_id).state = "closed" if decision == "reject" else "submitted"
