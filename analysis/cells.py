"""One cell of the results: a metric of a source on a dataset, its spread, its intervals, its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from scipy import special

from analysis.engine.bits import stream, uniforms
from analysis.engine.bootstrap import Weights, binomial, interval, resample_units
from analysis.engine.counts import Floats, Sums
from analysis.engine.jackknife import FEW_CLUSTERS, FEW_OUTCOMES, FEW_WORKERS, Spread, limits, spread
from analysis.engine.proportions import Limits, clopper_pearson, wilson
from analysis.engine.tally import ALL_DATASETS, Cut, MacroTally, Tally, Value, evaluate_at
from analysis.errors import ConfigError, plain
from analysis.measured import Measured
from analysis.metrics.registry import Metric, ratio
from analysis.policy import Policy
from analysis.sampled import Size, Strata, refusal
from analysis.schema import ALL

_WORKERS: Final = ("worker", "two-way")
_WORDS: Final = {
    "document": "documents",
    "segment": "segments",
    "annotation": "annotations",
    "item": "items",
    "unit": "units",
    "worker": "workers",
    "two-way": "documents x workers",
}
_PROPORTION: Final = (0.0, 1.0)
# Intervals by clusters of documents and workers; and those of a plain share, that know of no clusters.
_BY_CLUSTERS: Final = ("jackknife", "korn_graubard")
_PLAIN: Final = {"wilson": ("Wilson", wilson), "clopper_pearson": ("Clopper-Pearson", clopper_pearson)}
_NO_SHARES: Final = ("f1", "brier", "calibration_error", "mean_confidence")


@dataclass(frozen=True)
class Settings:
    """How intervals are made.

    Attributes:
        policy: whose defaults hold.
        replicates: of the bootstrap; 0: none.
        seed: of it.
        level: of all intervals.
        interval: jackknife | percentile | basic | bca | korn_graubard | wilson | clopper_pearson | hits.
        cluster: for every metric; None: the default of the policy for each.
        asked: the interval was asked for, and is not the policy's own.
    """

    policy: Policy
    replicates: int
    seed: int
    level: float
    interval: str
    cluster: str | None
    asked: bool

    def check(self, metric: Metric) -> None:
        """Refuse a cluster that the metric does not allow.

        Raises:
            ConfigError: with the reason.
        """
        if self.cluster is None:
            return
        if self.cluster not in metric.clusters:
            raise ConfigError(
                f"{metric.name} cannot be clustered by {self.cluster}: counts add up only where the unit lies"
                " inside the cluster, and distinct items vanish when annotations are resampled",
                where="cluster",
                got=plain(self.cluster),
                expected=", ".join(metric.clusters),
            )
        if self.interval in _PLAIN:
            raise ConfigError(
                f"{_PLAIN[self.interval][0]}'s interval takes what is counted as independent",
                where="cluster",
                got=plain(self.cluster),
                expected="no cluster, or another interval",
            )
        if self.cluster in _WORKERS and self.interval not in _BY_CLUSTERS:
            raise ConfigError(
                "workers are never resampled",
                where="cluster",
                got=plain(self.cluster),
                expected="the jackknife, or other clusters",
            )

    def how(self, metric: Metric) -> str:
        """The interval of a metric; what is known for shares alone is another for the rest.

        Wilson's and Clopper-Pearson's give way to the jackknife, the published resampling of hits to the
        percentile.
        """
        if self.interval in _PLAIN:
            share = metric.range == _PROPORTION and not metric.macro
            no_share = any(word in metric.name for word in _NO_SHARES)
            return self.interval if share and not no_share else "jackknife"
        if self.interval != "hits":
            return self.interval
        published = metric.family in ("rates", "union") and metric.range == _PROPORTION
        simple = not metric.macro and not metric.name.startswith(("posthoc_f1", "coverage", "verified_"))
        return "hits" if published and simple and self.cluster is None else "percentile"

    def kind(self, metric: Metric) -> str:
        """The clusters of a metric's interval."""
        if self.cluster is not None:
            return self.cluster
        if self.how(metric) in _BY_CLUSTERS:
            return "two-way" if "two-way" in metric.clusters else "document"
        if self.policy.unit_clusters and not self.asked and not metric.macro:
            for kind in ("annotation", "item", "unit"):
                if kind in metric.clusters and metric.family != "matching":
                    return kind
        return "document"


