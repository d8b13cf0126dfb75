"""Which new segments and tasks a sampled study judges: what there is to draw from, and the draw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verifier.plan.sampling import Sampling, Unit, audit_sizes, draw, points
from verifier.plan.tasks import Draft, Mark, Shown
from verifier.store.plans import PlanText

NOT_SAMPLED = "not_sampled"


@dataclass(frozen=True)
class Drawn:
    """A task to be, with the document and the segment it is of."""

    text: PlanText
    segment: int
    draft: Draft

    @property
    def annotations(self) -> list[int]:
        """Those that its displays stand for."""
        return [identity for credited in self.draft.displays.values() for identity in credited]


@dataclass(frozen=True)
class Suspects:
    """What an audit looks at.

    Attributes:
        marks: document -> its annotations.
        ran: document -> sources that ran there.
        truth: sources that are ground truth.
    """

    marks: Mapping[int, Sequence[Mark]]
    ran: Mapping[int, frozenset[int]]
    truth: frozenset[int]

    def found(self, text: PlanText, drafts: Iterable[Draft]) -> int:
        """The points of a segment, from its tasks."""
        source = {mark.id: mark.source for mark in self.marks.get(text.id, ())}
        items: dict[Shown, set[int]] = defaultdict(set)
        for draft in drafts:
            for shown, credited in draft.displays.items():
                items[shown].update(source[identity] for identity in credited)
        ran = self.ran.get(text.id, frozenset())
        return points({item: frozenset(given) for item, given in items.items()}, ran, self.truth & ran)


def weights(
    new: Mapping[int, PlanText], drafts: Sequence[Drawn], sampling: Sampling, suspects: Suspects, seed: int
) -> dict[int, float]:
    """The weight of every new segment, drawn by itself or with its whole document.

    Args:
        new: segment -> its document.
        drafts: tasks that could be drawn.
        sampling: how.
        suspects: what an audit looks at.
        seed: the study's.
    """
    by_document = sampling.unit == "document"
    members: dict[int, list[int]] = defaultdict(list)
    for segment, text in new.items():
        members[text.id if by_document else segment].append(segment)
    sizes = Counter[int]()
    tasks: dict[int, list[Draft]] = defaultdict(list)
    for drawn in drafts:
        if drawn.segment in new:
            name = drawn.text.id if by_document else drawn.segment
            sizes[name] += len(drawn.draft.displays)
            if sampling.audit:
                tasks[name].append(drawn.draft)
    full: Mapping[int, float] = sizes
    if sampling.audit:
        full = audit_sizes({name: suspects.found(new[members[name][0]], tasks[name]) for name in sizes})
    units = [
        Unit(name, _stratum(new[segments[0]], None, sampling), full.get(name, 0))
        for name, segments in members.items()
    ]
    found = draw(units, sampling, seed)
    return {segment: found[name] for name, segments in members.items() for segment in segments}


def chosen_tasks(
    drafts: Sequence[Drawn], sampling: Sampling, names: Mapping[int, str], seed: int
) -> set[int]:
    """Which tasks are drawn where tasks are what is drawn: their places in `drafts`."""
    units = [
        Unit(
            (drawn.segment, drawn.draft.source or 0, next(iter(drawn.draft.displays)).start),
            _stratum(drawn.text, names.get(drawn.draft.source or 0), sampling),
        )
        for drawn in drafts
    ]
    found = draw(units, sampling, seed)
    return {place for place, unit in enumerate(units) if found[unit.name]}


def _stratum(text: PlanText, source: str | None, sampling: Sampling) -> str:
    values = {"dataset": text.dataset, "document": f"{text.dataset}/{text.name}", "source": source or ""}
    return "\x1f".join(values[name] for name in sampling.strata)
