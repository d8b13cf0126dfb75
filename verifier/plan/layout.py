"""Lays a plan's tasks out over workers once, as drawing would, and reads from it how sure numbers will be.

The residual of a statistic is a sum over judgments, each with a coefficient that is known when planning:
1 / n for a rate, (has the source the item or not, less the recall) / union for recall, +1 / n or -1 / n for
a difference. Judgments of one document, worker or item have a share of their variance in common (`Design`).
So the expected variances over documents, workers and both together, which the analysis will estimate, are
sums of squares of sums of coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from verifier.plan.design import Design, Floats, Ints

# The analysis takes fewer workers as fixed: its intervals are then by documents alone.
FEW_WORKERS: Final = 8
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Items:
    """The annotations shown by a plan, as codes.

    Attributes:
        dataset, document, segment, source, item: of each annotation, from 0.
        weight: of each, by its segment.
        ran: source x document, whether it ran there.
    """

    dataset: Ints
    document: Ints
    segment: Ints
    source: Ints
    item: Ints
    weight: Floats
    ran: Bools

    def __len__(self) -> int:
        return len(self.item)

    def kept(self, keep: Bools) -> Items:
        """Those annotations alone."""
        parts = ("dataset", "document", "segment", "source", "item", "weight")
        return replace(self, **{name: getattr(self, name)[keep] for name in parts})


@dataclass(frozen=True)
class Way:
    """How items are judged.

    Attributes:
        k: judgments of a task.
        repeat_share: of tasks judged once more.
        pooled: a task has the distinct items of a segment, not the annotations of one source.
        per_place: real tasks on a place.
        seed: of the layout.
        workers: who do all places, in turn; None: one for each.
        most: annotations that a task shows at most; None: as many as there are.
    """

    k: int
    repeat_share: float
    pooled: bool
    per_place: int
    seed: int = 0
    workers: int | None = None
    most: int | None = None


@dataclass(frozen=True)
class Layout:
    """Judgments laid out: item, document and worker of each; for each item how many it has."""

    item: Ints
    document: Ints
    worker: Ints
    of_item: Ints

    @property
    def workers(self) -> int:
        """How many there are."""
        return int(self.worker.max()) + 1 if len(self.worker) else 0


def lay_out(items: Items, way: Way) -> Layout:
    """Every judgment of a plan, each place one worker, strata in proportion on all of them."""
    random = np.random.default_rng(np.random.SeedSequence([way.seed, way.k, way.per_place]))
    if way.pooled:
        _, first = np.unique(items.item, return_index=True)
        shown = items.kept(np.isin(np.arange(len(items)), first))
        strata_of = shown.dataset
    else:
        shown = items
        strata_of = shown.dataset * len(items.ran) + shown.source
    code = tasks(shown, pooled=way.pooled, most=way.most)
    _, head, task = np.unique(code, return_index=True, return_inverse=True)
    slots = np.full(len(head), way.k)
    repeats = int(way.repeat_share * len(head) + 0.5)
    slots[random.permutation(len(head))[:repeats]] += 1
    slot_task = np.repeat(np.arange(len(head)), slots)
    place = _dealt(strata_of[head][slot_task], random)
    worker_of_slot = np.empty(len(slot_task), np.int64)
    worker_of_slot[place] = np.arange(len(slot_task)) // max(way.per_place, 1)
    if way.workers is not None:
        worker_of_slot %= way.workers
    # A display is judged in each slot of its task.
    order = np.argsort(task, kind="stable")
    counts = np.bincount(task, minlength=len(head))
    starts = np.cumsum(counts) - counts
    repeated = counts[slot_task]
    within = np.arange(repeated.sum()) - np.repeat(np.cumsum(repeated) - repeated, repeated)
    row = order[np.repeat(starts[slot_task], repeated) + within]
    item = shown.item[row]
    of_item = np.bincount(item, minlength=int(items.item.max()) + 1 if len(items) else 0)
    return Layout(item, shown.document[row], np.repeat(worker_of_slot, repeated), of_item)


def tasks(shown: Items, *, pooled: bool, most: int | None) -> Ints:
    """The task of each annotation that is shown, as a code: of a segment, and of one source unless pooled.

    One with more than `most` annotations is parted as evenly as can be, as planning does (`tasks.parts`).
    """
    code = shown.segment if pooled else shown.segment * len(shown.ran) + shown.source
    if most is None or not len(code):
        return code
    order = np.lexsort((shown.item, code))
    _, starts, sizes = np.unique(code[order], return_index=True, return_counts=True)
    size = np.repeat(sizes, sizes)
    rank = np.arange(len(code)) - np.repeat(starts, sizes)
    number = -(-size // most)
    part = np.empty(len(code), np.int64)
    part[order] = ((rank + 1) * number - 1) // size
    return code * (int(part.max()) + 1) + part


def _dealt(stratum: Ints, random: np.random.Generator) -> Ints:
    """An order of slots in which every stratum is spread evenly, and chance decides within each."""
    mixed = random.permutation(len(stratum))
    order = mixed[np.argsort(stratum[mixed], kind="stable")]
    counts = np.bincount(stratum[order])
    starts = np.cumsum(counts) - counts
    rank = np.arange(len(order)) - starts[stratum[order]]
    when = (rank + random.random(len(order))) / counts[stratum[order]]
    return order[np.argsort(when, kind="stable")]


@dataclass(frozen=True)
class Statistic:
    """A statistic of values of items.

    Attributes:
        value: what it is expected to be.
        coefficient: of each item.
        size: of each item, what it adds to the statistic's n.
        centred: whether a residual's mean is nothing (a rate); else it is the coefficient times the rate.
    """

    value: float
    coefficient: Floats
    size: Floats
    centred: bool


@dataclass(frozen=True)
class Sureness:
    """How sure a statistic will be.

    Attributes:
        value: expected.
        n: of it.
        variance: expected of the analysis's estimate.
        documents, workers: effective numbers.
    """

    value: float
    n: float
    variance: float
    documents: float
    workers: float

    @property
    def degrees(self) -> float:
        """Of freedom."""
        fewest = self.documents if self.workers < FEW_WORKERS else min(self.documents, self.workers)
        return fewest - 1

    def half_width(self, level: float, *, proportion: bool = True) -> float | None:
        """Half the interval to expect; on the logit scale for a proportion, as the analysis has it."""
        if self.degrees < 1 or not self.variance > 0:
            return None
        half = quantile(level, self.degrees) * sqrt(self.variance)
        if not proportion:
            return half
        p = self.value
        if not 0 < p < 1:
            return None
        logit, wide = np.log(p / (1 - p)), half / (p * (1 - p))
        low, high = (1 / (1 + np.exp(-(logit + side * wide))) for side in (-1, 1))
        return float(high - low) / 2

    def times(self, factor: float) -> Sureness:
        """With so many times the documents, and places in proportion."""
        return replace(
            self,
            n=self.n * factor,
            variance=self.variance / factor,
            documents=self.documents * factor,
            workers=self.workers * factor,
        )


def quantile(level: float, degrees: float) -> float:
    """The two-sided quantile of Student's t."""
    from scipy.special import stdtrit  # noqa: PLC0415 - slow to load, only for the forecast

    return float(stdtrit(degrees, (1 + level) / 2))


