"""Arrivals: from an entry link to an assignment, the same one for as long as the same person comes back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from analysis.errors import StateError
from verifier.crowd import hosted, signing, vault
from verifier.crowd.base import Arrived, Capability
from verifier.crowd.platforms import adapter_of
from verifier.plan import draw
from verifier.store import crowd, facts
from verifier.store.forgetting import FORGOTTEN

if TYPE_CHECKING:
    from verifier.crowd.base import Adapter, Arrival
    from verifier.store import Session
    from verifier.study import Study


_TRIES: Final = 5
# A place made for an arrival is claimed at once; one that is open for longer is of an arrival that broke off.
_CLAIMING: Final = timedelta(minutes=1)


def arrive(study: Study, args: Mapping[str, str], now: datetime) -> Arrived:
    """Receive who comes through the entry link.

    A person who has an open assignment gets it back; one who has submitted gets his thanks page; anybody else
    gets a place of his own, made now, if open work needs one more and the budget's cap leaves room for it.

    Raises:
        InputError: the link does not say who comes.
    """
    adapter = adapter_of(study.config)
    arrival = adapter.parse_arrival(args)
    if arrival.preview:
        return Arrived(None, "preview")
    signing.check(study, args, arrival)
    with study.read() as session:
        if facts.get(session, FORGOTTEN):
            # Nobody can be told from anybody any more: the study is over.
            return Arrived(None, "nothing_left")
    draw.expire(study, now)
    if Capability.COUNT in adapter.capabilities:
        from verifier.crowd import counted_arrivals  # noqa: PLC0415 - it calls the platform, others do not

        return counted_arrivals.arrive(study, adapter.name, arrival, now)
    if Capability.PUBLISH in adapter.capabilities:
        return hosted.arrive(study, adapter.name, arrival, now)
    for attempt in range(_TRIES):
        # Who came too late for a place that was given back does not run for the next, but gets a new one.
        arrived = _arrive(study, adapter, arrival, now, new=attempt > 0)
        if arrived is not None:
            return arrived
    return Arrived(None, "nothing_left")


def _arrive(study: Study, adapter: Adapter, arrival: Arrival, now: datetime, *, new: bool) -> Arrived | None:
    """One attempt; None if somebody else took the place in between."""
    wanted = draw.open_places(study) > 0
    with study.write() as session:
        worker = _worker(session, study, adapter, arrival, wanted=wanted)
        if worker is None:
            return Arrived(None, "nothing_left")
        if before := _standing(session, worker):
            return before
        place = _place(session, study, adapter, now, new=new) if wanted else None
    return _claim(study, place, worker, now) if place else Arrived(None, "nothing_left")


def _worker(
    session: Session, study: Study, adapter: Adapter, arrival: Arrival, *, wanted: bool
) -> crowd.Known | None:
    """Who it is; somebody new is not entered when there is nothing to do for him."""
    key = vault.digest(study.secrets.pseudonym, adapter.name, arrival.participant)
    if not wanted and not crowd.is_known(session, adapter.name, key):
        return None
    return vault.enter(session, study, adapter.name, arrival.participant)


def _standing(session: Session, worker: crowd.Known) -> Arrived | None:
    """What the worker already has here: work in hand, work done, or an exclusion."""
    for row in reversed(crowd.assignments_of(session, worker.id)):
        if row.state == "claimed":
            return Arrived(row.token, "working")
        if row.state == "submitted":
            return Arrived(row.token, "already_done")
    return Arrived(None, "excluded") if worker.excluded else None


def _place(
    session: Session, study: Study, adapter: Adapter, now: datetime, *, new: bool
) -> crowd.OpenPlace | None:
    """An open place: one that was given back, else a new one; None if its cost would pass the cap."""
    if not new and (place := crowd.open_place(session, adapter.name, made_before=now - _CLAIMING)):
        return place
    terms = study.config.place
    cost = adapter.cost(terms.pay, terms.currency)
    cap = study.config.budget.cap
    if cap is not None and crowd.committed(session) + cost.total > cap:
        return None
    return crowd.add_place(
        session, adapter.name, reward=cost.reward, fee=cost.fee, currency=cost.currency, now=now
    )


def _claim(study: Study, place: crowd.OpenPlace, worker: crowd.Known, now: datetime) -> Arrived | None:
    try:
        draw.claim(study, place_id=place.id, worker_id=worker.id, now=now)
    except draw.NothingLeft:
        if place.new:
            with study.write() as session:
                crowd.drop_place(session, place.id)
        return Arrived(None, "nothing_left")
    except StateError:
        with study.read() as session:
            if crowd.is_open(session, place.id):
                raise
        # Two arrivals saw the same open place: it is the other's.
        return None
    return _first_claimed(study, worker, now)


def _first_claimed(study: Study, worker: crowd.Known, now: datetime) -> Arrived:
    """The worker's assignment; who claimed twice at one moment (a double click) keeps the first."""
    with study.read() as session:
        held = [row for row in crowd.assignments_of(session, worker.id) if row.state == "claimed"]
    for extra in held[1:]:
        draw.release(study, extra.id, state="returned", now=now)
    return Arrived(held[0].token, "working") if held else Arrived(None, "nothing_left")
