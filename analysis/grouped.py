"""Metrics of the parts of a grouping, with intervals: the rows of groups.csv."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.cells import Cell, Settings, cell_of, fill, finish
from analysis.engine.counts import Counts
from analysis.engine.tally import Tally, evaluate_at
from analysis.errors import ConfigError, InputError
from analysis.evaluate import COLUMNS as METRIC_COLUMNS
from analysis.evaluate import Run, finely, typed
from analysis.groups import check, groups
from analysis.measured import Measured
from analysis.metrics.registry import Metric
from analysis.sampled import refusal
from analysis.schema import ALL

COLUMNS: Final = ("policy", "grouping", "group", *METRIC_COLUMNS[1:], "warning")
# Parts that are too many for replicates of each.
_MANY: Final = ("document", "worker")
ALONE: Final = "no interval: it is one document"


def grouped(
    measured: Measured, chosen: Sequence[Metric], by: Sequence[str], settings: Settings
) -> pd.DataFrame:
    """The metrics of each part of each source and dataset.

    Annotations keep what they were judged and items what they are worth: a part is a selection of them.
    A document has no interval, being one cluster; parts by document and by worker have no bootstrap beside.

    Raises:
        ConfigError: no such grouping, more than one, or a metric that has no such parts.
        InputError: a metric of a source, and sources are not parted.
    """
    further = [name for name in by if name not in ("dataset", "source")]
    if len(further) != 1:
        raise ConfigError("one grouping at a time", where="by", got=", ".join(further))
    grouping = further[0]
    for metric in chosen:
        check(grouping, metric)
        settings.check(metric)
        if "source" not in by and metric.per == "source":
            raise InputError(f"{metric.name} is about one source", where="by", got=", ".join(by))
    parts = [*measured.datasets, ALL] if "dataset" in by else [ALL]
    if grouping in _MANY:
        settings = replace(settings, replicates=0, interval="jackknife")
    if grouping == "document":
        rows = list(_documents(measured, chosen, settings))
    else:
        rows = _cells(measured, chosen, grouping, parts, settings)
    frame = typed(rows)
    for name in ("group", "warning"):
        frame[name] = np.array([row.get(name, "") for row in rows], dtype=object).astype(str)
    frame["grouping"] = grouping
    return frame[list(COLUMNS)]


def _sources(measured: Measured, metric: Metric) -> Sequence[str]:
    return measured.sources if metric.per == "source" else ("",)


def _documents(measured: Measured, chosen: Sequence[Metric], settings: Settings) -> Iterator[dict[str, Any]]:
    """A row a document: sums of all documents are made at once."""
    names = measured.documents[["dataset", "document"]].to_numpy().tolist()
    for metric in chosen:
        refused = refusal(measured, metric)
        for source in _sources(measured, metric):
            view = measured.view(ALL, source or None)
            counts = metric.count(view)
            weighted = Tally(counts, measured.bounds, measured.weight, units=False)
            estimate = evaluate_at(metric.value, weighted.documents)
            plain = weighted if measured.weight is None else Tally(counts, measured.bounds, units=False)
            n = plain.documents[metric.printed or metric.size]
            for place in view.documents.tolist():
                undefined = np.isnan(estimate[place])
                yield {
                    "policy": settings.policy.name,
                    "group": names[place][1],
                    "dataset": names[place][0],
                    "source": source,
                    "metric": metric.name,
                    "estimate": None if undefined or refused else float(estimate[place]),
                    "n": float(n[place]),
                    "reason": refused or (metric.undefined if undefined else ALONE),
                }


def _cells(
    measured: Measured, chosen: Sequence[Metric], grouping: str, parts: Sequence[str], settings: Settings
) -> list[dict[str, Any]]:
    run = Run(measured, settings, parts, finely(settings, chosen))
    cells: list[Cell] = []
    order: dict[str, int] = {}
    for metric in chosen:
        made = groups(measured, grouping, metric)
        for source in _sources(measured, metric):
            counts = metric.count(measured.view(ALL, source or None))
            for name, part in made.parts(counts).items():
                order.setdefault(name, len(order))
                cells += _of_part(run, metric, source, name, part)
    place = {name: number for number, name in enumerate(parts)}
    fill(cells, settings, measured)
    rows = finish(cells, settings, run.weights)
    for row, cell in zip(rows, cells, strict=True):
        row["warning"] = "; ".join(cell.warnings)
    source_place = {name: number for number, name in enumerate((*measured.sources, ""))}
    metric_place = {metric.name: number for number, metric in enumerate(chosen)}
    rows.sort(
        key=lambda row: (
            place[row["dataset"]],
            source_place[row["source"]],
            order[row["group"]],
            metric_place[row["metric"]],
        )
    )
    return rows


def _of_part(run: Run, metric: Metric, source: str, name: str, part: Counts) -> Iterator[Cell]:
    """The cells of a part in all datasets in which there is something of it."""
    if not len(part):
        return
    measured = run.measured
    tally = Tally(part, measured.bounds, measured.weight, units=run.units)
    for dataset in run.parts:
        cell = cell_of(metric, dataset, source, tally, measured)
        if any(values[0] for values in cell.cut.total.values()):
            cell.group = name
            cell.worth = run.worth(metric, dataset, tally)
            yield cell
