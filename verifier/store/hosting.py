"""Places that a platform hosts, and the ledger of the calls that made them: intent, call, outcome."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from verifier.store.models import AssignmentRow, Event, Place, PlatformCall


def by_platform(session: Session, platform: str, platform_place: str) -> Place | None:
    """The place that the platform knows by this id, locked until the transaction ends."""
    query = select(Place).where(Place.platform == platform, Place.platform_place == platform_place)
    return session.scalar(query.with_for_update())


def holder(session: Session, place_id: int) -> AssignmentRow | None:
    """Who is at work in a place."""
    query = select(AssignmentRow).where(AssignmentRow.place_id == place_id, AssignmentRow.state == "claimed")
    return session.scalar(query)


def move(session: Session, row: AssignmentRow, place: Place) -> None:
    """Move a worker who is at work, with all he has done, to an open place; his old one is open again."""
    old = session.get_one(Place, row.place_id, with_for_update=True)
    old.state, place.state, row.place_id = "open", "taken", place.id
    session.flush()


def places(session: Session, platform: str, *states: str) -> Sequence[Place]:
    """Places of a platform, in the order in which they were made; of some states if any is named."""
    query = select(Place).where(Place.platform == platform).order_by(Place.id)
    if states:
        query = query.where(Place.state.in_(states))
    return session.scalars(query).all()


def place(session: Session, place_id: int) -> Place:
    """One place, locked until the transaction ends."""
    return session.get_one(Place, place_id, with_for_update=True)


def count(session: Session, platform: str, *states: str) -> int:
    """How many places of a platform are in these states."""
    query = select(func.count()).select_from(Place)
    return session.scalar(query.where(Place.platform == platform, Place.state.in_(states))) or 0


def intend(
    session: Session,
    token: str,
    platform: str,
    operation: str,
    request: dict[str, Any],
    *,
    amount: Decimal,
    currency: str,
    now: datetime,
) -> None:
    """Write down a call that is about to be made, and what it may cost."""
    session.add(
        PlatformCall(
            token=token,
            platform=platform,
            operation=operation,
            request=request,
            state="intent",
            amount=str(amount),
            currency=currency,
            intended=now,
        )
    )
    session.flush()


def intents(session: Session, operation: str) -> Sequence[PlatformCall]:
    """Calls of an operation whose outcome is not known: those of a run that was cut short."""
    query = select(PlatformCall).where(PlatformCall.operation == operation, PlatformCall.state == "intent")
    return session.scalars(query.order_by(PlatformCall.id)).all()


def conclude(session: Session, token: str, state: str, outcome: dict[str, Any], now: datetime) -> bool:
    """Write down how a call came out; False, and nothing written, if that is known already."""
    query = select(PlatformCall).where(PlatformCall.token == token).with_for_update()
    call = session.scalars(query).one()
    if call.state != "intent":
        return False
    call.state, call.outcome, call.finished = state, outcome, now
    session.flush()
    return True


def assignments_in(session: Session, place_id: int) -> Sequence[AssignmentRow]:
    """All assignments of a place, newest first."""
    query = select(AssignmentRow).where(AssignmentRow.place_id == place_id)
    return session.scalars(query.order_by(AssignmentRow.id.desc())).all()


def collected(session: Session, kind: str) -> set[tuple[int, str]]:
    """What was noted at collection before: place and what it was."""
    found = session.scalars(select(Event.data).where(Event.kind == kind))
    return {(int(data["place"]), str(data["what"])) for data in found}


def events(session: Session, kind: str) -> Sequence[dict[str, Any]]:
    """What was noted under a kind, oldest first."""
    return session.scalars(select(Event.data).where(Event.kind == kind).order_by(Event.id)).all()


def call(session: Session, token: str) -> PlatformCall:
    """The call with this token."""
    return session.scalars(select(PlatformCall).where(PlatformCall.token == token)).one()


def known(session: Session, token: str) -> bool:
    """Whether a call was written down under this token."""
    return session.scalar(select(PlatformCall.id).where(PlatformCall.token == token)) is not None


def to_approve(session: Session, platform: str, operation: str) -> list[tuple[int, str]]:
    """Assignments that are approved here and, as far as the ledger knows, not there: ours and its id."""
    calls = select(PlatformCall.request).where(
        PlatformCall.operation == operation, PlatformCall.state == "done"
    )
    done = {int(request["assignment"]) for request in session.scalars(calls)}
    query = (
        select(AssignmentRow.id, AssignmentRow.platform_assignment)
        .join(Place, Place.id == AssignmentRow.place_id)
        .where(Place.platform == platform)
        .where(or_(AssignmentRow.state == "submitted", AssignmentRow.platform_state.is_not(None)))
        .where(AssignmentRow.decision.in_(("approve", "approve_flag")))
        .order_by(AssignmentRow.id)
    )
    return [(row, hosted) for row, hosted in session.execute(query) if hosted and row not in done]
