"""What a plan's numbers will be worth: half-widths, how they fall, and what two points take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import sqrt
from typing import Final

import numpy as np

from verifier.plan import estimands
from verifier.plan.design import Design
from verifier.plan.layout import (
    FEW_WORKERS,
    Bools,
    Items,
    Layout,
    Statistic,
    Sureness,
    Way,
    lay_out,
    quantile,
    sureness,
)
from verifier.plan.likeness import likeness
from verifier.plan.whole import SEGMENT, WORKER, sureness_here

LEVEL: Final = 0.95
POWER: Final = 0.8
TARGET: Final = 0.02
# A larger study is forecast from documents with about so many annotations, and scaled up.
LARGEST: Final = 200_000
_LARGEST_CURVE: Final = 50_000
_KS: Final = (1, 2, 3, 5)
_SHARES: Final = (0.1, 0.25, 0.5, 0.75)
_FAR: Final = 10_000.0
ALL: Final = "*"


@dataclass(frozen=True)
class Precision:
    """The half-width to expect of a number.

    Attributes:
        dataset: `*` for all.
        source: whose; empty for agreement.
        metric: as in metrics.csv.
        value: assumed, or what follows from the plan.
        n: annotations shown, or items.
        k: judgments that speak for each, on average: those of the identical item count.
        documents, workers: effective numbers.
        design_effect: of a rate: variance over that of n independent annotations judged once, p (1 - p) / n.
        half_width: of the 95 % interval, whose target is documents like these; None where it is not defined.
        reason: why not.
        here: of a rate, half of the 95 % interval whose target is this corpus; None where it is not defined.
        cluster: what the analysis takes for clusters then: `worker` where all is judged, `segment` where a
            part of the segments is; empty where it has no such interval.
    """

    dataset: str
    source: str
    metric: str
    value: float | None
    n: int
    k: float
    documents: float
    workers: float
    design_effect: float | None
    half_width: float | None
    reason: str = ""
    here: float | None = None
    cluster: str = ""


@dataclass(frozen=True)
class Point:
    """The half-width of a source's rate if k or the share that is judged were another."""

    source: str
    k: int
    share: float
    half_width: float | None


@dataclass(frozen=True)
class Need:
    """What a source's rate takes to be known to two points either way.

    Attributes:
        source: whose.
        half_width: as planned.
        share: the smallest share of the segments tried that does it with the planned k; None: none.
        k: the smallest k tried that does it with all segments; None: none.
        documents: so many times the documents do it with the planned k; None: no number does.
    """

    source: str
    half_width: float | None
    share: float | None
    k: int | None
    documents: float | None


@dataclass(frozen=True)
class Contrast:
    """What it takes to tell two sources apart.

    Attributes:
        sources: the two.
        detectable: the difference of rates that is found with 80 % power as planned; None: not defined.
        documents: so many times the documents find one of two points.
    """

    sources: tuple[str, str]
    detectable: float | None
    documents: float | None


@dataclass(frozen=True)
class Foresight:
    """All that is forecast of a plan's numbers."""

    precision: Sequence[Precision]
    curve: Sequence[Point]
    needs: Sequence[Need]
    contrasts: Sequence[Contrast]


@dataclass(frozen=True)
class Named:
    """The names of codes, and how the plan judges.

    Attributes:
        datasets, sources: names by code.
        dataset_of: the dataset of each document.
        way: the plan's.
        design: what is assumed or measured.
        parted: single tasks were drawn, so that sources lie on different segments.
        drawn: dataset, `*` for all -> share of its segments that is judged; empty: the study is no sample;
            None: it is one, not of segments.
    """

    datasets: Sequence[str]
    sources: Sequence[str]
    dataset_of: np.ndarray
    way: Way
    design: Design
    parted: bool = False
    drawn: Mapping[str, float] | None = field(default_factory=dict)


