"""A raw bit stream keyed by a seed and names, and our own mapping of it to draws."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from analysis.engine.counts import Codes, Floats


def stream(seed: int, *names: str) -> np.random.Philox:
    """The stream of that seed and those names; streams of different names are independent.

    Only its raw output is used: numpy promises that to stay as it is, unlike the draws of a Generator.
    """
    words = "\0".join([str(seed), *names]).encode()
    return np.random.Philox(key=int.from_bytes(hashlib.sha256(words).digest()[:16], "little"))


def uniforms(bits: np.random.BitGenerator, size: int) -> Floats:
    """Numbers in (0, 1): the middle of one of 2^53 equal cells."""
    raw: NDArray[np.uint64] = bits.random_raw(size)
    return ((raw >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def below(bits: np.random.BitGenerator, limit: int, size: int) -> Codes:
    """Whole numbers in [0, limit): the upper half of a 32-bit number times `limit`.

    A number is at most limit / 2^32 more likely than another, which no simulation of a study can see.
    """
    raw: NDArray[np.uint64] = bits.random_raw((size + 1) // 2)
    halves = raw.astype("<u8", copy=False).view("<u4")[:size].astype(np.uint64)
    halves *= np.uint64(limit)
    halves >>= np.uint64(32)
    return halves.view(np.int64)
