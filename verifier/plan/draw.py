"""Draws tasks for a worker who claims a place, and takes back what is returned or expired.

How a draw goes. Each stratum (dataset and source, or dataset where sources are pooled) gives its share of
what is open, by largest remainder; in each, the next slots in the seeded order, of passages the worker has
never seen and at most one of a passage. Over the last ten places' worth, the passages that every place still
needed must take go first, among the others the fuller ones, and the open tasks are spread evenly over those
places, so that none is left nearly empty.
Controls lie on other passages than the real tasks and than anything the worker has seen. All of it is shown
in a random order, so that neither a control nor a source has a usual place.

What is random follows from the study's seed and names (see `chance`): controls, ties and the order shown from
(place, worker), the new place of a slot given back from (slot, assignment). The token alone is not: nobody
may guess it. Seeds are often known, or 1: so that nobody can compute where his controls stand, the order in
which living people are shown their tasks, and the arms of these, follow from a random text of the study's
database as well.

The log from which all draws can be made once more: assignments in the order of their numbers, and between
them, as events, when which of them gave its slots back or took what it had lost (`OPENED`, `TAKEN_BACK`).
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from analysis.errors import StateError
from verifier import clock
from verifier.config import PlaceSection, StudyConfig
from verifier.plan import chance, conditions, halting
from verifier.plan.choice import pack, places_needed, shares
from verifier.store import claims, crowd, facts, plans, work
from verifier.store.claims import Slot

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

# How long a worker may take, in multiples of the time that is paid for: platforms allow about as much.
ALLOWANCE: Final = 3
# How long after the deadline what was drawn is kept for him: a last page sent late, a clock that differs.
GRACE: Final = timedelta(minutes=30)
# How often a worker who needs longer is given as long again.
TIMES: Final = 10
# Over the last so many places' worth of open slots, packing goes before the seeded order.
TAIL_PLACES: Final = 10
# Events of the log; `after` is the latest assignment there was.
OPENED: Final = "slots opened"
TAKEN_BACK: Final = "slots taken back"
# Slots asked for beyond a stratum's share, for those whose passage the worker knows.
_SPARE: Final = 4

Release = Literal["returned", "expired", "no_consent"]


class NothingLeft(StateError):  # noqa: N818 - it is no fault: there is no work for this worker
    """No open slot, or none that this worker may have."""

    code = "nothing-left"


@dataclass(frozen=True)
class _Drawing:
    """What one draw starts from.

    Attributes:
        seed: the study's.
        name: what the draw's chance follows from.
        real: real tasks that fill a place.
        controls: controls on a place.
        measuring: of them, how many only measure.
        decoying: of them, how many are decoys.
        deciding: controls that have an answer which decides counting; looked at only where some measure.
        decoys: the controls that are real tasks with one link put wrong.
        seen: passages of all the worker ever had.
        pool: every control, (task, passage), in this draw's order.
        counts: stratum -> open slots, in this draw's order.
    """

    seed: int
    name: tuple[str, int, int]
    real: int
    controls: int
    measuring: int
    decoying: int
    deciding: set[int]
    decoys: set[int]
    seen: set[int]
    pool: list[tuple[int, int]]
    counts: dict[str, int]

    @property
    def open(self) -> int:
        """Open slots of the study."""
        return sum(self.counts.values())

    @property
    def in_tail(self) -> bool:
        """Whether what is open fills at most ten places."""
        return self.open <= TAIL_PLACES * self.real


def claim(study: Study, *, place_id: int, worker_id: int, now: datetime) -> int:
    """Draw tasks for a worker in a place, and lease them to him.

    Args:
        study: open.
        place_id: an open place.
        worker_id: who claims it.
        now: when; the deadline is `ALLOWANCE` times `place.minutes` later, the lease `GRACE` longer.

    Returns:
        The id of his assignment.

    Raises:
        NothingLeft: there is nothing for him.
        StateError: the place is not open, or the worker or place is not known.
    """
    # Draws pass over what others hold. One that came out short, or works on the tail, must see every slot:
    # it starts anew with no other draw beside it.
    for alone in (False, True):
        with study.write() as session:
            assignment = _claim(session, study.config, place_id, worker_id, now, alone=alone)
            if assignment is not None:
                return assignment
    raise NothingLeft("no task is open that this worker has not seen")


def release(study: Study, assignment_id: int, *, state: Release, now: datetime) -> None:
    """End a claimed assignment without submission; its slots are open again, each at a new random position.

    One that has ended so already stays as it is.

    Raises:
        StateError: there is no such assignment, or it was submitted.
    """
    with study.write() as session:
        before = claims.end(session, assignment_id, state)
        if before is None:
            raise StateError("no such assignment", got=str(assignment_id))
        if before == "submitted":
            raise StateError("the assignment is submitted", where=f"assignment {assignment_id}")
        if before == "claimed":
            _give_back(session, assignment_id, now)


def prolong(study: Study, assignment_id: int, now: datetime) -> datetime:
    """Give a worker the time anew, from now on; at most until `TIMES` times as much has been added.

    Returns:
        The deadline of his assignment.

    Raises:
        StateError: it is not claimed any more.
    """
    term = timedelta(minutes=study.config.place.minutes) * ALLOWANCE
    with study.write() as session:
        found = claims.times(session, assignment_id)
        if found is None:
            raise StateError("the assignment is not at work", where=f"assignment {assignment_id}")
        claimed, deadline = found
        later = max(deadline, min(now + term, claimed + (TIMES + 1) * term))
        claims.prolong(session, assignment_id, later, later + GRACE)
    return later


def expire(study: Study, now: datetime) -> int:
    """Release every claimed assignment whose deadline and grace have passed; says how many."""
    with study.read() as session:
        late = claims.overdue(session, now - GRACE)
    # Each by itself: a transaction over several would hold the strata's counts while it waits for the next.
    return sum(_expired(study, assignment_id, now) for assignment_id in late)


def finish(session: Session, assignment_id: int, now: datetime) -> int:
    """Mark done the slots of an assignment that is submitted; part of the submission's own transaction.

    Of a late one, the slots that nobody took since are done as well; the rest of its work is surplus.

    Returns:
        How many of its slots it filled.
    """
    filled, lost = claims.complete(session, assignment_id)
    if lost:
        _log(session, assignment_id, TAKEN_BACK, {"slots": lost}, now)
    return filled


def reopen(session: Session, assignment_id: int) -> int:
    """Open the slots of an assignment that does not count, each at a new random position; says how many."""
    return _give_back(session, assignment_id, clock.now())


def alone(session: Session) -> None:
    """Let no draw run beside this transaction: for what changes the slots of several assignments.

    A draw holds slots first and the strata's counts last; who goes on to more slots with counts in hand could
    wait for a draw that waits for him.
    """
    claims.take_turn(session, alone=True)


def open_places(study: Study) -> int:
    """How many more places the open slots need."""
    with study.read() as session:
        return places_left(session, study.config.place)


def places_left(session: Session, place: PlaceSection) -> int:
    """How many more places the open slots need, within a session.

    Exact over the last ten places' worth; before that a lower bound, which leaves out that a place never has
    two tasks of one passage.
    """
    real = place.tasks - place.controls
    total = sum(claims.open_counts(session).values())
    if total > TAIL_PLACES * real:
        return -(-total // real)
    by_passage = claims.open_by_passage(session)
    held = {passage for _, passage in plans.controls(session)} if place.controls else set()
    return places_needed(by_passage.values(), capacity(by_passage, held, place))


def capacity(passages: Iterable[int], control_passages: Iterable[int], place: PlaceSection) -> int:
    """How many real tasks a place can hold: as configured, or fewer in a very small corpus.

    All its tasks, controls too, must lie on different passages.
    """
    distinct = len({*passages, *control_passages})
    return max(min(place.tasks - place.controls, distinct - place.controls), 1)


def _claim(
    session: Session, config: StudyConfig, place_id: int, worker_id: int, now: datetime, *, alone: bool
) -> int | None:
    """One attempt; None if it has to be made again alone."""
    alone = claims.take_turn(session, alone=alone)
    held = claims.hold(session, worker_id, place_id)
    if held is None:
        raise StateError("no such worker or place", got=f"worker {worker_id}, place {place_id}")
    state, origin = held
    if state != "open":
        raise StateError("the place is not open", where=f"place {place_id}", got=state)
    halted, seed, hidden = facts.several(session, halting.HALTED, "seed", facts.ORDER)
    if halted:
        raise NothingLeft("the study lets nobody begin now")
    drawing = _prepare(session, config, place_id, worker_id, int(seed or 0))
    if drawing.in_tail and not alone:
        return None
    slots = _draw_tail(session, drawing, config.place) if drawing.in_tail else _draw(session, drawing)
    controls = _controls(drawing, slots)
    if controls is None:
        # Controls on passages of their own before real tasks: fewer real tasks, but a gate.
        controls = _controls(drawing, ()) or []
        slots = [slot for slot in slots if slot.passage not in {passage for _, passage in controls}]
    if len(controls) < drawing.controls:
        raise NothingLeft("this worker has seen every control, or the text it stands in")
    if not alone and len(slots) < drawing.real:
        return None
    if not slots:
        raise NothingLeft("no task is open that this worker has not seen")
    deadline = now + timedelta(minutes=config.place.minutes) * ALLOWANCE
    assignment_id = claims.open_assignment(
        session,
        place_id=place_id,
        worker_id=worker_id,
        token=secrets.token_urlsafe(32),
        origin=origin,
        claimed=now,
        deadline=deadline,
        options=conditions.options(config.pages),
    )
    claims.lease(session, assignment_id, slots, deadline + GRACE)
    tasks: list[tuple[int, int | None]] = [(slot.task, slot.id) for slot in slots]
    tasks += [(task, None) for task, _ in controls]
    # Simulated people guess nothing: with the same seed theirs is the same order.
    name = drawing.name if origin == crowd.SIMULATED or not hidden else (*drawing.name, hidden)
    order = chance.shuffled(tasks, drawing.seed, "order", *name)
    decoys = [task in drawing.decoys for task, _ in order]
    arms = conditions.with_decoys(config.pages, decoys, drawing.seed, *name)
    claims.put_tasks(session, assignment_id, order, arms)
    return assignment_id


def _prepare(session: Session, config: StudyConfig, place_id: int, worker_id: int, seed: int) -> _Drawing:
    place = config.place
    name = ("draw", place_id, worker_id)
    counts = claims.open_counts(session)
    if not counts:
        raise NothingLeft("nothing is planned yet", remedy="Run: posthoc plan STUDY")
    strata = chance.shuffled([n for n, count in counts.items() if count], seed, "strata", *name)
    pool = plans.controls(session) if place.controls else []
    deciding = plans.deciding_controls(session) if config.controls.measure else set()
    decoys = plans.decoys(session) if pool else set()
    if not config.controls.decoys:
        pool = [one for one in pool if one[0] not in decoys]
    # Controls are made at the first plan: where none of them only measures, all of a place's decide.
    only_measure = sum(task not in deciding and task not in decoys for task, _ in pool) if deciding else 0
    return _Drawing(
        seed,
        name,
        place.tasks - place.controls,
        place.controls,
        min(config.controls.measure, only_measure),
        min(config.controls.decoys, sum(task in decoys for task, _ in pool)),
        deciding,
        decoys,
        claims.seen_passages(session, worker_id),
        chance.shuffled(pool, seed, "controls", *name),
        {stratum: counts[stratum] for stratum in strata},
    )


def _draw(session: Session, drawing: _Drawing) -> list[Slot]:
    """The next slots of each stratum, as many as its share; what one lacks, the others make up for."""
    wanted = shares(drawing.counts, drawing.real)
    streams = {name: claims.in_order(session, name, wanted[name] + _SPARE) for name in wanted if wanted[name]}
    taken: list[Slot] = []
    known = set(drawing.seen)

    def take(stratum: str, number: int) -> int:
        before = len(taken)
        for slot in streams[stratum]:
            if slot.passage not in known:
                known.add(slot.passage)
                taken.append(slot)
                if len(taken) - before == number:
                    break
        return len(taken) - before

    for stratum in streams:
        take(stratum, wanted[stratum])
    streams |= {name: claims.in_order(session, name, _SPARE) for name in wanted if name not in streams}
    for stratum in streams:
        if len(taken) < drawing.real:
            take(stratum, drawing.real - len(taken))
    return taken


def _draw_tail(session: Session, drawing: _Drawing, place: PlaceSection) -> list[Slot]:
    """What is packed, as many as spread what is open evenly over the places still needed."""
    slots = claims.all_open(session)
    by_passage = Counter(slot.passage for slot in slots)
    most = capacity(by_passage, (passage for _, passage in drawing.pool), place)
    needed = places_needed(by_passage.values(), most)
    size = -(-len(slots) // max(needed, 1))
    free = [slot for slot in slots if slot.passage not in drawing.seen]
    return pack(free, drawing.counts, size, needed)


def _controls(drawing: _Drawing, slots: Sequence[Slot]) -> list[tuple[int, int]] | None:
    """Controls on passages that are neither seen nor drawn, each on its own; None if there are too few."""
    known = drawing.seen | {slot.passage for slot in slots}
    # How many are wanted of each kind: those that decide, those that only measure, and decoys.
    deciding = drawing.controls - drawing.measuring - drawing.decoying
    wanted = {"decides": deciding, "measures": drawing.measuring, "decoy": drawing.decoying}
    free: dict[str, list[tuple[int, int]]] = {kind: [] for kind in wanted}
    for task, passage in drawing.pool:
        decides = not drawing.measuring or task in drawing.deciding
        kind = "decoy" if task in drawing.decoys else "decides" if decides else "measures"
        if passage not in known:
            free[kind].append((task, passage))
    found: dict[int, tuple[int, int]] = {}
    # The kind of which there are fewest chooses first: the others find passages that are left.
    for kind in sorted(wanted, key=lambda kind: len(free[kind])):
        left = wanted[kind]
        for task, passage in free[kind]:
            if left and passage not in found:
                found[passage] = (task, passage)
                left -= 1
    return list(found.values()) if len(found) == drawing.controls else None


def _expired(study: Study, assignment_id: int, now: datetime) -> bool:
    """Release one whose time is over, unless it has ended in the meantime."""
    with study.write() as session:
        ended = claims.end(session, assignment_id, "expired") == "claimed"
        if ended:
            _give_back(session, assignment_id, now)
    return ended


def _give_back(session: Session, assignment_id: int, now: datetime) -> int:
    seed = int(facts.get(session, "seed") or 0)
    slots = claims.held(session, assignment_id)
    moved = [(slot, chance.number(seed, "again", slot.id, assignment_id)) for slot in slots]
    claims.give_back(session, moved)
    if moved:
        _log(session, assignment_id, OPENED, {}, now)
    return len(moved)


def _log(session: Session, assignment_id: int, kind: str, data: dict[str, object], now: datetime) -> None:
    work.log_event(session, assignment_id, kind, {"after": claims.latest(session), **data}, now)