def foresee(items: Items, named: Named) -> Foresight:
    """The forecast of a plan."""
    if not len(items):
        return Foresight([], [], [], [])
    large, part = _part(items, LARGEST, named.way.seed)
    precision = list(_Laid(large, lay_out(large, named.way), part, named).rows())
    small, fraction = _part(items, _LARGEST_CURVE, named.way.seed)
    ways = {
        (k, share): _thinned(small, named, k=k, share=share)
        for k in sorted({*_KS, named.way.k})
        for share in (*_SHARES, 1.0)
        if share == 1 or k == named.way.k
    }
    curve, needs = [], []
    for source, name in enumerate(named.sources):
        if not (small.source == source).any():
            continue
        found = {
            how: _rate(part, layout, source, named.design).times(1 / fraction)
            for how, (part, layout) in ways.items()
            if (part.source == source).any()
        }
        # With few workers the analysis takes them as fixed: its interval is then no wider, but says less.
        halves = {
            how: None if sure.workers < FEW_WORKERS else sure.half_width(LEVEL) for how, sure in found.items()
        }
        curve += [Point(name, k, share, half) for (k, share), half in halves.items()]
        needs.append(_need(name, halves, found[named.way.k, 1.0], named.way.k))
    whole = ways[named.way.k, 1.0]
    contrasts = [
        _contrast(whole, (one, other), named, fraction)
        for one, other in combinations(sorted({*small.source.tolist()}), 2)
    ]
    return Foresight(precision, curve, needs, contrasts)


def _part(items: Items, most: int, seed: int) -> tuple[Items, float]:
    """Documents by chance that have about `most` annotations, and what part of all annotations they have."""
    if len(items) <= most:
        return items, 1.0
    random = np.random.default_rng(np.random.SeedSequence([seed, most]))
    lots = random.random((items.ran.shape[1],))
    part = items.kept(lots[items.document] < most / len(items))
    return part, len(part) / len(items)


def _thinned(items: Items, named: Named, *, k: int, share: float) -> tuple[Items, Layout]:
    part = items
    if share < 1:
        random = np.random.default_rng(np.random.SeedSequence([named.way.seed, int(1000 * share)]))
        lots = random.random((int(items.segment.max()) + 1,))
        part = items.kept(lots[items.segment] < share)
    return part, lay_out(part, replace(named.way, k=k))


def _rate(items: Items, layout: Layout, source: int, design: Design) -> Sureness:
    every = np.ones(items.ran.shape[1], bool)
    return sureness(layout, estimands.rate(items, source, every, design), design)


