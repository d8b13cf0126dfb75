"""Every metric of a study under a policy, with its intervals: the rows of metrics.csv."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from analysis.cells import Cell, Settings, cell_of, finish
from analysis.engine.bootstrap import Weights
from analysis.engine.tally import MacroTally, Tally
from analysis.errors import ConfigError, InputError
from analysis.measured import Measured, View
from analysis.metrics.registry import Metric, get, names, registered
from analysis.outcomes import measure
from analysis.policy import DEFAULT_POLICY, INTERVALS, Policy, get_policy
from analysis.schema import ALL
from analysis.study import Study

COLUMNS = (
    "policy",
    "dataset",
    "source",
    "metric",
    "estimate",
    "low",
    "high",
    "level",
    "method",
    "target",
    "n",
    "clusters",
    "bootstrap_low",
    "bootstrap_high",
    "reason",
)
_BY = ("dataset", "source")
_COARSE = ("document", "worker", "two-way")


def metrics(measured: Measured | None = None) -> list[str]:
    """Names of the metrics: those with fixed names, or all that make sense for a study."""
    return [metric.name for metric in registered()] if measured is None else names(measured)


def evaluate(
    study: Study | Measured,
    metrics: str | Iterable[str | Metric] | None = None,
    by: Sequence[str] = _BY,
    policy: str | Policy = DEFAULT_POLICY,
    *,
    overrides: Mapping[str, str] | None = None,
    replicates: int = 1000,
    seed: int = 0,
    level: float | None = None,
    interval: str | None = None,
    cluster: str | None = None,
) -> pd.DataFrame:
    """Estimates with intervals, a row per dataset (and `*`, all), source and metric.

    Args:
        study: a study, or one measured before (whose policy then holds).
        metrics: a name or names; None: all that make sense for the study.
        by: what to part by: `dataset` (else only `*`) and `source`.
        policy: name or choices.
        overrides: choices to change, name -> value.
        replicates: of the bootstrap; 0 for none.
        seed: of the bootstrap.
        level: of the intervals; None: the policy's.
        interval: jackknife, percentile, basic, bca or hits; None: the policy's.
        cluster: document, segment, annotation, item, unit, worker or two-way; None: the policy's.

    Returns:
        A frame with the columns of metrics.csv; undefined numbers are missing and have a reason.
        `attrs["warnings"]` lists what a reader has to know.

    Raises:
        ConfigError: an unknown policy, choice or option; a cluster that a metric does not allow.
        InputError: an unknown metric.
    """
    measured = study if isinstance(study, Measured) else measure(study, get_policy(policy, overrides))
    settings = _settings(
        measured.policy, replicates=replicates, seed=seed, level=level, interval=interval, cluster=cluster
    )
    asked = names(measured) if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    chosen = list(
        {str(metric): get(metric) if isinstance(metric, str) else metric for metric in asked}.values()
    )
    _check(chosen, by, settings)
    parts = [*measured.datasets, ALL] if "dataset" in by else [ALL]
    units = any(settings.kind(metric) not in _COARSE for metric in chosen)
    run = _Run(measured, settings, parts, units)
    cells = [cell for metric in chosen for cell in run.cells(metric)]
    order = {name: place for place, name in enumerate([*parts])}
    sources = {"": len(measured.sources)} | {name: place for place, name in enumerate(measured.sources)}
    place = {metric.name: place for place, metric in enumerate(chosen)}
    rows = finish(cells, settings, run.weights, measured)
    rows.sort(key=lambda row: (order[row["dataset"]], sources[row["source"]], place[row["metric"]]))
    frame = typed(rows)
    frame.attrs["warnings"] = [*measured.warnings, *_warnings(cells)]
    return frame


def typed(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a frame with the columns of metrics.csv and their types."""
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in ("estimate", "low", "high", "level", "n", "bootstrap_low", "bootstrap_high"):
        frame[name] = frame[name].astype(float)
    frame["clusters"] = frame["clusters"].astype("Int64")
    for name in ("policy", "dataset", "source", "metric", "method", "target", "reason"):
        frame[name] = frame[name].astype(object).fillna("").astype("str")
    return frame


@dataclass
class _Run:
    """Counts of every metric, made once over all documents and cut by dataset."""

    measured: Measured
    settings: Settings
    parts: Sequence[str]
    units: bool
    weights: Weights = field(init=False)
    _tallies: dict[tuple[int, str], Tally] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = self.measured.documents.groupby("dataset", sort=True).size()
        self.weights = Weights(
            self.measured.datasets, sizes.tolist(), self.settings.replicates, self.settings.seed
        )

    def cells(self, metric: Metric) -> list[Cell]:
        """The cells of one metric: datasets x sources where the source ran."""
        sources: Sequence[str] = self.measured.sources if metric.per == "source" else ("",)
        out = []
        for source in sources:
            view = self.measured.view(ALL, source or None)
            tally = self._tally(metric, view, source)
            out += [
                cell_of(metric, dataset, source, tally, self.measured)
                for dataset in self.parts
                if view.in_documents[self.measured.document_codes(dataset)].any()
            ]
        return out

    def _tally(self, metric: Metric, view: View, source: str) -> Tally:
        """The tally of a metric's counts: metrics that count alike share it."""
        key = (id(metric.count), source)
        if key not in self._tallies:
            measured = self.measured
            counts = metric.count(view)
            self._tallies[key] = Tally(counts, measured.bounds, measured.weight, units=self.units)
        tally = self._tallies[key]
        return MacroTally(tally, metric.value, metric.size) if metric.macro else tally


def _settings(
    policy: Policy,
    *,
    replicates: int,
    seed: int,
    level: float | None,
    interval: str | None,
    cluster: str | None,
) -> Settings:
    level = policy.level if level is None else level
    if not 0 < level < 1:
        raise ConfigError("not a level", where="level", got=str(level), expected="a number between 0 and 1")
    if replicates < 0 or replicates == 1:
        raise ConfigError(
            "too few replicates", where="replicates", got=str(replicates), expected="0, or 2 or more"
        )
    if interval is not None and interval not in INTERVALS:
        raise ConfigError(
            "no such interval", where="interval", got=repr(interval), expected=", ".join(INTERVALS)
        )
    how = interval or policy.interval
    if how in ("percentile", "basic", "bca") and replicates == 0:
        raise ConfigError(
            f"{how} intervals need replicates", where="replicates", got="0", expected="2 or more"
        )
    return Settings(policy, replicates, seed, level, how, cluster, interval is not None)


def _check(chosen: Sequence[Metric], by: Sequence[str], settings: Settings) -> None:
    """Refuse what cannot be done, with the reason."""
    if unknown := [name for name in by if name not in _BY]:
        raise ConfigError(
            "cannot part by that", where="by", got=", ".join(unknown), expected="dataset, source"
        )
    if "source" not in by and (one := next((m for m in chosen if m.per == "source"), None)):
        raise InputError(
            f"{one.name} is about one source", where="by", got=str(list(by)), expected="'source' among them"
        )
    for metric in chosen:
        settings.check(metric)


def _warnings(cells: Sequence[Cell]) -> list[str]:
    """What is known to mislead, each said once with where it holds."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        for warning in cell.warnings:
            found[warning][cell.metric.name].append("/".join(filter(None, (cell.dataset, cell.source))))
    out = []
    for warning, by_metric in found.items():
        places: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, where in by_metric.items():
            places[tuple(dict.fromkeys(where))].append(name)
        out += [f"{warning}: {', '.join(names_)} in {', '.join(where)}." for where, names_ in places.items()]
    return out
