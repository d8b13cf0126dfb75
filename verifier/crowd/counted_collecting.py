"""Collecting where places are a number of one study: its submissions against our assignments."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from verifier.crowd import campaigns, codes, counted_publishing, counting, submission, vault
from verifier.crowd.base import Capability, PlaceGoneError, Requester
from verifier.crowd.collecting import EVENT, Collected, What
from verifier.crowd.counted_base import CountedRequester, Listed, freed
from verifier.plan import draw
from verifier.store import counted, crowd, facts, hosting, ledger, work

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.models import AssignmentRow
    from verifier.study import Study

_HANDED_IN: Final = ("submitted", "approved", "rejected")
_ENDED: Final = {"returned": "returned", "timed out": "expired"}
_DIGEST: Final = 16
# Submissions that are put on record in one transaction: nobody at work waits long for it.
_AT_ONCE: Final = 20
RETURNED: Final = "returned on the platform"
ONLY_HERE: Final = "the platform knows nothing of it"


def collect(study: Study, requester: Requester, environment: str, *, now: datetime, live: bool) -> Collected:
    """Read every submission of the platform's studies, and, if `live`, put on record what became of it.

    Args:
        study: published.
        requester: our account.
        environment: where it is published.
        now: the time of the record.
        live: write it down, and keep who took part often enough from taking another place.
    """
    campaigns.check(study, environment, Capability.LIST_SUBMISSIONS)
    account = cast("CountedRequester", requester)
    with study.read() as session:
        hosts = counted.hosts(session, study.config.platform.kind)
        before = counted.noted(session, EVENT)
    found: Counter[str] = Counter()
    new: set[tuple[str, str]] = set()
    for hosted in hosts:
        try:
            listed = account.listed(hosted)
        except PlaceGoneError:
            found["gone"] += _gone(study, hosted, now, live=live)
            continue
        became = _settled(study, account, hosted, listed, now, live=live)
        found.update(what for _, what in became)
        marks = {(_digest(study, told), what) for told, what in became} - before
        new |= marks
        if live:
            _note(study, sorted(marks), now)
            _took_part(study, account, listed, before, now)
            with study.write() as session:
                counted.tidy(session, study.config.platform.kind)
    return Collected(dict(found), len(new))


def release_ended(study: Study, account: CountedRequester, hosted: str, now: datetime) -> None:
    """Free the places of those at work here who have given back, or run out of time, on the platform."""
    with study.read() as session:
        rows = counted.of_study(session, study.config.platform.kind, hosted)
        here = {row.platform_assignment for row in rows if row.state == "claimed" and row.platform_assignment}
    for gone in here - account.working(hosted) if here else ():
        told = account.submission(gone)
        if told is not None and told.status in _ENDED:
            _ended(study, told, now)


def _settled(
    study: Study, account: CountedRequester, hosted: str, listed: list[Listed], now: datetime, *, live: bool
) -> list[tuple[str, What]]:
    """What became of each submission, and of each assignment whose submission the platform does not have."""
    found: list[tuple[str, What]] = []
    # Who has gone leaves a place for who came after him.
    for told in (told for told in listed if told.status in _ENDED):
        ended = _ended(study, told, now) if live else _would_end(study, told)
        if ended is not None:
            found.append((told.id, ended))
    handed_in = [told for told in listed if told.status in _HANDED_IN]
    for first in range(0, len(handed_in), _AT_ONCE):
        # What a reading session changes is thrown away.
        with study.write() if live else study.read() as session:
            some = handed_in[first : first + _AT_ONCE]
            found += [(told.id, _reconcile(session, study, hosted, told, now)) for told in some]
    known = {told.id for told in listed}
    with study.read() as session:
        rows = counted.of_study(session, study.config.platform.kind, hosted)
        strange = [
            (row.id, row.platform_assignment)
            for row in rows
            if row.platform_assignment and row.platform_assignment not in known
        ]
    for number, identifier in strange:
        # A list may lag: only what the platform does not know by its id either is not there.
        if account.submission(identifier) is None:
            found.append((identifier, "only here"))
            if live:
                _disown(study, number, now)
    return found


def _reconcile(session: Session, study: Study, hosted: str, told: Listed, now: datetime) -> What:
    person = vault.enter(session, study, study.config.platform.kind, told.participant)
    row = next(iter(counted.by_submission(session, told.id)), None)
    left = (row is None or row.state == "no_consent") and _left(session, study, told)
    if left and told.status == "submitted":
        return "left"
    if row is None:
        row = _strange(session, study, person.id, hosted, told, now=now)
        if row is None:
            return "unknown"
    changed = row.worker_id != person.id
    row.worker_id, row.platform_state = person.id, told.status
    if row.state != "submitted":
        _occupy(session, study, hosted, row)
    _decided(session, study, row, told, now)
    if row.state != "submitted":
        if left or ledger.is_blank(session, row.id):
            return "left" if left else "unknown"
        if work.undecided(session, row.id):
            return "incomplete"
        submission.take_in(session, study, row, now)
        return "other worker" if changed else "late"
    if row.counted_reason == ONLY_HERE:
        counting.count(session, study.config.controls, row, now)
    return "other worker" if changed else "matched"


def _left(session: Session, study: Study, told: Listed) -> bool:
    """Whether a submission says by its code that nothing was handed in."""
    key = codes.key(study.secrets.pseudonym, facts.get(session, "nonce"))
    return told.code in (codes.code(key, codes.NO_CONSENT), codes.code(key, codes.NOTHING_LEFT))


def _strange(
    session: Session, study: Study, worker: int, hosted: str, told: Listed, *, now: datetime
) -> AssignmentRow | None:
    """Keep what was handed in on the platform alone, in a free place, for a person to decide about."""
    free = counted.free(session, study.config.platform.kind, hosted, 1)
    if not free:
        return None
    ledger.add_stranger(
        session, hosting.place(session, free[0]), worker, hosted=told.id, platform_state=told.status, now=now
    )
    return counted.by_submission(session, told.id)[0]


def _occupy(session: Session, study: Study, hosted: str, row: AssignmentRow) -> None:
    """Have a place taken up by what was handed in on the platform: its own, or if that is gone a free one."""
    if row.state == "claimed":
        return
    if counted.others_in(session, row):
        free = counted.free(session, study.config.platform.kind, hosted, 1)
        if not free:
            return
        row.place_id = free[0]
    place = hosting.place(session, row.place_id)
    if place.state == "open" and row.decision != "reject":
        place.state = "submitted"
    session.flush()


def _decided(session: Session, study: Study, row: AssignmentRow, told: Listed, now: datetime) -> None:
    """What the platform has decided by itself, or somebody on its site, is what is decided."""
    decision = {"approved": "approve", "rejected": "reject"}.get(told.status)
    if decision is None or (row.decision or "").startswith(decision):
        return
    row.decision, row.decided, row.decision_reason = decision, now, "decided on the platform"
    if decision == "reject":
        _free(session, study, row)


def _would_end(study: Study, told: Listed) -> What | None:
    """What `_ended` would say, of a submission that was not put on record so."""
    with study.read() as session:
        row = next(iter(counted.by_submission(session, told.id)), None)
    if row is None or row.state not in ("claimed", "submitted"):
        return None
    return "timed out" if told.status == "timed out" else "returned"


def _ended(study: Study, told: Listed, now: datetime) -> What | None:
    """Put on record that a submission was given back, or ran out of time; None if nothing of it stands here.

    What was given back after it was handed in is withdrawn: it does not count. What ran out of time there
    and was complete here is kept: a person pays it as a bonus.
    """
    with study.read() as session:
        row = next(iter(counted.by_submission(session, told.id)), None)
    what = _would_end(study, told)
    if row is None or what is None:
        return None
    if row.state == "claimed":
        draw.release(study, row.id, state="returned" if told.status == "returned" else "expired", now=now)
    with study.write() as session:
        row = crowd.assignment(session, row.id)
        if row.state == "submitted":
            row.platform_state = told.status
            if told.status == "returned":
                _uncount(session, row, RETURNED)
            _free(session, study, row)
    return what


def _disown(study: Study, number: int, now: datetime) -> None:
    """Put aside an assignment whose submission the platform never had: its link was made up."""
    with study.read() as session:
        claimed = crowd.assignment(session, number).state == "claimed"
    if claimed:
        draw.release(study, number, state="expired", now=now)
    with study.write() as session:
        row = crowd.assignment(session, number)
        if row.state == "submitted":
            row.platform_state = counted.UNKNOWN
            _uncount(session, row, ONLY_HERE)
            _free(session, study, row)


def _uncount(session: Session, row: AssignmentRow, reason: str) -> None:
    if row.counted_reason != reason:
        draw.reopen(session, row.id)
        row.counted, row.counted_reason = False, reason
        session.flush()


def _free(session: Session, study: Study, row: AssignmentRow) -> None:
    """Let another person have the place, unless one has it already."""
    place = hosting.place(session, row.place_id)
    if place.state in ("taken", "submitted") and not counted.others_in(session, row):
        place.state = freed(session, study, place)
        session.flush()


def _gone(study: Study, hosted: str, now: datetime, *, live: bool) -> int:
    """How many places went with a study that was deleted on the platform."""
    platform = study.config.platform.kind
    with study.read() as session:
        places = len(counted.places(session, platform, hosted, "open", "taken"))
        over = counted.is_over(session, hosted)
    if live and not over:
        counted_publishing.lost(study, hosted, now)
    return places


def _took_part(
    study: Study, account: CountedRequester, listed: list[Listed], before: set[tuple[str, str]], now: datetime
) -> None:
    """Keep from further places who took part as often as he may."""
    most = int(getattr(study.config.platform, "submissions_per_participant", 1))
    times = Counter(told.participant for told in listed if told.status in _HANDED_IN)
    due = {
        participant: mark
        for participant, n in times.items()
        if n >= most and (mark := (_digest(study, participant), "took part")) not in before
    }
    if due:
        account.all_took_part(list(due))
        _note(study, list(due.values()), now)


def _digest(study: Study, identifier: str) -> str:
    """What stands for an id of the platform outside the vault."""
    return vault.digest(study.secrets.pseudonym, f"{study.config.platform.kind} note", identifier)[:_DIGEST]


def _note(study: Study, marks: list[tuple[str, str]], now: datetime) -> None:
    if marks:
        with study.write() as session:
            for digest, what in marks:
                data = {"place": 0, "submission": digest, "what": what}
                work.log_event(session, None, EVENT, data, now)
