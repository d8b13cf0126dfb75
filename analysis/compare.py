"""Comparing sources, paired over common documents: differences, ranks, and the negative control."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.counted import counts_of
from analysis.engine.contrast import (
    FLIPS,
    Difference,
    Linear,
    covariance,
    difference,
    holm,
    linearise,
    pooled_value,
    rank_probabilities,
    sign_flips,
)
from analysis.engine.counts import Bools, Counts
from analysis.engine.jackknife import FEW_CLUSTERS, FEW_WORKERS
from analysis.engine.tally import ALL_DATASETS, Cut, MacroTally, Tally, Value
from analysis.errors import ConfigError, InputError, plain
from analysis.found import found_rows
from analysis.measured import Measured
from analysis.metrics.rates import judged
from analysis.metrics.registry import Metric, get, ratio
from analysis.outcomes import measure
from analysis.policy import DEFAULT_POLICY, Policy, get_policy
from analysis.sampled import document_weight, refusal
from analysis.schema import ALL
from analysis.study import Study
from analysis.verdicts import verdict

COLUMNS: Final = (
    "policy",
    "kind",
    "dataset",
    "metric",
    "source",
    "other",
    "estimate",
    "low",
    "high",
    "level",
    "method",
    "p",
    "p_holm",
    "p_better",
    "margin",
    "p_margin",
    "verdict",
    "documents",
    "n",
    "warning",
    "reason",
)
RANK_COLUMNS: Final = ("policy", "dataset", "metric", "source", "rank", "probability", "reason")
METRICS: Final = ("posthoc_precision", "posthoc_recall", "posthoc_f1")
CONTROL: Final = "negative_control"
_DRAWS: Final = 10_000
_FEW_DOCUMENTS: Final = 6
_FLOATS: Final = ("estimate", "low", "high", "level", "p", "p_holm", "p_better", "margin", "p_margin", "n")


def compare(
    study: Study | Measured,
    source: str,
    other: str,
    metric: str = "posthoc_precision",
    *,
    policy: str | Policy = DEFAULT_POLICY,
    overrides: Mapping[str, str] | None = None,
    level: float | None = None,
    seed: int = 0,
    margin: float | None = None,
) -> pd.DataFrame:
    """How much larger a metric is for one source than for another, a row a dataset and `*` for all.

    Over the documents on which both ran. Intervals are not adjusted; `p_holm` is, over the datasets.

    Args:
        study: a study, or one measured before (whose policy then holds).
        source: the first.
        other: what is taken from it.
        metric: a name; a share or a score of a source.
        policy: name or choices.
        overrides: choices to change, name -> value.
        level: of the intervals; None: .95.
        seed: of the sign flips.
        margin: by how much the first may be worse and still be as good as the other; None: not said.

    Raises:
        InputError: no such source or metric, or both sources are one.
        ConfigError: the metric is not one that sources are compared by.
    """
    measured = study if isinstance(study, Measured) else measure(study, get_policy(policy, overrides))
    for name in (source, other):
        measured.source_code(name)
    if source == other:
        raise InputError("a source is not compared with itself", got=plain(source))
    rows = _Pairs(measured, _checked(metric)).contrasts([(source, other)])
    frame = _finished(measured, rows, _level(level), seed, margin)
    frame.attrs["warnings"] = list(measured.warnings)
    return frame


def comparisons(
    measured: Measured,
    metrics: Iterable[str] | None = None,
    *,
    level: float | None = None,
    seed: int = 0,
    margin: float | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All pairs of sources by some metrics, what each found, the negative control; and ranks.

    Each model is taken less the ground truth, and each less those that follow it. Holm's adjustment is over
    all pairs and datasets of one metric; `*`, which holds the same data again, is adjusted over pairs.

    Args:
        measured: the study under its policy.
        metrics: names; None: posthoc precision, recall and F1, and the verification rate where the policy
            makes it another number than precision.
        level: of the intervals; None: .95.
        seed: of sign flips and ranks.
        margin: by how much the first may be worse and still be as good as the other; None: not said.
    """
    if metrics is None:
        metrics = METRICS if measured.policy.hits == "own" else ("verification_rate", *METRICS)
    pairs = [(b, a) if a == measured.gt else (a, b) for a, b in combinations(measured.sources, 2)]
    rows: list[_Row] = []
    ranks: list[dict[str, Any]] = []
    for name in metrics:
        contrasts, ranked = _by_metric(measured, name, pairs, seed)
        rows += contrasts
        ranks += ranked
    rows += [_Row(cells) for cells in found_rows(measured, pairs)]
    control = _control(measured)
    rows += control.contrasts(pairs)
    if control.measured is not measured:
        control.measured.forget()
    table = pd.DataFrame(ranks, columns=list(RANK_COLUMNS))
    table["rank"] = table["rank"].astype("int64")
    table["probability"] = table["probability"].astype(float)
    return _finished(measured, rows, _level(level), seed, margin), table


