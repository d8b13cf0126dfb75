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
from analysis.sampled import document_weight, refusal
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
    wanted = [
        (metric, source)
        for metric in map(get, names)
        if not refusal(measured, metric)
        for source in (measured.sources if metric.per == "source" else ("",))
    ]
    alike: dict[tuple[int, str], list[Metric]] = {}
    for metric, source in wanted:
        if _name(metric, source) not in measured.memo:
            alike.setdefault((id(metric.count), source), []).append(metric)
    for (_, source), metrics in alike.items():
        counts = counts_of(measured, metrics[0], source, units=False)
        tally = Tally(counts, measured.bounds, measured.weight, units=False)
        for metric in metrics:
            measured.memo[_name(metric, source)] = _summed(measured, metric, source, tally)
    return [measured.memo[_name(metric, source)] for metric, source in wanted]


def _name(metric: Metric, source: str) -> str:
    return f"summed {metric.name} {source}"


def _summed(measured: Measured, metric: Metric, source: str, tally: Tally) -> Summed:
    value = metric.value
    if metric.macro:
        weight = document_weight(measured, metric)
        tally = MacroTally(tally, metric.value, metric.size, weight)
        value = ratio("value", "documents")
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
