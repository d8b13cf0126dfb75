"""Arrivals: from an entry link to an assignment, the same one for as long as the same person comes back."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from analysis.errors import StateError
from verifier.crowd.platforms import adapter_of
from verifier.plan import chance, draw
from verifier.store import crowd

if TYPE_CHECKING:
    from verifier.crowd.base import Adapter, Arrival
    from verifier.store import Session
    from verifier.study import Study

Outcome = Literal["working", "preview", "nothing_left", "already_done", "excluded"]

_PSEUDONYM_BYTES: Final = 6
_TRIES: Final = 5


@dataclass(frozen=True)
class Arrived:
    """What an arrival came to, and the token of the assignment where there is one."""

    token: str | None
    outcome: Outcome


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
    draw.expire(study, now)
    for _ in range(_TRIES):
        arrived = _arrive(study, adapter, arrival, now)
        if arrived is not None:
            return arrived
    return Arrived(None, "nothing_left")


def _arrive(study: Study, adapter: Adapter, arrival: Arrival, now: datetime) -> Arrived | None:
    """One attempt; None if somebody else took the place in between."""
    wanted = draw.open_places(study) > 0
    with study.write() as session:
        worker = _worker(session, study, adapter, arrival, wanted=wanted)
        if worker is None:
            return Arrived(None, "nothing_left")
        if before := _standing(session, worker):
            return before
        place = _place(session, study, adapter, now) if wanted else None
    return _claim(study, place, worker, now) if place else Arrived(None, "nothing_left")


def digest(secret: str, platform: str, participant: str) -> str:
    """The keyed digest by which a platform's worker is found again: HMAC-SHA256 of platform and id."""
    message = f"{platform}\x1f{participant}".encode()
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _worker(
    session: Session, study: Study, adapter: Adapter, arrival: Arrival, *, wanted: bool
) -> crowd.Known | None:
    """Who it is; somebody new is not entered when there is nothing to do for him."""
    key = digest(study.secrets.pseudonym, adapter.name, arrival.participant)
    if not wanted and not crowd.is_known(session, adapter.name, key):
        return None
    pseudonym = _pseudonym(session, study, arrival.participant)
    return crowd.enter_worker(session, adapter.name, key, arrival.participant, pseudonym)


def _pseudonym(session: Session, study: Study, participant: str) -> str:
    """A random name. A simulated worker has nothing to hide: his follows from the seed, to the same bytes."""
    if crowd.origin(session) == crowd.SIMULATED:
        named = chance.number(study.config.study.seed, "worker", participant)
        return f"w{named % 256**_PSEUDONYM_BYTES:0{2 * _PSEUDONYM_BYTES}x}"
    return f"w{secrets.token_hex(_PSEUDONYM_BYTES)}"


def _standing(session: Session, worker: crowd.Known) -> Arrived | None:
    """What the worker already has here: work in hand, work done, or an exclusion."""
    for row in reversed(crowd.assignments_of(session, worker.id)):
        if row.state == "claimed":
            return Arrived(row.token, "working")
        if row.state == "submitted":
            return Arrived(row.token, "already_done")
    return Arrived(None, "excluded") if worker.excluded else None


def _place(session: Session, study: Study, adapter: Adapter, now: datetime) -> crowd.OpenPlace | None:
    """An open place: one that was given back, else a new one; None if its cost would pass the cap."""
    if place := crowd.open_place(session, adapter.name):
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
