"""The registry of metrics: what a metric declares, and how its printed name leads back to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.engine.counts import Counts
from analysis.errors import InputError, plain
from analysis.measured import Measured, View

Family = Literal["rates", "union", "matching", "agreement"]
CLUSTERS: Final = ("document", "segment", "annotation", "item", "unit", "worker", "two-way")
MACRO_CLUSTERS: Final = ("document", "worker", "two-way")


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A statistic in two stages: exact integer counts, and a formula over their sums.

    Attributes:
        name: as in metrics.csv; `parse(str(metric))` is the metric.
        title: for tables and figures.
        formula: in words.
        range: smallest and largest value; None: unbounded, the interval is on the natural scale.
        better: which direction is good.
        undefined: when it is undefined, in words: the reason that is printed.
        clusters: legal clusters, of `CLUSTERS`.
        reference: where it is defined.
        family: which default clusters a policy gives it.
        per: one row a (dataset, source), or one a dataset (source empty).
        count: View -> Counts. Rows must lie inside one document, so that counts of all datasets can be cut
            by document.
        value: sums -> estimate, vectorised; nan inside means undefined. Called under
            `np.errstate(all="ignore")`.
        size: the quantity whose total is the n of the estimate.
        printed: the quantity whose total is printed as n, where that is not `size`.
        macro: the value is taken per document and averaged over the documents that have one.
    """

    name: str
    title: str
    formula: str
    range: tuple[float, float | None] = (0.0, 1.0)
    better: Literal["higher", "lower", "none"] = "none"
    undefined: str
    clusters: tuple[str, ...] = ("document", "segment", "annotation", "worker", "two-way")
    reference: str = ""
    family: Family = "rates"
    per: Literal["source", "dataset"] = "source"
    count: Callable[[View], Counts]
    value: Callable[[Mapping[str, NDArray[Any]]], NDArray[Any]]
    size: str
    macro: bool = False
    printed: str = ""

    def __str__(self) -> str:
        """The name, which parses back."""
        return self.name


@dataclass(frozen=True)
class MetricFamily:
    """Metrics whose names hold a number, such as `verified_2_of_3`.

    Attributes:
        pattern: what a name of the family looks like; matched in full.
        make: the metric of a name that matched.
        names: the names that make sense for a study.
        named: how the family is written where it stands for all its names.
    """

    pattern: re.Pattern[str]
    make: Callable[[re.Match[str]], Metric]
    names: Callable[[Measured], list[str]]
    named: str


_METRICS: Final[dict[str, Metric]] = {}
_FAMILIES: Final[dict[str, MetricFamily]] = {}


def register(metric: Metric) -> Metric:
    """Add a metric; a name is given once, but your own may be declared anew, as cells of a notebook are.

    Raises:
        ValueError: the name is taken, or a cluster is unknown.
    """
    there = _METRICS.get(metric.name)
    if there is not None and there.count.__module__.startswith("analysis."):
        raise ValueError(f"metric {metric.name!r} is registered twice")
    if unknown := set(metric.clusters) - set(CLUSTERS):
        raise ValueError(f"metric {metric.name!r} names unknown clusters {sorted(unknown)}")
    _METRICS[metric.name] = metric
    return metric


def register_family(family: MetricFamily) -> MetricFamily:
    """Add a family of metrics."""
    if family.pattern.pattern in _FAMILIES:
        raise ValueError(f"metric family {family.pattern.pattern!r} is registered twice")
    _FAMILIES[family.pattern.pattern] = family
    return family


def macro(metric: Metric) -> Metric:
    """The `_macro` form: the mean over documents that have a denominator."""
    return replace(
        metric,
        name=f"{metric.name}_macro",
        title=f"{metric.title} (macro)",
        formula=f"mean over documents that have a denominator of: {metric.formula}",
        undefined=f"no document has a denominator: {metric.undefined}",
        clusters=tuple(c for c in metric.clusters if c in MACRO_CLUSTERS),
        macro=True,
    )


def get(name: str) -> Metric:
    """The metric of that name.

    Raises:
        InputError: there is none.
    """
    _load()
    if name in _METRICS:
        return _METRICS[name]
    for family in _FAMILIES.values():
        if match := family.pattern.fullmatch(name):
            return family.make(match)
    raise InputError(
        "no such metric",
        got=plain(name),
        expected=", ".join([*_METRICS, *(f.pattern.pattern for f in _FAMILIES.values())]),
    )


parse = get


def registered() -> list[Metric]:
    """Every metric with a fixed name, module by module, whichever was imported first; others' own last."""
    modules = _load()
    return sorted(_METRICS.values(), key=lambda metric: _place(modules, metric.count))


def _place(modules: Sequence[str], made: Callable[..., Any]) -> int:
    name = made.__module__.removeprefix("analysis.metrics.")
    return modules.index(name) if name in modules else len(modules)


def _families() -> list[MetricFamily]:
    modules = _load()
    return sorted(_FAMILIES.values(), key=lambda family: _place(modules, family.make))


def named_families() -> list[str]:
    """The families, each written as all its names."""
    return [family.named for family in _families()]


def names(measured: Measured) -> list[str]:
    """The names of all metrics that make sense for a study, families included."""
    found = [metric.name for metric in registered()]
    return [*found, *(name for family in _families() for name in family.names(measured))]


def ratio(numerator: str, denominator: str) -> Callable[[Mapping[str, NDArray[Any]]], NDArray[Any]]:
    """The formula numerator / denominator, undefined where the denominator is 0."""

    def value(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        below = np.asarray(sums[denominator], dtype=float)
        return np.where(below > 0, sums[numerator] / np.where(below > 0, below, 1.0), np.nan)

    return value


def _load() -> tuple[str, ...]:
    """Import every module of the package: each registers its metrics. Returns their order."""
    from analysis.metrics import MODULES, load_all  # noqa: PLC0415 - the modules import this one

    load_all()
    return MODULES
