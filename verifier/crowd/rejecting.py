"""Rejections: by a person, with a reason that the worker reads, few of all, undone where that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from analysis.errors import InputError, Problem, StateError, plain
from verifier.crowd import campaigns, paying, review
from verifier.crowd.base import Capability, Rejecting, Requester, require
from verifier.crowd.bonuses import over_cap
from verifier.crowd.counted_base import freed
from verifier.crowd.pacing import BusyError
from verifier.crowd.platforms import adapter_of
from verifier.store import crowd, hosting, ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.store import Session
    from verifier.store.models import Place
    from verifier.study import Study

REJECT: Final = "reject"
OVERRIDE: Final = "override rejection"
# Whoever would have to reject more has a fault in his study: he pays, and mends it.
MOST_SHARE: Final = Decimal("0.05")
_OVERRIDDEN: Final = "the rejection was overridden"


@dataclass(frozen=True)
class Wanted:
    """What a person wants to reject: the assignment's number, a category of the platform's, the feedback."""

    assignment: int
    category: str
    feedback: str


@dataclass(frozen=True)
class Limit:
    """How many may be rejected: so many were, so many may be in all."""

    rejected: int
    most: int


def limit(study: Study) -> Limit:
    """How many may be rejected: one in twenty of what was handed in, and always one."""
    entries = review.queue(study).entries
    handed_in = sum(entry.category != "incomplete" for entry in entries)
    rejected = sum(entry.decision == "reject" for entry in entries)
    return Limit(rejected, max(1, int(handed_in * MOST_SHARE)))


def check(study: Study, wanted: Sequence[Wanted]) -> list[Wanted]:
    """Refuse what may not be rejected; nothing is called and nothing is written.

    Returns:
        What is left to reject: not what an earlier run has rejected in the same words.

    Raises:
        StateError: the platform cannot reject, or too many would be.
        InputError: an assignment cannot be, or what the worker is told does not suffice.
    """
    adapter = adapter_of(study.config)
    require(adapter, Capability.REJECT)
    entries = {entry.assignment: entry for entry in review.queue(study).entries}
    with study.read() as session:
        new = [want for want in wanted if not _done_before(session, want)]
    problems: list[Problem] = []
    for want in new:
        entry = entries.get(want.assignment)
        where = f"--reject {want.assignment}"
        if entry is None or entry.category == "incomplete":
            problems.append(Problem("nothing was handed in under this number", where))
        elif entry.decision is not None:
            problems.append(Problem("it is decided already", where, entry.decision))
        elif adapter.rejecting is not None:
            problems += _faults(adapter.rejecting, want, entry.category, where)
    if problems:
        raise InputError.of(problems)
    allowed = limit(study)
    if allowed.rejected + len(new) > allowed.most:
        raise StateError(
            "too many would be rejected",
            got=f"{allowed.rejected} before and {len(new)} now",
            expected=f"at most {allowed.most}: one in twenty of what was handed in",
            remedy="Approve and flag them: they are paid, do not count, and are not invited again.",
        )
    return new


def reject(study: Study, requester: Requester, wanted: Sequence[Wanted], *, now: datetime) -> int:
    """Reject on the platform, each once; how many were, those of a run that was cut short counted in.

    Raises:
        StateError: the platform refuses, or does not answer. What is done is kept.
    """
    campaigns.check(study, paying.environment_of(study), Capability.REJECT)
    for want in check(study, wanted):
        request = {"assignment": want.assignment, "category": want.category, "feedback": want.feedback}
        with study.write(alone=True) as session:
            _intend(session, study, REJECT, request, now)
    return _carry_out(study, requester, REJECT, now)


def override(study: Study, requester: Requester, numbers: Sequence[int], *, now: datetime) -> int:
    """Approve and pay after all what was rejected; how many were.

    Raises:
        InputError: one was not rejected.
        StateError: the cap would be passed, or the platform no longer lets it be done.
    """
    campaigns.check(study, paying.environment_of(study), Capability.REJECT)
    rules = adapter_of(study.config).rejecting
    if rules is not None and rules.final:
        raise StateError(
            "the platform lets no rejection be taken back",
            where="--override",
            remedy="Pay what the work is worth as a bonus: posthoc bonus.",
        )
    with study.read() as session:
        rejected = {p.assignment for p in ledger.participations(session) if p.decision == "reject"}
        undone = {int(call.request["assignment"]) for call in ledger.calls(session, OVERRIDE, "done")}
    if strange := sorted(set(numbers) - rejected - undone):
        raise InputError("not rejected", where="--override", got=", ".join(map(str, strange)))
    for number in sorted(rejected & set(numbers)):
        _reopen(study, number, now)
    return _carry_out(study, requester, OVERRIDE, now)


def resume(study: Study, requester: Requester, *, now: datetime) -> int:
    """Finish what a run that was cut short began; how many rejections and undoings that were."""
    return sum(_carry_out(study, requester, operation, now) for operation in (REJECT, OVERRIDE))


def _faults(rules: Rejecting, want: Wanted, category: str, where: str) -> list[Problem]:
    found = []
    if category in rules.never_for:
        remedy = "Leave it to the proposal: it is paid, does not count, and is not invited again."
        found.append(Problem(f"the platform takes this for no ground: {category}", where, remedy=remedy))
    if not rules.shortest <= len(want.feedback) <= rules.longest:
        expected = f"{rules.shortest} to {rules.longest} characters: the worker reads it"
        found.append(
            Problem("the feedback does not suffice", "--feedback", f"{len(want.feedback)}", expected)
        )
    if rules.categories and want.category not in rules.categories:
        expected = ", ".join(rules.categories)
        found.append(Problem("no category of the platform's", "--category", plain(want.category), expected))
    return found


def _done_before(session: Session, want: Wanted) -> bool:
    """Whether an assignment stands rejected in these very words."""
    call = ledger.find(session, f"{REJECT}-{want.assignment}")
    if call is None or call.state != "done" or call.request["feedback"] != want.feedback:
        return False
    return crowd.assignment(session, want.assignment).decision == "reject"


def _intend(session: Session, study: Study, operation: str, request: dict[str, Any], now: datetime) -> None:
    token = f"{operation}-{request['assignment']}"
    call = ledger.find(session, token)
    if call is None:
        hosting.intend(
            session,
            token,
            study.config.platform.kind,
            operation,
            request,
            amount=Decimal("0.00"),
            currency=study.config.place.currency,
            now=now,
        )
    elif call.state in ("failed", "done"):
        call.request = request
        ledger.again(session, call, now)


def _reopen(study: Study, number: int, now: datetime) -> None:
    """Commit the money of a rejected assignment once more, with the call that may spend it."""
    with study.write(alone=True) as session:
        place = hosting.place(session, crowd.assignment(session, number).place_id)
        if place.state == "closed":
            cost = Decimal(place.reward) + Decimal(place.fee or 0)
            committed, cap = crowd.committed(session), study.config.budget.cap
            if cap is not None and committed + cost > cap:
                raise over_cap(committed, cost, cap, place.currency)
            place.state = "submitted"
            session.flush()
        _intend(session, study, OVERRIDE, {"assignment": number}, now)


def _carry_out(study: Study, requester: Requester, operation: str, now: datetime) -> int:
    with study.read() as session:
        waiting = [(call.token, dict(call.request)) for call in hosting.intents(session, operation)]
    done = 0
    for token, request in waiting:
        with study.read() as session:
            hosted = crowd.assignment(session, int(request["assignment"])).platform_assignment or ""
        try:
            _calls(requester)[operation](hosted, request)
        except BusyError:
            raise
        except StateError as error:
            with study.write() as session:
                hosting.conclude(session, token, "failed", {"what": error.problems[0].what}, now)
                if operation == OVERRIDE:
                    _place(session, request).state = "closed"
            raise
        _record(study, token, operation, request, now)
        done += 1
    return done


def _calls(requester: Requester) -> dict[str, Callable[[str, dict[str, str]], None]]:
    return {
        REJECT: lambda hosted, told: requester.reject(hosted, told["category"], told["feedback"]),
        OVERRIDE: lambda hosted, _told: requester.override(hosted, "Approved after a second look."),
    }


def _record(study: Study, token: str, operation: str, request: dict[str, str], now: datetime) -> None:
    number = int(request["assignment"])
    with study.write() as session:
        if not hosting.conclude(session, token, "done", {}, now):
            return
        row = crowd.assignment(session, number)
        if operation == REJECT:
            row.decision, row.decided, row.decision_reason = "reject", now, request["feedback"]
            place = _place(session, request)
            place.state = freed(session, study, place)
            return
        row.decision, row.decided, row.decision_reason = "approve", now, _OVERRIDDEN
        paying.note_paid(session, study.config, number, now)


def _place(session: Session, request: dict[str, str]) -> Place:
    return hosting.place(session, crowd.assignment(session, int(request["assignment"])).place_id)
