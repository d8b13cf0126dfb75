"""Gamma (Mathet, Widlocher & Metivier 2015): agreement about spans, aligned as well as they can be.

Of every document the best alignment of the workers' spans is found exactly: groups of at most one span a
worker, each span in one group, least in disorder. What chance would give is sampled: each worker is given
the spans of a worker drawn at random, moved round the document by a random stretch. Gamma is 1 - observed
disorder / the mean of the sampled ones; how far the sampling alone may be off is told with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
import scipy  # scipy.optimize is slow to load: it is when first used
from scipy import sparse

from analysis.agreement.marks import Marks
from analysis.engine.bits import below, stream
from analysis.engine.counts import Codes, Floats
from analysis.errors import InputError

# Documents are sampled anew until the relative error of the expectation is under this, at 95 %.
PRECISION: Final = 0.02
_ROUND: Final = 30
_MOST_ROUNDS: Final = 20
_Z: Final = 1.959963984540054
# Groups of spans that may lie in an alignment of one document.
_MOST_GROUPS: Final = 200_000


@dataclass(frozen=True)
class Gamma:
    """What gamma sums over documents, and how sure its sampled part is.

    Attributes:
        sums: documents x 3: observed and expected disorder, each times the mean number of spans of a worker,
            and twice that number, which no disorder exceeds.
        error: standard error of gamma by the sampling alone.
        samples: of each document.
    """

    sums: Floats
    error: float
    samples: int


@dataclass(frozen=True)
class Continuum:
    """The spans of a document: a row a span with start, end and label, of every worker."""

    of: tuple[Codes, ...]

    @property
    def mean(self) -> float:
        """Mean number of spans of a worker."""
        return sum(len(spans) for spans in self.of) / len(self.of)


def gamma(marks: Marks, seed: int, precision: float = PRECISION) -> Gamma:
    """Observed and expected disorder of every document that two workers did.

    Args:
        marks: the spans, lengths of documents being known.
        seed: of the sampling.
        precision: relative error of the expectation at which sampling ends.

    Raises:
        InputError: a document has so many spans near each other that no best alignment can be found.
    """
    known = np.flatnonzero((marks.length > 0) & (marks.done.sum(axis=1) > 1))
    every = {int(document): continuum(marks, int(document)) for document in known}
    every = {document: spans for document, spans in every.items() if spans.mean > 0}
    sums = np.zeros((len(marks.documents), 3))
    for document, spans in every.items():
        sums[document, 0], sums[document, 2] = spans.mean * disorder(spans), 2 * spans.mean
    drawn: dict[int, list[float]] = {document: [] for document in every}
    spread = 0.0
    for number in range(_MOST_ROUNDS if every else 0):
        for document, spans in every.items():
            bits = stream(seed, "gamma", marks.documents[document], str(number))
            length = int(marks.length[document])
            drawn[document] += [spans.mean * disorder(_moved(spans, length, bits)) for _ in range(_ROUND)]
            sums[document, 1] = np.mean(drawn[document])
        spread = sqrt(sum(float(np.var(values, ddof=1)) / len(values) for values in drawn.values()))
        if _Z * spread <= precision * sums[:, 1].sum():
            break
    observed, expected, _ = sums.sum(axis=0)
    error = observed / expected**2 * spread if expected > 0 else 0.0
    return Gamma(sums, float(error), len(next(iter(drawn.values()), [])))


def continuum(marks: Marks, document: int) -> Continuum:
    """The spans of a document, of every worker who did it."""
    low, high = np.searchsorted(marks.document, [document, document + 1])
    table = np.stack([marks.start[low:high], marks.end[low:high], marks.label[low:high]], axis=1)
    who = marks.worker[low:high]
    return Continuum(tuple(table[who == worker] for worker in np.flatnonzero(marks.done[document])))


def _moved(spans: Continuum, length: int, bits: np.random.BitGenerator) -> Continuum:
    """Each worker with the spans of one drawn at random, moved round; a span cut by the end goes over it."""
    n = len(spans.of)
    whom, by = below(bits, n, n), below(bits, length, n)
    moved = []
    for one, step in zip(whom.tolist(), by.tolist(), strict=True):
        given = spans.of[one].copy()
        size = given[:, 1] - given[:, 0]
        given[:, 0] = (given[:, 0] + step) % length
        given[:, 1] = given[:, 0] + size
        moved.append(given)
    return Continuum(tuple(moved))


def apart(one: Codes, other: Codes) -> Floats:
    """Dissimilarity of every two spans: ((|starts| + |ends|) / both lengths)^2, and 1 if labels differ."""
    distance = np.abs(one[:, None, :2] - other[None, :, :2]).sum(axis=2)
    sizes = (one[:, 1] - one[:, 0])[:, None] + (other[:, 1] - other[:, 0])[None, :]
    return np.asarray((distance / sizes) ** 2 + (one[:, None, 2] != other[None, :, 2]))


def disorder(spans: Continuum) -> float:
    """Disorder of the best alignment: sum over its groups of the mean of pairs, over spans of a worker.

    A span without partner is 1 apart from nothing.
    """
    if spans.mean == 0:
        return 0.0
    if len(spans.of) == 2:  # noqa: PLR2004 - of two workers it is an assignment
        return _of_two(*spans.of) / spans.mean
    return _of_many(spans.of) / spans.mean


def _of_two(one: Codes, other: Codes) -> float:
    # Pairing costs 1 less than leaving each of the two alone costs more: 2. Nothing is gained above it.
    gain = np.minimum(apart(one, other) - 2, 0)
    rows, columns = scipy.optimize.linear_sum_assignment(gain)
    return float(len(one) + len(other) + gain[rows, columns].sum())


def _of_many(of: tuple[Codes, ...]) -> float:
    """The least sum over groups that hold every span once, by whole numbers."""
    members, cost = _groups(of)
    starts = np.cumsum([0, *(len(spans) for spans in of)])
    there = members >= 0
    group, worker = np.nonzero(there)
    spans = starts[worker] + members[group, worker]
    holds = sparse.csr_array((np.ones(len(group)), (spans, group)), shape=(int(starts[-1]), len(members)))
    found = scipy.optimize.milp(
        cost,
        constraints=scipy.optimize.LinearConstraint(holds, 1, 1),
        integrality=np.ones(len(cost), dtype=np.int64),
        bounds=scipy.optimize.Bounds(0, 1),
    )
    if found.x is None:
        raise InputError("gamma cannot be computed: no best alignment was found", got=found.message)
    return float(cost @ np.round(found.x))


def _groups(of: tuple[Codes, ...]) -> tuple[Codes, Floats]:
    """Groups of spans, a column a worker (-1: none of his), that a best alignment can hold; their disorder.

    A group of k spans that costs more than its spans alone, k (n - 1) pairs with nothing, is in none.
    """
    n = len(of)
    distance = {(a, b): apart(of[a], of[b]) for a in range(n) for b in range(a + 1, n)}
    members, cost = np.empty((1, 0), dtype=np.int64), np.zeros(1)
    for worker, spans in enumerate(of):
        choice = np.arange(-1, len(spans))
        rows = np.repeat(np.arange(len(members)), len(choice))
        chosen = np.tile(choice, len(members))
        more = cost[rows]
        for before in range(worker):
            earlier = members[rows, before]
            both = (earlier >= 0) & (chosen >= 0)
            more[both] += distance[before, worker][earlier[both], chosen[both]]
            more[(earlier >= 0) != (chosen >= 0)] += 1
        members, cost = np.column_stack([members[rows], chosen]), more
        # Those who follow may each add a span, and what it may cost alone.
        can = (members >= 0).sum(axis=1) + (n - 1 - worker)
        kept = cost <= can * (n - 1) + 1e-9
        members, cost = members[kept], cost[kept]
        if len(members) > _MOST_GROUPS:
            raise InputError(
                "gamma cannot be computed: too many spans lie near each other in one document",
                got=f"more than {_MOST_GROUPS:,} groups",
                remedy="Leave gamma out, or cut the documents.",
            )
    some = (members >= 0).any(axis=1)
    return members[some], cost[some] / (n * (n - 1) / 2)
