"""Simulated campaigns whose true rates are known, made as counts, thousands of them in a minute.

A judgment verifies where a normal number falls under a threshold; the number has parts of the document, the
item and the worker, so that judgments of one document, item or worker hang together. The parts are scaled so
that two judgments of one document (or worker) have the intracluster correlation asked for.

Items are of two kinds, hard ones being verified less often. Sources have them in different proportions, so
that their rates differ, and every target is known exactly: expected sums, taken over kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from analysis.engine.counts import Counts, Floats

HARD = 0.3
# Probability of each source to have an easy and a hard item.
MEMBER = np.array([[0.7, 0.7], [0.65, 0.8], [0.6, 0.6]])
SEGMENTS = 3
PLACE = 10  # tasks of a worker
_ITEM = 0.4  # of what is left of the variance, the part of the item


@dataclass(frozen=True)
class Design:
    """One cell of a coverage study.

    Attributes:
        documents: how many.
        rate: verification rate of the first source.
        document_icc: correlation of two judgments of one document.
        worker_icc: of one worker.
        k: judgments a task.
        heavy: document sizes and workers' numbers of tasks have a heavy tail.
        items: mean number of items a document.
    """

    documents: int
    rate: float
    document_icc: float
    worker_icc: float
    k: int
    heavy: bool = False
    items: int = 12

    @property
    def rates(self) -> Floats:
        """Verification rates of easy and hard items; the first source, which has both alike, has `rate`."""
        apart = min(0.1, (1 - self.rate) / 2)
        return np.array([self.rate + HARD * apart, self.rate - (1 - HARD) * apart])

    @property
    def parts(self) -> tuple[float, float]:
        """Variances of the normal parts of documents and workers."""
        return _latent(self.rate, self.document_icc), _latent(self.rate, self.worker_icc)

    @property
    def possible(self) -> bool:
        """Whether normal parts can have these correlations together."""
        return sum(self.parts) < 0.95

    def targets(self) -> dict[str, float]:
        """What the intervals are about: the first source's scores, and its difference from the second."""
        kinds = np.array([1 - HARD, HARD])
        found = (kinds * MEMBER * self.rates).sum(axis=1)
        shown = (kinds * MEMBER).sum(axis=1)
        union = (kinds * (1 - np.prod(1 - MEMBER, axis=0)) * self.rates).sum()
        rate = found / shown
        recall = found[0] / union
        return {
            "verification_rate": float(rate[0]),
            "posthoc_recall": float(recall),
            "posthoc_f1": float(2 * rate[0] * recall / (rate[0] + recall)),
            "difference": float(rate[0] - rate[1]),
        }


@cache
def _latent(rate: float, icc: float) -> float:
    """Correlation of normal numbers whose signs about the threshold have that correlation."""
    if icc == 0:
        return 0.0
    cut = float(special.ndtri(rate))

    def missed(rho: float) -> float:
        both = stats.multivariate_normal.cdf([cut, cut], cov=[[1, rho], [rho, 1]])
        return float((both - rate**2) / (rate * (1 - rate)) - icc)

    return float(optimize.brentq(missed, 0.0, 0.9999))


@dataclass(frozen=True)
class Campaign:
    """Counts of one campaign: the rates of two sources, recall of the first, and both together for F1."""

    first: Counts
    second: Counts
    recall: Counts
    f1: Counts
    documents: int
    workers: int


def campaign(design: Design, seed: int) -> Campaign:
    """One campaign under pooling by item and share."""
    r = np.random.default_rng([seed, 20261129])
    document, segment = _items(design, r)
    size = len(document)
    hard = r.random(size) < HARD
    member = r.random((3, size)) < MEMBER[:, hard.astype(int)]
    item, source = np.nonzero(member.T)
    worker, workers = _workers(design, r)
    rows = np.tile(np.arange(len(item)), design.k)
    turn = np.repeat(np.arange(design.k), len(item))
    item, source = item[rows], source[rows]
    who = worker[turn, segment[item], source]
    verify = _decided(
        design, r, pd.DataFrame({"document": document[item], "item": item, "worker": who}), hard
    )
    n = np.bincount(item, minlength=size)[item]
    inside = document[item], item, who, n, verify
    mine = [member[which][item] for which in (0, 1)]
    first, second = (_rate(inside, rows) for rows in mine)
    recall = Counts.of(
        document=inside[0],
        unit=item,
        worker=who,
        n=n,
        quantities={"union": verify, "items": 1, "found": verify * mine[0]},
    )
    return Campaign(first, second, recall, Counts.concat([first, recall]), design.documents, workers)


def _rate(inside, rows) -> Counts:
    document, item, worker, n, verify = inside
    return Counts.of(
        document=document[rows],
        unit=item[rows],
        worker=worker[rows],
        n=n[rows],
        quantities={"hit": verify[rows], "judged": 1},
    )


def _items(design: Design, r: np.random.Generator):
    """Document and segment of each item."""
    if design.heavy:
        sizes = np.maximum(SEGMENTS, np.round(design.items * r.lognormal(-0.32, 0.8, design.documents)))
        sizes = sizes.astype(int)
    else:
        sizes = np.full(design.documents, design.items)
    document = np.repeat(np.arange(design.documents), sizes)
    place = np.arange(len(document)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return document, document * SEGMENTS + place % SEGMENTS


def _workers(design: Design, r: np.random.Generator):
    """The worker of every (turn, segment, source), and how many there are; nobody has a task twice."""
    shape = (design.documents * SEGMENTS, 3)
    tasks = shape[0] * shape[1]
    each = max(1, tasks // PLACE)
    out = np.empty((design.k, *shape), dtype=np.int64)
    for turn in range(design.k):
        if design.heavy:
            eager = r.lognormal(0, 0.8, each)
            drawn = r.choice(each, size=tasks, p=eager / eager.sum())
        else:
            drawn = r.permutation(np.arange(tasks) % each)
        out[turn] = drawn.reshape(shape) + turn * each
    return out, each * design.k


def _decided(design: Design, r: np.random.Generator, made: pd.DataFrame, hard):
    """Whether each judgment verifies."""
    by_document, by_worker = design.parts
    left = 1 - by_document - by_worker
    number = (
        np.sqrt(by_document) * r.normal(size=design.documents)[made["document"]]
        + np.sqrt(by_worker) * r.normal(size=made["worker"].max() + 1)[made["worker"]]
        + np.sqrt(_ITEM * left) * r.normal(size=len(hard))[made["item"]]
        + np.sqrt((1 - _ITEM) * left) * r.normal(size=len(made))
    )
    return (number < special.ndtri(design.rates)[hard.astype(int)][made["item"]]).astype(np.int64)
