"""How often intervals of simulated campaigns hold their target, cell by cell, by the engine's own code.

Campaigns go through the engine many at once, each as a dataset of one tally: sums by document, worker and
(document, worker) cell are made in one stroke and cut by campaign, as those of a study's datasets are.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import sqrt
from typing import Any

import numpy as np

from analysis.cells import Cell, Settings, fill_spread
from analysis.engine.bootstrap import Weights, interval
from analysis.engine.contrast import difference, linearise, pooled_value
from analysis.engine.counts import Codes, Sums
from analysis.engine.jackknife import FEW_CLUSTERS, FEW_WORKERS, limits
from analysis.engine.tally import Tally, evaluate_at
from analysis.metrics.registry import get
from analysis.policy import POLICIES
from tests.support.campaigns import Design, Judged, campaigns

METRICS = ("verification_rate", "posthoc_recall", "posthoc_f1", "difference")
LEVEL = 0.95
WANTED = 0.93
REPLICATES = 500
SETTINGS = Settings(POLICIES["recommended"], 0, 0, LEVEL, "jackknife", None, asked=False)
# What each number counts, of the quantities of `Judged.counts`, and the metric whose formula it has.
_FIRST = {"hit": "first hit", "judged": "first"}
_SECOND = {"hit": "second hit", "judged": "second"}
_FOUND = {"union": "union", "items": "items", "found": "first hit"}
_PARTS = {
    "verification_rate": (_FIRST, "posthoc_precision"),
    "posthoc_recall": (_FOUND, "posthoc_recall"),
    "posthoc_f1": (_FIRST | _FOUND, "posthoc_f1"),
    "second": (_SECOND, "posthoc_precision"),
}
_METRICS = {name: get(metric) for name, (_, metric) in _PARTS.items()}
_ROWS = 300_000  # judgments that go through the engine at once, about
_SIZES = (400, 200, 100, 50, 20)


def designs(*, possible: bool = True) -> list[Design]:
    """Every cell: documents, rates, correlations, k; and the heavy tails. Or those that no crowd can have."""
    plain = [
        Design(documents, rate, document_icc, worker_icc, k)
        for documents, rate, document_icc, worker_icc, k in product(
            (20, 50, 200), (0.6, 0.9, 0.97), (0.0, 0.1, 0.3), (0.0, 0.05, 0.15), (1, 3)
        )
    ]
    heavy = [
        Design(documents, rate, 0.1, 0.05, k, heavy=True)
        for documents, rate, k in product((20, 50, 200), (0.6, 0.9, 0.97), (1, 3))
    ]
    return [design for design in plain + heavy if design.possible == possible]


class _Whole(Tally):
    """The tally of all quantities, with one pass over the rows: all else is added up from its cells.

    The sums are those of `Tally` but for the order in which they are added.
    """

    @property
    def _rows(self) -> Any:
        return self.counts

    def _from_cells(self, place: Codes, size: int) -> Sums:
        return {name: np.bincount(place, values, size) for name, values in self.cells.items()}

    @cached_property
    def documents(self) -> Sums:
        return self._from_cells(self.cell_document, int(self.bounds[-1]))

    @cached_property
    def totals(self) -> Sums:
        starts = self.bounds[:-1]
        parts = {name: np.add.reduceat(values, starts) for name, values in self.documents.items()}
        return {name: np.append(values, values.sum()) for name, values in parts.items()}

    @cached_property
    def _workers(self) -> Sums:
        width = int(self.cell_worker.max()) + 2
        dataset = np.searchsorted(self.bounds, self.cell_document, side="right") - 1
        found = self._from_cells(dataset * width + self.cell_worker + 1, self.datasets * width)
        tables = {name: values.reshape(-1, width) for name, values in found.items()}
        return {name: np.vstack([table, table.sum(axis=0)]) for name, table in tables.items()}


class _Part(Tally):
    """What one metric counts of a tally: some of its quantities, under its names."""

    def __init__(self, whole: Tally, names: dict[str, str]) -> None:
        super().__init__(whole.counts, whole.bounds)
        self._whole, self._names = whole, names

    def _of(self, sums: Sums) -> Sums:
        return {name: sums[of] for name, of in self._names.items()}

    @cached_property
    def totals(self) -> Sums:
        return self._of(self._whole.totals)

    @cached_property
    def documents(self) -> Sums:
        return self._of(self._whole.documents)

    @cached_property
    def _workers(self) -> Sums:
        return self._of(self._whole._workers)

    @cached_property
    def _there(self) -> Codes:
        every = self._of(self._whole.cells).values()
        return np.flatnonzero(np.any([values != 0 for values in every], axis=0))

    @cached_property
    def cells(self) -> Sums:
        return {name: values[self._there] for name, values in self._of(self._whole.cells).items()}

    @cached_property
    def cell_document(self) -> Codes:
        return self._whole.cell_document[self._there]

    @cached_property
    def cell_worker(self) -> Codes:
        return self._whole.cell_worker[self._there]


@dataclass
class Found:
    """A number, campaign by campaign: its interval (nan: none), whether it is warned of, the bootstrap's."""

    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    warned: list[bool] = field(default_factory=list)
    beside: list[tuple[float, float]] = field(default_factory=list)

    def add(self, got: tuple[Any, bool]) -> None:
        """One campaign's interval, and whether it is warned of."""
        limit, warned = got
        low, high = (np.nan, np.nan) if limit is None else limit[:2]
        self.low.append(low)
        self.high.append(high)
        self.warned.append(warned)


