"""Counts a whole study's plan, stored and new together, and forecasts how precise its rates will be."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.plan.budget import Precision, expected_precision
from verifier.plan.drafting import Corpus, Drafting, stratum
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
        by_segment: segment -> slots.
        sources: a row for each dataset and source.
        shown: (dataset, source) -> document -> annotations shown.
        pooled: whether strata are datasets.
    """

    tasks: Counter[str]
    slots: Counter[str]
    by_segment: Counter[int]
    sources: Sequence[SourceReport]
    shown: dict[tuple[str, str], Counter[int]]
    pooled: bool

    def judgments(self, dataset: str, source: str) -> float:
        """Judgments of an annotation, on average over the tasks of its stratum."""
        name = stratum(dataset, None if self.pooled else source)
        return self.slots[name] / self.tasks[name] if self.tasks[name] else 0.0


def tallies(session: Session, corpus: Corpus, drafting: Drafting) -> Tallies:
    """The numbers of what is stored and what `drafting` adds."""
    tasks = Counter(plans.task_counts(session)) + Counter(drafting.strata.values())
    slots, by_segment = Counter[str](), Counter(drafting.slots_by_segment())
    for count in plans.slot_counts(session):
        slots[count.stratum] += count.slots
        by_segment[count.segment] += count.slots
    slots.update(slot["stratum"] for slot in drafting.rows.slots)
    sources, shown = _by_source(corpus, drafting, plans.shown_before(session), tasks, slots)
    pooled = any("/" not in name for name in tasks)
    return Tallies(tasks, slots, by_segment, sources, shown, pooled)


def precision(counted: Tallies, places: int) -> list[Precision]:
    """The half-width to expect for each dataset and source, and for each source over several datasets.

    Each place is taken as one worker, who works on every stratum as far as its slots reach.
    """
    rows, datasets = [], defaultdict(set)
    for (dataset, source), documents in sorted(counted.shown.items()):
        datasets[source].add(dataset)
        slots = counted.slots[stratum(dataset, None if counted.pooled else source)]
        rows.append(
            expected_precision(
                dataset,
                source,
                list(documents.values()),
                k=counted.judgments(dataset, source) or 1.0,
                workers=min(places, slots),
            )
        )
    for source, names in sorted(datasets.items()):
        if len(names) > 1:
            rows.append(_over_all(counted, source, sorted(names), places))
    return rows


def _over_all(counted: Tallies, source: str, datasets: Sequence[str], places: int) -> Precision:
    by_document = [n for dataset in datasets for n in counted.shown[dataset, source].values()]
    weighted = sum(
        counted.judgments(dataset, source) * sum(counted.shown[dataset, source].values())
        for dataset in datasets
    )
    slots = sum(counted.slots[stratum(d, None if counted.pooled else source)] for d in datasets)
    k = weighted / sum(by_document) if by_document else 1.0
    return expected_precision("*", source, by_document, k=k, workers=min(places, slots))


def _by_source(
    corpus: Corpus, drafting: Drafting, before: set[int], tasks: Counter[str], slots: Counter[str]
) -> tuple[list[SourceReport], dict[tuple[str, str], Counter[int]]]:
    """A row for each dataset and source, and where its shown annotations lie."""
    new = set(drafting.rows.shown)
    imported, added = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    shown: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    reasons: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for text in corpus.texts:
        for source in corpus.ran.get(text.id, ()):
            shown.setdefault((text.dataset, corpus.sources[source]), Counter())
        for mark in corpus.marks.get(text.id, ()):
            name = (text.dataset, corpus.sources[mark.source])
            imported[name] += 1
            if mark.id in new or mark.id in before:
                shown[name][text.id] += 1
                added[name] += mark.id in new
            else:
                reasons[name][drafting.rows.reasons.get(mark.id) or mark.reason or "not_planned"] += 1
    rows = [
        SourceReport(
            dataset=dataset,
            source=source,
            imported=imported[dataset, source],
            shown=sum(documents.values()),
            added=added[dataset, source],
            not_shown=dict(sorted(reasons[dataset, source].items())),
            tasks=tasks[stratum(dataset, source)],
            slots=slots[stratum(dataset, source)],
        )
        for (dataset, source), documents in sorted(shown.items())
    ]
    return rows, dict(shown)
