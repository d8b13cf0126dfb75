"""Review: the queue of submitted work, what is proposed for each, and a person's decisions put on record."""

from __future__ import annotations

import csv
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from analysis.errors import InputError, StateError
from verifier.store import crowd, progress

if TYPE_CHECKING:
    from verifier.config import StudyConfig
    from verifier.store import Session
    from verifier.study import Study

Category = Literal["passed", "failed control", "too fast", "not graded", "incomplete", "conflict"]
Proposal = Literal["approve", "approve_flag", "look", "leave"]

# Nobody reads a text and a card, and decides, in a second: a mean under it is not work.
TOO_FAST_SECONDS: Final = 1.0
# What the platform says of work that was handed in here and that it will not pay.
_GIVEN_UP: Final = {
    "returned": "given back on the platform",
    "timed out": "out of time on the platform: it counts, and can be paid as a bonus",
    "unknown": "handed in here, unknown to the platform",
}
WORDS: Final[dict[str, str]] = {
    "approve": "approve",
    "approve_flag": "approve and flag",
    "look": "a person must look",
    "leave": "nothing to pay",
}


@dataclass(frozen=True)
class Entry:
    """One assignment in the queue.

    Attributes:
        assignment: its number.
        worker: pseudonym.
        category: what it is.
        reason: why, in words; empty where passed.
        proposal: what is proposed: `approve`; `approve_flag` pays, and stops inviting the worker; `look`
            leaves it to a person; `leave`: it was never handed in.
        decision: what was decided already, if anything.
        counted: whether its judgments enter the analysis.
        judgments: displays judged.
        minutes: active time.
        pay: what the worker gets.
        fee: what the platform takes on it.
        currency: of both.
    """

    assignment: int
    worker: str
    category: Category
    reason: str
    proposal: Proposal
    decision: str | None
    counted: bool | None
    judgments: int
    minutes: float | None
    pay: Decimal
    fee: Decimal
    currency: str


@dataclass(frozen=True)
class Queue:
    """The review queue, and what approving all that is proposed would cost."""

    entries: tuple[Entry, ...]
    amount: Decimal
    currency: str

    @property
    def waiting(self) -> list[Entry]:
        """Entries that have no decision and for which approval is proposed."""
        return [e for e in self.entries if e.decision is None and e.proposal in ("approve", "approve_flag")]


def queue(study: Study, approve: Collection[int] = ()) -> Queue:
    """The review queue as it stands.

    Args:
        study: the study.
        approve: numbers of assignments that a person has looked at and approves, flagged, all the same.

    Raises:
        InputError: one of `approve` was never submitted.
    """
    with study.read() as session:
        return _queue(session, study.config, approve)


def decide(
    study: Study, *, confirm: str, now: datetime, approve: Collection[int] = (), out: Path | None = None
) -> Queue:
    """Put the proposed approvals on record; with `out`, also write who is to be paid now.

    Nothing is decided if the file cannot be written, and who was decided before is not written again. No file
    is written if nobody waits.

    Args:
        study: the study.
        confirm: the study's name, said once more by the person who decides.
        now: the time of the decision.
        approve: as in `queue`.
        out: a CSV file that does not exist yet; it will hold platform ids, for its owner's eyes only.

    Returns:
        The queue as it was decided: its `waiting` entries are those that were.

    Raises:
        InputError: the name is another one, or the file exists.
        StateError: the file is to name somebody who was forgotten.
    """
    if confirm != study.config.study.name:
        raise InputError(
            "the study has another name",
            where="--confirm",
            got=confirm,
            expected=study.config.study.name,
            remedy="Check that this is the study you mean to pay for.",
        )
    with study.write() as session:
        found = _queue(session, study.config, approve)
        for entry in found.waiting:
            row = crowd.assignment(session, entry.assignment)
            row.decision, row.decided = entry.proposal, now
            row.decision_reason = entry.reason or None
            if entry.proposal == "approve_flag":
                crowd.exclude(session, row.worker_id, entry.reason or "flagged in review")
        session.flush()
        if out is not None and found.waiting:
            _write_payments(session, study.config, found.waiting, out)
    return found