def intervals(design: Design, judged: Judged, found: dict[str, Found], replicates: int = 0) -> None:
    """Add the intervals of every number of these campaigns."""
    whole = _Whole(judged.counts(), judged.bounds)
    parts = {name: _Part(whole, names) for name, (names, _) in _PARTS.items()}
    for number in range(whole.datasets):
        for name in METRICS[:3]:
            found[name].add(_own(parts[name], _METRICS[name], number))
        found["difference"].add(_difference(parts, number, design.workers))
    if replicates:
        for name, limit in _bootstrap(parts, design, replicates):
            found[name].beside.append(limit or (np.nan, np.nan))


def _own(tally: Tally, metric: Any, number: int) -> tuple[Any, bool]:
    cell = Cell(metric, "d", "s", tally.cut(number), metric.value, metric.size)
    fill_spread(cell, SETTINGS, anonymous=False)
    return limits(cell.found, LEVEL, (0.0, 1.0), 0.0), bool(cell.warnings)


def _difference(parts: dict[str, Tally], number: int, workers: int) -> tuple[Any, bool]:
    metric = _METRICS["second"]
    cuts = [parts[name].cut(number) for name in ("verification_rate", "second")]
    a, b = (linearise(cut, metric.value, metric.size, workers) for cut in cuts)
    present = int(((a.worker_share != 0) | (b.worker_share != 0)).sum())
    found = difference(a, b, pooled_value(metric.value, *cuts), two_way=present >= FEW_WORKERS)
    return found.limits(LEVEL), found.df + 1 < FEW_CLUSTERS or present < FEW_WORKERS


def _bootstrap(parts: dict[str, Tally], design: Design, replicates: int) -> Iterator[tuple[str, Any]]:
    """Percentiles over documents, campaign by campaign; both sides of a difference share the weights."""
    bounds = next(iter(parts.values())).bounds
    names = [str(number) for number in range(len(bounds) - 1)]
    weights = Weights(names, np.diff(bounds).tolist(), replicates, design.documents)
    drawn = dict(zip(parts, weights.resample(list(parts.values())), strict=True))
    for number in range(len(names)):
        values = {name: evaluate_at(metric.value, drawn[name][number]) for name, metric in _METRICS.items()}
        values["difference"] = values["verification_rate"] - values.pop("second")
        for name in METRICS:
            yield name, interval(values[name], 0.0, LEVEL, "percentile")


