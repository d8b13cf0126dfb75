"""Counts a whole study's plan, stored and new together."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from verifier.plan.design import Ints
from verifier.plan.drafting import Corpus, Drafting, stratum
from verifier.plan.foresight import ALL
from verifier.plan.layout import Items
from verifier.plan.report import SourceReport
from verifier.store import plans

if TYPE_CHECKING:
    from verifier.store import Session


@dataclass(frozen=True)
class Tallies:
    """A plan in numbers.

    Attributes:
        tasks: stratum -> real tasks.
        slots: stratum -> slots.
        by_passage: passage -> slots.
        sources: a row for each dataset and source.
        shown: the annotations shown, as codes.
        datasets, source_names: names by code.
        dataset_of: the dataset of each document.
        pooled: whether strata are datasets.
        drawn: dataset, `*` for all -> the share of its segments that is judged.
    """

    tasks: Counter[str]
    slots: Counter[str]
    by_passage: Counter[int]
    sources: Sequence[SourceReport]
    shown: Items
    datasets: Sequence[str]
    source_names: Sequence[str]
    dataset_of: Ints
    pooled: bool
    drawn: Mapping[str, float]


def tallies(session: Session, corpus: Corpus, drafting: Drafting) -> Tallies:
    """The numbers of what is stored and what `drafting` adds."""
    tasks = Counter(plans.task_counts(session)) + Counter(drafting.strata.values())
    slots, by_passage = Counter[str](), Counter(drafting.slots_by_passage())
    for count in plans.slot_counts(session):
        slots[count.stratum] += count.slots
        by_passage[count.passage] += count.slots
    slots.update(slot["stratum"] for slot in drafting.rows.slots)
    before = plans.shown_before(session)
    counted = _Counting(corpus, drafting, before)
    counted.count()
    pooled = any("/" not in name for name in tasks)
    return Tallies(
        tasks,
        slots,
        by_passage,
        counted.reports(tasks, slots),
        counted.items(),
        counted.datasets,
        [corpus.sources[identity] for identity in counted.source_ids],
        np.array(counted.dataset_of, np.int64),
        pooled,
        _drawn(corpus, drafting),
    )


def _drawn(corpus: Corpus, drafting: Drafting) -> dict[str, float]:
    """What part of the segments of each dataset, and of all, a sample has."""
    whole, kept = Counter[str](), Counter[str]()
    for text in corpus.texts:
        cut = drafting.segments[text.id]
        for name in (text.dataset, ALL):
            whole[name] += len(cut)
            kept[name] += sum(drafting.weights.get(segment, 1.0) > 0 for segment, _ in cut)
    return {name: kept[name] / number for name, number in whole.items() if number}


class _Counting:
    """Goes through all annotations once: what is shown, as codes, and what is not, and why."""

    def __init__(self, corpus: Corpus, drafting: Drafting, before: set[int]) -> None:
        self._corpus, self._drafting = corpus, drafting
        self._new, self._before = set(drafting.rows.shown), before
        self.datasets = sorted({text.dataset for text in corpus.texts})
        self.source_ids = sorted({source for ran in corpus.ran.values() for source in ran})
        self.dataset_of = [self.datasets.index(text.dataset) for text in corpus.texts]
        self._imported, self._added = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
        self._shown: Counter[tuple[str, int]] = Counter()
        self._reasons: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        # Document, segment, source and item of what is shown.
        self._codes = tuple(array("q") for _ in range(4))
        self._weights = array("d")
        self._ran = np.zeros((len(self.source_ids), len(corpus.texts)), bool)

    def count(self) -> None:
        """Every annotation of every document."""
        place = {source: number for number, source in enumerate(self.source_ids)}
        document, segment, source, item = self._codes
        found = 0
        for number, text in enumerate(self._corpus.texts):
            cut = self._drafting.segments[text.id]
            starts = [span.start for _, span in cut]
            own: dict[tuple[int, int, str | None], int] = {}
            for ran in self._corpus.ran.get(text.id, ()):
                self._ran[place[ran], number] = True
                self._shown[text.dataset, ran] += 0
            for mark in self._corpus.marks.get(text.id, ()):
                name = (text.dataset, mark.source)
                self._imported[name] += 1
                new = mark.id in self._new
                if not new and mark.id not in self._before:
                    why = self._drafting.rows.reasons.get(mark.id) or mark.reason or "not_planned"
                    self._reasons[name][why] += 1
                    continue
                self._shown[name] += 1
                self._added[name] += new
                where = cut[max(bisect_right(starts, mark.start) - 1, 0)][0]
                document.append(number)
                segment.append(where)
                source.append(place[mark.source])
                item.append(found + own.setdefault((mark.start, mark.end, mark.key), len(own)))
                self._weights.append(self._drafting.weights.get(where, 1.0))
            found += len(own)

    def items(self) -> Items:
        """What is shown."""
        document, segment, source, item = (np.frombuffer(codes, np.int64) for codes in self._codes)
        return Items(
            dataset=np.array(self.dataset_of, np.int64)[document],
            document=document,
            segment=segment,
            source=source,
            item=item,
            weight=np.frombuffer(self._weights),
            ran=self._ran,
        )

    def reports(self, tasks: Counter[str], slots: Counter[str]) -> list[SourceReport]:
        """A row for each dataset and source."""
        names = {source: self._corpus.sources[source] for source in self.source_ids}
        every = sorted(self._shown, key=lambda name: (name[0], names[name[1]]))
        return [
            SourceReport(
                dataset=dataset,
                source=names[source],
                imported=self._imported[dataset, source],
                shown=self._shown[dataset, source],
                added=self._added[dataset, source],
                not_shown=dict(sorted(self._reasons[dataset, source].items())),
                tasks=tasks[stratum(dataset, names[source])],
                slots=slots[stratum(dataset, names[source])],
            )
            for dataset, source in every
        ]
