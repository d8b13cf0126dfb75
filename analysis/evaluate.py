"""Every metric of a study under a policy, with its intervals: the rows of metrics.csv."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from analysis import bundle
from analysis.cells import Cell, Settings, cell_of, fill, finish
from analysis.counted import counts_of
from analysis.engine.bootstrap import Weights
from analysis.engine.tally import ALL_DATASETS, MacroTally, Tally
from analysis.errors import ConfigError, InputError, plain
from analysis.groups import reason_against
from analysis.measured import Measured
from analysis.metrics.registry import Metric, get, named_families, names, registered
from analysis.outcomes import measure
from analysis.policy import DEFAULT_POLICY, INTERVALS, Policy, get_policy
from analysis.sampled import Size, document_weight, drawn_share, size_of, strata_of
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
# What is no sum over judgments alone, so that other intervals than the engine's belong to it.
DERIVED = (
    "corrected_verification_rate",
    "corrected_recall",
    "audited_verification_rate",
    "capture_chapman",
    "capture_chao2",
)
_BY = ("dataset", "source")
_COARSE = ("document", "worker", "two-way")
# From here on rows are not held between metrics.
_MANY_VOTES = 500_000


def metrics(measured: Measured | None = None) -> list[str]:
    """Names of metrics: every one that metrics.csv may hold, or those that `evaluate` computes for a study.

    Some hold a number: `verified_I_of_N` stands for any. Those of `DERIVED` rest on controls, on experts or
    on capture and recapture: `analyze` computes them.
    """
    if measured is not None:
        return names(measured)
    return [*(metric.name for metric in registered()), *named_families(), *DERIVED]


def evaluate(
    study: Study | Measured | str | Path,
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
    jobs: int = 1,
    dask: str | None = None,
) -> pd.DataFrame:
    """Estimates with intervals, a row per dataset (and `*`, all), source and metric.

    Args:
        study: a study, or one measured before (whose policy then holds), or the folder of a bundle: that is
            counted block by block, so that it need not fit into memory, with the same numbers.
        metrics: a name or names; None: all that make sense for the study.
        by: what to part by: `dataset` (else only `*`), `source`, and one of `entity_type`, `document`,
            `mention_length`, `confidence_bin`, `worker`, `given_type` (see `types` of `load`).
        policy: name or choices.
        overrides: choices to change, name -> value.
        replicates: of the bootstrap; 0 for none.
        seed: of the bootstrap.
        level: of the intervals; None: the policy's.
        interval: jackknife, percentile, basic, bca, korn_graubard, wilson, clopper_pearson or hits; None: the
            policy's.
        cluster: document, segment, annotation, item, unit, worker or two-way; None: the policy's.
        jobs: of a bundle's folder: how many processes count at the same time.
        dask: of a bundle's folder: address of a Dask scheduler, whose workers count instead.

    Returns:
        A frame with the columns of metrics.csv; undefined numbers are missing and have a reason.
        `attrs["warnings"]` lists what a reader has to know. Parted further, a frame with the columns of
        groups.csv, where warnings stand in the row.

    Raises:
        ConfigError: an unknown policy, choice or option; a cluster that a metric does not allow.
        InputError: an unknown metric.
    """
    choices = study.policy if isinstance(study, Measured) else get_policy(policy, overrides)
    settings = settings_of(
        choices, replicates=replicates, seed=seed, level=level, interval=interval, cluster=cluster
    )
    further = [name for name in by if name not in _BY]
    if metrics is not None:
        metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    if isinstance(study, str | Path) and not further:
        from analysis.blockwise import evaluate_bundle  # noqa: PLC0415 - it imports what is here

        return evaluate_bundle(Path(study), metrics, by, settings, jobs=jobs, dask=dask)
    if isinstance(study, str | Path):
        study = bundle.read(Path(study))
    measured = study if isinstance(study, Measured) else measure(study, choices)
    if further:
        from analysis.grouped import grouped  # noqa: PLC0415 - it imports what is here

        return grouped(measured, chosen_of(measured, metrics, further), by, settings)
    chosen = chosen_of(measured, metrics)
    check(chosen, by, settings)
    rows, notes = rows_of(measured, chosen, settings, parts_of(measured, by), units=finely(settings, chosen))
    return framed(measured, chosen, by, rows, notes)


def parts_of(measured: Measured, by: Sequence[str]) -> list[str]:
    """What there is a row for: datasets, and all."""
    return [*measured.datasets, ALL] if "dataset" in by else [ALL]


@dataclass(frozen=True)
class Noted:
    """What is known to mislead in a cell."""

    warning: str
    metric: str
    where: str


def rows_of(
    measured: Measured, chosen: Sequence[Metric], settings: Settings, parts: Sequence[str], *, units: bool
) -> tuple[list[dict[str, Any]], list[Noted]]:
    """The rows of metrics, in no order, and what is to be noted of each.

    Metrics that are counted alike come one after another, so that what was made of their counts can go.
    """
    run = Run(measured, settings, parts, units)
    alike: dict[Any, list[Metric]] = defaultdict(list)
    for metric in chosen:
        alike[metric.count, metric.per].append(metric)
    cells: list[Cell] = []
    # To cut rows again takes less than to hold them where they are many.
    large = len(measured.votes) > _MANY_VOTES
    for metrics in alike.values():
        for source in measured.sources if metrics[0].per == "source" else ("",):
            several = [cell for metric in metrics for cell in run.cells(metric, source)]
            fill(several, settings, measured)
            cells += several
            run.forget()
            if large:
                measured.forget_views()
    rows = finish(cells, settings, run.weights)
    notes = [
        Noted(warning, cell.metric.name, "/".join(filter(None, (cell.dataset, cell.source))))
        for cell in cells
        for warning in cell.warnings
    ]
    return rows, notes


def framed(
    measured: Measured,
    chosen: Sequence[Metric],
    by: Sequence[str],
    rows: list[dict[str, Any]],
    notes: Iterable[Noted],
) -> pd.DataFrame:
    """The frame of metrics.csv, in the order of datasets, sources and metrics."""
    order = {name: place for place, name in enumerate(parts_of(measured, by))}
    sources = {"": len(measured.sources)} | {name: place for place, name in enumerate(measured.sources)}
    place = {metric.name: place for place, metric in enumerate(chosen)}
    frame = typed(
        sorted(rows, key=lambda row: (order[row["dataset"]], sources[row["source"]], place[row["metric"]]))
    )
    told = _warnings(sorted(notes, key=lambda note: place[note.metric]))
    frame.attrs["warnings"] = [*measured.warnings, *told]
    return frame


def chosen_of(
    measured: Measured, metrics: Sequence[str | Metric] | None, further: Sequence[str] = ()
) -> list[Metric]:
    """The metrics asked for, each once; unless named, all, or all that have such parts."""
    if metrics is None:
        asked: Iterable[str | Metric] = names(measured)
        if further:
            asked = [name for name in names(measured) if not reason_against(further[0], get(name))]
    else:
        asked = metrics
    return list(
        {str(metric): get(metric) if isinstance(metric, str) else metric for metric in asked}.values()
    )


def finely(settings: Settings, chosen: Sequence[Metric]) -> bool:
    """Whether some interval is by other clusters than documents and workers."""
    return any(settings.kind(metric) not in _COARSE for metric in chosen)


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
class Run:
    """Counts of every metric, made once over all documents and cut by dataset."""

    measured: Measured
    settings: Settings
    parts: Sequence[str]
    units: bool
    weights: Weights = field(init=False)
    _tallies: dict[tuple[int, str], Tally] = field(default_factory=dict)
    _plain: dict[int, Tally] = field(default_factory=dict)
    _means: list[Tally] = field(default_factory=list)

    def __post_init__(self) -> None:
        sizes = self.measured.documents.groupby("dataset", sort=True).size()
        self.weights = Weights(
            self.measured.datasets, sizes.tolist(), self.settings.replicates, self.settings.seed
        )

    def cells(self, metric: Metric, source: str) -> list[Cell]:
        """The cells of one metric and source: the datasets where it ran."""
        view = self.measured.view(ALL, source or None)
        tally = self._tally(metric, source)
        out = []
        for dataset in self.parts:
            if view.in_documents[self.measured.document_codes(dataset)].any():
                cell = cell_of(metric, dataset, source, tally, self.measured)
                cell.worth = self.worth(metric, dataset, tally)
                out.append(cell)
        return out

    def forget(self) -> None:
        """Let go of the tallies: sums by document are all that is wanted of them."""
        for tally in (*self._means, *self._tallies.values()):
            tally.release()
        for kept in (self._means, self._tallies, self._plain):
            kept.clear()

    def worth(self, metric: Metric, dataset: str, tally: Tally) -> Size | None:
        """What a cell of a sampled study rests on; None where everything weighs the same."""
        weight = self.measured.weight
        if weight is None:
            return None
        counts = tally.counts
        if id(counts) not in self._plain:
            self._plain[id(counts)] = Tally(counts, self.measured.bounds, units=False)
        at = ALL_DATASETS if dataset == ALL else self.measured.datasets.index(dataset)
        stretch = self.measured.document_codes(dataset)
        rows = (counts.document >= stretch.start) & (counts.document < stretch.stop)
        effective = size_of(counts, metric.size, weight, rows)
        plain = self._plain[id(counts)].cut(at).total[metric.printed or metric.size]
        drawn = drawn_share(self.measured, stretch)
        return Size(float(plain[0]), effective, drawn, strata_of(self.measured))

    def _tally(self, metric: Metric, source: str) -> Tally:
        """The tally of a metric's counts: metrics that count alike share it."""
        key = (id(metric.count), source)
        if key not in self._tallies:
            measured = self.measured
            counts = counts_of(measured, metric, source, units=self.units)
            self._tallies[key] = Tally(counts, measured.bounds, measured.weight, units=self.units)
        tally = self._tallies[key]
        if not metric.macro:
            return tally
        mean = MacroTally(tally, metric.value, metric.size, document_weight(self.measured, metric))
        self._means.append(mean)
        return mean


