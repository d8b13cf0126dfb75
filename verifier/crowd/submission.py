"""Submission: complete work is done, graded and counted, and its completion code kept before it is given."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from analysis.errors import StateError
from verifier.crowd import codes, counting
from verifier.crowd.base import ENVIRONMENT, Handed
from verifier.crowd.platforms import adapter_of
from verifier.plan import draw
from verifier.store import crowd, facts, work

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import AssignmentRow
    from verifier.study import Study

# Letters and digits that nobody confuses when copying a code by hand.
_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_CODE_LENGTH: Final = 10


class Undecided(StateError):  # noqa: N818 - named for how things stand, like the store's conflicts
    """Some displays have no judgment yet; `displays` are their references as the page knows them."""

    code = "undecided"

    def __init__(self, displays: Sequence[str]) -> None:
        super().__init__("not everything is decided", got=f"{len(displays)} undecided")
        self.displays = list(displays)


@dataclass(frozen=True)
class Submitted:
    """What the worker takes home: the completion code, and the address to go back to, if there is one.

    `fields` are what a form sends there by POST; empty: to follow the address is enough.
    """

    code: str
    finish_url: str | None
    fields: Mapping[str, str] = field(default_factory=dict)


def submit(study: Study, token: str, now: datetime) -> Submitted:
    """Hand in the assignment with this token; a second time changes nothing and says the same.

    Raises:
        StateError: there is no such assignment, or it was returned or has expired.
        Undecided: displays are left to decide.
    """
    with study.write() as session:
        row = work.assignment_by_token(session, token, lock=True)
        if row is None:
            raise StateError("there is no such assignment")
        if row.state != "submitted":
            _submit(session, study, row, now)
        return _handed_in(session, study, row)


def submitted(study: Study, token: str) -> Submitted | None:
    """What the worker of a submitted assignment was given; None if it is not submitted."""
    with study.read() as session:
        row = work.assignment_by_token(session, token)
        if row is None or row.state != "submitted":
            return None
        return _handed_in(session, study, row)


def take_in(session: Session, study: Study, row: AssignmentRow, now: datetime) -> None:
    """Take in complete work that was handed in on the platform alone, even if its time here has ended."""
    row.state = "claimed"
    session.flush()
    _submit(session, study, row, now)


def _submit(session: Session, study: Study, row: AssignmentRow, now: datetime) -> None:
    if row.state != "claimed":
        raise StateError("this work is not open any more", got=row.state.replace("_", " "))
    if displays := work.undecided(session, row.id):
        raise Undecided(displays)
    # In the order in which draws hold them: of two who hold what the other waits for, one would fail.
    if study.config.controls.per == "worker":
        draw.alone(session)
    crowd.set_place(session, row.place_id, "submitted")
    draw.finish(session, row.id, now)
    row.state, row.step, row.submitted = "submitted", "thanks", now
    row.active_seconds = crowd.active_seconds(session, row.id)
    row.completion_code = "".join(secrets.choice(_ALPHABET) for _ in range(_CODE_LENGTH))
    session.flush()
    counting.count(session, study.config.controls, row, now)


def _handed_in(session: Session, study: Study, row: AssignmentRow) -> Submitted:
    adapter = adapter_of(study.config)
    participant = None
    if adapter.needs_participant:
        participant = crowd.participant(session, row.worker_id, adapter.name)
    environment = facts.get(session, ENVIRONMENT)
    handed = Handed(
        row.completion_code or "",
        participant,
        row.platform_assignment,
        environment,
        codes.FAILED_CHECK if row.counted is False else codes.COMPLETED,
        codes.key(study.secrets.pseudonym, facts.get(session, "nonce")),
    )
    finish = adapter.finish(handed)
    return Submitted(finish.code, finish.redirect_url, finish.fields)