def run(task: tuple[Design, int, int]) -> dict[str, Any]:
    """One cell: so many campaigns, of which the first so many by the bootstrap too."""
    design, count, bootstraps = task
    rows = design.documents * design.items * 1.98 * design.k
    size = next((size for size in _SIZES if size * rows <= _ROWS and count % size == 0), 1)
    found = {name: Found() for name in METRICS}
    for number in range(count // size):
        asked = REPLICATES if number * size < bootstraps else 0
        intervals(design, campaigns(design, size, number), found, asked)
    return {"design": design, "campaigns": count, "found": found}


def rows(cell: dict[str, Any]) -> list[dict[str, Any]]:
    """What the proof keeps of one cell: a row a number."""
    design: Design = cell["design"]
    return [
        _row(design, name, design.targets()[name], cell["campaigns"], cell["found"][name]) for name in METRICS
    ]


def _row(design: Design, name: str, target: float, count: int, found: Found) -> dict[str, Any]:
    low, high, warned = np.array(found.low), np.array(found.high), np.array(found.warned)
    there = ~np.isnan(low)
    held = (low <= target) & (target <= high)
    share, least = float(held[there].mean()), bar(int(there.sum()))
    row = {
        "number": name,
        "documents": design.documents,
        "rate": design.rate,
        "document_icc": design.document_icc,
        "worker_icc": design.worker_icc,
        "k": design.k,
        "heavy": design.heavy,
        "target": round(target, 6),
        "campaigns": count,
        "covered": round(share, 4),
        "target under the interval": round(float((low > target)[there].mean()), 4),
        "target over the interval": round(float((high < target)[there].mean()), 4),
        "width": round(float((high - low)[there].mean()), 5),
        "over-coverage": round(share - LEVEL, 4),
        "warned": round(float(warned.mean()), 4),
        "without interval": int((~there).sum()),
        "carries a warning": bool(warned.mean() >= 0.5),
        "least": round(least, 4),
    }
    if (plain := there & ~warned).any():
        row["covered where nothing is warned of"] = round(float(held[plain].mean()), 4)
    if found.beside:
        limit = np.array(found.beside)
        hits = (limit[:, 0] <= target) & (target <= limit[:, 1])
        row["document bootstrap"] = {
            "campaigns": len(limit),
            "covered": round(float(hits.mean()), 4),
            "over-coverage": round(float(hits.mean()) - LEVEL, 4),
            "width": round(float(np.nanmean(limit[:, 1] - limit[:, 0])), 5),
            "width of ours on these": round(float(np.nanmean((high - low)[: len(limit)])), 5),
        }
    row["passes"] = bool(row["carries a warning"] or share >= least)
    return row


def bar(count: int) -> float:
    """The least share that may hold the target: .93 less two standard errors of the simulation."""
    return WANTED - 2 * sqrt(WANTED * (1 - WANTED) / max(count, 1))


def table(cells: list[Design], count: int, bootstraps: int, workers: int | None = None) -> list[Any]:
    """The rows of cells, over the processors, the long ones first."""
    place = {design: number for number, design in enumerate(cells)}
    tasks = [(design, count, bootstraps) for design in cells]
    tasks.sort(key=lambda task: -task[0].documents * task[0].k)
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        found = list(pool.map(run, tasks, chunksize=1))
    found.sort(key=lambda cell: place[cell["design"]])
    return [row for cell in found for row in rows(cell)]


def proof(count: int, bootstraps: int, workers: int | None = None) -> dict[str, Any]:
    """What docs/proofs/coverage.json holds."""
    begun = time.monotonic()
    found = table(designs(), count, bootstraps, workers)
    return summary(found, count, bootstraps, time.monotonic() - begun)


def summary(found: list[dict[str, Any]], count: int, bootstraps: int, seconds: float) -> dict[str, Any]:
    """The proof of a table of rows."""
    judged = [row for row in found if not row["carries a warning"]]
    beside = [row["document bootstrap"] for row in judged if "document bootstrap" in row]
    return {
        "what": "How often 95 % intervals of simulated campaigns hold their target, whoever fails a control"
        f" being left out: every cell that carries no warning has to reach {WANTED}, less two standard errors"
        " of the simulation. Beside each the percentile bootstrap over documents, on the first campaigns",
        "campaigns a cell": count,
        "of these by the bootstrap too": bootstraps,
        "replicates of the bootstrap": REPLICATES,
        "cells": len(designs()),
        "left out, as no crowd has both correlations": _said(designs(possible=False)),
        "numbers": len(found),
        "numbers without a warning": len(judged),
        "of these under the bar": sum(not row["passes"] for row in judged),
        "mean coverage without a warning": _mean([row["covered"] for row in judged]),
        "lowest coverage without a warning": min(row["covered"] for row in judged),
        "highest coverage without a warning": max(row["covered"] for row in judged),
        "lowest coverage with a warning": min(
            (row["covered"] for row in found if row["carries a warning"]), default=None
        ),
        "the bootstrap's mean coverage without a warning": _mean([row["covered"] for row in beside]),
        "the bootstrap's lowest coverage without a warning": min(row["covered"] for row in beside),
        "mean width over the bootstrap's": _mean(
            [row["width of ours on these"] / row["width"] for row in beside]
        ),
        "seconds": round(seconds),
        "rows": found,
    }


def _said(cells: list[Design]) -> str:
    kinds = dict.fromkeys((design.rate, design.document_icc, design.worker_icc) for design in cells)
    words = (f"rate {rate}, document {one}, worker {other}" for rate, one, other in kinds)
    return f"{len(cells)}: {'; '.join(words)}"


def _mean(values: list[float]) -> float:
    return round(float(np.mean(values)), 4)


def written(found: dict[str, Any]) -> str:
    """The proof as JSON, a number's row a line."""
    head = json.dumps({**found, "rows": []}, indent=1)
    rows_ = ",\n".join(f"  {json.dumps(row)}" for row in found["rows"])
    return head.replace('"rows": []', f'"rows": [\n{rows_}\n ]') + "\n"