def payments(study: Study, out: Path) -> int:
    """Write everybody approved so far to a CSV file; how many that are."""
    with study.read() as session:
        found = _queue(session, study.config, ())
        approved = [entry for entry in found.entries if entry.decision in ("approve", "approve_flag")]
        _write_payments(session, study.config, approved, out)
    return len(approved)


def _queue(session: Session, config: StudyConfig, approve: Collection[int]) -> Queue:
    entries = [
        _entry(person, config, person.assignment in approve)
        for person in progress.people(session)
        if person.state == "submitted"
        or (person.state != "claimed" and (person.judgments or person.platform_state))
    ]
    known = {entry.assignment for entry in entries if entry.category != "incomplete"}
    if strange := sorted(set(approve) - known):
        raise InputError("no such submitted assignment", where="--approve", got=", ".join(map(str, strange)))
    found = Queue(tuple(entries), Decimal(0), config.place.currency)
    total = sum((entry.pay + entry.fee for entry in found.waiting), Decimal(0))
    return Queue(found.entries, total, found.currency)


def _entry(person: progress.Person, config: StudyConfig, approved: bool) -> Entry:  # noqa: FBT001 - private
    category, reason = _category(person)
    # What could not be graded is no reason to flag anybody.
    proposal: Proposal = "approve" if category in ("passed", "not graded") else "approve_flag"
    if category == "failed control" and config.controls.on_fail == "review" and not approved:
        proposal = "look"
    if category in ("not graded", "conflict") and not approved:
        proposal = "look"
    if category == "incomplete":
        proposal = "leave"
    return Entry(
        assignment=person.assignment,
        worker=person.worker,
        category=category,
        reason=reason,
        proposal=proposal,
        decision=person.decision,
        counted=person.counted,
        judgments=person.judgments,
        minutes=None if person.active_seconds is None else round(person.active_seconds / 60, 2),
        pay=person.reward,
        fee=person.fee,
        currency=person.currency,
    )


def _conflict(person: progress.Person) -> str:
    """What the platform says that does not fit what stands here; empty if nothing does."""
    if person.state == "submitted":
        return _GIVEN_UP.get(person.platform_state or "", "")
    if person.platform_state:
        return (
            f"handed in on the platform, {'incomplete here' if person.judgments else 'never worked on here'}"
        )
    return ""


def _category(person: progress.Person) -> tuple[Category, str]:
    if what := _conflict(person):
        return "conflict", what
    if person.state != "submitted":
        return "incomplete", f"never submitted: {person.state.replace('_', ' ')}"
    if person.counted is None:
        return "not graded", person.reason or "not graded"
    if person.counted is False:
        return "failed control", person.reason or "not counted"
    if person.seconds_each is not None and person.seconds_each < TOO_FAST_SECONDS:
        return "too fast", f"{person.seconds_each:.1f} seconds a judgment"
    return "passed", ""


def _write_payments(session: Session, config: StudyConfig, entries: Sequence[Entry], out: Path) -> None:
    """The one place where platform ids leave the vault: a file that only its owner can read."""
    platform = config.platform.kind
    rows = []
    for entry in entries:
        row = crowd.assignment(session, entry.assignment)
        person = crowd.participant(session, row.worker_id, platform)
        if person is None:
            raise StateError(
                "the platform's id of a worker is not known any more, so no file can say whom to pay",
                got=f"assignment {row.id}",
                remedy="Without --out, decisions are put on record alone.",
            )
        rows.append((person, row.completion_code, entry.pay, entry.currency, row.decision))
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError(
            "the file exists", where=str(out), remedy="Name a new one: it is never overwritten."
        ) from None
    except OSError as error:
        raise StateError("the file cannot be written", where=str(out), got=error.strerror or "") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("participant", "completion_code", "pay", "currency", "decision"))
        writer.writerows(rows)