def _by_metric(
    measured: Measured, name: str, pairs: Sequence[tuple[str, str]], seed: int
) -> tuple[list[_Row], list[dict[str, Any]]]:
    """All pairs by one metric, and ranks. What was counted for them goes before the next."""
    every = _Pairs(measured, _checked(name))
    return every.contrasts(pairs), _ranks(every, seed)


def _level(level: float | None) -> float:
    level = 0.95 if level is None else level
    if not 0 < level < 1:
        raise ConfigError("not a level", where="level", got=str(level), expected="a number between 0 and 1")
    return level


def _checked(name: str) -> Metric:
    metric = get(name)
    if metric.per != "source" or metric.range != (0.0, 1.0):
        raise ConfigError(
            f"sources are not compared by {name}",
            where="metric",
            expected="a rate or a score of a source, such as " + ", ".join(METRICS),
        )
    return metric


@dataclass(frozen=True)
class _Side:
    """One source's part of a contrast."""

    cut: Cut
    value: Value
    size: str
    linear: Linear
    n: float


@dataclass
class _Row:
    """A row to be, and the difference it is about (None: undefined, with the reason)."""

    cells: dict[str, Any]
    found: Difference | None = None


@dataclass
class _Pairs:
    """What sources are compared by: a metric, or the judgments of items that both have.

    Attributes:
        measured: the study.
        metric: what is compared.
        seen: (items x sources) items judged under a source, of the negative control; None: no control.
    """

    measured: Measured
    metric: Metric
    seen: Bools | None = None
    _tallies: dict[Any, Tally] = field(default_factory=dict)
    _sides: dict[Any, _Side] = field(default_factory=dict)

    @property
    def places(self) -> list[tuple[str, int]]:
        """Datasets, and all, with their place in a tally."""
        named = [(name, place) for place, name in enumerate(self.measured.datasets)]
        return [*named, (ALL, ALL_DATASETS)]

    def common(self, sources: Sequence[str]) -> Bools:
        """Documents on which all of the sources ran."""
        codes = [self.measured.source_code(source) for source in sources]
        return np.asarray(self.measured.ran[:, codes].all(axis=1))

    def side(self, source: str, among: Sequence[str], place: int) -> _Side:
        """A source's part, over the documents on which all of `among` ran."""
        common = self.common(among)
        key = (source, common.tobytes(), tuple(sorted(among)) if self.seen is not None else ())
        if key not in self._tallies:
            counts = self._counts(source, among)
            # They are counted once for each pair: to hold rows meanwhile costs more than to cut them again.
            self.measured.forget_views()
            if not common.all():
                counts = counts.select(common[counts.document])
            tally = Tally(counts, self.measured.bounds, self.measured.weight, units=False)
            if self.metric.macro:
                weight = document_weight(self.measured, self.metric)
                tally = MacroTally(tally, self.metric.value, self.metric.size, weight)
            self._tallies[key] = tally
        if (key, place) not in self._sides:
            value, size = self.metric.value, self.metric.size
            if self.metric.macro:
                value, size = ratio("value", "documents"), "documents"
            cut = self._tallies[key].cut(place)
            linear = linearise(cut, value, size, len(self.measured.workers))
            n = float(cut.total[size][0])
            if self.measured.weight is not None and n:
                # What was judged, not what it stands for.
                counts = self._tallies[key].counts
                plain = Tally(counts, self.measured.bounds, units=False)
                n = float(plain.cut(place).total[self.metric.size][0])
            self._sides[key, place] = _Side(cut, value, size, linear, n)
        return self._sides[key, place]

    def _counts(self, source: str, among: Sequence[str]) -> Counts:
        if self.seen is None:
            return counts_of(self.measured, self.metric, source, units=False)
        view = self.measured.view(ALL, source)
        both = self.seen[:, [self.measured.source_code(one) for one in among]].all(axis=1)
        counts = judged(view)
        item = self.measured.annotations["item"].to_numpy()[counts.unit]
        inside: Bools = np.append(both, False)[item]
        return counts.select(inside)

    def two_way(self, sides: Sequence[Linear]) -> bool:
        """Whether workers enter, by the rule of the metrics' own intervals."""
        workers = int(np.any([side.worker_share != 0 for side in sides], axis=0).sum())
        return not self.measured.anonymous and workers >= FEW_WORKERS and "two-way" in self.metric.clusters

    def contrasts(self, pairs: Sequence[tuple[str, str]]) -> list[_Row]:
        """Datasets x pairs."""
        rows = []
        for dataset, place in self.places:
            stretch = self.measured.document_codes(dataset)
            for source, other in pairs:
                cells = {
                    "kind": "difference" if self.seen is None else CONTROL,
                    "dataset": dataset,
                    "metric": self.metric.name,
                    "source": source,
                    "other": other,
                }
                row = _Row(cells)
                if refused := refusal(self.measured, self.metric):
                    cells["reason"] = refused
                elif self.common((source, other))[stretch].any():
                    self._fill(row, place)
                else:
                    cells["reason"] = "there is no document on which both ran"
                rows.append(row)
        return rows

    def _fill(self, row: _Row, place: int) -> None:
        pair = (row.cells["source"], row.cells["other"])
        a, b = (self.side(name, pair, place) for name in pair)
        for side, name in ((a, pair[0]), (b, pair[1])):
            if np.isnan(side.linear.estimate):
                why = self.metric.undefined if self.seen is None else "no item was judged under both sources"
                row.cells["reason"] = f"{name}: {why}"
                return
        two_way = self.two_way((a.linear, b.linear))
        found = difference(a.linear, b.linear, pooled_value(a.value, a.cut, b.cut), two_way=two_way)
        both = a.n + b.n
        row.found = found
        row.cells |= {
            "estimate": found.estimate,
            "documents": found.documents,
            # The union, and the items of a control, are the same for both.
            "n": both / 2 if self.metric.family == "union" or self.seen is not None else both,
            "warning": "; ".join(self._warnings(found)),
        }

    def _warnings(self, found: Difference) -> Iterator[str]:
        if found.df + 1 < FEW_CLUSTERS:
            yield f"under {FEW_CLUSTERS} effective clusters"
        if not found.two_way and "two-way" in self.metric.clusters:
            yield "workers are taken as fixed"
        if found.documents < _FEW_DOCUMENTS:
            least = 2 / 2 ** max(found.documents, 1)
            yield f"no p can be under {least:.3g} with {found.documents} documents"