@dataclass(frozen=True)
class Told:
    """The judgments that a statistic is of.

    Attributes:
        item, document, worker: of each.
        share: its part of the coefficient of its item.
        size: its part of what the item adds to n.
    """

    item: Ints
    document: Ints
    worker: Ints
    share: Floats
    size: Floats


def told(layout: Layout, statistic: Statistic) -> Told:
    """The judgments that a statistic is of, and what each adds."""
    judged = layout.of_item[layout.item]
    share = statistic.coefficient[layout.item] / judged
    size = statistic.size[layout.item] / judged
    keep = (share != 0) | (size != 0)
    parts = (layout.item, layout.document, layout.worker, share, size)
    return Told(*parts) if keep.all() else Told(*(part[keep] for part in parts))


def sureness(layout: Layout, statistic: Statistic, design: Design) -> Sureness:
    """The expected variance of a statistic as the analysis will estimate it: V = max(Vd + Vw - Vdw, Vd, Vw).

    With C the sum of the judgments' coefficients over a cluster, and q = p (1 - p) times the shares d, w, a
    and e of document, worker, item and chance:

        Vd  = M(documents) + q [d C(documents) + w C(cells) + a C(items) + e C(judgments)]
        Vw  = M(workers) + q [d C(cells) + w C(workers) + (a + e) C(judgments)]
        Vdw = M(cells) + q [(d + w) C(cells) + (a + e) C(judgments)]

    where C(...) is the sum of squares over clusters of a kind, cells are those of a document and a worker,
    and M the same of the means of residuals, which are nothing for a rate.
    """
    spoken = told(layout, statistic)
    item, document, worker, share = spoken.item, spoken.document, spoken.worker, spoken.share
    cell = document * (layout.workers or 1) + worker
    by = {
        name: squares(code, share)
        for name, code in (("d", document), ("w", worker), ("c", cell), ("i", item))
    }
    each = float((share**2).sum())
    p, q = design.rate, design.variance
    mean: Mapping[str, float] = {
        name: 0.0 if statistic.centred else p * p * by[name] for name in ("d", "w", "c")
    }
    d, w, a, e = design.document, design.worker, design.annotation, design.chance
    by_document = mean["d"] + q * (d * by["d"] + w * by["c"] + a * by["i"] + e * each)
    by_worker = mean["w"] + q * (d * by["c"] + w * by["w"] + (a + e) * each)
    by_cell = mean["c"] + q * ((d + w) * by["c"] + (a + e) * each)
    workers = effective(worker, spoken.size)
    both = max(by_document + by_worker - by_cell, by_document, by_worker)
    return Sureness(
        value=statistic.value,
        n=float((statistic.size > 0).sum()),
        variance=by_document if workers < FEW_WORKERS else both,
        documents=effective(document, spoken.size),
        workers=workers,
    )


def squares(code: Ints, values: Floats) -> float:
    """The sum of the squares of sums over each code."""
    if not len(code):
        return 0.0
    if int(code.max()) > 4 * len(code) + 1_000_000:
        _, code = np.unique(code, return_inverse=True)
    return float((np.bincount(code, values) ** 2).sum())


def effective(code: Ints, sizes: Floats) -> float:
    """N^2 / sum n^2: so many clusters of equal size would be worth as much."""
    total = float(sizes.sum())
    summed = squares(code, sizes)
    return total**2 / summed if summed else 0.0
