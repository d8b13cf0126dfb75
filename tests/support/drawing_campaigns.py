"""Eight processes of workers who come, hand in, fail, give back and vanish, on one study; and its account."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from multiprocessing import Value, get_context
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any, Self

from sqlalchemy import insert, select

from analysis.decisions import DECISIONS
from analysis.errors import StateError
from tests.support import planned
from tests.support.planned import NOW
from verifier.crowd import submission
from verifier.plan import draw
from verifier.store import claims, work
from verifier.store.models import (
    AssignmentRow,
    AssignmentTask,
    ControlAnswer,
    DisplayRow,
    DocumentRow,
    JudgmentRow,
    SegmentRow,
    TaskRow,
    TaskSlot,
)
from verifier.study import Study

PROCESSES = 8
CROWD = 3000  # workers and places of a study; none of the corpora below needs as many
HANDS = 3  # assignments that one process has under way at once
COUNTERS = ("minutes", "workers", "places")
DISPLAYS = (
    select(AssignmentTask.ordinal, DisplayRow.id, ControlAnswer.expected, ControlAnswer.acceptable)
    .join(DisplayRow, DisplayRow.task_id == AssignmentTask.task_id)
    .outerjoin(ControlAnswer, ControlAnswer.display_id == DisplayRow.id)
    .order_by(AssignmentTask.ordinal, DisplayRow.id)
)

_shared: dict[str, Synchronized[int]] = {}


@dataclass(frozen=True)
class Corpus:
    """A random study: its size, k, the repeated share, and what a place holds."""

    documents: int
    k: int
    repeated: float
    tasks: int
    controls: int
    copies: int = 0

    @classmethod
    def drawn(cls, chance: random.Random) -> Corpus:
        """Of any size, so that some studies are all tail and most begin before it."""
        controls = chance.randint(1, 2)
        documents = chance.choice((8, 20, 40, 60, 90))
        return cls(
            documents,
            chance.randint(1, 4),
            chance.choice((0, 0.1, 0.3)),
            controls + chance.randint(2, 8),
            controls,
            documents // chance.choice((2, 4)) if chance.random() < 0.5 else 0,
        )


@dataclass
class Account:
    """What came of a study.

    Attributes:
        outcomes: assignments by state, the counted and the uncounted apart.
        surplus: judged tasks of counted assignments beyond k, all of late work.
        faults: whatever should not be: empty.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    tasks: int = 0
    surplus: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def assignments(self) -> int:
        """How many were drawn."""
        return self.outcomes.total()


class Hand:
    """One process's workers, by a seed; `tick` counts the minutes of all processes."""

    def __init__(self, study: Study, seed: int) -> None:
        self._study, self._chance = study, random.Random(seed)
        self._open: list[int] = []
        self._vanished: list[int] = []
        self._places: list[int] = []
        self.idle = 0

    def now(self) -> datetime:
        """A minute later than whoever asked last."""
        return NOW + timedelta(minutes=_next("minutes"))

    def step(self) -> None:
        """Whatever happens next."""
        luck = self._chance.random()
        if luck < 0.04:
            draw.expire(self._study, self.now())
        elif luck < 0.08 and self._vanished:
            self._late(self._vanished.pop(0))
        elif self._open and (luck < 0.5 or len(self._open) == HANDS):
            self._end(self._open.pop(self._chance.randrange(len(self._open))))
        else:
            self.arrive()

    def arrive(self) -> None:
        """A new worker, or one who was here before, claims a new place or one that was given back."""
        again = self._chance.random() < 0.4 and _shared["workers"].value
        worker = self._chance.randint(1, _shared["workers"].value) if again else _next("workers")
        place = self._places.pop() if self._places else _next("places")
        try:
            self._open.append(draw.claim(self._study, place_id=place, worker_id=worker, now=self.now()))
            self.idle = 0
        except draw.NothingLeft:
            self._places.append(place)
            self.idle += not again

    def finish(self) -> None:
        """New workers do rightly what is left."""
        while draw.open_places(self._study):
            with suppress(draw.NothingLeft), _held_up():
                found = draw.claim(
                    self._study, place_id=_next("places"), worker_id=_next("workers"), now=self.now()
                )
                self._submit(found, right=True)

    def _end(self, identity: int) -> None:
        luck = self._chance.random()
        if luck < 0.6:
            self._submit(identity, right=luck < 0.42)
        elif luck < 0.85:
            ended: draw.Release = "returned" if luck < 0.78 else "no_consent"
            with self._study.read() as session:
                row = session.get_one(AssignmentRow, identity)
            with suppress(StateError):
                draw.release(self._study, identity, state=ended, now=self.now())
                if row.state == "claimed":
                    self._places.append(row.place_id)
        else:
            self._vanished.append(identity)

    def _submit(self, identity: int, *, right: bool) -> None:
        judge(self._study, identity, right=right, now=self.now())
        with self._study.read() as session:
            token = session.get_one(AssignmentRow, identity).token
        # Somebody may have let it expire a moment ago: then it is not taken any more.
        with suppress(StateError):
            submission.submit(self._study, token, self.now())

    def _late(self, identity: int) -> None:
        """Complete work that reaches us after its time here has ended, as platforms hand it on."""
        judge(self._study, identity, right=True, now=self.now())
        with self._study.write() as session:
            token = session.get_one(AssignmentRow, identity).token
            row = work.assignment_by_token(session, token, lock=True)
            if row is not None and row.state == "expired":
                submission.take_in(session, self._study, row, self.now())