def _finished(
    measured: Measured, rows: Sequence[_Row], level: float, seed: int, margin: float | None
) -> pd.DataFrame:
    """The frame of the rows, with intervals, p and its adjustment."""
    there = [row for row in rows if row.found is not None]
    table = np.zeros((len(measured.documents), len(there)))
    for column, row in enumerate(there):
        if row.found is not None:
            table[measured.document_codes(row.cells["dataset"]), column] = row.found.contributions
    p, exact = sign_flips(table, measured.bounds, measured.datasets, seed)
    for row, probability, every in zip(there, p.tolist(), exact.tolist(), strict=True):
        _finish(row, level, probability, "every pattern of signs" if every else f"{FLIPS} sign flips")
    _adjust([row.cells for row in rows if "p" in row.cells])
    for row in there:
        if row.found is not None and row.cells["kind"] == "difference":
            row.cells |= verdict(row.cells, row.found, level, margin)
    frame = pd.DataFrame([row.cells | {"level": level} for row in rows], columns=list(COLUMNS))
    frame["policy"] = measured.policy.name
    frame = frame.astype(dict.fromkeys(_FLOATS, float))
    frame["documents"] = frame["documents"].astype("Int64")
    for name in COLUMNS:
        if name not in (*_FLOATS, "documents"):
            frame[name] = frame[name].astype(object).fillna("").astype("str")
    return frame