@dataclass
class Cell:
    """A metric of a source on a dataset.

    Attributes:
        metric: which.
        dataset: `*` for all.
        source: empty where the metric is of a dataset.
        cut: the sums.
        value: the formula, of their quantities.
        size: the quantity whose total is n.
        reason: why it is undefined, or why it has no interval.
        warnings: what is known to mislead here.
        found: the spread, filled when finished.
        worth: of a sample's cell, whose sums are weighted: how many units it rests on.
        group: the part of the source's annotations, where numbers are parted further.
    """

    metric: Metric
    dataset: str
    source: str
    cut: Cut
    value: Value
    size: str
    reason: str = ""
    warnings: list[str] = field(default_factory=list)
    found: Spread | None = None
    target: str = ""
    worth: Size | None = None
    group: str = ""

    @property
    def n(self) -> float:
        """What is printed as n: the number of units the estimate is about, or what the metric names."""
        if self.worth is not None:
            return self.worth.plain
        return float(self.cut.total["n" if self.metric.macro else self.metric.printed or self.size][0])


def cell_of(metric: Metric, dataset: str, source: str, tally: Tally, measured: Measured) -> Cell:
    """The cell of a dataset (`*`: all), whose counts are already tallied (a macro metric's by its value)."""
    value, size = metric.value, metric.size
    if isinstance(tally, MacroTally):
        value, size = ratio("value", "documents"), "n"
    place = ALL_DATASETS if dataset == ALL else measured.datasets.index(dataset)
    cell = Cell(metric, dataset, source, tally.cut(place), value, size)
    if refused := refusal(measured, metric):
        cell.reason = refused
    elif metric.family in ("rates", "union", "agreement") and not measured.judgments:
        cell.reason = _nobody(measured)
    elif np.isnan(evaluate_at(value, cell.cut.total)[0]):
        cell.reason = metric.undefined
    return cell


def _nobody(measured: Measured) -> str:
    if not len(measured.study["judgments"]):
        return "there are no judgments"
    why = "; ".join(f"{reason} ({count})" for reason, count in measured.left_out.items())
    return f"no assignment counts{': ' if why else ''}{why}"


def fill(cells: Sequence[Cell], settings: Settings, measured: Measured) -> None:
    """Give every cell that is defined its spread."""
    by_tally: dict[int, list[Cell]] = {}
    for cell in cells:
        if not cell.reason:
            by_tally.setdefault(id(cell.cut.tally), []).append(cell)
    for several in by_tally.values():
        for cell in several:
            fill_spread(cell, settings, anonymous=measured.anonymous)
        several[0].cut.tally.forget()


def finish(cells: Sequence[Cell], settings: Settings, weights: Weights) -> list[dict[str, Any]]:
    """The rows of metrics.csv, of cells that have their spread.

    An estimate at an edge borrows the clustering of the metric's other cells.
    """
    pooled = _pooled_icc(cells)
    drawn = _Drawn(settings, weights, cells)
    return [_row(cell, settings, drawn, _icc(cell, pooled)) for cell in cells]


def fill_spread(cell: Cell, settings: Settings, *, anonymous: bool) -> None:
    """Give a cell its spread by the clusters that can be used here, the target this has, and warnings.

    Args:
        cell: is changed.
        settings: how intervals are made.
        anonymous: some judgments have no worker.
    """
    kind, metric = settings.kind(cell.metric), cell.metric
    cell.target = "this corpus" if kind == "worker" else f"{_WORDS.get(kind, kind)} like these"
    if kind == "two-way":
        cell.target = "documents like these"
        if anonymous:
            kind = "document"
            cell.warnings.append("Workers are not known, intervals are by documents alone")
        elif cell.cut.n_workers < FEW_WORKERS:
            kind = "document"
            cell.target = "documents like these, these workers"
            cell.warnings.append(f"Fewer than {FEW_WORKERS} workers: they are taken as fixed")
    elif kind == "document" and (cell.cut.n_workers or metric.family == "agreement"):
        cell.target = "documents like these, these workers"
    cell.found = spread(cell.cut, cell.value, cell.size, kind, total=metric.range[1] is None)
    if cell.worth is not None and cell.found.n > 0:
        _of_a_sample(cell, cell.found, cell.worth)
    if cell.found.effective < FEW_CLUSTERS:
        cell.warnings.append(f"Under {FEW_CLUSTERS} effective clusters, intervals may be too narrow")
    nothing_to_find = cell.found.estimate == 0 and metric.better == "none"
    if metric.range == _PROPORTION and cell.found.rarer < FEW_OUTCOMES and not nothing_to_find:
        cell.warnings.append(f"Under {FEW_OUTCOMES} clusters hold the rarer outcome, intervals may mislead")