def judge(study: Study, identity: int, *, right: bool, now: datetime) -> None:
    """Decide every display of an assignment; the controls rightly, or all wrongly."""
    with study.write() as session:
        shown = session.execute(DISPLAYS.where(AssignmentTask.assignment_id == identity)).all()
        rows = []
        for sequence, (_, display, expected, acceptable) in enumerate(shown, start=1):
            decision = expected or "verify"
            if expected and not right:
                decision = next(other for other in DECISIONS if other != expected)
            key = (acceptable or ["Rome"])[0] if decision == "edit" else None
            rows.append(
                {
                    "assignment_id": identity,
                    "display_id": display,
                    "sequence": sequence,
                    "decision": decision,
                    "key": key,
                    "opened": False,
                    "seconds": 1.0,
                    "made": now,
                }
            )
        session.execute(insert(JudgmentRow), rows)


def campaign(folder: Path, corpus: Corpus, seed: int, pool: Workforce, url: str | None = None) -> Account:
    """A study of this corpus from its plan to its last slot, by eight processes; its account."""
    make(folder, corpus, seed, url)
    with Study.open(folder) as study:
        pool.run(folder, seed)
        draw.expire(study, NOW + timedelta(days=3650))
        pool.finish(folder)
        return account(study)


def make(folder: Path, corpus: Corpus, seed: int, url: str | None = None) -> None:
    """A study of this corpus, planned, from which nobody has drawn."""
    Study.create(folder, "link", **({"database": url} if url else {})).close()
    planned.configure(
        folder,
        seed=seed,
        plan=f"k: {corpus.k}, repeat_share: {corpus.repeated}",
        tasks=corpus.tasks,
        controls=corpus.controls,
    )
    with Study.open(folder) as study:
        planned.fill(study, corpus.documents)
        if corpus.copies:
            planned.add_source(study, "GT", range(corpus.copies), copies=True)
            planned.add_source(study, "Alpha", range(corpus.copies), copies=True, skip=1)
        planned.plan(study, now=NOW)
        planned.crowd(study, CROWD)


def in_turn(folder: Path, seed: int) -> Account:
    """Draw all that is planned in this process alone; the account."""
    _share({name: Value("q", 0) for name in COUNTERS})
    _run(folder, seed)
    with Study.open(folder) as study:
        draw.expire(study, NOW + timedelta(days=3650))
        Hand(study, 0).finish()
        return account(study)


def account(study: Study) -> Account:
    """Look at everything that was drawn and judged, and count what should not be."""
    with study.read() as session:
        assignments = {row.id: row for row in session.scalars(select(AssignmentRow))}
        drawn = session.execute(
            select(AssignmentTask.assignment_id, AssignmentTask.slot_id, TaskRow.id, TaskRow.segment_id).join(
                TaskRow, TaskRow.id == AssignmentTask.task_id
            )
        ).all()
        texts = {row.id: " ".join(row.text[row.start : row.end].split()) for row in session.execute(_TEXTS)}
        wanted = {
            r.id: r.k for r in session.execute(select(TaskRow.id, TaskRow.k).where(TaskRow.kind == "real"))
        }
        slots = list(session.scalars(select(TaskSlot)))
        judged = {(r[0], r[1]) for r in session.execute(_JUDGED)}
        miscounted = claims.miscounted(session)
    found = Account(tasks=len(wanted))
    for row in assignments.values():
        found.outcomes[row.state + {True: ", counted", False: ", not counted", None: ""}[row.counted]] += 1
        if row.state == "claimed":
            found.faults.append(f"assignment {row.id} was never closed")
    found.faults += [f"the open slots of {name} are miscounted" for name in miscounted]
    found.faults += list(
        _repeated((assignments[r.assignment_id].worker_id, texts[r.segment_id]) for r in drawn)
    )
    _check_slots(found, slots, wanted, assignments, judged)
    _check_surplus(found, slots, drawn, assignments)
    return found


