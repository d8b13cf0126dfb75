"""Estimates without intervals, for all datasets at once: what sensitivities and steps are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.counted import counts_of
from analysis.engine.counts import Floats, Sums
from analysis.engine.tally import ALL_DATASETS, MacroTally, Tally, Value, evaluate_at
from analysis.measured import Measured
from analysis.metrics.registry import Metric, get, ratio
from analysis.sampled import refusal
from analysis.schema import ALL

HEADLINES: Final = (
    "verification_rate",
    "posthoc_precision",
    "posthoc_recall",
    "posthoc_f1",
    "union_size",
    "coverage_E",
)
Place = tuple[str, str, str]


@dataclass(frozen=True)
class Summed:
    """The sums of one metric and source over every dataset, and last over all.

    Attributes:
        metric: which.
        source: empty where the metric is of a dataset.
        totals: quantity -> (datasets + 1,).
        workers: quantity -> (datasets + 1, workers), what lies in each worker's judgments; None where the
            metric knows no workers.
        value: the formula of them.
    """

    metric: Metric
    source: str
    totals: Sums
    workers: Sums | None
    value: Value


def summed(measured: Measured, names: Iterable[str]) -> list[Summed]:
    """Metrics summed for every source, once a study; what a sample refuses is left out.

    Sums are kept and not what they were made from, which may be large.
    """
    out = []
    tallies: dict[tuple[int, str], Tally] = {}
    for metric in map(get, names):
        if refusal(measured, metric):
            continue
        for source in measured.sources if metric.per == "source" else ("",):
            name = f"summed {metric.name} {source}"
            if name not in measured.memo:
                key = (id(metric.count), source)
                if key not in tallies:
                    counts = counts_of(measured, metric, source, units=False)
                    tallies[key] = Tally(counts, measured.bounds, measured.weight, units=False)
                measured.memo[name] = _summed(measured, metric, source, tallies[key])
            out.append(measured.memo[name])
    return out


def _summed(measured: Measured, metric: Metric, source: str, tally: Tally) -> Summed:
    value = metric.value
    if metric.macro:
        tally, value = MacroTally(tally, metric.value, metric.size), ratio("value", "documents")
    workers = None
    if "worker" in metric.clusters:
        parts = [tally.workers(place) for place in (*range(len(measured.datasets)), ALL_DATASETS)]
        workers = {name: np.stack([part[name] for part in parts]) for name in parts[0]}
    return Summed(metric, source, tally.totals, workers, value)


def points(measured: Measured, names: Iterable[str] = HEADLINES) -> Mapping[Place, float]:
    """Estimates by (dataset, source, metric), of datasets and all; nan where undefined."""
    out: dict[Place, float] = {}
    for each in summed(measured, names):
        values: Floats = evaluate_at(each.value, each.totals)
        view = measured.view(ALL, each.source or None)
        for place, dataset in enumerate([*measured.datasets, ALL]):
            if view.in_documents[measured.document_codes(dataset)].any():
                out[dataset, each.source, each.metric.name] = float(values[place])
    return out


def moved(before: float, after: float) -> float:
    """How far an estimate moved; nan where one of the two is undefined."""
    return float("nan") if np.isnan(before) or np.isnan(after) else after - before
