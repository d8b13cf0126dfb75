"""A matrix product of whole weights and sums that gives the same bits on every machine.

A library of linear algebra adds in an order of its own, which hangs on threads and processor, and floating
sums hang on their order. Integers do not: the sums are taken to whole multiples of a small unit first, so
that every partial sum is a whole number below 2^53, and exact.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.engine.counts import Floats

# Shares of up to 15 judgments are whole multiples of 1 / 360360.
_SHARES: Final = 360360.0
_BITS: Final = 52
# Weights that are multiplied at once: they are kept in fewer bytes than numbers to multiply with.
_CELLS: Final = 1 << 23


def product(weights: NDArray[Any], table: Floats) -> Floats:
    """`weights @ table`, to the bit the same whatever order its terms are added in.

    Args:
        weights: (replicates, clusters), whole numbers, not negative.
        table: (clusters, columns), any numbers. Sums of shares v/n with n up to 15 lose nothing; others
            are rounded to 2^-52 of the largest sum that a replicate could have, or finer.

    Returns:
        (replicates, columns).
    """
    largest = max(float(weights.max(initial=1)), 1.0) * np.abs(table).sum(axis=0)
    bits = np.floor(_BITS - np.log2(np.maximum(largest, 1.0)))
    unit = np.exp2(bits)
    shares = np.floor(bits - np.log2(_SHARES))
    unit = np.where(shares >= 0, _SHARES * np.exp2(np.maximum(shares, 0)), unit)
    whole = np.rint(table * unit)
    step = max(_CELLS // max(weights.shape[1], 1), 1)
    out = np.empty((len(weights), table.shape[1]))
    for low in range(0, len(weights), step):
        part = weights[low : low + step].astype(np.float64, copy=False)
        np.divide(part @ whole, unit, out=out[low : low + step])
    return out
