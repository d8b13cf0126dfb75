"""The cluster bootstrap: integer weights times sums by cluster, then the formula, and its limits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy  # scipy.stats is slow to load: it is when first used
from numpy.typing import NDArray
from scipy import special

from analysis.engine.bits import below, stream, uniforms
from analysis.engine.counts import Codes, Floats, Sums
from analysis.engine.exact import product
from analysis.engine.proportions import Limits
from analysis.engine.tally import Tally

_MANY_CLASSES = 64
MANY_MEMBERS = 8
# Draws that are made at once: as many as a cache holds are made quicker than all.
_CELLS = 1 << 21


class Weights:
    """The weights of a study's documents in every replicate, dataset by dataset.

    A dataset's stream is keyed by its name and the seed: its weights hang on no other dataset, and all
    sources and metrics share them, so that comparisons are paired.
    """

    def __init__(self, datasets: Sequence[str], sizes: Sequence[int], replicates: int, seed: int) -> None:
        self.replicates, self.seed = replicates, seed
        self._sizes = dict(zip(datasets, sizes, strict=True))
        self._made: dict[str, NDArray[Any]] = {}

    def of(self, dataset: str) -> NDArray[Any]:
        """(replicates, documents): how often each document of the dataset is drawn, in few bytes each."""
        if dataset not in self._made:
            size = self._sizes[dataset]
            bits = stream(self.seed, dataset, "documents")
            # A number of the stream gives two draws: an even number of replicates uses whole ones.
            step = max(_CELLS // max(size, 1) // 2, 1) * 2
            parts = [
                _drawn(bits, size, min(step, self.replicates - low))
                for low in range(0, self.replicates, step)
            ]
            self._made[dataset] = np.concatenate(parts) if parts else np.empty((0, size))
        return self._made[dataset]

    def resample(self, tallies: Sequence[Tally]) -> list[list[Sums]]:
        """Sums of every replicate, for each tally by dataset and last over all: name -> (replicates,).

        All quantities of a dataset go through one matrix product; over all datasets each is resampled by
        itself, and the sums are added.
        """
        if not tallies:
            return []
        columns, place = _distinct([v for tally in tallies for v in tally.documents.values()])
        table = np.stack(columns, axis=1)
        whole = np.zeros((self.replicates, table.shape[1]))
        parts = []
        start = 0
        for dataset, size in self._sizes.items():
            part = product(self.of(dataset), table[start : start + size])
            whole += part
            parts.append(np.ascontiguousarray(part.T))
            start += size
        parts.append(np.ascontiguousarray(whole.T))
        out = []
        column = 0
        for tally in tallies:
            names = list(tally.documents)
            rows = place[column : column + len(names)]
            out.append([{name: part[row] for name, row in zip(names, rows, strict=True)} for part in parts])
            column += len(names)
        return out


def _distinct(columns: Sequence[Floats]) -> tuple[list[Floats], list[int]]:
    """The columns that differ, and the place of each column among them: metrics often count the same."""
    known: dict[bytes, int] = {}
    kept: list[Floats] = []
    place = []
    for values in columns:
        name = hashlib.sha256(np.ascontiguousarray(values).data).digest()
        if name not in known:
            known[name] = len(kept)
            kept.append(values)
        place.append(known[name])
    return kept, place


def _drawn(bits: np.random.BitGenerator, size: int, replicates: int) -> NDArray[Any]:
    draws = below(bits, size, replicates * size).reshape(replicates, size)
    draws += np.arange(replicates)[:, None] * size
    counts = np.bincount(draws.reshape(-1), minlength=replicates * size)
    return counts.reshape(replicates, size).astype(np.min_scalar_type(size))


def resample_units(sums: Sums, replicates: int, seed: int, *names: str) -> Sums:
    """Sums of every replicate when clusters that are many and alike (annotations, items) are resampled.

    Clusters with equal sums are exchangeable: how often a class of them is drawn is multinomial, drawn
    here class by class as a binomial of what is left. The same law as drawing clusters one by one.
    """
    table = np.stack(list(sums.values()), axis=1)
    classes, code, count = _classes(table)
    bits = stream(seed, *names)
    size = len(table)
    if len(classes) > _MANY_CLASSES:
        weights = np.stack(
            [np.bincount(code[below(bits, size, size)], minlength=len(classes)) for _ in range(replicates)]
        ).astype(np.float64)
        return dict(zip(sums, product(weights, classes).T, strict=True))
    # The largest class is what is left in the end: it need not be drawn.
    order = np.argsort(count, kind="stable")
    classes, count = classes[order], count[order]
    left, rest = np.full(replicates, size), size
    out = np.zeros((replicates, table.shape[1]))
    for row, members in zip(classes, count.tolist(), strict=True):
        share = members / rest
        drawn = left if share >= 1 else binomial(uniforms(bits, replicates), left, share)
        out += drawn[:, None] * row
        left, rest = left - drawn, rest - members
    return dict(zip(sums, out.T, strict=True))


def draw_classes(count: Codes, replicates: int, seed: int, *names: str) -> Floats:
    """How often clusters of each class are drawn in each replicate: (replicates, classes).

    Where clusters are many to a class the draw is multinomial; the Generator's own draws are used, which are
    the same for the same version of numpy. Else clusters are drawn one by one.

    Args:
        count: clusters of each class.
        replicates: how many replicates.
        seed: of the stream.
        *names: of the stream.
    """
    bits, size = stream(seed, *names), int(count.sum())
    if size > MANY_MEMBERS * len(count):
        drawn = np.random.Generator(bits).multinomial(size, count / size, replicates)
        return drawn.astype(np.float64)
    found = np.empty((replicates, len(count)))
    # Replicate by replicate, so that what is counted stays in the processor's cache.
    if size == len(count) and (count == 1).all():
        for row in found:
            row[:] = np.bincount(below(bits, size, size), minlength=size)
        return found
    member = np.repeat(np.arange(len(count)), count)
    for row in found:
        row[:] = np.bincount(member[below(bits, size, size)], minlength=len(count))
    return found


def _classes(table: Floats) -> tuple[Floats, Codes, Codes]:
    """The distinct rows in ascending order, the place of each row among them, and how many rows each has."""
    code = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        place, values = pd.factorize(column, use_na_sentinel=False)
        # Numbered anew after each column, so that codes stay below the number of rows times its values.
        code = pd.factorize(code * max(len(values), 1) + place)[0]
    count = np.bincount(code)
    first = np.empty(len(count), dtype=np.int64)
    first[code[::-1]] = np.arange(len(code))[::-1]
    order = np.lexsort(table[first].T[::-1])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return table[first[order]], rank[code], count[order]


def binomial(u: Floats, n: Codes, p: float) -> Codes:
    """Binomial numbers by inversion of uniform ones: the smallest k whose distribution function reaches u."""
    size = int(n[0])
    if not 0 < p < 1 or (n != size).any():
        return np.asarray(scipy.stats.binom.ppf(u, n, p)).astype(np.int64)
    k = np.arange(size + 1)
    log = special.gammaln(size + 1) - special.gammaln(k + 1) - special.gammaln(size - k + 1)
    mass = np.exp(log + special.xlogy(k, p) + special.xlog1py(size - k, -p))
    return np.minimum(np.searchsorted(np.cumsum(mass), u), size)


def interval(
    replicates: Floats, estimate: float, level: float, how: str, deleted: Floats | None = None
) -> Limits | None:
    """The limits that replicates give; None where fewer than two are defined.

    Args:
        replicates: values; undefined ones (nan) are left out.
        estimate: the statistic itself.
        level: of the interval.
        how: percentile | basic | bca.
        deleted: delete-one values of the data by the resampled cluster: BCa takes its acceleration from
            them, never from replicates.
    """
    defined = replicates[~np.isnan(replicates)]
    if len(defined) < 2:  # noqa: PLR2004 - no quantiles of one value
        return None
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if how == "bca" and deleted is not None:
        tails = _bca_tails(defined, estimate, tails, deleted)
    low, high = quantiles(defined, tails)
    if how == "basic":
        low, high = 2 * estimate - high, 2 * estimate - low
    return float(low), float(high)


def quantiles(values: Floats, shares: Floats) -> Floats:
    """Quantiles by linear interpolation between order statistics: numpy's, without its cost for few."""
    ordered = np.sort(values)
    place = shares * (len(ordered) - 1)
    lower = np.floor(place).astype(np.int64)
    part = place - lower
    left, right = ordered[lower], ordered[np.minimum(lower + 1, len(ordered) - 1)]
    step = right - left
    # From the nearer end, as numpy does, so that the bits are the same.
    return np.where(part >= 0.5, right - step * (1 - part), left + step * part)  # noqa: PLR2004 - half way


def _bca_tails(replicates: Floats, estimate: float, tails: Floats, deleted: Floats) -> Floats:
    share = (np.sum(replicates < estimate) + 0.5 * np.sum(replicates == estimate)) / len(replicates)
    # All replicates on one side say nothing of the bias beyond half of one replicate.
    edge = 0.5 / len(replicates)
    bias = special.ndtri(np.clip(share, edge, 1 - edge))
    steps = deleted[~np.isnan(deleted)].mean() - deleted[~np.isnan(deleted)]
    below_ = 6 * (steps**2).sum() ** 1.5
    acceleration = (steps**3).sum() / below_ if below_ > 0 else 0.0
    z = bias + special.ndtri(tails)
    return np.asarray(special.ndtr(bias + z / (1 - acceleration * z)))