def _of_a_sample(cell: Cell, found: Spread, worth: Size) -> None:
    """Weights blow n up to that of the corpus: an interval may use what was judged alone.

    By segments the target is the corpus itself: what was drawn of it is known, and only the rest is not.
    """
    member = found.member * worth.effective / found.n
    variance, logit = found.variance, found.logit_variance
    if found.kind == "segment" and worth.drawn:
        cell.target = "this corpus, all of it judged"
        variance, logit = variance * (1 - worth.drawn), logit * (1 - worth.drawn)
        if worth.strata is not None and cell.metric.range == _PROPORTION:
            variance, logit = _within_strata(cell, found, worth.strata)
    cell.found = replace(found, n=worth.effective, member=member, variance=variance, logit_variance=logit)


def _within_strata(cell: Cell, found: Spread, strata: Strata) -> tuple[float, float]:
    """The variance of a share by segments drawn within strata, on its own and on the logit scale."""
    sums, document = cell.cut.tally.units("segment")
    inside = slice(*np.searchsorted(document, [cell.cut.rows.start, cell.cut.rows.stop]))
    there = np.any([values[inside] != 0 for values in sums.values()], axis=0)
    document = document[inside][there]
    variance = strata.variance(found.values, found.estimate, document)
    if np.isnan(found.logit_variance):
        return variance, found.logit_variance
    centre = float(special.logit(found.estimate))
    return variance, strata.variance(special.logit(found.values), centre, document)


def _pooled_icc(cells: Sequence[Cell]) -> Mapping[str, list[tuple[Cell, float, float]]]:
    """By metric: cells of single datasets whose spread tells an intracluster correlation, with their n."""
    out: dict[str, list[tuple[Cell, float, float]]] = {}
    for cell in cells:
        if cell.found is not None and cell.dataset != ALL and not np.isnan(cell.found.icc):
            out.setdefault(cell.metric.name, []).append((cell, cell.found.icc, cell.found.n))
    return out


def _icc(cell: Cell, pooled: Mapping[str, list[tuple[Cell, float, float]]]) -> float:
    inside = cell.found is not None and 0 < cell.found.estimate < 1
    if inside and cell.metric.better != "none":
        return 0.0  # nothing is borrowed but at an edge, and for what is rare
    others = [(icc, n) for other, icc, n in pooled.get(cell.metric.name, ()) if other is not cell]
    weight = sum(n for _, n in others)
    return sum(icc * n for icc, n in others) / weight if weight > 0 else 0.0


class _Drawn:
    """Bootstrap sums, drawn once for all metrics that are counted alike."""

    def __init__(self, settings: Settings, weights: Weights, cells: Sequence[Cell]) -> None:
        self._settings = settings
        self._units: dict[tuple[int, int, str], Sums] = {}
        self._values: dict[tuple[int, Value], Floats] = {}
        with_documents = [c for c in cells if c.found is not None and "document" in c.metric.clusters]
        tallies = {id(c.cut.tally): c.cut.tally for c in with_documents} if settings.replicates else {}
        drawn = weights.resample(list(tallies.values()))
        self._documents = dict(zip(tallies, drawn, strict=True))

    def documents(self, cell: Cell) -> Floats | None:
        """Values of the statistic over resampled documents."""
        parts = self._documents.get(id(cell.cut.tally))
        if parts is None:
            return None
        # The formula itself is in the key, so that it lives as long as what was made of it.
        key = (id(cell.cut.tally), cell.value)
        if key not in self._values:
            # Of all datasets at once: a formula costs more to call than to compute.
            together = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            self._values[key] = evaluate_at(cell.value, together).reshape(len(parts), -1)
        found: Floats = self._values[key][cell.cut.dataset]
        return found

    def units(self, cell: Cell, kind: str) -> Floats:
        """Values of the statistic over resampled annotations, items, units or segments."""
        key = (id(cell.cut.tally), cell.cut.dataset, kind)
        if key not in self._units:
            settings, names = self._settings, (cell.dataset, cell.source, kind)
            self._units[key] = resample_units(cell.cut.by(kind), settings.replicates, settings.seed, *names)
        return evaluate_at(cell.value, self._units[key])


