"""What units most likely are, and how good workers are, from labels alone: Dawid-Skene and simpler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
import scipy  # scipy.stats is slow to load: it is when first used
from scipy import sparse

from analysis.agreement.labels import Labels, read
from analysis.engine.bits import stream, uniforms
from analysis.engine.counts import Floats
from analysis.engine.proportions import wilson
from analysis.errors import InputError, plain

MODELS: Final = ("dawid_skene", "one_coin", "majority")
_CLOSE: Final = 1e-9
# Of all entries of the confusion tables: two starts so near climb to the same end.
_NEAR: Final = 0.05
_ROUNDS: Final = 2000
_SMALL: Final = 1e-300
# How far a restart moves the majority's shares.
_SHAKEN: Final = 0.5


@dataclass(frozen=True)
class Truth:
    """What a model makes of a table of labels.

    Attributes:
        units: a row a unit: unit, label (most probable; the first in order of a tie), probability, tied, and
            the probability of each category as `p:CATEGORY`.
        workers: a row a worker: worker, labels, accuracy (expected share that is right), low, high (Wilson's,
            taking the units' labels as known), p (of being that far below the others), flagged (p under the
            level after Benjamini and Hochberg).
        confusion: workers x true x given: how each worker labels units of each category.
        prevalence: of each category.
        likelihood: log likelihood after each round; it never falls.
        converged: whether it stopped rising.
    """

    units: pd.DataFrame
    workers: pd.DataFrame
    confusion: Floats
    prevalence: Floats
    likelihood: tuple[float, ...]
    converged: bool


@dataclass(frozen=True)
class _State:
    posterior: Floats
    confusion: Floats
    prevalence: Floats
    trace: tuple[float, ...]
    converged: bool


def infer(
    labels: pd.DataFrame,
    *,
    unit: str = "unit",
    worker: str = "worker",
    label: str = "label",
    categories: Sequence[object] | None = None,
    repeats: str = "error",
    model: str = "dawid_skene",
    restarts: int = 5,
    seed: int = 0,
    level: float = 0.95,
) -> Truth:
    """Infer units' labels and workers' accuracy by expectation maximisation.

    Dawid & Skene (1979, doi:10.2307/2346806) give each worker a table of confusion; one coin gives him one
    accuracy, his mistakes being spread evenly over the other categories; majority counts labels. All in log
    space; the first start is the majority, others shake it, and the likeliest end is kept.

    Args:
        labels: a long table, one row a label.
        unit: the column of units.
        worker: the column of workers.
        label: the column of labels.
        categories: every category, in order; None: those seen.
        repeats: what becomes of a worker's second label of a unit: error, first, last.
        model: dawid_skene, one_coin or majority.
        restarts: how many starts beside the majority.
        seed: of the restarts.
        level: of intervals, and 1 - level of flags.

    Raises:
        InputError: the table or an option cannot be used.
    """
    if model not in MODELS:
        raise InputError("no such model", where="model", got=plain(model), expected=", ".join(MODELS))
    table = read(labels, unit=unit, worker=worker, label=label, categories=categories, repeats=repeats)
    given = _given(table)
    start = _majority(table)
    if model == "majority":
        state = _State(start, *_maximised(given, start, table, coin=False), (), converged=True)
    else:
        coin = model == "one_coin"
        state = _climb(given, start, table, coin=coin)
        for number in range(restarts):
            noise = uniforms(stream(seed, "truth", str(number)), start.size).reshape(start.shape)
            shaken = start + _SHAKEN * noise
            shaken /= shaken.sum(axis=1, keepdims=True)
            other = _climb(given, shaken, table, coin=coin, known=state.confusion)
            # A tie, as of labels that changed places, keeps what is nearest to the majority.
            if other.converged and other.trace[-1] > state.trace[-1] + 1e-6 * abs(state.trace[-1]):
                state = other
    return Truth(
        units=_units(table, state.posterior),
        workers=_workers(table, state.posterior, level),
        confusion=state.confusion,
        prevalence=state.prevalence,
        likelihood=state.trace,
        converged=state.converged,
    )


def _given(table: Labels) -> sparse.csr_array:
    """Units x (worker, category): 1 for each label."""
    width = len(table.workers) * len(table.categories)
    code = table.worker * len(table.categories) + table.label
    return sparse.csr_array((np.ones(len(table)), (table.unit, code)), shape=(len(table.units), width))


def _majority(table: Labels) -> Floats:
    """Share of each category among the labels of a unit."""
    width = len(table.categories)
    flat = np.bincount(table.unit * width + table.label, minlength=len(table.units) * width)
    counts = flat.reshape(-1, width).astype(np.float64)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _maximised(
    given: sparse.csr_array, posterior: Floats, table: Labels, *, coin: bool
) -> tuple[Floats, Floats]:
    """Confusion (worker, given, true) and prevalence that fit the posterior best."""
    workers, width = len(table.workers), len(table.categories)
    counts = np.asarray(given.T @ posterior).reshape(workers, width, width)
    if coin:
        right = np.einsum("wkk->w", counts)
        accuracy = right / np.maximum(counts.sum(axis=(1, 2)), _SMALL)
        wrong = (1 - accuracy) / max(width - 1, 1)
        table_of = np.repeat(wrong[:, None], width * width, axis=1).reshape(workers, width, width)
        table_of[:, np.arange(width), np.arange(width)] = accuracy[:, None]
    else:
        table_of = counts / np.maximum(counts.sum(axis=1, keepdims=True), _SMALL)
    return table_of, np.full(len(posterior), 1 / len(posterior)) @ posterior


def _climb(
    given: sparse.csr_array, start: Floats, table: Labels, *, coin: bool, known: Floats | None = None
) -> _State:
    """Rounds of expectation and maximisation until the likelihood stops rising.

    A start that comes near the end of another, `known`, climbs the same hill and is left there.
    """
    posterior, trace = start, []
    width = len(table.categories)
    for _ in range(_ROUNDS):
        confusion, prevalence = _maximised(given, posterior, table, coin=coin)
        each = np.log(np.maximum(confusion, _SMALL)).reshape(-1, width)
        # Categories x units: sums over few categories run along many units.
        joint = np.ascontiguousarray((given @ each).T) + np.log(np.maximum(prevalence, _SMALL))[:, None]
        largest = joint.max(axis=0)
        posterior = np.exp(joint - largest)
        shares = posterior.sum(axis=0)
        total = largest + np.log(shares)
        posterior = np.ascontiguousarray((posterior / shares).T)
        trace.append(float(total.sum()))
        if known is not None and float(np.abs(confusion - known).max()) < _NEAR:
            return _State(posterior, confusion, prevalence, tuple(trace), converged=False)
        if len(trace) > 1 and trace[-1] - trace[-2] <= _CLOSE * abs(trace[-1]):
            return _State(posterior, confusion, prevalence, tuple(trace), converged=True)
    return _State(posterior, confusion, prevalence, tuple(trace), converged=False)


def _units(table: Labels, posterior: Floats) -> pd.DataFrame:
    best = posterior.argmax(axis=1)
    top = posterior[np.arange(len(best)), best]
    tied = (np.abs(posterior - top[:, None]) < 1e-12).sum(axis=1) > 1  # noqa: PLR2004 - rounding
    frame = pd.DataFrame(
        {
            "unit": list(table.units),
            "label": np.array(table.categories, dtype=object)[best],
            "probability": top,
            "tied": tied,
        }
    )
    return frame.assign(**{f"p:{name}": posterior[:, place] for place, name in enumerate(table.categories)})


def _workers(table: Labels, posterior: Floats, level: float) -> pd.DataFrame:
    """Accuracy of each worker, and who is surely worse than the others together."""
    size = len(table.workers)
    n = np.bincount(table.worker, minlength=size).astype(np.float64)
    right = np.bincount(table.worker, weights=posterior[table.unit, table.label], minlength=size)
    limits = [wilson(hits, count, level) for hits, count in zip(right.tolist(), n.tolist(), strict=True)]
    others = (right.sum() - right) / np.maximum(n.sum() - n, 1)
    p = scipy.stats.binom.cdf(np.floor(right + 1e-9), n, others)
    p = np.where(n.sum() > n, p, 1.0)
    flagged = scipy.stats.false_discovery_control(p) <= 1 - level
    return pd.DataFrame(
        {
            "worker": list(table.workers),
            "labels": n.astype(np.int64),
            "accuracy": right / n,
            "low": [low for low, _ in limits],
            "high": [high for _, high in limits],
            "p": p,
            "flagged": flagged,
        }
    )
