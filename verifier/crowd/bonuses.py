"""Bonuses: each paid once, by way of the ledger, within the cap; what is not known goes to a person."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from analysis.errors import InputError, StateError
from verifier.crowd import campaigns, paying
from verifier.crowd.base import Bonus, Capability, Requester, UnknownOutcomeError
from verifier.crowd.pacing import BusyError
from verifier.crowd.platforms import adapter_of
from verifier.store import crowd, facts, hosting, ledger

if TYPE_CHECKING:
    from verifier.config import StudyConfig
    from verifier.crowd.bonus_file import Asked
    from verifier.store import Session
    from verifier.study import Study

OPERATION: Final = ledger.BONUS
_TOKEN: Final = 40


@dataclass(frozen=True)
class Planned:
    """One bonus as it would be paid.

    Attributes:
        token: names it in the ledger and on the platform.
        assignment: the number of the assignment.
        worker: pseudonym.
        amount: what the worker gets.
        fee: what the platform takes on it.
        reason: in words.
    """

    token: str
    assignment: int
    worker: str
    amount: Decimal
    fee: Decimal
    reason: str


@dataclass(frozen=True)
class Offer:
    """What paying bonuses would do.

    Attributes:
        due: bonuses that would be paid now.
        before: how many of those asked for were paid by an earlier run.
        unfinished: of a run that was cut short: asked after, and paid if they were not.
        unknown: numbers of bonuses of which a person must say whether they were paid.
        committed: what is paid or may have to be paid already.
        cap: the most that may be committed; None: there is none.
        currency: of all amounts.
    """

    due: tuple[Planned, ...]
    before: int
    unfinished: int
    unknown: tuple[int, ...]
    committed: Decimal
    cap: Decimal | None
    currency: str

    @property
    def total(self) -> Decimal:
        """What the bonuses that are due cost, fees too."""
        return sum((bonus.amount + bonus.fee for bonus in self.due), Decimal(0))


@dataclass(frozen=True)
class Paid:
    """What paying came to: bonuses paid now, and those whose outcome is not known."""

    done: int
    unknown: int


@dataclass(frozen=True)
class Payment:
    """One bonus for whoever pays by hand: the platform's id of the worker, his code, amount and reason."""

    participant: str = field(repr=False)
    code: str = field(repr=False)
    amount: Decimal
    reason: str


def offer(study: Study, asked: Sequence[Asked]) -> Offer:
    """What `pay` would do; nothing is called and nothing is written.

    Raises:
        InputError: a line names nobody who handed in.
    """
    with study.read() as session:
        return _offer(session, study.config, asked)


def pay(study: Study, requester: Requester, asked: Sequence[Asked], *, now: datetime) -> Paid:
    """Pay bonuses on the platform, one after the other; what a run that was cut short left comes first.

    Raises:
        StateError: the cap or the balance do not suffice, or the platform refuses.
        BusyError: the platform does not answer. What is done is kept, and the next run goes on from there.
    """
    campaigns.check(study, paying.environment_of(study), Capability.BONUS)
    planned = offer(study, asked)
    _afford(planned, requester, capped=True)
    done = unknown = 0
    with study.read() as session:
        unfinished = [call.token for call in hosting.intents(session, OPERATION)]
    for token in unfinished:
        known = _settled(study, requester, token, now)
        done, unknown = done + known, unknown + (not known)
    for bonus in planned.due:
        with study.write(alone=True) as session:
            if not _intend(session, study.config, bonus, now):
                continue
        known = _sent(study, requester, bonus.token, now)
        done, unknown = done + known, unknown + (not known)
    return Paid(done, unknown)


