"""Places that are a number of one study on the platform: which are free, and whose a submission there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from verifier.store import ledger
from verifier.store.models import AssignmentRow, Event, Place, PlatformCall

# Calls of the ledger: the study that holds places, how many they are, and that it is closed for good.
DRAFT: Final = "create study"
PLACES: Final = "set places"
STOP: Final = "stop study"
UNKNOWN: Final = "unknown"
_ACTIVE = ("claimed", "submitted")
# What the platform says of submissions that take no place up any more.
_GIVEN_UP = ("returned", "timed out", "rejected", UNKNOWN)


def current(session: Session) -> str | None:
    """The platform's study that is out, or drafted; None if there is none, or the last was stopped."""
    drafted = [str((call.outcome or {})["study"]) for call in ledger.calls(session, DRAFT, "done")]
    return next((hosted for hosted in reversed(drafted) if not is_over(session, hosted)), None)


def is_over(session: Session, hosted: str) -> bool:
    """Whether a study was stopped, or is gone: its places are not filled again."""
    return any(call.request["study"] == hosted for call in ledger.calls(session, STOP, "done"))


def tidy(session: Session, platform: str) -> None:
    """Close the places of stopped studies that were given back since."""
    for call in ledger.calls(session, STOP, "done"):
        for place in places(session, platform, str(call.request["study"]), "open"):
            place.state = "closed"
    session.flush()


def is_hosted(session: Session, platform: str, hosted: str) -> bool:
    """Whether a study of the platform holds places of ours."""
    query = select(Place.id).where(Place.platform == platform, Place.platform_place == hosted).limit(1)
    return session.scalar(query) is not None


def hosts(session: Session, platform: str) -> list[str]:
    """The platform's studies that hold places of ours, in the order in which they were made."""
    query = select(Place.platform_place).where(Place.platform == platform, Place.platform_place.is_not(None))
    return list(dict.fromkeys(str(hosted) for hosted in session.scalars(query.order_by(Place.id))))


def places(session: Session, platform: str, hosted: str, *states: str) -> Sequence[Place]:
    """The places in a study of the platform; of some states if any is named."""
    query = select(Place).where(Place.platform == platform, Place.platform_place == hosted).order_by(Place.id)
    if states:
        query = query.where(Place.state.in_(states))
    return session.scalars(query).all()


def free(session: Session, platform: str, hosted: str, most: int) -> Sequence[int]:
    """Numbers of open places in a study of the platform, so many at most."""
    query = select(Place.id).where(
        Place.platform == platform, Place.platform_place == hosted, Place.state == "open"
    )
    return session.scalars(query.order_by(Place.id).limit(most)).all()


def by_submission(session: Session, submission: str) -> list[AssignmentRow]:
    """The assignments of a submission of the platform: handed in, at work, ended; the newest first."""
    query = select(AssignmentRow).where(AssignmentRow.platform_assignment == submission)
    rows = session.scalars(query.order_by(AssignmentRow.id.desc())).all()
    order = {"submitted": 0, "claimed": 1}
    return sorted(rows, key=lambda row: order.get(row.state, 2))


def of_study(session: Session, platform: str, hosted: str) -> Sequence[AssignmentRow]:
    """The assignments at work or handed in in a study of the platform."""
    query = (
        select(AssignmentRow)
        .join(Place, Place.id == AssignmentRow.place_id)
        .where(Place.platform == platform, Place.platform_place == hosted)
        .where(AssignmentRow.state.in_(_ACTIVE))
    )
    return session.scalars(query.order_by(AssignmentRow.id)).all()


def others_in(session: Session, row: AssignmentRow) -> bool:
    """Whether somebody else is at work in an assignment's place, or has handed in and takes it up."""
    query = select(AssignmentRow).where(
        AssignmentRow.place_id == row.place_id, AssignmentRow.id != row.id, AssignmentRow.state.in_(_ACTIVE)
    )
    return any(
        other.platform_state not in _GIVEN_UP and other.decision != "reject"
        for other in session.scalars(query)
    )


def noted(session: Session, kind: str) -> set[tuple[str, str]]:
    """What was noted at collection before: which submission, by its digest, and what it was."""
    found = session.scalars(select(Event.data).where(Event.kind == kind))
    return {(str(data.get("submission", "")), str(data["what"])) for data in found}


def to_approve(session: Session, platform: str, operation: str) -> list[tuple[int, str, str]]:
    """What is approved here and, as far as the ledger knows, not there: ours, the study, the submission."""
    calls = select(PlatformCall.request).where(
        PlatformCall.operation == operation, PlatformCall.state == "done"
    )
    done = {int(request["assignment"]) for request in session.scalars(calls)}
    query = (
        select(AssignmentRow.id, Place.platform_place, AssignmentRow.platform_assignment)
        .join(Place, Place.id == AssignmentRow.place_id)
        .where(Place.platform == platform)
        .where(or_(AssignmentRow.state == "submitted", AssignmentRow.platform_state.is_not(None)))
        .where(AssignmentRow.decision.in_(("approve", "approve_flag")))
        .order_by(AssignmentRow.id)
    )
    return [
        (row, hosted, submission)
        for row, hosted, submission in session.execute(query)
        if hosted and submission and row not in done
    ]