def _row(cell: Cell, settings: Settings, drawn: _Drawn, icc: float) -> dict[str, Any]:
    row: dict[str, Any] = {
        "policy": settings.policy.name,
        "group": cell.group,
        "dataset": cell.dataset,
        "source": cell.source,
        "metric": cell.metric.name,
        "n": cell.n,
        "reason": cell.reason,
    }
    if cell.found is None:
        return row
    replicates = drawn.documents(cell)
    beside = None
    if replicates is not None:
        beside = interval(replicates, cell.found.estimate, settings.level, "percentile")
        if lost := int(np.isnan(replicates).sum()):
            cell.warnings.append(f"{lost} of {len(replicates)} bootstrap replicates are undefined")
    got, method = _interval(cell, cell.found, settings, drawn, icc)
    row |= {
        "estimate": cell.found.estimate,
        "level": settings.level,
        "method": method,
        "target": cell.target if got else "",
        "clusters": cell.found.clusters,
        "reason": cell.reason,
    }
    if got:
        row["low"], row["high"] = got
    if beside:
        row["bootstrap_low"], row["bootstrap_high"] = beside
    return row


def _interval(
    cell: Cell, found: Spread, settings: Settings, drawn: _Drawn, icc: float
) -> tuple[Limits | None, str]:
    """The interval of the row and what it is called; sets the cell's reason where there is none."""
    how, words = settings.how(cell.metric), _WORDS[found.kind]
    if how in _BY_CLUSTERS:
        rare, exact = cell.metric.better == "none", how == "korn_graubard"
        got = limits(found, settings.level, cell.metric.range, icc, rare=rare, exact=exact)
        if got is None:
            cell.reason = f"no interval: {_why_none(found)}"
            return None, ""
        beside = "" if np.isnan(found.ratio) else f", SE {found.ratio:.2f} x by documents"
        return got[:2], f"{got[2]}, {words}{beside}"
    if how == "hits":
        return _hits(cell, settings, found)
    if how in _PLAIN:
        return _plain(cell, how, settings.level, found)
    return _bootstrapped(cell, found, settings, drawn, how)


def _bootstrapped(
    cell: Cell, found: Spread, settings: Settings, drawn: _Drawn, how: str
) -> tuple[Limits | None, str]:
    """Percentile, basic or BCa limits over resampled clusters."""
    if settings.replicates == 0:
        cell.reason = "no interval: no replicates were asked for"
        return None, ""
    replicates = drawn.documents(cell) if found.kind == "document" else drawn.units(cell, found.kind)
    deleted = found.values
    got_limits = None
    if replicates is not None:
        got_limits = interval(replicates, found.estimate, settings.level, how, deleted)
    if got_limits is None:
        cell.reason = "no interval: fewer than two replicates are defined"
        return None, ""
    return got_limits, f"{how} bootstrap, {_WORDS[found.kind]}, {settings.replicates} replicates"


def _plain(cell: Cell, how: str, level: float, found: Spread) -> tuple[Limits | None, str]:
    """The interval of a share of n independent hits, whatever document or worker they are of."""
    if found.estimate > 1:
        cell.reason = f"no interval: {_why_none(found)}"
        return None, ""
    words, limits_of = _PLAIN[how]
    cell.target = "hits like these"
    cell.warnings.append("Intervals take judgments as independent: they are too narrow where people differ")
    return limits_of(found.estimate * found.n, found.n, level), f"{words}, hits as if independent"


def _hits(cell: Cell, settings: Settings, found: Spread) -> tuple[Limits | None, str]:
    """The published interval: percentiles of resampled 0/1 hits, whatever document or worker they are of."""
    if found.estimate > 1:
        cell.reason = (
            "no interval: the estimate is above 1, hits are no part of what they are counted against"
        )
        return None, ""
    if settings.replicates == 0:
        cell.reason = "no interval: no replicates were asked for"
        return None, ""
    n = round(found.n)
    bits = stream(settings.seed, cell.dataset, cell.source, cell.metric.name, "hits")
    drawn = binomial(uniforms(bits, settings.replicates), np.full(settings.replicates, n), found.estimate)
    cell.target = "hits like these"
    got = interval(drawn / n, found.estimate, settings.level, "percentile")
    return got, f"percentile of {settings.replicates} resamples of the 0/1 hits"


def _why_none(found: Spread) -> str:
    if found.estimate > 1:
        return "the estimate is above 1, what is counted is no part of what it is counted against"
    if found.clusters < 2:  # noqa: PLR2004 - one cluster has no spread
        return f"everything lies in one of the {_WORDS[found.kind]}"
    if found.variance <= 0:
        return f"all {_WORDS[found.kind]} give the same, which says nothing of how they differ"
    return f"without one of the {_WORDS[found.kind]} nothing is left"