def record(
    study: Study, asked: Sequence[Asked], write: Callable[[Sequence[Payment]], None], *, now: datetime
) -> Offer:
    """Put bonuses on record that a person pays by hand, on a platform that pays none for us.

    Args:
        study: the study.
        asked: the bonuses.
        write: puts down whom to pay; if it fails, nothing is on record. Not called if nothing is due.
        now: the time of the record.

    Raises:
        StateError: the cap would be passed, or who is to be paid was forgotten.
    """
    platform = study.config.platform.kind
    with study.write(alone=True) as session:
        planned = _offer(session, study.config, asked)
        _afford(planned, None, capped=False)
        payments = []
        for bonus in planned.due:
            _intend(session, study.config, bonus, now)
            _conclude(session, bonus.token, now)
            row = crowd.assignment(session, bonus.assignment)
            person = crowd.participant(session, row.worker_id, platform)
            if person is None:
                raise _forgotten(row.id)
            payments.append(Payment(person, row.completion_code or "", bonus.amount, bonus.reason))
        if payments:
            write(payments)
    return planned


def settle(study: Study, number: int, *, paid: bool, now: datetime) -> None:
    """Put on record what a person found out about a bonus whose outcome was not known.

    Raises:
        InputError: there is no such bonus.
    """
    with study.write() as session:
        call = ledger.numbered(session, number)
        if call is None or call.operation != OPERATION or call.state not in ("unknown", "intent"):
            raise InputError("no bonus of this number waits for a person", got=str(number))
        call.state = "intent"
        session.flush()
        if paid:
            _conclude(session, call.token, now)
        else:
            hosting.conclude(session, call.token, "failed", {"what": "a person says: not paid"}, now)


def _offer(session: Session, config: StudyConfig, asked: Sequence[Asked]) -> Offer:
    adapter = adapter_of(config)
    nonce, currency = facts.get(session, "nonce"), config.place.currency
    due, before = [], 0
    for line, person in _matched(session, asked):
        token = _token(nonce, person.assignment, line)
        call = ledger.find(session, token)
        if call is not None and call.state != "failed":
            before += call.state == "done"
            continue
        fee = adapter.cost(line.amount, currency).fee
        due.append(Planned(token, person.assignment, person.worker, line.amount, fee, line.reason))
    unfinished = len(hosting.intents(session, OPERATION))
    unknown = tuple(call.id for call in ledger.calls(session, OPERATION, "unknown"))
    return Offer(
        tuple(due),
        before,
        unfinished,
        unknown,
        crowd.committed(session),
        config.budget.cap,
        currency,
    )


def _matched(session: Session, asked: Iterable[Asked]) -> list[tuple[Asked, ledger.Participation]]:
    """Each line with the participation it is for: of a worker, the last one that was handed in."""
    people = [person for person in ledger.participations(session) if person.state == "submitted"]
    by_number = {person.assignment: person for person in people}
    by_worker = {person.worker: person for person in people}
    found, problems = [], []
    for line in asked:
        person = by_number.get(line.assignment or 0) if line.assignment else by_worker.get(line.worker or "")
        if person is None:
            problems.append(line.stranger())
        else:
            found.append((line, person))
    seen: dict[tuple[int, Decimal, str], Asked] = {}
    for line, person in found:
        if seen.setdefault((person.assignment, line.amount, line.reason), line) is not line:
            problems.append(line.twice())
    if problems:
        raise InputError.of(problems)
    return found


def _token(nonce: str, assignment: int, line: Asked) -> str:
    """The same for the same bonus of the same study, whoever asks."""
    told = f"{nonce}\x1fbonus\x1f{assignment}\x1f{line.amount:.2f}\x1f{line.reason}"
    return "posthoc-" + hashlib.sha256(told.encode()).hexdigest()[:_TOKEN]


def _afford(planned: Offer, requester: Requester | None, *, capped: bool) -> None:
    if planned.cap is None and capped:
        raise StateError(
            "no budget's cap is set",
            where="study.yaml: budget.cap",
            remedy='Say the most that may be spent: budget: {cap: "100.00"}',
        )
    if planned.cap is not None and planned.committed + planned.total > planned.cap and planned.due:
        raise over_cap(planned.committed, planned.total, planned.cap, planned.currency)
    if requester is not None and planned.due and (has := requester.balance()) < planned.total:
        raise StateError(
            "the account has too little money",
            got=f"{has} {planned.currency}",
            expected=f"{planned.total} {planned.currency} for {len(planned.due)} bonuses",
            remedy="Add money, or pay fewer.",
        )


