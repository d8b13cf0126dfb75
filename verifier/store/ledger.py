"""The ledger read back: bonuses, decisions that were carried out, and what it says was spent."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from verifier.store.models import AssignmentRow, AssignmentTask, Place, PlatformCall, Vault, Worker

BONUS: Final = "bonus"
DELETE: Final = "delete place"
_SPENT: Final = ("intent", "done", "unknown")


@dataclass(frozen=True)
class Participation:
    """An assignment as paying sees it.

    Attributes:
        assignment: its number.
        worker: pseudonym.
        worker_id: his number.
        state: of the assignment.
        decision: what a person decided.
        hosted: the platform's id of it, if it has one.
        paid: bonuses paid for it.
    """

    assignment: int
    worker: str
    worker_id: int
    state: str
    decision: str | None
    hosted: str | None
    paid: Decimal


def bonuses(session: Session) -> Decimal:
    """What bonuses have cost or may have, fees too: those whose outcome is not known are counted in."""
    amounts = select(PlatformCall.amount).where(
        PlatformCall.operation == BONUS, PlatformCall.state.in_(_SPENT)
    )
    return sum((Decimal(amount or 0) for amount in session.scalars(amounts)), Decimal(0))


def calls(session: Session, operation: str, *states: str) -> Sequence[PlatformCall]:
    """Calls of an operation, in the order in which they were intended; of some states if any is named."""
    query = select(PlatformCall).where(PlatformCall.operation == operation).order_by(PlatformCall.id)
    if states:
        query = query.where(PlatformCall.state.in_(states))
    return session.scalars(query).all()


def find(session: Session, token: str) -> PlatformCall | None:
    """The call with this token, locked until the transaction ends; None if there is none."""
    return session.scalar(select(PlatformCall).where(PlatformCall.token == token).with_for_update())


def numbered(session: Session, number: int) -> PlatformCall | None:
    """The call with this number, locked until the transaction ends; None if there is none."""
    return session.scalar(select(PlatformCall).where(PlatformCall.id == number).with_for_update())


def again(session: Session, call: PlatformCall, now: datetime) -> None:
    """Write down that a call which failed is about to be made once more."""
    call.state, call.outcome, call.intended, call.finished = "intent", None, now, None
    session.flush()


def participations(session: Session) -> list[Participation]:
    """Every assignment as paying sees it, oldest first."""
    query = (
        select(AssignmentRow, Worker.pseudonym)
        .join(Worker, Worker.id == AssignmentRow.worker_id)
        .order_by(AssignmentRow.id)
    )
    return [
        Participation(
            row.id,
            pseudonym,
            row.worker_id,
            row.state,
            row.decision,
            row.platform_assignment,
            Decimal(row.bonus or 0),
        )
        for row, pseudonym in session.execute(query)
    ]


def add_bonus(session: Session, assignment: int, amount: Decimal) -> None:
    """Put a bonus that was paid to an assignment."""
    row = session.get_one(AssignmentRow, assignment, with_for_update=True)
    row.bonus = str(Decimal(row.bonus or 0) + amount)


def rejected_places(session: Session) -> set[int]:
    """Places whose work was rejected: they cost nothing, unless that is overridden."""
    return set(session.scalars(select(AssignmentRow.place_id).where(AssignmentRow.decision == "reject")))


def add_stranger(
    session: Session, place: Place, worker: int, *, hosted: str, platform_state: str, now: datetime
) -> None:
    """An assignment of somebody who handed in on the platform and never worked here."""
    session.add(
        AssignmentRow(
            place_id=place.id,
            worker_id=worker,
            token=secrets.token_urlsafe(32),
            platform_assignment=hosted,
            platform_state=platform_state,
            state="expired",
            origin=place.origin,
            claimed=now,
            deadline=now,
            step="consent",
        )
    )
    place.state = "submitted"
    session.flush()


def is_blank(session: Session, assignment: int) -> bool:
    """Whether no task was ever drawn for an assignment."""
    drawn = select(AssignmentTask.ordinal).where(AssignmentTask.assignment_id == assignment).limit(1)
    return session.scalar(drawn) is None


def deleted_places(session: Session) -> set[int]:
    """Places that we deleted on the platform."""
    return {int(call.request["place"]) for call in calls(session, DELETE, "done")}


def settled_places(session: Session, platform: str, approving: str) -> list[tuple[int, str]]:
    """Places with nothing left to decide or to pay, not deleted yet: our number and the platform's id."""
    deleted = deleted_places(session)
    paid = {int(call.request["assignment"]) for call in calls(session, approving, "done")}
    open_ones: set[int] = set()
    for row in session.scalars(select(AssignmentRow)):
        ended = row.state in ("returned", "expired", "no_consent") and row.platform_state is None
        settled = ended or row.decision == "reject" or (bool(row.decision) and row.id in paid)
        if not settled:
            open_ones.add(row.place_id)
    query = (
        select(Place.id, Place.platform_place)
        .where(Place.platform == platform, Place.state.in_(("submitted", "closed")))
        .where(Place.platform_place.is_not(None))
        .order_by(Place.id)
    )
    return [
        (place, hosted or "")
        for place, hosted in session.execute(query)
        if place not in deleted and place not in open_ones
    ]


def people(session: Session, platform: str) -> dict[str, str]:
    """Pseudonym -> the platform's id, of everybody who handed in."""
    query = (
        select(Worker.pseudonym, Vault.platform_worker)
        .join(Vault, Vault.worker_id == Worker.id)
        .join(AssignmentRow, AssignmentRow.worker_id == Worker.id)
        .where(Vault.platform == platform, AssignmentRow.state == "submitted")
        .order_by(Worker.id)
    )
    return {str(pseudonym): str(person) for pseudonym, person in session.execute(query)}


def paid_places(session: Session, operation: str) -> list[tuple[int, str, Decimal, Decimal]]:
    """What was approved on the platform through us: number, the platform's id, pay and fee."""
    done = [int(call.request["assignment"]) for call in calls(session, operation, "done")]
    query = (
        select(AssignmentRow.id, AssignmentRow.platform_assignment, Place.reward, Place.fee)
        .join(Place, Place.id == AssignmentRow.place_id)
        .order_by(AssignmentRow.id)
    )
    wanted = set(done)
    return [
        (number, hosted or "", Decimal(reward), Decimal(fee or 0))
        for number, hosted, reward, fee in session.execute(query)
        if number in wanted
    ]


def excluded(session: Session, platform: str) -> list[tuple[int, str]]:
    """Workers who are not invited any more and whose platform id is known: our number and that id."""
    query = (
        select(Worker.id, Vault.platform_worker)
        .join(Vault, Vault.worker_id == Worker.id)
        .where(Worker.excluded.is_not(None), Vault.platform == platform)
        .order_by(Worker.id)
    )
    return [(number, person) for number, person in session.execute(query)]


def request_of(call: PlatformCall) -> dict[str, Any]:
    """What a call was asked for with."""
    return dict(call.request)
