"""A running tally of a study: every judgment that stands, in arrays, brought up to date by what is new.

What was handed in, returned or has expired never changes: it is read once. Only work in hand, the
assignments themselves and the slots are looked at each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from verifier.plan.drafting import stratum
from verifier.store import experts, progress, redirects, tallying

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.study import Study

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_BATCH: Final = 2000
# The cell of a control's displays, and the key of a decision that names none.
NONE: Final = -1


@dataclass(frozen=True)
class Shown:
    """Every display, in columns.

    Attributes:
        display: ids, ascending.
        cell: which of `cells`; NONE of a control.
        item: code of document, span and entity; of a control one of its own.
        first: by item, the place of its first display.
        document, start, end: where it is.
        key: code of the entity, after redirects.
        cells: dataset and source, in order.
        outside: by item, whether the ground truth ran there and no link of it touches the span.
    """

    display: Ints
    cell: Small
    item: Small
    first: Ints
    document: Ints
    start: Ints
    end: Ints
    key: Small
    cells: tuple[tuple[str, str], ...]
    outside: Bools

    @property
    def control(self) -> Bools:
        """Whether it is a control's."""
        found: Bools = self.cell == NONE
        return found

    def places(self, displays: Sequence[int] | Ints) -> Ints:
        """Where these displays stand in the columns."""
        return np.searchsorted(self.display, np.asarray(displays, dtype=np.int64))


@dataclass(frozen=True)
class Made:
    """Judgments in columns: the assignment's place among `people`, the display's place, and what was said."""

    person: Small
    display: Small
    decision: npt.NDArray[np.int8]
    key: Small
    seconds: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.person)

    def where(self, rows: Bools) -> Made:
        """Some of the rows."""
        return Made(*(getattr(self, name)[rows] for name in _COLUMNS))


_COLUMNS: Final = ("person", "display", "decision", "key", "seconds")


def _nothing() -> Made:
    return Made(
        np.empty(0, np.int32),
        np.empty(0, np.int32),
        np.empty(0, np.int8),
        np.empty(0, np.int32),
        np.empty(0, np.float32),
    )


def _joined(parts: Sequence[Made]) -> Made:
    return Made(*(np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS))