def over_cap(committed: Decimal, more: Decimal, cap: Decimal, currency: str) -> StateError:
    """The refusal of what would pass the cap."""
    return StateError(
        "the budget's cap would be passed",
        where="study.yaml: budget.cap",
        got=f"{committed} committed and {more} more",
        expected=f"at most {cap} {currency} in all",
        remedy="Close open places (posthoc close), pay less, or raise the cap.",
    )


def _intend(session: Session, config: StudyConfig, bonus: Planned, now: datetime) -> bool:
    """Write down a bonus before it is paid; False if another run has done so meanwhile."""
    call = ledger.find(session, bonus.token)
    if call is not None and call.state != "failed":
        return False
    total, cap = bonus.amount + bonus.fee, config.budget.cap
    committed = crowd.committed(session)
    if cap is not None and committed + total > cap:
        raise over_cap(committed, total, cap, config.place.currency)
    if call is not None:
        ledger.again(session, call, now)
        return True
    request = {"assignment": bonus.assignment, "amount": f"{bonus.amount:.2f}", "reason": bonus.reason}
    hosting.intend(
        session,
        bonus.token,
        config.platform.kind,
        OPERATION,
        request,
        amount=total,
        currency=config.place.currency,
        now=now,
    )
    return True


def _settled(study: Study, requester: Requester, token: str, now: datetime) -> bool:
    """Finish a bonus of a run that was cut short; whether it is known to be paid."""
    sent = requester.bonus_sent(_bonus(study, token))
    if sent is None:
        _unknown(study, token, now)
        return False
    if sent:
        with study.write() as session:
            _conclude(session, token, now)
        return True
    return _sent(study, requester, token, now)


def _sent(study: Study, requester: Requester, token: str, now: datetime) -> bool:
    """Pay a bonus that is written down; whether it is known to be paid."""
    try:
        requester.send_bonus(_bonus(study, token))
    except UnknownOutcomeError:
        _unknown(study, token, now)
        return False
    except BusyError:
        raise  # whether it was done is not known: the intent stands, and counts as spent
    except StateError as error:
        with study.write() as session:
            hosting.conclude(session, token, "failed", {"what": error.problems[0].what}, now)
        raise
    with study.write() as session:
        _conclude(session, token, now)
    return True


def _bonus(study: Study, token: str) -> Bonus:
    with study.read() as session:
        call = hosting.call(session, token)
        row = crowd.assignment(session, int(call.request["assignment"]))
        person = crowd.participant(session, row.worker_id, study.config.platform.kind)
        if person is None or row.platform_assignment is None:
            raise _forgotten(row.id)
        return Bonus(
            token,
            person,
            row.platform_assignment,
            Decimal(call.request["amount"]),
            call.currency or "",
            call.request["reason"],
        )


def _forgotten(assignment: int) -> StateError:
    return StateError(
        "the platform's id of a worker is not known any more, so no bonus can be paid",
        got=f"assignment {assignment}",
    )


def _unknown(study: Study, token: str, now: datetime) -> None:
    with study.write() as session:
        hosting.conclude(session, token, "unknown", {"what": "the platform did not say"}, now)


def _conclude(session: Session, token: str, now: datetime) -> None:
    if hosting.conclude(session, token, "done", {}, now):
        call = hosting.call(session, token)
        ledger.add_bonus(session, int(call.request["assignment"]), Decimal(call.request["amount"]))


def payable(study: Study) -> bool:
    """Whether the platform pays bonuses for us."""
    return Capability.BONUS in adapter_of(study.config).capabilities
