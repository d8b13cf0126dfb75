"""Clearing up on the platform when all is decided: places deleted there, and messages to who took part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from analysis.errors import InputError
from verifier.crowd import campaigns, paying
from verifier.crowd.base import Capability, PlaceGoneError, Requester
from verifier.store import hosting, ledger

if TYPE_CHECKING:
    from verifier.study import Study

DELETE: Final = ledger.DELETE
_LONGEST_SUBJECT: Final = 200
_LONGEST_TEXT: Final = 4096


@dataclass(frozen=True)
class Cleared:
    """What deleting came to: places deleted, and those that the platform does not let go yet."""

    done: int
    kept: int


def deletable(study: Study) -> list[tuple[int, str]]:
    """Places of which everything is decided, paid and closed: our number and the platform's id."""
    with study.read() as session:
        return ledger.settled_places(session, study.config.platform.kind, paying.APPROVE)


def delete(study: Study, requester: Requester, environment: str, *, now: datetime) -> Cleared:
    """Delete on the platform what is wholly decided; nothing that stands here is changed.

    A rejection can no longer be overridden afterwards.
    """
    campaigns.check(study, environment, Capability.DELETE)
    done = kept = 0
    for place, hosted in deletable(study):
        try:
            if not requester.delete(hosted):
                kept += 1
                continue
        except PlaceGoneError:
            pass  # somebody was quicker, which is as well
        with study.write() as session:
            token = f"{DELETE}-{place}"
            if not hosting.known(session, token):
                hosting.intend(
                    session,
                    token,
                    study.config.platform.kind,
                    DELETE,
                    {"place": place},
                    amount=Decimal("0.00"),
                    currency=study.config.place.currency,
                    now=now,
                )
                hosting.conclude(session, token, "done", {}, now)
        done += 1
    return Cleared(done, kept)


def people(study: Study, named: Sequence[str]) -> list[str]:
    """The platform's ids of workers named by pseudonym, or of all who handed in.

    Raises:
        InputError: a pseudonym is nobody's.
    """
    with study.read() as session:
        known = ledger.people(session, study.config.platform.kind)
    if strange := [name for name in named if name not in known]:
        raise InputError("nobody has this pseudonym", where="--worker", got=", ".join(strange))
    return [known[name] for name in named or known]


def notify(study: Study, requester: Requester, named: Sequence[str], subject: str, text: str) -> int:
    """Send a message to workers; how many could not be reached.

    Raises:
        InputError: the message cannot be sent as it is, or a pseudonym is nobody's.
    """
    campaigns.check(study, paying.environment_of(study), Capability.NOTIFY)
    check_message(subject, text)
    return requester.notify(people(study, named), subject, text)


def check_message(subject: str, text: str) -> None:
    """Refuse a message that is empty or too long.

    Raises:
        InputError: it is.
    """
    if not 1 <= len(subject) <= _LONGEST_SUBJECT:
        expected = f"1 to {_LONGEST_SUBJECT} characters"
        raise InputError("not a subject", where="--subject", got=f"{len(subject)}", expected=expected)
    if not 1 <= len(text) <= _LONGEST_TEXT:
        expected = f"1 to {_LONGEST_TEXT} characters"
        raise InputError("not a message", where="--text", got=f"{len(text)}", expected=expected)
