"""`agreement`: every coefficient of a table of labels with its interval, and what is needed to read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, get_args

import numpy as np
import pandas as pd

from analysis.agreement import beside
from analysis.agreement.caveats import caveats
from analysis.agreement.coefficient import Coefficient, Facts, Ready, Scale
from analysis.agreement.formulas import NO_CHANCE, NO_OVERLAP, ONE_CATEGORY, value
from analysis.agreement.found import Agreement, Record, band
from analysis.agreement.intervals import METHODS, Interval, Sampled, Settings, interval_of
from analysis.agreement.linear import gwet, standard_error
from analysis.agreement.members import members
from analysis.agreement.registry import chosen
from analysis.agreement.taking import Columns, Table, are_sets, take, with_tables
from analysis.engine.jackknife import FEW_WORKERS
from analysis.errors import InputError, plain

SCALES: Final[tuple[str, ...]] = get_args(Scale)
# Intervals that draw no replicates.
NO_DRAWS: Final = ("jackknife", "gwet")
# What is told of the table without each worker.
WITHOUT: Final = ("observed_agreement", "brennan_prediger", "multi_pi", "multi_kappa", "alpha_nominal", "ac1")
_TWO: Final = 2


def agreement(
    labels: pd.DataFrame | np.ndarray[Any, Any] | None = None,
    *,
    unit: str = "unit",
    worker: str = "worker",
    label: str = "label",
    table: Table | None = None,
    categories: Sequence[object] | None = None,
    scale: str = "nominal",
    weights: Table | None = None,
    distance: Table | None = None,
    repeats: str = "error",
    cluster: str | np.ndarray[Any, Any] | None = None,
    interval: str = "jackknife",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    coefficients: Sequence[str] | None = None,
) -> Agreement:
    """Agreement of workers about units, by every coefficient side by side.

    Args:
        labels: a long table, one row a label; or a matrix of category codes, units x workers, -1 for none.
        unit: the column of units.
        worker: the column of workers.
        label: the column of labels.
        table: in place of `labels`, the joint table of two workers: rows the first's categories, columns the
            second's.
        categories: every category, in order; never inferred. Without them what hangs on their number or
            order is undefined (numbers have an order of their own).
        scale: nominal, ordinal, interval or ratio: what a reader is shown first; all are computed.
        weights: table of agreement weights, 1 on the diagonal.
        distance: table of disagreements, 0 on the diagonal; `jaccard` or `masi` for labels that are sets.
        repeats: what becomes of a worker's second label of a unit: error, first, last.
        cluster: a column whose values are the clusters of intervals; `worker`: leave out workers one by one;
            for a matrix, the cluster of each unit.
        interval: jackknife, percentile, basic, bca, or gwet (his linearised standard error, over units).
        level: of the intervals.
        replicates: of the bootstrap; 0: none.
        seed: of the bootstrap.
        coefficients: names; None: all.

    Raises:
        InputError: the table or an option cannot be used, or something was asked for that is no agreement.
    """
    wanted = chosen(list(coefficients) if coefficients is not None else None)
    check_options(scale, interval, level, replicates)
    if interval == "gwet" and cluster is not None:
        raise InputError("Gwet's standard error is over units", where="cluster", remedy="Use jackknife.")
    columns = Columns(unit, worker, label, cluster)
    taken = take(labels, table, columns, categories, repeats, sets=are_sets(distance))
    classes, workers = taken.classes, taken.workers
    facts = with_tables(taken.facts, weights, distance)
    over, notes = _over(columns, len(workers))
    sampled = Sampled(classes, Settings(level, interval, replicates, seed), workers=over == "workers")
    records = records_of(sampled, facts, wanted, over)
    parts = {
        "categories": beside.categories(classes, facts.names),
        "workers": _with_what_is_left(sampled, facts, wanted, members(classes, workers, level)),
    }
    return Agreement(
        records=records,
        table=beside.table(classes, facts.names),
        units=beside.units(classes, taken.units, facts.names),
        overlap=beside.overlap(classes),
        warnings=[*taken.notes, *notes, *caveats(classes, facts, records, parts)],
        scale=scale,
        **parts,
    )


def _with_what_is_left(
    sampled: Sampled, facts: Facts, wanted: Sequence[Coefficient], rows: list[Record]
) -> list[Record]:
    """The rows of workers, each with what coefficients would be without him."""
    if len(rows) <= _TWO:
        return [row | {"without": {}} for row in rows]
    left: dict[str, list[float | None]] = {}
    for coefficient in wanted:
        made = coefficient.make(facts) if coefficient.name in WITHOUT else ""
        parts = None if isinstance(made, str) else sampled.without_workers(made[0])
        if parts is not None:
            left[coefficient.name] = [beside.plain(number) for number in value(parts[:2]).tolist()]
    return [
        row | {"without": {name: numbers[place] for name, numbers in left.items()}}
        for place, row in enumerate(rows)
    ]


def check_options(scale: str, interval: str, level: float, replicates: int) -> None:
    """Refuse options that have other values."""
    if scale not in SCALES:
        raise InputError("no such scale", where="scale", got=plain(scale), expected=", ".join(SCALES))
    if interval not in METHODS:
        raise InputError(
            "no such interval", where="interval", got=plain(interval), expected=", ".join(METHODS)
        )
    if not 0 < level < 1:
        raise InputError(
            "no such level", where="level", got=str(level), expected="between 0 and 1, such as 0.95"
        )
    if replicates < 0 or (interval not in NO_DRAWS and replicates < 2):  # noqa: PLR2004 - one has no spread
        raise InputError("too few replicates", where="replicates", got=str(replicates), expected="2 or more")


def _over(columns: Columns, workers: int) -> tuple[str, list[str]]:
    """The clusters of intervals in words, with what must be said of them."""
    if columns.by_workers and workers < FEW_WORKERS:
        few = f"{workers} workers are too few to stand for others"
        instead = "intervals are over units, and speak of units like these labelled by these workers"
        return "units", [f"{few}: {instead}"]
    if columns.by_workers:
        return "workers", []
    return ("clusters" if columns.clustered else "units"), []


def records_of(sampled: Sampled, facts: Facts, wanted: Sequence[Coefficient], over: str) -> list[Record]:
    """The record of every coefficient.

    Args:
        sampled: the table.
        facts: what is known of it.
        wanted: the coefficients.
        over: the clusters of intervals in words.
    """
    of = sampled.classes
    units = int((of.count * of.paired).sum())
    seen = np.unique(of.worker[(of.paired * of.count)[of.row] > 0])
    used = int(((of.count @ of.counts) > 0).sum())
    size = {"n_units": units, "n_workers": len(seen)}
    made = [(coefficient, coefficient.make(facts)) for coefficient in wanted]
    sampled.prepare([ready for _, found in made if not isinstance(found, str) for ready in found])
    records = []
    for coefficient, found in made:
        if isinstance(found, str):
            reason = found if units else NO_OVERLAP
            records.append(_record(coefficient, sampled, size, reason=reason))
            continue
        for ready in found:
            estimate = float(value(ready.formula(sampled.total(ready))))
            if np.isnan(estimate):
                reason = NO_OVERLAP if not units else _undefined(ready, used)
                records.append(_record(coefficient, sampled, size, ready, reason=reason))
                continue
            limits = interval_of(sampled, ready, over, natural=coefficient.natural)
            error = (gwet if sampled.settings.method == "gwet" else standard_error)(sampled, ready)
            records.append(
                _record(coefficient, sampled, size, ready, estimate=estimate, limits=limits, error=error)
            )
    return records


def _undefined(ready: Ready, used: int) -> str:
    if ready.category:
        return "no pair of labels has this category"
    return ONE_CATEGORY if used == 1 else NO_CHANCE


def _record(
    coefficient: Coefficient,
    sampled: Sampled,
    size: dict[str, int],
    ready: Ready | None = None,
    *,
    estimate: float | None = None,
    limits: Interval | None = None,
    error: float | None = None,
    reason: str = "",
) -> Record:
    low, high = limits.limits if limits and limits.limits else (None, None)
    beside_low, beside_high = limits.beside if limits and limits.beside else (None, None)
    return {
        "coefficient": coefficient.name,
        "category": ready.category if ready else "",
        "estimate": estimate,
        "low": low,
        "high": high,
        "level": sampled.settings.level,
        "method": limits.method if limits else "",
        **size,
        "reason": reason or (limits.reason if limits else ""),
        "band": band(coefficient.name, low) if coefficient.corrected else "",
        "bootstrap_low": beside_low,
        "bootstrap_high": beside_high,
        "se": error,
    }
