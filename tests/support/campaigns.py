"""Simulated campaigns whose true rates are known, made as counts, many in one stroke.

A judgment verifies where a normal number falls under a threshold; the number has parts of the document, the
item and the worker, so that judgments of one document, item or worker hang together. The parts are scaled so
that two judgments of one document (or worker) have the intracluster correlation asked for.

Items are of two kinds, hard ones being verified less often. Sources have them in different proportions, so
that their rates differ. Every worker answers three controls, and the judgments of whoever fails one do not
count: who verifies readily passes right controls and fails wrong ones. Every target is known exactly:
expected sums over kinds, sources, and whether anyone who counts judged the item.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from analysis.engine.counts import Codes, Counts, Floats

HARD = 0.3
# Probability of each source to have an easy and a hard item.
MEMBER = np.array([[0.7, 0.7], [0.65, 0.8], [0.6, 0.6]])
SOURCES = 3
SEGMENTS = 3
PLACE = 10  # tasks of a worker
# The share of people who pass each control: one that is right, and two that are wrong.
RIGHT_CONTROLS = (0.98,)
WRONG_CONTROLS = (0.92, 0.97)
_ITEM = 0.4  # of what is left of the variance, the part of the item
_NODES = 80


@dataclass(frozen=True)
class Design:
    """One cell of a coverage study.

    Attributes:
        documents: how many.
        rate: verification rate of the first source, were there no gate.
        document_icc: correlation of two judgments of one document.
        worker_icc: of one worker.
        k: judgments a task.
        heavy: document sizes and workers' numbers of tasks have a heavy tail.
        items: mean number of items a document.
        gate: whoever fails a control does not count.
    """

    documents: int
    rate: float
    document_icc: float
    worker_icc: float
    k: int
    heavy: bool = False
    items: int = 12
    gate: bool = True

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

    @property
    def workers(self) -> int:
        """How many take part; of every turn and share of the tasks others do."""
        return self.k * SOURCES * self._pool

    @property
    def _pool(self) -> int:
        return max(1, self.documents * SEGMENTS // PLACE)

    def passing(self, worker: Floats) -> Floats:
        """Probability that a worker passes all controls, by the normal number of that worker."""
        if not self.gate:
            return np.ones_like(worker)
        part = self.parts[1]
        lean = np.sqrt(part) * worker
        out = np.ones_like(worker)
        for share in RIGHT_CONTROLS:
            out = out * special.ndtr((special.ndtri(share) - lean) / np.sqrt(1 - part))
        for share in WRONG_CONTROLS:
            out = out * special.ndtr((special.ndtri(share) + lean) / np.sqrt(1 - part))
        return out

    def targets(self) -> dict[str, float]:
        """What the intervals are about: the first source's scores, and its difference from the second."""
        passing, rates = _of_those_who_pass(self)
        sums = dict.fromkeys(("first", "first hit", "second", "second hit", "union"), 0.0)
        for kind, members in product((0, 1), product((False, True), repeat=SOURCES)):
            chance = (HARD if kind else 1 - HARD) * float(
                np.prod(np.where(members, MEMBER[:, kind], 1 - MEMBER[:, kind]))
            )
            judged = chance * (1 - (1 - passing) ** (self.k * sum(members)))
            sums["union"] += judged * rates[kind]
            for source, name in enumerate(("first", "second")):
                sums[name] += judged * members[source]
                sums[f"{name} hit"] += judged * members[source] * rates[kind]
        rate, recall = sums["first hit"] / sums["first"], sums["first hit"] / sums["union"]
        return {
            "verification_rate": float(rate),
            "posthoc_recall": float(recall),
            "posthoc_f1": float(2 * rate * recall / (rate + recall)),
            "difference": float(rate - sums["second hit"] / sums["second"]),
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


@cache
def _of_those_who_pass(design: Design) -> tuple[float, Floats]:
    """Share of workers who pass, and their verification rates of easy and hard items, by Gauss-Hermite."""
    worker, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    weight = weight / weight.sum() * design.passing(worker)
    part = design.parts[1]
    cut = special.ndtri(design.rates)[:, None]
    verify = special.ndtr((cut - np.sqrt(part) * worker) / np.sqrt(1 - part))
    return float(weight.sum()), (verify * weight).sum(axis=1) / weight.sum()


@dataclass(frozen=True)
class Judged:
    """The judgments of several campaigns that count, a row each, and what they are of.

    Attributes:
        bounds: the documents of campaign i are bounds[i] to bounds[i + 1] - 1.
        document: of each judgment.
        segment: of each judgment.
        item: of each judgment.
        source: whose task it was.
        worker: who; campaigns use the same codes for different people.
        verify: 1 or 0.
        member: (items, sources) which source has the item.
    """

    bounds: Codes
    document: Codes
    segment: Codes
    item: Codes
    source: Codes
    worker: Codes
    verify: Codes
    member: Codes

    def counts(self) -> Counts:
        """Under pooling by item and share: of both sources, of the union, of the first in it."""
        n = np.bincount(self.item, minlength=len(self.member))[self.item]
        # What nobody verified is no item of the union.
        found = np.bincount(self.item, weights=self.verify, minlength=len(self.member)) > 0
        first, second = self.member[self.item, 0], self.member[self.item, 1]
        return Counts.of(
            document=self.document,
            unit=self.item,
            worker=self.worker,
            n=n,
            quantities={
                "first hit": self.verify * first,
                "first": first,
                "second hit": self.verify * second,
                "second": second,
                "union": self.verify,
                "items": found[self.item],
            },
        )


def campaigns(design: Design, count: int, number: int = 0) -> Judged:
    """So many campaigns; another number gives others."""
    key = hashlib.sha256(f"{design}\0{count}\0{number}".encode()).digest()
    r = np.random.Generator(np.random.SFC64(int.from_bytes(key[:16], "little")))
    document, segment = _items(design, count, r)
    size = len(document)
    hard = (r.random(size) < HARD).astype(np.int64)
    member = r.random((size, SOURCES)) < MEMBER.T[hard]
    item, source = np.nonzero(member)
    # Every turn of a task is another worker's; (judgments, turns) flattened.
    worker = _workers(design, count, r).reshape(design.k, -1)[:, segment[item] * SOURCES + source].ravel()
    item, source = np.tile(item, design.k), np.tile(source, design.k)
    person = document[item] // design.documents * design.workers + worker
    lean = r.standard_normal(count * design.workers)
    counted = (r.random(len(lean)) < design.passing(lean))[person]
    item, source, worker, person = item[counted], source[counted], worker[counted], person[counted]
    by_document, by_worker = design.parts
    left = 1 - by_document - by_worker
    # The threshold less what document and item give; the worker and the judgment itself have to stay below.
    over = special.ndtri(design.rates)[hard]
    over -= np.sqrt(by_document) * r.standard_normal(count * design.documents)[document]
    over -= np.sqrt(_ITEM * left) * r.standard_normal(size)
    number_ = np.sqrt((1 - _ITEM) * left) * r.standard_normal(len(item)) + np.sqrt(by_worker) * lean[person]
    verify = (number_ < over[item]).astype(np.int64)
    # Item by item, so that sums by document and worker stay in the processor's cache.
    order = np.argsort(item, kind="stable")
    item, source, worker, verify = item[order], source[order], worker[order], verify[order]
    bounds = np.arange(count + 1) * design.documents
    return Judged(
        bounds, document[item], segment[item], item, source, worker, verify, member.astype(np.int64)
    )


def _items(design: Design, count: int, r: np.random.Generator) -> tuple[Codes, Codes]:
    """Document and segment of each item."""
    documents = count * design.documents
    if design.heavy:
        sizes = np.maximum(SEGMENTS, np.round(design.items * r.lognormal(-0.32, 0.8, documents)))
        sizes = sizes.astype(np.int64)
    else:
        sizes = np.full(documents, design.items)
    document = np.repeat(np.arange(documents), sizes)
    place = np.arange(len(document)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return document, document * SEGMENTS + place % SEGMENTS


def _workers(design: Design, count: int, r: np.random.Generator) -> Codes:
    """The worker of every (turn, campaign, segment, source).

    A segment's tasks are dealt to as many pools of workers, so that nobody has a segment twice.
    """
    segments = design.documents * SEGMENTS
    shape = (design.k, count, SOURCES, segments)
    if design.heavy:
        eager = np.cumsum(r.lognormal(0, 0.8, (*shape[:3], design._pool)), axis=-1)
        place = np.arange(eager[..., 0].size).reshape(shape[:3])[..., None]
        edges = (eager / eager[..., -1:] + place).ravel()
        drawn = np.searchsorted(edges, r.random(shape) + place) - place * design._pool
    else:
        drawn = _permuted(r, shape) * design._pool // segments
    pool = np.arange(design.k)[:, None, None, None] * SOURCES + np.arange(SOURCES)[None, None, :, None]
    worker = np.moveaxis(drawn + pool * design._pool, 2, 3)
    return np.take_along_axis(worker, _permuted(r, worker.shape), axis=3)


def _permuted(r: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """A permutation along the last axis, for each of the others."""
    return np.argsort(r.random(shape, dtype=np.float32), axis=-1)