def settings_of(
    policy: Policy,
    *,
    replicates: int = 1000,
    seed: int = 0,
    level: float | None = None,
    interval: str | None = None,
    cluster: str | None = None,
) -> Settings:
    """The settings of intervals, checked; see `evaluate`.

    Raises:
        ConfigError: an option is out of its range.
    """
    level = policy.level if level is None else level
    if not 0 < level < 1:
        raise ConfigError("not a level", where="level", got=str(level), expected="a number between 0 and 1")
    if replicates < 0 or replicates == 1:
        raise ConfigError(
            "too few replicates", where="replicates", got=str(replicates), expected="0, or 2 or more"
        )
    if interval is not None and interval not in INTERVALS:
        raise ConfigError(
            "no such interval", where="interval", got=plain(interval), expected=", ".join(INTERVALS)
        )
    how = interval or policy.interval
    if how in ("percentile", "basic", "bca") and replicates == 0:
        raise ConfigError(
            f"{how} intervals need replicates", where="replicates", got="0", expected="2 or more"
        )
    return Settings(policy, replicates, seed, level, how, cluster, interval is not None)


def check(chosen: Sequence[Metric], by: Sequence[str], settings: Settings) -> None:
    """Refuse what cannot be done, with the reason."""
    if "source" not in by and (one := next((m for m in chosen if m.per == "source"), None)):
        raise InputError(
            f"{one.name} is about one source", where="by", got=str(list(by)), expected="'source' among them"
        )
    for metric in chosen:
        settings.check(metric)


def _warnings(notes: Iterable[Noted]) -> list[str]:
    """What is known to mislead, each said once with where it holds."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for note in notes:
        found[note.warning][note.metric].append(note.where)
    out = []
    for warning, by_metric in found.items():
        places: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, where in by_metric.items():
            places[tuple(dict.fromkeys(where))].append(name)
        out += [f"{warning}: {', '.join(names_)} in {', '.join(where)}." for where, names_ in places.items()]
    return out