_TEXTS = select(SegmentRow.id, DocumentRow.text, SegmentRow.start, SegmentRow.end).join(
    DocumentRow, DocumentRow.id == SegmentRow.document_id
)
_JUDGED = (
    select(JudgmentRow.assignment_id, DisplayRow.task_id)
    .join(DisplayRow, DisplayRow.id == JudgmentRow.display_id)
    .distinct()
)


def _repeated(seen: Iterable[tuple[int, str]]) -> Iterable[str]:
    counts = Counter(seen)
    return (f"worker {worker} read {text!r} {n} times" for (worker, text), n in counts.items() if n > 1)


def _check_slots(
    found: Account,
    slots: Sequence[TaskSlot],
    wanted: dict[int, int],
    assignments: dict[int, AssignmentRow],
    judged: set[tuple[int, int]],
) -> None:
    """Each task has k slots, each filled by the judged and counted work of another worker."""
    by_task: dict[int, list[int]] = defaultdict(list)
    for slot in slots:
        holder = assignments.get(slot.assignment_id or 0)
        if slot.state != "done" or slot.leased_until is not None or holder is None:
            found.faults.append(f"slot {slot.id} is {slot.state}")
        elif not (holder.state == "submitted" and holder.counted and (holder.id, slot.task_id) in judged):
            found.faults.append(f"slot {slot.id} is held by work that does not count")
        else:
            by_task[slot.task_id].append(holder.worker_id)
    for task, k in wanted.items():
        workers = by_task[task]
        if len(workers) != k or len(set(workers)) != k:
            found.faults.append(f"task {task} has {len(workers)} judgments, not {k}")


def _check_surplus(
    found: Account, slots: Sequence[TaskSlot], drawn: Sequence[Any], assignments: dict[int, AssignmentRow]
) -> None:
    """Counted work beyond k is of late assignments alone: on time, each task drawn filled its slot."""
    holders = {slot.id: slot.assignment_id for slot in slots}
    for row in drawn:
        given = assignments[row.assignment_id]
        if row.slot_id is None or not given.counted or holders[row.slot_id] == given.id:
            continue
        found.surplus += 1
        if given.submitted is None or given.submitted <= given.deadline + draw.GRACE:
            found.faults.append(f"assignment {given.id}, in time, lost slot {row.slot_id}")


class Workforce:
    """Eight processes that serve one study after another."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self._shared = {name: context.Value("q", 0) for name in COUNTERS}
        self._pool = ProcessPoolExecutor(
            PROCESSES, mp_context=context, initializer=_share, initargs=(self._shared,)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def run(self, folder: Path, seed: int) -> None:
        """Let everything happen, until new workers find nothing."""
        for counter in self._shared.values():
            counter.value = 0
        self._all([self._pool.submit(_run, folder, seed * PROCESSES + n) for n in range(PROCESSES)])

    def finish(self, folder: Path) -> None:
        """Let all that is left be done."""
        self._all([self._pool.submit(_finish, folder) for _ in range(PROCESSES)])

    def _all(self, futures: Sequence[Any]) -> None:
        for future in futures:
            future.result()


def _share(counters: dict[str, Synchronized[int]]) -> None:
    _shared.update(counters)


def _next(name: str) -> int:
    counter = _shared[name]
    with counter.get_lock():
        counter.value += 1
        return counter.value


@contextmanager
def _held_up() -> Iterator[None]:
    """On a slow machine SQLite may be busy for longer than a process waits: its worker vanishes then."""
    try:
        yield
    except StateError as error:
        if "locked" not in str(error):
            raise


def _run(folder: Path, seed: int) -> None:
    with Study.open(folder) as study:
        hand = Hand(study, seed)
        # A few who find nothing while others hold what is left are no end yet.
        while hand.idle < 3:
            with _held_up():
                hand.step()


def _finish(folder: Path) -> None:
    with Study.open(folder) as study:
        Hand(study, 0).finish()
