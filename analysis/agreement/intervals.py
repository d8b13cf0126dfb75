"""Intervals of agreement: delete-one jackknife-t and bootstrap over units, clusters or workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Final

import numpy as np
from scipy import special

from analysis.agreement.blocks import OF_COUNTS, OF_WORKERS
from analysis.agreement.classes import Block, Classes, Tallied
from analysis.agreement.coefficient import Ready
from analysis.agreement.formulas import Parts, value
from analysis.agreement.linear import gwet_limits
from analysis.engine.bootstrap import MANY_MEMBERS, draw_classes, interval
from analysis.engine.counts import Bools, Floats, Sums
from analysis.engine.jackknife import MIN_ICC
from analysis.engine.proportions import Limits, at_the_edge, korn_graubard

METHODS: Final = ("jackknife", "percentile", "basic", "bca", "gwet")
# Sums larger than this are not made: replicates x columns, and clusters x columns.
_RESAMPLED: Final = 5_000_000
_DELETED: Final = 30_000_000
_CHUNK: Final = 4_000_000
# Clusters that are drawn one by one in all replicates together.
_DRAWN: Final = 300_000_000
_EDGE: Final = 1e-12
# Disagreement / expectation under this is an estimate above -1.
_FISHER: Final = 1.999


@dataclass(frozen=True)
class Interval:
    """Limits with the method in words, and beside them those of the percentile bootstrap.

    Attributes:
        limits: lower and upper; None where there are none.
        method: in words.
        reason: why there are none.
        beside: the percentile interval of the bootstrap; None where it was not made.
        undefined: replicates in which the coefficient is undefined.
    """

    limits: Limits | None
    method: str = ""
    reason: str = ""
    beside: Limits | None = None
    undefined: int = 0


@dataclass(frozen=True)
class Settings:
    """How intervals are made."""

    level: float = 0.95
    method: str = "jackknife"
    replicates: int = 1000
    seed: int = 0


class Sampled:
    """A table's classes with its clusters: sums over everything, without each cluster, and resampled.

    Args:
        classes: of the table.
        settings: of the intervals.
        workers: clusters are workers, who are left out one by one and never resampled.
    """

    def __init__(self, classes: Classes, settings: Settings, *, workers: bool = False) -> None:
        self.classes, self.settings, self.by_workers = classes, settings, workers
        self._clusters: dict[str, Block] = {}
        self._totals: dict[str, Floats] = {}
        self._drawn: dict[str, Floats] = {}

    def block(self, ready: Ready, name: str) -> Block:
        """A block by name."""
        return self.classes.block(name, ready.own.get(name) or OF_COUNTS.get(name) or OF_WORKERS[name])

    def total(self, ready: Ready) -> Sums:
        """The sums over everything."""
        for name in ready.blocks:
            if name not in self._totals:
                self._totals[name] = self.classes.total(self.block(ready, name))
        return {name: self._totals[name] for name in ready.blocks}

    @cached_property
    def size(self) -> Floats:
        """Units with two labels or more in each cluster."""
        if self.classes.groups is None or self.by_workers:
            return self.classes.paired
        return np.asarray(self.classes.groups @ self.classes.paired)

    @cached_property
    def times(self) -> Floats:
        """How many clusters of each kind there are."""
        if self.classes.groups is None or self.by_workers:
            return self.classes.count
        return np.ones(self.classes.groups.shape[0])

    @cached_property
    def clusters(self) -> tuple[int, float, float]:
        """How many clusters hold pairs, G = N^2 / sum n^2, and m = sum n^2 / sum n."""
        n = float((self.times * self.size).sum())
        squares = float((self.times * self.size**2).sum())
        count = int(self.times[self.size > 0].sum())
        return (count, n * n / squares, squares / n) if n else (0, 0.0, 0.0)

    def units_of(self, ready: Ready) -> float:
        """Units with two labels or more; of a category's own coefficient those with the category."""
        there = self.classes.paired
        if ready.place >= 0:
            there = there * (_dense(self.block(ready, "possible"))[:, ready.place] > 0)
        return float((self.classes.count * there).sum())

    def by_cluster(self, ready: Ready, name: str) -> Block:
        """A block summed over each cluster."""
        if name not in self._clusters:
            block = self.block(ready, name)
            groups = self.classes.groups
            self._clusters[name] = block if groups is None else groups @ block
        return self._clusters[name]

    def deleted(self, ready: Ready) -> tuple[Floats, Floats, Floats] | None:
        """Observed and expected disagreement without each cluster, and how many such clusters there are."""
        total = self.total(ready)
        if self.by_workers:
            return self.without_workers(ready)
        rows = len(self.times)
        width = sum(values.shape[-1] for values in total.values())
        if rows * width > _DELETED:
            return None
        blocks = {name: self.by_cluster(ready, name) for name in ready.blocks}
        step = max(1, _CHUNK // width)
        found = []
        for start in range(0, rows, step):
            here = slice(start, start + step)
            found.append(
                ready.formula({name: total[name] - _dense(block[here]) for name, block in blocks.items()})
            )
        observed, expected = (np.concatenate([part[side] for part in found]) for side in (0, 1))
        # Deleting nothing is no deletion: clusters without any label are not there.
        there = np.any([_any(block) for block in blocks.values()], axis=0) & (self.times > 0)
        return observed[there], expected[there], self.times[there]

    def without_workers(self, ready: Ready) -> tuple[Floats, Floats, Floats] | None:
        """Observed and expected disagreement without each worker; None where that takes too many sums."""
        of, total = self.classes, self.total(ready)
        entries = len(of.row)
        if entries * of.categories**2 > _DELETED or not set(ready.blocks) & set(OF_COUNTS):
            return None
        rest = of.counts[of.row]
        rest[np.arange(entries), of.label] -= 1
        without, weight = Tallied(rest), of.count[of.row]
        sums = {}
        for name in ready.blocks:
            if name in OF_WORKERS:
                if name != "margin":
                    return None
                table = np.repeat(total[name][None], of.workers, axis=0).reshape(of.workers, of.workers, -1)
                table[np.arange(of.workers), np.arange(of.workers)] = 0
                sums[name] = table.reshape(of.workers, -1)
            else:
                make = ready.own.get(name) or OF_COUNTS[name]
                change = (make(without) - _dense(self.block(ready, name))[of.row]) * weight[:, None]
                added = [np.bincount(of.worker, weights=column, minlength=of.workers) for column in change.T]
                sums[name] = total[name] + np.stack(added, axis=1)
        observed, expected = ready.formula(sums)
        return observed, expected, np.ones(of.workers)

    def resampled(self, ready: Ready) -> Parts | None:
        """Observed and expected disagreement of every replicate."""
        if not self._few(ready):
            return None
        if missing := {name: ready for name in ready.blocks if name not in self._drawn}:
            self._draw(missing)
        return ready.formula({name: self._drawn[name] for name in ready.blocks})

    def prepare(self, every: Sequence[Ready]) -> None:
        """Resample what all of these need in one pass."""
        if self.by_workers or self.settings.replicates < 2:  # noqa: PLR2004 - one replicate has no spread
            return
        wanted = {name: ready for ready in every if self._few(ready) for name in ready.blocks}
        if wanted:
            self._draw(wanted)

    def _few(self, ready: Ready) -> bool:
        width = sum(int(self.block(ready, name).shape[1]) for name in ready.blocks)
        members = float(self.times.sum())
        one_by_one = members if members <= MANY_MEMBERS * len(self.times) else 0.0
        replicates = self.settings.replicates
        return width * replicates <= _RESAMPLED and one_by_one * replicates <= _DRAWN

    def _draw(self, wanted: dict[str, Ready]) -> None:
        blocks = {name: self.by_cluster(ready, name) for name, ready in wanted.items()}
        dense = {name: block for name, block in blocks.items() if isinstance(block, np.ndarray)}
        # One product for all that is dense; its columns are parted afterwards.
        table = np.concatenate([*dense.values(), np.empty((len(self.times), 0))], axis=1)
        parts: list[Block] = [table, *(block for name, block in blocks.items() if name not in dense)]
        replicates, rows = self.settings.replicates, len(self.times)
        out = [np.empty((replicates, block.shape[1])) for block in parts]
        step = max(1, _CHUNK // rows)
        for start in range(0, replicates, step):
            stop = min(replicates, start + step)
            weights = draw_classes(
                self.times.astype(np.int64), stop - start, self.settings.seed, "agreement", str(start)
            )
            for sums, block in zip(out, parts, strict=True):
                sums[start:stop] = weights @ block
        ends = np.cumsum([block.shape[1] for block in dense.values()])[:-1]
        if dense:
            self._drawn |= dict(zip(dense, np.split(out[0], ends, axis=1), strict=True))
        self._drawn |= dict(zip([name for name in blocks if name not in dense], out[1:], strict=True))


def _dense(block: Block) -> Floats:
    return block if isinstance(block, np.ndarray) else block.toarray()


def _any(block: Block) -> Bools:
    """Rows of a block that hold something."""
    if isinstance(block, np.ndarray):
        return np.asarray(block.any(axis=1))
    return np.asarray(np.diff(block.indptr) > 0)


def interval_of(sampled: Sampled, ready: Ready, over: str, *, natural: bool = False) -> Interval:
    """The interval of a coefficient whose estimate is defined.

    Args:
        sampled: the table.
        ready: the coefficient.
        over: the clusters in words.
        natural: it lies anywhere in [-1, 1], 1 being no more than a value: limits on the natural scale.
    """
    settings = sampled.settings
    parts = [float(side) for side in ready.formula(sampled.total(ready))]
    drawn = None
    if settings.replicates > 1 and not sampled.by_workers:
        drawn = sampled.resampled(ready)
    values = None if drawn is None else value(drawn)
    beside, undefined = None, 0
    if values is not None:
        beside = interval(values, 0.0, settings.level, "percentile")
        undefined = int(np.isnan(values).sum())
    if settings.method == "gwet":
        limits = gwet_limits(sampled, ready, 1 - parts[0] / parts[1])
        no_error = "" if limits else "no interval: its standard error cannot be had"
        found = Interval(limits, "Gwet's linearised standard error over units" if limits else "", no_error)
    elif settings.method == "jackknife":
        found = _jackknife(sampled, ready, (parts[0], parts[1]), over, natural=natural)
    else:
        found = _bootstrap(sampled, ready, values, 1 - parts[0] / parts[1], over)
    return Interval(found.limits, found.method, found.reason, beside, undefined)


def _bootstrap(sampled: Sampled, ready: Ready, values: Floats | None, estimate: float, over: str) -> Interval:
    if values is None:
        return Interval(None, reason="no interval: too many sums would have to be made")
    settings = sampled.settings
    deleted = None
    if settings.method == "bca":
        left = sampled.deleted(ready)
        if left is None:
            return Interval(None, reason="no interval: too many sums would have to be made")
        deleted = np.repeat(value((left[0], left[1])), left[2].astype(np.int64))
    limits = interval(values, estimate, settings.level, settings.method, deleted)
    if limits is None:
        return Interval(None, reason="no interval: fewer than two replicates are defined")
    return Interval(limits, f"{settings.method} bootstrap over {over}")


def _jackknife(
    sampled: Sampled, ready: Ready, parts: tuple[float, float], over: str, *, natural: bool
) -> Interval:
    """Jackknife-t on Fisher's z scale, of the logit where chance expects a constant."""
    level = sampled.settings.level
    clusters, effective, member = sampled.clusters
    observed, expected = parts
    if sampled.by_workers:
        clusters, effective = sampled.classes.workers, float(sampled.classes.workers)
    units = sampled.units_of(ready)
    if observed <= _EDGE and not natural:
        low, _ = at_the_edge(1.0, units, member, MIN_ICC, level)
        return Interval((1 - (1 - low) / expected, 1.0), "Clopper-Pearson on the effective n")
    left = sampled.deleted(ready)
    if left is None:
        return Interval(None, reason="no interval: too many sums would have to be made")
    if clusters < 2:  # noqa: PLR2004 - one cluster has no spread
        return Interval(None, reason=f"no interval: it takes two {over} or more")
    if np.isnan(value((left[0], left[1]))).any():
        return Interval(None, reason=f"no interval: it would be undefined without one of the {over}")
    if not natural and np.ptp(left[0] / left[1]) <= _EDGE and np.ptp(left[1]) > _EDGE:
        return Interval(None, reason=f"no interval: it is the same whichever of the {over} is left out")
    t = float(special.stdtrit(effective - 1, (1 + level) / 2))
    limits, scale = _limits(left, parts, (t, effective - 1, level, units, member), natural=natural)
    return Interval(limits, f"jackknife-t over {over}, {scale}")


def _limits(
    left: tuple[Floats, Floats, Floats],
    parts: tuple[float, float],
    how: tuple[float, float, float, float, float],
    *,
    natural: bool,
) -> tuple[Limits, str]:
    """Limits on the scale that suits, from disagreements without each cluster."""
    t, df, level, units, member = how
    (observed, expected, times), (do, de) = left, parts
    count = float(times.sum())

    def half(at: Callable[[Floats], Floats], of: Floats, centre: float) -> float:
        deviations = at(of) - float(at(np.array(centre)))
        return t * sqrt((count - 1) / count * float((times * deviations**2).sum()))

    if natural:
        width = half(lambda x: x, observed / expected, do / de)
        return (max(-1.0, 1 - do / de - width), min(1.0, 1 - do / de + width)), "natural scale"
    if (observed <= _EDGE).any() or (observed >= 1 - _EDGE).any() or np.ptp(observed / expected) <= _EDGE:
        spread = half(lambda x: x, observed, do) / t
        if do < 1:
            low, high = korn_graubard(1 - do, units, spread**2, df, level)
        else:
            low, high = at_the_edge(0.0, units, member, MIN_ICC, level)
        return (1 - (1 - low) / de, 1 - (1 - high) / de), "Korn-Graubard on observed agreement"
    if np.ptp(expected) <= _EDGE and do < 1:
        centre, width = float(special.logit(do)), half(special.logit, observed, do)
        high, low = special.expit(centre - width), special.expit(centre + width)
        return (1 - float(low) / de, 1 - float(high) / de), "logit scale"
    ratio = observed / expected
    if (ratio < _FISHER).all() and do / de < _FISHER:
        centre, width = float(np.arctanh(1 - do / de)), half(lambda x: np.arctanh(1 - x), ratio, do / de)
        return (float(np.tanh(centre - width)), float(np.tanh(centre + width))), "Fisher's z scale"
    centre, width = float(np.log(do / de)), half(np.log, ratio, do / de)
    return (
        1 - float(np.exp(centre + width)),
        1 - float(np.exp(centre - width)),
    ), "scale of log(1 - estimate)"
