"""Differences of one statistic between sources: linearised contributions, two-way variance, sign flips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.engine.bits import stream, uniforms
from analysis.engine.counts import Bools, Codes, Floats, Sums, distinct
from analysis.engine.tally import Cut, Value, evaluate_at

FLIPS: Final = 9999
# Up to so many documents every pattern of signs is tried.
_EXACT: Final = 12
_STEP: Final = 1e-5
_CHUNK: Final = 1024
_ROUNDING: Final = 1e-10
_SLOPES: Final = 1e-7


@dataclass(frozen=True)
class Linear:
    """What each cluster contributes to a statistic of one source, to first order.

    Contributions of each kind of cluster add to 0: the statistic does not change when all sums grow alike.

    Attributes:
        estimate: the statistic; nan where undefined.
        documents: contribution of each document of the cut.
        workers: of each worker; codes that have none hold 0.
        cells: of each (document, worker) cell.
        cell_document: document of each cell, counted from the cut's first.
        cell_worker: worker of each cell.
        share: (documents,) what part of the source's size lies in each document.
        worker_share: the same by worker.
    """

    estimate: float
    documents: Floats
    workers: Floats
    cells: Floats
    cell_document: Codes
    cell_worker: Codes
    share: Floats
    worker_share: Floats


def gradient(value: Value, total: Sums) -> dict[str, float]:
    """Partial derivatives of a statistic at its totals, by central differences."""
    out = {}
    for name in total:
        step = _STEP * max(1.0, abs(float(total[name][0])))
        ends = []
        for sign in (1.0, -1.0):
            moved = {key: values + sign * step * (key == name) for key, values in total.items()}
            with np.errstate(all="ignore"):
                ends.append(float(np.asarray(value(moved), dtype=float).reshape(-1)[0]))
        out[name] = (ends[0] - ends[1]) / (2 * step) if not any(np.isnan(ends)) else 0.0
    return out


def linearise(cut: Cut, value: Value, size: str, workers: int) -> Linear:
    """The contributions of a source's clusters.

    Args:
        cut: its sums.
        value: its formula.
        size: the quantity whose total is n.
        workers: number of workers of the study.
    """
    slope = gradient(value, cut.total)

    def contributions(sums: Sums) -> Floats:
        return np.asarray(sum(slope[name] * values for name, values in sums.items()), dtype=float)

    tally, rows = cut.tally, cut.cell_rows
    total = float(cut.total[size][0]) or 1.0
    by_worker = cut.by("worker")
    padded, part = np.zeros(workers), np.zeros(workers)
    got = contributions(by_worker)
    padded[: len(got)], part[: len(got)] = got, by_worker[size] / total
    documents = cut.by("document")
    return Linear(
        float(evaluate_at(value, cut.total)[0]),
        contributions(documents),
        padded,
        contributions(cut.by("cell")),
        tally.cell_document[rows] - cut.rows.start,
        tally.cell_worker[rows],
        documents[size] / total,
        part,
    )


@dataclass(frozen=True)
class Difference:
    """How two sources differ.

    Attributes:
        estimate: of the first less that of the second.
        variance: of it; two-way without floors (or by documents alone).
        df: degrees of freedom.
        documents: number of documents that contribute.
        two_way: whether workers entered.
        contributions: (documents,) at the pooled rate; they add to the estimate. Signs of these are flipped.
    """

    estimate: float
    variance: float
    df: float
    documents: int
    two_way: bool
    contributions: Floats

    def limits(self, level: float) -> tuple[float, float] | None:
        """The interval on the natural scale, within [-1, 1]; None where nothing varies."""
        if not self.variance > 0 or self.df <= 0:
            return None
        half = float(special.stdtrit(self.df, (1 + level) / 2)) * sqrt(self.variance)
        return max(-1.0, self.estimate - half), min(1.0, self.estimate + half)


def difference(a: Linear, b: Linear, pooled: float, *, two_way: bool) -> Difference:
    """The difference of two sources over the same documents.

    Args:
        a: the first.
        b: the second.
        pooled: the statistic of both together: what each would have if they did not differ.
        two_way: documents and workers; else documents alone.
    """
    part = a.share + b.share
    there = (part != 0) | (a.documents != 0) | (b.documents != 0)
    change = (a.documents - b.documents)[there]
    variances, effective = [_variance(change[:, None])[0, 0]], [_effective(part)]
    if two_way:
        worker_part = a.worker_share + b.worker_share
        seen = (worker_part != 0) | (a.workers != 0) | (b.workers != 0)
        cells, _, _ = _aligned([a, b])
        variances += [
            _variance((a.workers - b.workers)[seen][:, None])[0, 0],
            _variance((cells[:, 0] - cells[:, 1])[:, None])[0, 0],
        ]
        effective.append(_effective(worker_part))
    flat = (a.estimate - pooled) * a.share - (b.estimate - pooled) * b.share
    return Difference(
        a.estimate - b.estimate,
        _combined(variances),
        min(effective) - 1,
        int(there.sum()),
        two_way,
        a.documents - b.documents + flat,
    )


def covariance(sources: Sequence[Linear], *, two_way: bool) -> Floats:
    """(sources x sources) covariance of their estimates, two-way without floors."""
    documents = np.stack([one.documents for one in sources], axis=1)
    there = np.any([one.share != 0 for one in sources], axis=0)
    out = _variance(documents[there])
    if two_way:
        workers = np.stack([one.workers for one in sources], axis=1)
        seen = np.any([one.worker_share != 0 for one in sources], axis=0)
        out = out + _variance(workers[seen]) - _variance(_aligned(sources)[0])
    return out


def rank_probabilities(estimates: Floats, spread: Floats, draws: int, seed: int, *names: str) -> Floats:
    """(sources x ranks) how probable each rank is, 1 being the largest value; ties share their ranks.

    Normal draws about the estimates with their covariance; directions of negative variance, which two-way
    covariances can have, hold still.
    """
    count = len(estimates)
    sizes, axes = np.linalg.eigh(spread)
    root = axes * np.sqrt(np.maximum(sizes, 0.0))
    normal = special.ndtri(uniforms(stream(seed, *names, "ranks"), draws * count)).reshape(draws, count)
    drawn = estimates + normal @ root.T
    out = np.zeros((count, count))
    scale = _ROUNDING * max(1.0, float(np.abs(estimates).max()))
    for one in range(count):
        above = (drawn > drawn[:, [one]] + scale).sum(axis=1)
        equal = (np.abs(drawn - drawn[:, [one]]) <= scale).sum(axis=1)
        for rank in range(count):
            shared = (above <= rank) & (rank < above + equal)
            out[one, rank] = (shared / equal).sum() / draws
    return out


def sign_flips(table: Floats, bounds: Codes, datasets: Sequence[str], seed: int) -> tuple[Floats, Bools]:
    """Two-sided p of sums of contributions, when the sign of every document's is as good as chance.

    Args:
        table: (documents, contrasts) contributions; a document that is not in a contrast holds 0.
        bounds: the documents of dataset i are bounds[i] to bounds[i + 1] - 1.
        datasets: their names; a dataset's signs hang on its name and the seed alone, and all contrasts share
            them.
        seed: of the flips, where not every pattern is tried.

    Returns:
        The p values, and of which contrasts every pattern was tried.
    """
    # Slopes are differences of the formula: what is that small beside the largest is their rounding, and
    # sums that are equal but for it are equal.
    size = np.abs(table)
    table = np.where(size > _SLOPES * size.max(axis=0, initial=0.0), table, 0.0)
    least = np.abs(table.sum(axis=0)) - _SLOPES * np.abs(table).sum(axis=0)
    exact = (table != 0).sum(axis=0) <= _EXACT
    p = np.ones(table.shape[1])
    for column in np.flatnonzero(exact):
        p[column] = _every_pattern(table[table[:, column] != 0, column], least[column])
    drawn = np.flatnonzero(~exact)
    if not len(drawn):
        return p, exact
    sums = np.zeros((FLIPS, len(drawn)))
    for name, start, stop in zip(datasets, bounds, bounds[1:], strict=False):
        block = table[start:stop, drawn]
        inside = np.flatnonzero((block != 0).any(axis=0))
        bits = stream(seed, name, "signs")
        for row in range(0, FLIPS if len(inside) else 0, _CHUNK):
            rows = slice(row, min(row + _CHUNK, FLIPS))
            # Signs of -1 and 1, from coins of 0 and 1.
            coins = _coins(bits, rows.stop - rows.start, len(block))
            sums[rows, inside] += 2 * (coins @ block[:, inside]) - block[:, inside].sum(axis=0)
    p[drawn] = ((np.abs(sums) >= least[drawn]).sum(axis=0) + 1) / (FLIPS + 1)
    return p, exact


def _every_pattern(contributions: Floats, least: float) -> float:
    patterns = (np.arange(2 ** len(contributions))[:, None] >> np.arange(len(contributions))) & 1
    sums = (2.0 * patterns - 1) @ contributions
    return float((np.abs(sums) >= least).mean())


def _coins(bits: np.random.BitGenerator, rows: int, columns: int) -> Floats:
    """(rows, columns) of 0 and 1, a bit each."""
    words = (columns + 63) // 64
    raw: NDArray[np.uint64] = bits.random_raw(rows * words)
    plain = raw.astype("<u8").view(np.uint8).reshape(rows, words * 8)
    return np.unpackbits(plain, axis=1, bitorder="little")[:, :columns].astype(np.float64)


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (Scandinavian Journal of Statistics 1979).

    >>> [round(one, 3) for one in holm([0.001, 0.012, 0.014, 0.2])]
    [0.004, 0.036, 0.036, 0.2]
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    raised = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    out = np.empty(len(values))
    out[order] = np.minimum(raised, 1.0)
    return [float(one) for one in out]


def _aligned(sources: Sequence[Linear]) -> tuple[Floats, Codes, Codes]:
    """(cells x sources) contributions of the same (document, worker) cells, and where they are."""
    width = 1 + max((int(one.cell_worker.max(initial=-1)) for one in sources), default=0)
    codes = [one.cell_document * width + one.cell_worker for one in sources]
    joined = np.concatenate(codes)
    every, _ = distinct(joined, int(joined.max(initial=-1)) + 1)
    out = np.zeros((len(every), len(sources)))
    for place, (one, code) in enumerate(zip(sources, codes, strict=True)):
        out[np.searchsorted(every, code), place] = one.cells
    return out, every // width, every % width


def _variance(rows: Floats) -> Floats:
    """G / (G - 1) sum e e' over clusters, whose contributions add to 0."""
    count = len(rows)
    if count < 2:  # noqa: PLR2004 - one cluster has no spread
        return np.full((rows.shape[1], rows.shape[1]), np.nan)
    return np.asarray(count / (count - 1) * (rows.T @ rows))


def _effective(share: Floats) -> float:
    """G = N^2 / sum n_g^2."""
    squares = float((share**2).sum())
    return float(share.sum()) ** 2 / squares if squares > 0 else 0.0


def _combined(variances: Sequence[float]) -> float:
    """Vd + Vw - Vdw; the smaller of Vd and Vw where that is not positive."""
    if len(variances) == 1:
        return float(variances[0])
    documents, workers, cells = variances
    both = documents + workers - cells
    return float(both) if both > 0 else float(min(documents, workers))


def pooled_value(value: Value, a: Cut, b: Cut) -> float:
    """The statistic of two sources taken together."""
    total: Mapping[str, NDArray[Any]] = {name: a.total[name] + b.total[name] for name in a.total}
    return float(evaluate_at(value, total)[0])
