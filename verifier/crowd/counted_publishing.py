"""Publishing where places are a number of one study: drafted once, then enlarged, then stopped.

Each enlargement is written down with its cost and the number that it comes to before the call that makes it.
The call names the number in all, so that it may be made again without harm.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from analysis.errors import StateError
from verifier.crowd import campaigns, publishing
from verifier.crowd.base import Capability, PlaceGoneError, Requester
from verifier.crowd.counted_base import CountedRequester
from verifier.crowd.pacing import BusyError
from verifier.crowd.platforms import adapter_of
from verifier.store import counted, crowd, facts, hosting, ledger
from verifier.store.counted import DRAFT, PLACES, STOP

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from verifier.store import Session
    from verifier.store.models import PlatformCall
    from verifier.study import Study

_TOKEN: Final = 24


def publish(
    study: Study, requester: Requester, environment: str, *, places: int | None, now: datetime
) -> int:
    """Publish; how many places were, those of a run that was cut short counted in.

    Raises:
        StateError: the money of the account or of the cap does not suffice, or the platform refuses.
        BusyError: the platform does not answer. The next run goes on from there.
    """
    account = cast("CountedRequester", requester)
    with study.write() as session:
        counted.tidy(session, study.config.platform.kind)
    planned = publishing.offer(study, environment, places)
    publishing.afford(planned, account)
    campaigns.enter(study, environment)
    account.prepare()
    done = _resume(study, account, now)
    hosted = _drafted(study, account, now)
    with study.write(alone=True) as session:
        number = publishing.wanted(session, study, places)
        if number < 1:
            return done
        token = _intend(session, study, hosted, number, cap=planned.cap, now=now)
    return done + _enlarge(study, account, token, now)


def extend(
    study: Study, requester: Requester, environment: str, *, places: int | None, now: datetime
) -> publishing.Moved:
    """Let people in again where the study stands still; with `places`, have so many out in all.

    Returns:
        The places that are open then.
    """
    campaigns.check(study, environment, Capability.EXTEND)
    with study.read() as session:
        hosted = counted.current(session)
    if hosted is not None:
        try:
            requester.extend(hosted, now)
        except PlaceGoneError:
            return publishing.Moved(0, gone=lost(study, hosted, now))
    if places is not None:
        publish(study, requester, environment, places=places, now=now)
    return publishing.Moved(publishing.how_many(study, "open"))


def close(
    study: Study, requester: Requester, environment: str, *, places: int | None, now: datetime
) -> publishing.Moved:
    """Stop the study for good: nobody takes a place any more; what is at work may still be handed in.

    Raises:
        StateError: only some of the places are meant, which cannot be.
    """
    campaigns.check(study, environment, Capability.CLOSE)
    if places is not None and places < publishing.how_many(study, "open"):
        raise StateError(
            f"{adapter_of(study.config).name} cannot take single places back",
            where="--places",
            got=str(places),
            remedy="Close without --places: that stops the study; the next publish makes another.",
        )
    with study.read() as session:
        hosted = counted.current(session)
    if hosted is None:
        return publishing.Moved(0)
    with study.write(alone=True) as session:
        _note_stop(session, study, hosted, now)
    try:
        requester.close(hosted)
    except PlaceGoneError:
        return publishing.Moved(0, gone=lost(study, hosted, now))
    closed, at_work = _over(study, hosted, now)
    return publishing.Moved(closed, at_work)


def lost(study: Study, hosted: str, now: datetime) -> int:
    """Put on record that a study was deleted on the platform; how many open places went with it."""
    with study.write(alone=True) as session:
        _note_stop(session, study, hosted, now)
    return _over(study, hosted, now)[0]


def _resume(study: Study, account: CountedRequester, now: datetime) -> int:
    """Finish what runs that were cut short began; how many places that are."""
    with study.read() as session:
        drafts = [call.token for call in ledger.calls(session, DRAFT, "intent")]
        enlarging = [call.token for call in ledger.calls(session, PLACES, "intent")]
        stops = [str(call.request["study"]) for call in ledger.calls(session, STOP, "intent")]
    for token in drafts:
        _create(study, account, token, now)
    for hosted in stops:
        try:
            account.close(hosted)
        except PlaceGoneError:
            lost(study, hosted, now)
        else:
            _over(study, hosted, now)
    return sum(_enlarge(study, account, token, now) for token in enlarging)


def _drafted(study: Study, account: CountedRequester, now: datetime) -> str:
    """The study that holds the places, drafted now if there is none."""
    with study.write(alone=True) as session:
        hosted = counted.current(session)
        if hosted is not None:
            return hosted
        token = _round(session)
        before = ledger.find(session, token)
        if before is None:
            platform, currency = study.config.platform.kind, study.config.place.currency
            nothing = publishing.NOTHING
            hosting.intend(session, token, platform, DRAFT, {}, amount=nothing, currency=currency, now=now)
        elif before.state == "failed":
            ledger.again(session, before, now)
    return _create(study, account, token, now)


def _round(session: Session) -> str:
    """The token of the next study: the same until one was made with it."""
    made = len(ledger.calls(session, DRAFT, "done"))
    told = f"{facts.get(session, 'nonce')}\x1fstudy\x1f{made}"
    return "posthoc-" + hashlib.sha256(told.encode()).hexdigest()[:_TOKEN]


def _create(study: Study, account: CountedRequester, token: str, now: datetime) -> str:
    try:
        hosted = account.create(token)
    except BusyError:
        raise  # whether it was done is not known: the intent stands
    except StateError as error:
        with study.write() as session:
            hosting.conclude(session, token, "failed", {"what": error.problems[0].what}, now)
        raise
    with study.write() as session:
        hosting.conclude(session, token, "done", {"study": hosted}, now)
    return hosted


def _intend(session: Session, study: Study, hosted: str, number: int, *, cap: Decimal, now: datetime) -> str:
    """Write down more places and the call that will make them."""
    adapter = adapter_of(study.config)
    cost = adapter.cost(study.config.place.pay, study.config.place.currency)
    committed = crowd.committed(session)
    if committed + cost.total * number > cap:
        raise StateError(
            "the budget's cap is reached",
            where="study.yaml: budget.cap",
            got=f"{committed} {cost.currency} committed",
            expected=f"at most {cap} {cost.currency}",
        )
    made = [
        crowd.add_place(
            session, adapter.name, reward=cost.reward, fee=cost.fee, currency=cost.currency, now=now
        ).id
        for _ in range(number)
    ]
    total = len(counted.places(session, adapter.name, hosted)) + number
    told = f"{facts.get(session, 'nonce')}\x1fplaces\x1f{hosted}\x1f{made[0]}"
    token = "posthoc-" + hashlib.sha256(told.encode()).hexdigest()[:_TOKEN]
    request = {"study": hosted, "places": made, "total": total}
    amount = cost.total * number
    hosting.intend(
        session, token, adapter.name, PLACES, request, amount=amount, currency=cost.currency, now=now
    )
    return token


def _enlarge(study: Study, account: CountedRequester, token: str, now: datetime) -> int:
    """Have the places of an intent on the platform; how many they are."""
    with study.read() as session:
        request = hosting.call(session, token).request
    try:
        account.set_places(request["study"], request["total"])
    except BusyError:
        raise  # whether it was done is not known: the intent stands, and counts as spent
    except PlaceGoneError:
        lost(study, request["study"], now)
        raise
    except StateError as error:
        standing = account.standing(request["study"])
        if account.is_out(standing) and standing.total >= request["total"]:
            # The places are there all the same, and may be paid for.
            _record(study, token, now)
        else:
            _fail(study, token, error.problems[0].what, now)
        raise
    return _record(study, token, now)


def _record(study: Study, token: str, now: datetime) -> int:
    """Write down that the places of an intent are there, unless another run did."""
    with study.write() as session:
        request = hosting.call(session, token).request
        if not hosting.conclude(session, token, "done", {}, now):
            return 0
        for number in request["places"]:
            hosting.place(session, number).platform_place = request["study"]
        return len(request["places"])


def _fail(study: Study, token: str, what: str, now: datetime) -> None:
    with study.write() as session:
        if hosting.conclude(session, token, "failed", {"what": what}, now):
            for number in hosting.call(session, token).request["places"]:
                hosting.place(session, number).state = "closed"


def _note_stop(session: Session, study: Study, hosted: str, now: datetime) -> None:
    token = f"stop-{hosted}"
    if not hosting.known(session, token):
        platform, currency = study.config.platform.kind, study.config.place.currency
        request = {"study": hosted}
        nothing = publishing.NOTHING
        hosting.intend(session, token, platform, STOP, request, amount=nothing, currency=currency, now=now)


def _over(study: Study, hosted: str, now: datetime) -> tuple[int, int]:
    """Write down that a study is stopped: places closed, and still at work."""
    with study.read() as session:
        waiting: Sequence[PlatformCall] = ledger.calls(session, PLACES, "intent")
        tokens = [call.token for call in waiting if call.request["study"] == hosted]
    for token in tokens:
        _fail(study, token, "the study was stopped first", now)
    with study.write(alone=True) as session:
        hosting.conclude(session, f"stop-{hosted}", "done", {}, now)
        platform = study.config.platform.kind
        idle = counted.places(session, platform, hosted, "open")
        for place in idle:
            place.state = "closed"
        return len(idle), len(counted.places(session, platform, hosted, "taken"))
