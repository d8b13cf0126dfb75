"""Workers, the vault, places and assignments: what arrivals, submissions and reviews read and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import exists, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from analysis.errors import StateError
from verifier.store import facts, ledger
from verifier.store.models import AssignmentRow, JudgmentRow, Place, Vault, Worker

ORIGIN: Final = "origin"
LIVE: Final = "live"
SIMULATED: Final = "simulated"
# The fact that a study is a copy made to rehearse on: a simulated one that may be published, here alone.
REHEARSAL: Final = "rehearsal"


@dataclass(frozen=True)
class Known:
    """A worker as the core knows him: a number, a pseudonym, and why he is not invited any more, if so."""

    id: int
    pseudonym: str
    excluded: str | None


@dataclass(frozen=True)
class OpenPlace:
    """A place that can be claimed, and whether it was made just now."""

    id: int
    new: bool


def origin(session: Session) -> str:
    """What the study's work is: live, unless a simulated crowd marked it."""
    return facts.get(session, ORIGIN) or LIVE


def mark_simulated(session: Session) -> None:
    """Mark the study simulated for good; judgments of a simulated crowd never mix with live ones.

    Raises:
        StateError: people have worked in this study.
    """
    rows = select(func.count()).select_from(AssignmentRow).where(AssignmentRow.origin != SIMULATED)
    if live := session.scalar(rows):
        raise StateError(
            "people have worked in this study, so no simulated crowd may",
            got=f"{live} assignments that are not simulated",
            remedy="Make another study for the simulation: posthoc init DIR, then import and plan again.",
        )
    facts.put(session, ORIGIN, SIMULATED)


def enter_worker(session: Session, platform: str, digest: str, platform_worker: str, pseudonym: str) -> Known:
    """The worker whose id has this keyed digest, entered into the vault under `pseudonym` if he is new.

    His row stays locked until the transaction ends, so that two arrivals of one person wait for each other.
    """
    known = _by_digest(session, platform, digest)
    if known is None:
        try:
            with session.begin_nested():
                worker = Worker(pseudonym=pseudonym)
                session.add(worker)
                session.flush()
                session.add(
                    Vault(
                        worker_id=worker.id, platform=platform, hmac=digest, platform_worker=platform_worker
                    )
                )
        except IntegrityError:
            # The same person arrived at the same moment through another process, and was first.
            known = _by_digest(session, platform, digest)
            if known is None:
                raise
        else:
            known = worker
    return Known(known.id, known.pseudonym, known.excluded)


def is_known(session: Session, platform: str, digest: str) -> bool:
    """Whether a worker with this keyed digest has been here."""
    query = select(Vault.worker_id).where(Vault.platform == platform, Vault.hmac == digest)
    return session.scalar(query) is not None


def worker_of(session: Session, platform: str, digest: str) -> int | None:
    """The number of the worker with this keyed digest."""
    return session.scalar(select(Vault.worker_id).where(Vault.platform == platform, Vault.hmac == digest))


def _by_digest(session: Session, platform: str, digest: str) -> Worker | None:
    query = select(Worker).join(Vault).where(Vault.platform == platform, Vault.hmac == digest)
    return session.scalar(query.with_for_update(of=Worker))


def participant(session: Session, worker_id: int, platform: str) -> str | None:
    """The platform's id of a worker, out of the vault; None once it was deleted."""
    return session.scalar(
        select(Vault.platform_worker).where(Vault.worker_id == worker_id, Vault.platform == platform)
    )


def assignments_of(session: Session, worker_id: int) -> Sequence[AssignmentRow]:
    """All of a worker's assignments, oldest first."""
    query = select(AssignmentRow).where(AssignmentRow.worker_id == worker_id).order_by(AssignmentRow.id)
    return session.scalars(query).all()


def assignment(session: Session, assignment_id: int) -> AssignmentRow:
    """The assignment with this id, locked until the transaction ends."""
    return session.scalars(
        select(AssignmentRow).where(AssignmentRow.id == assignment_id).with_for_update()
    ).one()


def submitted(session: Session) -> Sequence[AssignmentRow]:
    """All submitted assignments, oldest first."""
    query = select(AssignmentRow).where(AssignmentRow.state == "submitted").order_by(AssignmentRow.id)
    return session.scalars(query).all()


def add_place(
    session: Session, platform: str, *, reward: Decimal, fee: Decimal, currency: str, now: datetime
) -> OpenPlace:
    """A new open place."""
    place = Place(
        platform=platform,
        reward=str(reward),
        fee=str(fee),
        currency=currency,
        state="open",
        origin=origin(session),
        created=now,
    )
    session.add(place)
    session.flush()
    return OpenPlace(place.id, new=True)


def open_place(session: Session, platform: str, *, made_before: datetime) -> OpenPlace | None:
    """The oldest open place that is free for anybody: given back, or made before a time and never claimed.

    One made since is for him for whom it was made, who is about to claim it.
    """
    given_back = exists().where(AssignmentRow.place_id == Place.id)
    query = (
        select(Place.id)
        .where(Place.platform == platform, Place.state == "open")
        .where(or_(given_back, Place.created < made_before))
        .order_by(Place.id)
    )
    found = session.scalar(query.limit(1))
    return None if found is None else OpenPlace(found, new=False)


def is_open(session: Session, place_id: int) -> bool:
    """Whether a place can still be claimed."""
    place = session.get(Place, place_id)
    return place is not None and place.state == "open"


def drop_place(session: Session, place_id: int) -> None:
    """Take away a place that nobody could take."""
    session.delete(session.get_one(Place, place_id))


def set_place(session: Session, place_id: int, state: str) -> None:
    """Note where a place stands."""
    session.get_one(Place, place_id).state = state


def committed(session: Session) -> Decimal:
    """What is paid or may have to be paid: each place that is open, taken or submitted, and each bonus."""
    return places_cost(session) + ledger.bonuses(session)


def places_cost(session: Session) -> Decimal:
    """Pay and fee of every place that is open, taken or submitted."""
    # Amounts are text, which no database adds up exactly; equal ones are counted there.
    alike = select(Place.reward, Place.fee, func.count()).where(Place.state != "closed")
    rows = session.execute(alike.group_by(Place.reward, Place.fee))
    return sum((n * (Decimal(reward) + Decimal(fee or 0)) for reward, fee, n in rows), Decimal(0))


def active_seconds(session: Session, assignment_id: int) -> float:
    """Active time of an assignment: the sum over its judgments, changed ones too."""
    seconds = session.scalars(
        select(JudgmentRow.seconds)
        .where(JudgmentRow.assignment_id == assignment_id)
        .order_by(JudgmentRow.sequence)
    )
    return round(sum(seconds), 3)


def exclude(session: Session, worker_id: int, reason: str) -> None:
    """Stop inviting a worker; the first reason stands."""
    worker = session.get_one(Worker, worker_id)
    worker.excluded = worker.excluded or reason
