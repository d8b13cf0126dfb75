"""Paying: what was approved here is approved on the platform, once, by way of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.crowd import campaigns
from verifier.crowd.base import ENVIRONMENT, Capability, NotHandedInError, Requester
from verifier.crowd.counted_base import is_counted
from verifier.store import facts, hosting, ledger

if TYPE_CHECKING:
    from verifier.config import StudyConfig
    from verifier.store import Session
    from verifier.study import Study

APPROVE: Final = "approve"
EXCLUDE: Final = "exclude"


@dataclass(frozen=True)
class Paid:
    """What paying came to: approved on the platform now, and not handed in there (yet)."""

    done: int
    waiting: int


def environment_of(study: Study) -> str:
    """Where the study is published; empty if nowhere."""
    with study.read() as session:
        return facts.get(session, ENVIRONMENT)


def pay(study: Study, requester: Requester, *, now: datetime) -> Paid:
    """Approve on the platform whatever is approved here and was not approved there through us before.

    What is paid was committed when the place was published: nothing is added to what is spent. Each approval
    is written down before the call, and one whose outcome is not known is asked for again: the platform
    approves an assignment once.

    Raises:
        StateError: the platform refuses, or does not answer. What is done is kept; the next run goes on.
    """
    campaigns.check(study, environment_of(study), Capability.APPROVE)
    if is_counted(study):
        from verifier.crowd import counted_paying  # noqa: PLC0415 - it builds on this module

        return counted_paying.pay(study, requester, now=now)
    with study.read() as session:
        due = hosting.to_approve(session, study.config.platform.kind, APPROVE)
    done = waiting = 0
    for assignment, hosted in due:
        with study.write(alone=True) as session:
            intend(session, study.config, assignment, now)
        try:
            requester.approve(hosted)
        except NotHandedInError:
            waiting += 1
            continue
        with study.write() as session:
            hosting.conclude(session, _token(assignment), "done", {}, now)
        done += 1
    return Paid(done, waiting)


def exclude(study: Study, requester: Requester, *, now: datetime) -> int:
    """Keep who is not invited any more from all our studies on the platform; how many that were now."""
    platform = study.config.platform.kind
    with study.read() as session:
        due = [
            (worker, person)
            for worker, person in ledger.excluded(session, platform)
            if not hosting.known(session, f"{EXCLUDE}-{worker}")
        ]
    for worker, person in due:
        requester.exclude(person)
        # It costs nothing and may be said twice: what is done is written down after it is done.
        with study.write() as session:
            token, request = f"{EXCLUDE}-{worker}", {"worker": worker}
            if not hosting.known(session, token):
                hosting.intend(
                    session,
                    token,
                    platform,
                    EXCLUDE,
                    request,
                    amount=Decimal("0.00"),
                    currency=study.config.place.currency,
                    now=now,
                )
                hosting.conclude(session, token, "done", {}, now)
    return len(due)


def note_paid(session: Session, config: StudyConfig, assignment: int, now: datetime) -> None:
    """Put on record that an assignment is approved on the platform, which was done by another call."""
    intend(session, config, assignment, now)
    hosting.conclude(session, _token(assignment), "done", {}, now)


def intend(session: Session, config: StudyConfig, assignment: int, now: datetime) -> None:
    """Put on record that an assignment is about to be approved on the platform."""
    if hosting.known(session, _token(assignment)):
        return
    hosting.intend(
        session,
        _token(assignment),
        config.platform.kind,
        APPROVE,
        {"assignment": assignment},
        amount=Decimal("0.00"),
        currency=config.place.currency,
        now=now,
    )


def _token(assignment: int) -> str:
    return f"{APPROVE}-{assignment}"