def _finish(row: _Row, level: float, p: float, flips: str) -> None:
    found = row.found
    if found is None:
        return
    limits = found.limits(level)
    if limits is not None:
        row.cells["low"], row.cells["high"] = limits
    elif found.documents > 1:
        row.cells["reason"] = "no interval: the two do not differ in any document"
    else:
        row.cells["reason"] = "no interval: everything lies in one document"
    by = "documents x workers" if found.two_way else "documents"
    row.cells["method"] = f"linearised, t, {by}; p by {flips} over documents"
    row.cells["p"] = p


def _adjust(rows: Sequence[dict[str, Any]]) -> None:
    """Holm over the pairs and datasets of one metric; over the pairs of `*` apart."""
    families: dict[tuple[str, str, bool], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        families[row["kind"], row["metric"], row["dataset"] == ALL].append(row)
    for family in families.values():
        for row, adjusted in zip(family, holm([row["p"] for row in family]), strict=True):
            row["p_holm"] = adjusted


def _ranks(every: _Pairs, seed: int) -> list[dict[str, Any]]:
    """How probable each rank is, over the documents on which every source of the dataset ran."""
    measured, rows = every.measured, []
    for dataset, place in every.places:
        stretch = measured.document_codes(dataset)
        there = [name for name in measured.sources if every.common([name])[stretch].any()]
        if len(there) < 2 or refusal(measured, every.metric):  # noqa: PLR2004 - one source has no rank
            continue
        sides = [every.side(name, there, place).linear for name in there]
        estimates = np.array([side.estimate for side in sides])
        spread = covariance(sides, two_way=every.two_way(sides))
        table = np.full((len(there), len(there)), np.nan)
        why = "a source has no value, or everything lies in one document"
        if not (np.isnan(estimates).any() or np.isnan(spread).any()):
            why = ""
            table = rank_probabilities(estimates, spread, _DRAWS, seed, dataset, every.metric.name)
        rows += [
            {
                "policy": measured.policy.name,
                "dataset": dataset,
                "metric": every.metric.name,
                "source": name,
                "rank": rank + 1,
                "probability": table[one, rank],
                "reason": why,
            }
            for one, name in enumerate(there)
            for rank in range(len(there))
        ]
    return rows


def _control(measured: Measured) -> _Pairs:
    """The same item judged under two sources: whatever differs is no difference between the sources."""
    plain = {"pooling": "own", "resolution": "share"}
    own = measured
    if any(measured.policy.choices[name] != value for name, value in plain.items()):
        own = measure(measured.study, measured.policy.override(plain))
    item = own.annotations["item"].to_numpy()
    seen = np.zeros((len(own.items), len(own.sources)), dtype=bool)
    rows = own.annotations["judged"].to_numpy() & (item >= 0)
    seen[item[rows], own.annotations["source_code"].to_numpy()[rows]] = True
    return _Pairs(own, get("verification_rate"), seen)
