"""What a forecast assumes about judgments, or has measured: their rate, and how far they are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# A share is measured where so many workers, documents and pairs of judgments speak of it; else assumed.
ENOUGH: Final = 8
PAIRS: Final = 100
_MOST: Final = 0.6


@dataclass(frozen=True)
class Design:
    """What the forecast assumes, until a study has measured its own.

    Attributes:
        rate: the verification rate.
        document: share of a judgment's variance that the judgments in one document have in common.
        worker: share that the judgments of one worker have in common; .07 to .24 in real crowds.
        annotation: share that the judgments of one item have in common beyond these.
        measured: which of the four were measured, and not assumed.
        judgments: on how many judgments.
    """

    rate: float = 0.9
    document: float = 0.05
    worker: float = 0.12
    annotation: float = 0.3
    measured: tuple[str, ...] = ()
    judgments: int = 0

    @property
    def variance(self) -> float:
        """Of one judgment."""
        return self.rate * (1 - self.rate)

    @property
    def chance(self) -> float:
        """Share of a judgment's variance that it has with no other in common."""
        return max(1 - self.document - self.worker - self.annotation, 0.0)


def measured(document: Ints, worker: Ints, item: Ints, verified: Floats) -> Design:
    """What judgments say about the design; what they are too few to say stays as assumed.

    The covariance of two judgments in one document by different workers on different items is the document's
    share times the variance; of one worker in different documents, the worker's; of different workers on
    one item, the document's and the item's. Each is the mean product of residuals over all such pairs, which
    follow from sums over documents, workers and items.

    Args:
        document: of each judgment, as a code from 0.
        worker: the same.
        item: the same; an item lies in one document.
        verified: 1 where it verifies.

    References:
        Searle, Casella & McCulloch, Variance Components (Wiley 1992), chapter 5: estimates from moments.
    """
    found = Design()
    n = len(verified)
    rate = float(verified.mean()) if n else 0.0
    if n < PAIRS or not 0 < rate < 1:
        return found
    residual = verified - rate
    cell = document * (int(worker.max()) + 1) + worker
    both = item * (int(worker.max()) + 1) + worker
    by = {
        name: _pairs(code, residual)
        for name, code in (("d", document), ("w", worker), ("c", cell), ("i", item), ("b", both))
    }
    names, parts = ["rate"], {"rate": rate}
    variance = rate * (1 - rate)
    # Pairs of one document, less those of one worker in it, less those on one item, but not twice both.
    in_document = [by["d"][k] - by["c"][k] - by["i"][k] + by["b"][k] for k in (0, 1)]
    of_worker = [by["w"][k] - by["c"][k] for k in (0, 1)]
    on_item = [by["i"][k] - by["b"][k] for k in (0, 1)]
    if len(np.unique(document)) >= ENOUGH and in_document[1] >= PAIRS:
        parts["document"] = _share(in_document, variance)
        names.append("document")
    if len(np.unique(worker)) >= ENOUGH and of_worker[1] >= PAIRS:
        parts["worker"] = _share(of_worker, variance)
        names.append("worker")
    if on_item[1] >= PAIRS:
        common = parts.get("document", found.document)
        parts["annotation"] = max(_share(on_item, variance) - common, 0.0)
        names.append("annotation")
    return replace(found, **parts, measured=tuple(names), judgments=n)


def _pairs(code: Ints, residual: Floats) -> tuple[float, float]:
    """Sum of the products over ordered pairs of one code, and their number."""
    _, place = np.unique(code, return_inverse=True)
    sums = np.bincount(place, residual)
    counts = np.bincount(place).astype(float)
    products = float((sums**2).sum() - (residual**2).sum())
    return products, float((counts * (counts - 1)).sum())


def _share(pairs: list[float], variance: float) -> float:
    return float(min(max(pairs[0] / pairs[1] / variance, 0.0), _MOST))