@dataclass
class Tally:
    """The tally of one study; `refresh` brings it up to date. One thread at a time may use it.

    Attributes:
        people: every assignment of the crowd.
        made: the judgments in assignments that have ended; `in_hand`: in those that have not.
        counted: by assignment, whether it was handed in and counts.
        shown: every display.
        keys: the entities that codes stand for.
        questions: of the controls in use.
        work: by dataset and source.
        decided: what experts decided.
        read: how many judgments were read of how many assignments, while there are many.
    """

    study: Study
    people: list[progress.Person] = field(default_factory=list)
    made: Made = field(default_factory=_nothing)
    in_hand: Made = field(default_factory=_nothing)
    counted: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    shown: Shown | None = None
    keys: list[str] = field(default_factory=list)
    questions: list[tallying.Question] = field(default_factory=list)
    work: list[progress.Work] = field(default_factory=list)
    decided: list[experts.Decided] = field(default_factory=list)
    _slots: Made = field(default_factory=_nothing)
    _loaded: dict[int, tuple[str, int]] = field(default_factory=dict)
    _codes: dict[str, int] = field(default_factory=dict)
    _targets: dict[str, str] = field(default_factory=dict)
    _plan: tuple[int, int, int] | None = None
    _planned: list[progress.Work] = field(default_factory=list)
    _next: int = 0

    def refresh(self, tell: Callable[[int, int], None] = lambda _read, _of: None) -> Tally:
        """Itself, up to date; `tell` is told how many of how many assignments were read."""
        with self.study.read() as session:
            self._read_plan(session)
            self.people = progress.assignments(session)
            counts = [one.state == "submitted" and bool(one.counted) for one in self.people]
            self.counted = np.array(counts, dtype=bool)
            ended = [one for one in self.people if one.state != "claimed"]
            new = [one for one in ended if self._loaded.get(one.assignment, ("", 0))[0] != one.state]
            parts = [self._slots]
            for start in range(0, len(new), _BATCH):
                batch = new[start : start + _BATCH]
                parts.append(self._read(session, batch))
                tell(start + len(batch), len(new))
            if len(parts) > 1:
                self._slots = _joined(parts)
            self.in_hand = self._of_those_at_work(session)
            self.made = self._placed()
            self.questions = tallying.questions(session)
            self.work = self._work(session)
            self.decided = experts.standing(session)
        return self

    def code(self, key: str) -> int:
        """The code of an entity, after redirects."""
        key = self._targets.get(key, key)
        found = self._codes.setdefault(key, len(self.keys))
        if found == len(self.keys):
            self.keys.append(key)
        return found

    @property
    def displays(self) -> Shown:
        """Every display, once there was a refresh."""
        if self.shown is None:
            raise RuntimeError("the tally was never refreshed")
        return self.shown

    def votes(self) -> Made:
        """The counted judgments of real tasks."""
        rows = self.counted[self.made.person] if len(self.made) else np.empty(0, dtype=bool)
        return self.made.where(rows & ~self.displays.control[self.made.display])

    def _read_plan(self, session: Session) -> None:
        state = tallying.plan_state(session)
        if state == self._plan:
            return
        if self._plan is not None and state[2] != self._plan[2]:
            # Under other redirects the entities of judgments are others: all is read anew.
            self._loaded, self._slots = {}, _nothing()
        self._targets = redirects.current(session)
        if self.shown is not None:
            # Judgments hold places of displays, which new displays do not change: ids only grow.
            before = self.shown.display
            self.shown = self._read_displays(session)
            if not np.array_equal(self.shown.display[: len(before)], before):
                self._loaded, self._slots = {}, _nothing()
        else:
            self.shown = self._read_displays(session)
        self._planned = progress.work(session)
        self._plan = state

    def _read_displays(self, session: Session) -> Shown:
        found = tallying.displays(session, self.code)
        cells, cell = _cells(found)
        columns = {"document": found.document, "start": found.start, "end": found.end}
        # A control is an item of its own.
        alone = np.where(found.control, found.display, 0)
        grouped = pd.DataFrame({**columns, "key": found.key, "alone": alone}).groupby(
            ["document", "start", "end", "key", "alone"], sort=False
        )
        item = grouped.ngroup().to_numpy()
        _, first = np.unique(item, return_index=True)
        outside = self._outside(session, columns, first) & ~found.control[first]
        return Shown(
            display=found.display,
            cell=cell,
            item=item.astype(np.int32),
            first=first,
            document=columns["document"],
            start=columns["start"],
            end=columns["end"],
            key=found.key.astype(np.int32),
            cells=cells,
            outside=outside,
        )

    def _outside(self, session: Session, columns: dict[str, Ints], first: Ints) -> Bools:
        """Of each item, whether no link of the ground truth touches it where the ground truth ran."""
        from analysis.spans import Spans, overlapping  # noqa: PLC0415 - beside the only use

        ran, links = tallying.truth(session)
        spans = Spans(*(columns[name][first] for name in ("document", "start", "end")))
        found = np.isin(spans.document, np.fromiter(ran, dtype=np.int64, count=len(ran)))
        if links:
            table = np.array([row[:3] for row in links], dtype=np.int64)
            touched, _ = overlapping(spans, Spans(table[:, 0], table[:, 1], table[:, 2]))
            found[touched] = False
        return found

    def _read(self, session: Session, batch: Sequence[progress.Person]) -> Made:
        """The judgments of some assignments, under slot numbers of their own."""
        for one in batch:
            self._loaded[one.assignment] = (one.state, self._next)
            self._next += 1
        slot = {one.assignment: self._loaded[one.assignment][1] for one in batch}
        return self._columns(session, slot)

    def _columns(self, session: Session, place: dict[int, int]) -> Made:
        if not place:
            return _nothing()
        found = tallying.judged(session, list(place))
        order = np.array(sorted(place), dtype=np.int64)
        value = np.array([place[assignment] for assignment in sorted(place)], dtype=np.int32)
        key = np.full(len(found.assignment), NONE, dtype=np.int32)
        for row, name in found.key.items():
            key[row] = self.code(name)
        return Made(
            person=value[np.searchsorted(order, found.assignment)],
            display=self.displays.places(found.display).astype(np.int32),
            decision=found.decision.astype(np.int8),
            key=key,
            seconds=found.seconds.astype(np.float32),
        )

    def _of_those_at_work(self, session: Session) -> Made:
        place = {one.assignment: at for at, one in enumerate(self.people) if one.state == "claimed"}
        numbers = list(place)
        batches = [numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)]
        parts = [self._columns(session, {one: place[one] for one in batch}) for batch in batches]
        return _joined([_nothing(), *parts])

    def _placed(self) -> Made:
        """What was read, by place among the people; what was read in a state that has changed is left out."""
        place = np.full(self._next, NONE, dtype=np.int32)
        for at, one in enumerate(self.people):
            state, slot = self._loaded.get(one.assignment, ("", NONE))
            if state == one.state:
                place[slot] = at
        person = place[self._slots.person] if len(self._slots) else self._slots.person
        live = person != NONE
        slots = self._slots
        if live.all():
            return Made(person, slots.display, slots.decision, slots.key, slots.seconds)
        return Made(person, slots.display, slots.decision, slots.key, slots.seconds).where(live)

    def _work(self, session: Session) -> list[progress.Work]:
        slots = progress.slots(session)
        found = []
        for planned in self._planned:
            source = None if planned.source == progress.POOLED else planned.source
            states = slots.get(stratum(planned.dataset, source), {})
            numbers = (states.get(state, 0) for state in ("open", "leased", "done"))
            found.append(
                progress.Work(planned.dataset, planned.source, planned.tasks, planned.displays, *numbers)
            )
        return found


def _cells(found: tallying.Displays) -> tuple[tuple[tuple[str, str], ...], Small]:
    """The datasets and sources that are judged, by name, and which of them each display is of."""
    apart = max(found.sources) + 1
    pairs, place = np.unique(found.dataset * apart + found.source, return_inverse=True)
    named = [(found.datasets[pair // apart], found.sources[pair % apart]) for pair in pairs.tolist()]
    judged = set(np.unique(place[~found.control]).tolist())
    cells = tuple(sorted({pair for at, pair in enumerate(named) if at in judged}))
    number = {pair: at for at, pair in enumerate(cells)}
    of_pair = np.array([number.get(pair, NONE) for pair in named], dtype=np.int32)
    return cells, np.where(found.control, np.int32(NONE), of_pair[place])
