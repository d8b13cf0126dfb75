"""Publishing: places put before a crowd, each once, never beyond the cap, whatever breaks in between.

Each place is written down with its cost and a token before the call that makes it; what a run that was cut
short left open is looked for on the platform, and made only if it is not there.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from analysis.errors import StateError
from verifier import clock
from verifier.crowd import campaigns
from verifier.crowd.base import Capability, Cost, PlaceGoneError, Requester
from verifier.crowd.counted_base import is_counted
from verifier.crowd.pacing import BusyError
from verifier.crowd.platforms import adapter_of
from verifier.plan import draw
from verifier.store import counted, crowd, facts, hosting, work

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import Place
    from verifier.study import Study

CREATE: Final = "create place"
EXTENDED: Final = "extended"
NOTHING: Final = Decimal("0.00")
_TOKEN: Final = 40
_NOT_FILLED: Final = ("open", "taken", "submitted")


@dataclass(frozen=True)
class Offer:
    """What publishing will do, or did.

    Attributes:
        places: to be published now.
        out: published before and not closed.
        needed: places that the open work still needs, beside those that are out and open.
        unfinished: of a run that was cut short: looked for, and made if they are not there.
        each: what a place costs.
        committed: what is paid or may have to be paid already.
        cap: the most that may be committed.
    """

    places: int
    out: int
    needed: int
    unfinished: int
    each: Cost
    committed: Decimal
    cap: Decimal

    @property
    def total(self) -> Decimal:
        """What the places to be published cost; those of a run that was cut short are committed already."""
        return self.each.total * self.places


@dataclass(frozen=True)
class Moved:
    """What extending or closing came to: places done, still at work, and gone from the platform."""

    done: int
    at_work: int = 0
    gone: int = 0


def offer(study: Study, environment: str, places: int | None = None) -> Offer:
    """What `publish` would do; nothing is called and nothing is written.

    Args:
        study: planned.
        environment: local, sandbox or production.
        places: how many places are to be out in all, those of earlier runs counted in; None: all that the
            open work needs.

    Raises:
        StateError: the study cannot be published, or not there.
    """
    campaigns.check(study, environment, Capability.PUBLISH)
    cap = study.config.budget.cap
    if cap is None:
        raise StateError(
            "no budget's cap is set",
            where="study.yaml: budget.cap",
            remedy='Say the most that may be spent: budget: {cap: "100.00"}',
        )
    with study.read() as session:
        return _offer(session, study, places, cap)


def publish(
    study: Study, requester: Requester, environment: str, *, places: int | None, now: datetime
) -> int:
    """Publish, one place after the other; how many were published, those of an earlier run counted in.

    Raises:
        StateError: the money of the account or of the cap does not suffice, or the platform refuses.
        BusyError: the platform does not answer. What is done is kept, and the next run goes on from there.
    """
    campaigns.controls_confirmed(study, environment)
    if is_counted(study):
        from verifier.crowd import counted_publishing  # noqa: PLC0415 - it builds on this module

        return counted_publishing.publish(study, requester, environment, places=places, now=now)
    planned = offer(study, environment, places)
    afford(planned, requester)
    campaigns.enter(study, environment)
    requester.prepare()
    done = _resume(study, requester, now) if planned.unfinished else 0
    last: tuple[str, str] | None = None
    while True:
        try:
            # What came of one place and what is meant with the next are kept at once: one wait for the disk.
            with study.write(alone=True) as session:
                if last is not None:
                    _record(session, *last, now)
                token = _intend(session, study, planned.cap, places, now)
        except StateError:
            if last is not None:
                with study.write() as session:
                    _record(session, *last, now)
            raise
        if token is None:
            return done
        last = token, _made(study, requester, token, now)
        done += 1


def extend(
    study: Study, requester: Requester, environment: str, *, places: int | None, now: datetime
) -> Moved:
    """Let open places be taken for another `platform.lifetime_hours` from now; the oldest first."""
    if is_counted(study):
        from verifier.crowd import counted_publishing  # noqa: PLC0415 - it builds on this module

        return counted_publishing.extend(study, requester, environment, places=places, now=now)
    campaigns.check(study, environment, Capability.EXTEND)
    until = now + _lifetime(study)
    done: list[int] = []
    gone = 0
    for place, hosted in _out(study, "open")[:places]:
        try:
            requester.extend(hosted, until)
            done.append(place)
        except PlaceGoneError:
            _lost(study, place)
            gone += 1
    with study.write() as session:
        work.log_event(session, None, EXTENDED, {"places": done, "until": until.isoformat()}, now)
    return Moved(len(done), gone=gone)


def run_out(study: Study, now: datetime) -> int:
    """How many open places nobody can take any more: published or extended too long ago."""
    lifetime = _lifetime(study)
    if not lifetime:
        return 0
    with study.read() as session:
        until = {
            row.id: row.created + lifetime
            for row in hosting.places(session, study.config.platform.kind, "open")
            if row.platform_place is not None
        }
        for data in hosting.events(session, EXTENDED):
            for place in until.keys() & set(data["places"]):
                until[place] = max(until[place], datetime.fromisoformat(data["until"]))
    return sum(end <= now for end in until.values())


def _lifetime(study: Study) -> timedelta:
    """How long a place can be taken; none where the platform sets no end."""
    return timedelta(hours=getattr(study.config.platform, "lifetime_hours", 0))


def close(
    study: Study, requester: Requester, environment: str, *, places: int | None, now: datetime | None = None
) -> Moved:
    """Let nobody take open places any more; what is at work may still be handed in. The youngest first."""
    if is_counted(study):
        from verifier.crowd import counted_publishing  # noqa: PLC0415 - it builds on this module

        return counted_publishing.close(study, requester, environment, places=places, now=now or clock.now())
    campaigns.check(study, environment, Capability.CLOSE)
    done = at_work = gone = 0
    for place, hosted in list(reversed(_out(study, "open", "taken")))[:places]:
        try:
            idle = requester.close(hosted)
        except PlaceGoneError:
            _lost(study, place)
            gone += 1
            continue
        if idle and _closed(study, place, now or clock.now()):
            done += 1
        else:
            at_work += 1
    return Moved(done, at_work, gone)


def _closed(study: Study, place: int, now: datetime) -> bool:
    """Close a place at which the platform knows nobody; who holds it here has given it back there."""
    with study.read() as session:
        holder = hosting.holder(session, place)
    if holder is not None:
        with contextlib.suppress(StateError):  # he handed in at this moment
            draw.release(study, holder.id, state="returned", now=now)
    with study.write() as session:
        row = hosting.place(session, place)
        if row.state != "open":
            return False
        row.state = "closed"
        return True


def how_many(study: Study, *states: str) -> int:
    """How many published places are in these states."""
    return len(_out(study, *states))


def _offer(session: Session, study: Study, places: int | None, cap: Decimal) -> Offer:
    adapter = adapter_of(study.config)
    each = adapter.cost(study.config.place.pay, study.config.place.currency)
    unfinished = _unfinished(session)
    return Offer(
        places=wanted(session, study, places),
        out=hosting.count(session, adapter.name, *_NOT_FILLED) - unfinished,
        needed=_needed(session, study),
        unfinished=unfinished,
        each=each,
        committed=crowd.committed(session),
        cap=cap,
    )


def _unfinished(session: Session) -> int:
    """Places of a run that was cut short: called for one by one, or by their number."""
    enlarging = hosting.intents(session, counted.PLACES)
    return len(hosting.intents(session, CREATE)) + sum(len(call.request["places"]) for call in enlarging)


def _needed(session: Session, study: Study) -> int:
    name = study.config.platform.kind
    return max(0, draw.places_left(session, study.config.place) - hosting.count(session, name, "open"))


def wanted(session: Session, study: Study, places: int | None) -> int:
    """How many more places to make: what is needed, and no more than were asked for in all."""
    needed = _needed(session, study)
    if places is None:
        return needed
    return max(0, min(needed, places - hosting.count(session, study.config.platform.kind, *_NOT_FILLED)))


def afford(planned: Offer, requester: Requester) -> None:
    """Refuse what cap or balance do not cover, before anything is made."""
    if planned.committed + planned.total > planned.cap:
        raise over_cap(planned)
    if planned.places and (has := requester.balance()) < planned.total:
        raise StateError(
            "the account has too little money",
            got=f"{has} {planned.each.currency}",
            expected=f"{planned.total} {planned.each.currency} for {planned.places} places",
            remedy="Add money, or publish fewer with --places.",
        )


def over_cap(planned: Offer) -> StateError:
    """The refusal of what would pass the cap."""
    room = max(Decimal(0), planned.cap - planned.committed)
    fits = planned.out + planned.unfinished + int(room / planned.each.total)
    return StateError(
        "the budget's cap would be passed",
        where="study.yaml: budget.cap",
        got=f"{planned.committed} committed and {planned.total} for {planned.places} places",
        expected=f"at most {planned.cap} {planned.each.currency} in all",
        remedy=f"Publish fewer (--places {fits} fit), or raise the cap.",
    )


def _intend(session: Session, study: Study, cap: Decimal, places: int | None, now: datetime) -> str | None:
    """Write down one more place and the call that will make it; None if no more are wanted."""
    if wanted(session, study, places) < 1:
        return None
    adapter = adapter_of(study.config)
    cost = adapter.cost(study.config.place.pay, study.config.place.currency)
    if crowd.committed(session) + cost.total > cap:
        raise StateError(
            "the budget's cap is reached",
            where="study.yaml: budget.cap",
            got=f"{crowd.committed(session)} {cost.currency} committed",
            expected=f"at most {cap} {cost.currency}",
        )
    place = crowd.add_place(
        session, adapter.name, reward=cost.reward, fee=cost.fee, currency=cost.currency, now=now
    )
    token = _token(facts.get(session, "nonce"), place.id)
    request = {"place": place.id}
    hosting.intend(
        session, token, adapter.name, CREATE, request, amount=cost.total, currency=cost.currency, now=now
    )
    return token


def _token(nonce: str, place: int) -> str:
    """The same for the same place of the same study, whoever asks."""
    return "posthoc-" + hashlib.sha256(f"{nonce}\x1fplace\x1f{place}".encode()).hexdigest()[:_TOKEN]


def _resume(study: Study, requester: Requester, now: datetime) -> int:
    """Finish what a run that was cut short began.

    The platform's list comes first, since tokens are forgotten after a day; what is not listed is made with
    the token, which covers what was made so lately that no list has it.
    """
    listed = requester.existing()
    with study.read() as session:
        tokens = [call.token for call in hosting.intents(session, CREATE)]
    for token in tokens:
        made = listed.get(token) or _made(study, requester, token, now)
        with study.write() as session:
            _record(session, token, made, now)
    return len(tokens)


def _made(study: Study, requester: Requester, token: str, now: datetime) -> str:
    """Make the place of an intent; the platform's id of it."""
    try:
        return requester.create(token)
    except BusyError:
        raise  # whether it was done is not known: the intent stands, and counts as spent
    except StateError as error:
        with study.write() as session:
            if hosting.conclude(session, token, "failed", {"what": error.problems[0].what}, now):
                _place_of(session, token).state = "closed"
        raise


def _record(session: Session, token: str, made: str, now: datetime) -> None:
    """Write down that a place was made, unless another run did."""
    if hosting.conclude(session, token, "done", {"platform_place": made}, now):
        _place_of(session, token).platform_place = made


def _place_of(session: Session, token: str) -> Place:
    return hosting.place(session, hosting.call(session, token).request["place"])


def _out(study: Study, *states: str) -> list[tuple[int, str]]:
    """Published places in these states: our number and the platform's id."""
    with study.read() as session:
        rows = hosting.places(session, study.config.platform.kind, *states)
        return [(row.id, row.platform_place) for row in rows if row.platform_place is not None]


def _lost(study: Study, place: int) -> None:
    """A place that was deleted on the platform costs nothing more, unless it was handed in."""
    with study.write() as session:
        row = hosting.place(session, place)
        if row.state == "open":
            row.state = "closed"