@dataclass(frozen=True)
class _Laid:
    """Items laid out, and what part of all they are."""

    items: Items
    layout: Layout
    fraction: float
    named: Named

    def rows(self) -> Iterator[Precision]:
        """Each dataset, and all together where there are several."""
        named = self.named
        parts: list[tuple[str, Bools]] = [
            (name, named.dataset_of == code) for code, name in enumerate(named.datasets)
        ]
        if len(parts) > 1:
            parts.append((ALL, np.ones(len(named.dataset_of), bool)))
        for dataset, documents in parts:
            for source in range(len(named.sources)):
                if (self.items.ran[source] & documents).any():
                    yield from self._of_source(dataset, source, documents)
            yield from self._agreement(dataset, documents)

    def _of_source(self, dataset: str, source: int, documents: Bools) -> Iterator[Precision]:
        design, items = self.named.design, self.items
        spoken = _spoken(self.layout, estimands.held(items, source, documents) > 0)
        statistics = {
            "verification_rate": estimands.rate(items, source, documents, design),
            "posthoc_recall": estimands.recall(items, source, documents, design),
        }
        for metric, statistic in statistics.items():
            sure = sureness(self.layout, statistic, design).times(1 / self.fraction)
            refused = self.named.parted and metric == "posthoc_recall"
            half = None if refused else sure.half_width(LEVEL)
            rated = metric == "verification_rate" and sure.n
            cluster = self._cluster() if rated else ""
            yield Precision(
                dataset=dataset,
                source=self.named.sources[source],
                metric=metric,
                value=sure.value if sure.n and not refused else None,
                n=round(sure.n),
                k=spoken,
                documents=sure.documents,
                workers=sure.workers,
                design_effect=sure.variance * sure.n / design.variance if rated else None,
                half_width=half,
                reason="" if half is not None else "refused: tasks are drawn" if refused else _why_not(sure),
                here=self._here(dataset, statistic) if cluster else None,
                cluster=cluster,
            )

    def _cluster(self) -> str:
        drawn = self.named.drawn
        return "" if drawn is None else SEGMENT if drawn else WORKER

    def _here(self, dataset: str, statistic: Statistic) -> float | None:
        drawn = None if not self.named.drawn else self.named.drawn[dataset]
        sure = sureness_here(self.items, self.layout, statistic, self.named.design, drawn=drawn)
        return sure.times(1 / self.fraction).half_width(LEVEL)

    def _agreement(self, dataset: str, documents: Bools) -> Iterator[Precision]:
        named = self.named
        found = likeness(self.items, self.layout, documents, named.design, level=LEVEL, seed=named.way.seed)
        for one in found:
            half = None if one.half_width is None else one.half_width * sqrt(self.fraction)
            yield Precision(
                dataset=dataset,
                source="",
                metric=one.coefficient,
                value=None if np.isnan(one.value) else one.value,
                n=round(one.units / self.fraction),
                k=_spoken(self.layout, self.layout.of_item > 1),
                documents=one.documents / self.fraction,
                workers=self.layout.workers / self.fraction,
                design_effect=None,
                half_width=half,
                reason="" if half is not None else "needs more documents whose items have two judgments",
            )


def _why_not(sure: Sureness) -> str:
    if not sure.n:
        return "no annotation is shown"
    if sure.value in (0, 1):
        return "it has all of the union, or none"
    return "needs two documents and two workers"


def _spoken(layout: Layout, items: Bools) -> float:
    """Judgments that an item has, on average over some."""
    found = layout.of_item[items]
    return float(found.mean()) if len(found) else 0.0


def _need(name: str, halves: Mapping[tuple[int, float], float | None], now: Sureness, k: int) -> Need:
    def does(half: float | None) -> bool:
        return half is not None and half <= TARGET

    share = min((share for (of, share), half in halves.items() if of == k and does(half)), default=None)
    more = min((of for (of, share), half in halves.items() if share == 1 and does(half)), default=None)
    return Need(name, halves[k, 1.0], share, more, _times(now, TARGET))


def _times(now: Sureness, target: float) -> float | None:
    """By what the documents must be multiplied for a half-width; under 1 if fewer do."""
    low, high = 1e-3, _FAR

    def half(factor: float) -> float:
        return now.times(factor).half_width(LEVEL) or 1.0

    if half(high) > target:
        return None
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (low, middle) if half(middle) <= target else (middle, high)
    return high


def _contrast(whole: tuple[Items, Layout], pair: tuple[int, int], named: Named, fraction: float) -> Contrast:
    items, layout = whole
    names = (named.sources[pair[0]], named.sources[pair[1]])
    every = np.ones(items.ran.shape[1], bool)
    found = sureness(layout, estimands.difference(items, *pair, every), named.design).times(1 / fraction)
    if found.degrees < 1 or not found.variance > 0:
        return Contrast(names, None, None)
    low, high = 1e-3, _FAR
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (low, middle) if _detectable(found.times(middle)) <= TARGET else (middle, high)
    return Contrast(names, _detectable(found), high)


def _detectable(found: Sureness) -> float:
    """The difference that is significant at 5 % with 80 % power: (t_.975 + t_.8) standard errors."""
    if found.degrees < 1:
        return 1.0
    t = quantile(LEVEL, found.degrees) + quantile(2 * POWER - 1, found.degrees)
    return min(t * sqrt(found.variance), 1.0)
