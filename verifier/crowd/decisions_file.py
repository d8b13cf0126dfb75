"""Decisions that a person made elsewhere (on a panel's own pages), read from a CSV and put on record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.errors import InputError, Problem, StateError, plain
from verifier.crowd import rejecting, review, vault
from verifier.crowd.base import Capability
from verifier.crowd.platforms import adapter_of
from verifier.given import number_of, records_of
from verifier.store import crowd, hosting, ledger

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

DECISIONS: Final = ("approve", "approve_flag", "reject")
# By what a line may name an assignment; the first that is filled in counts.
NAMES: Final = ("assignment", "completion_code", "participant", "worker")


@dataclass(frozen=True)
class Decided:
    """One line: which assignment, what was decided, and why."""

    where: str
    assignment: int
    decision: str
    reason: str


def read(study: Study, path: Path) -> list[Decided]:
    """The decisions of a CSV with the columns `decision`, `reason` and one or more of `NAMES`.

    Raises:
        InputError: the file cannot be read, or lines are wrong; all are listed.
        StateError: the platform decides through its own calls.
    """
    if Capability.APPROVE in adapter_of(study.config).capabilities:
        raise StateError(
            "the platform is told what is decided by calls, not by a list",
            where="--decisions",
            remedy="Use --approve and --reject; what was decided on its site comes in with posthoc collect.",
        )
    names, lines = records_of(path)
    columns = [name for name in names if name]
    if "decision" not in columns or not set(NAMES) & set(columns):
        raise InputError(
            "the columns are not those of a list of decisions",
            where=f"{path}:1",
            got=", ".join(columns)[:200] or "nothing",
            expected=f"decision, reason, and one of {', '.join(NAMES)}",
        )
    with study.read() as session:
        find = _finder(session, study)
        read_lines = [_line(f"{path}:{number}", row, find) for number, row in lines]
    problems = [item for item in read_lines if isinstance(item, Problem)]
    found = [item for item in read_lines if isinstance(item, Decided)]
    if problems or (problems := _doubles(found)):
        raise InputError.of(problems)
    return found


def record(study: Study, decided: Sequence[Decided], *, now: datetime) -> int:
    """Put decisions on record, whole or not at all; how many were new. What was decided before stands.

    Raises:
        StateError: too many would be rejected.
    """
    allowed = rejecting.limit(study)
    unwanted = sum(line.decision == "reject" for line in decided)
    with study.write(alone=True) as session:
        fresh = [
            line for line in decided if crowd.assignment(session, line.assignment).decision != line.decision
        ]
        more = sum(line.decision == "reject" for line in fresh)
        if allowed.rejected + more > allowed.most:
            raise StateError(
                "too many would be rejected",
                got=f"{allowed.rejected} before and {more} of {unwanted} now",
                expected=f"at most {allowed.most}: one in twenty of what was handed in",
            )
        for line in fresh:
            _put(session, line, now)
    return len(fresh)


def _put(session: Session, line: Decided, now: datetime) -> None:
    row = crowd.assignment(session, line.assignment)
    row.decision, row.decided, row.decision_reason = line.decision, now, line.reason or "decided by a list"
    hosting.place(session, row.place_id).state = "closed" if line.decision == "reject" else "submitted"
    if line.decision == "approve_flag":
        crowd.exclude(session, row.worker_id, line.reason or "flagged in review")


def _finder(session: Session, study: Study) -> Callable[[str, str], int | None]:
    """Finds a submitted assignment by what a line names it by."""
    people = [person for person in ledger.participations(session) if person.state == "submitted"]
    by_code = {row.completion_code: row.id for row in crowd.submitted(session) if row.completion_code}
    by_worker = {person.worker: person.assignment for person in people}
    by_id = {person.worker_id: person.assignment for person in people}
    numbers = {person.assignment for person in people}
    platform, secret = study.config.platform.kind, study.secrets.pseudonym

    def find(name: str, value: str) -> int | None:
        if name == "assignment":
            number = number_of(value)
            return number if number in numbers else None
        if name == "completion_code":
            return by_code.get(value.upper())
        if name == "worker":
            return by_worker.get(value)
        return by_id.get(crowd.worker_of(session, platform, vault.digest(secret, platform, value)) or 0)

    return find


def _line(where: str, row: dict[str, str], find: Callable[[str, str], int | None]) -> Decided | Problem:
    told = {name: (value or "").strip() for name, value in row.items() if name and isinstance(value, str)}
    named = next((name for name in NAMES if told.get(name)), None)
    if named is None:
        return Problem("no assignment is named", where, expected=", ".join(NAMES))
    number = find(named, told[named])
    if number is None:
        # The value is not repeated: it may be somebody's id.
        return Problem(f"nobody handed in under this {named}", where)
    decision, reason = told.get("decision", ""), told.get("reason", "")
    if decision not in DECISIONS:
        return Problem("no such decision", where, plain(decision[:40]), ", ".join(DECISIONS))
    if decision == "reject" and not reason:
        return Problem("a rejection needs a reason", where)
    return Decided(where, number, decision, reason)


def _doubles(found: Sequence[Decided]) -> list[Problem]:
    seen: set[int] = set()
    problems = []
    for line in found:
        if line.assignment in seen:
            problems.append(Problem("the assignment stands twice", line.where))
        seen.add(line.assignment)
    return problems


def waiting(study: Study) -> int:
    """How many that were handed in have no decision yet."""
    return sum(
        entry.decision is None and entry.category != "incomplete" for entry in review.queue(study).entries
    )
