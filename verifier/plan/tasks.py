"""Draws up tasks: which annotations are shown, as which displays, and why the others are not."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from analysis.documents import Span
from analysis.keys import LINK, NIL_KIND, NONE, UNMAPPED
from verifier.plan import chance
from verifier.plan.choice import shares

_REASON_OF_KIND = {NIL_KIND: "nil", UNMAPPED: "unmapped", NONE: "no_link"}


class Shown(NamedTuple):
    """What a worker sees: a span with an entity."""

    start: int
    end: int
    key: str


class Mark(NamedTuple):
    """An annotation as planning sees it: its key after redirects; `planned` if it is shown or not already.

    Whether it is shown was decided by an earlier plan, or at import for an exact copy; `reason` says why not.
    """

    id: int
    document: int
    source: int
    start: int
    end: int
    key: str | None
    kind: str
    reason: str | None
    planned: bool

    @property
    def span(self) -> Span:
        """Where it is."""
        return Span(self.start, self.end)

    @property
    def shown(self) -> Shown:
        """What of it a worker would see."""
        return Shown(self.start, self.end, self.key or "")


@dataclass(frozen=True)
class Draft:
    """A task to be: a segment of the document, by its number there, and its displays with their credits."""

    segment: int
    source: int | None
    displays: dict[Shown, list[int]]


@dataclass(frozen=True)
class Drafts:
    """What one document gives.

    Attributes:
        tasks: by segment, then source.
        reasons: annotation -> why it is not shown.
        late: display id -> annotations of a later source that it stands for as well.
    """

    tasks: list[Draft]
    reasons: dict[int, str]
    late: dict[int, list[int]] = field(default_factory=dict)


def draw_up(
    marks: Iterable[Mark],
    segments: Sequence[Span],
    evaluation: Span,
    *,
    pooled: bool,
    existing: Mapping[Shown, Sequence[int]] | None = None,
    most: int | None = None,
) -> Drafts:
    """The tasks of one document.

    Identical spans and keys, of one source or, pooled, of any, become one display credited to all.

    Args:
        marks: not yet planned, keys after redirects.
        segments: the document's, in order.
        evaluation: the part of the document that is judged.
        pooled: one task a segment for all sources together, in place of one for each.
        existing: displays of earlier plans in this document that stand for what they show whoever gives it,
            with their ids.
        most: a task shows no more than so many; None: as many as there are.
    """
    starts = [segment.start for segment in segments]
    grouped: dict[tuple[int, int], dict[Shown, list[int]]] = defaultdict(dict)
    reasons: dict[int, str] = {}
    late: dict[int, list[int]] = defaultdict(list)
    for mark in marks:
        segment = max(bisect_right(starts, mark.start) - 1, 0)
        reason = why_not_shown(mark, evaluation) or _crosses(mark, segments[segment])
        if reason:
            reasons[mark.id] = reason
        elif existing and mark.shown in existing:
            for display in existing[mark.shown]:
                late[display].append(mark.id)
        else:
            # 0 is no source's id: it stands for the pooled task.
            group = grouped[segment, 0 if pooled else mark.source]
            group.setdefault(mark.shown, []).append(mark.id)
    tasks = [
        Draft(segment, source or None, {shown: sorted(displays[shown]) for shown in part})
        for (segment, source), displays in sorted(grouped.items())
        for part in parts(sorted(displays), most)
    ]
    return Drafts(tasks, reasons, dict(late))


def parts(items: Sequence[Shown], most: int | None) -> list[Sequence[Shown]]:
    """Items in as few parts as hold at most `most` each, in order, as even as can be."""
    count = 1 if most is None else -(-len(items) // most)
    bounds = [len(items) * number // count for number in range(count + 1)]
    return [items[a:b] for a, b in pairwise(bounds)]


def why_not_shown(mark: Mark, evaluation: Span) -> str | None:
    """The reason (one of `schema.NOT_SHOWN`) why an annotation cannot be shown at all; None if it can."""
    if mark.kind != LINK or mark.key is None:
        return _REASON_OF_KIND.get(mark.kind, "not_an_entity")
    return None if mark.span.within(evaluation) else "outside_evaluation"


def repeated(tasks: Mapping[int, str], share: float, seed: int) -> set[int]:
    """The tasks that are judged once more: `share` of all, of each stratum its part, by the seeded order.

    Args:
        tasks: task id -> stratum.
        share: of tasks, 0 to 1; the number is rounded half up.
        seed: the study's.
    """
    strata: dict[str, list[int]] = defaultdict(list)
    for task in sorted(tasks, key=lambda task: chance.number(seed, "repeat", task)):
        strata[tasks[task]].append(task)
    wanted = shares({name: len(ids) for name, ids in strata.items()}, int(share * len(tasks) + 0.5))
    return {task for name, ids in strata.items() for task in ids[: wanted[name]]}


def _crosses(mark: Mark, segment: Span) -> str | None:
    return None if mark.span.within(segment) else "crosses_segments"
