"""Paying: what was approved here is approved on the platform, once, by way of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from verifier.crowd import campaigns
from verifier.crowd.base import ENVIRONMENT, Capability, NotHandedInError, Requester
from verifier.store import facts, hosting

if TYPE_CHECKING:
    from verifier.study import Study

APPROVE: Final = "approve"


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
    platform, currency = study.config.platform.kind, study.config.place.currency
    with study.read() as session:
        due = hosting.to_approve(session, platform, APPROVE)
    done = waiting = 0
    for assignment, hosted in due:
        token = f"{APPROVE}-{assignment}"
        with study.write(alone=True) as session:
            if not hosting.known(session, token):
                request = {"assignment": assignment}
                hosting.intend(
                    session,
                    token,
                    platform,
                    APPROVE,
                    request,
                    amount=Decimal("0.00"),
                    currency=currency,
                    now=now,
                )
        try:
            requester.approve(hosted)
        except NotHandedInError:
            waiting += 1
            continue
        with study.write() as session:
            hosting.conclude(session, token, "done", {}, now)
        done += 1
    return Paid(done, waiting)
