"""Chance in a study: numbers and orders that follow from its seed and a name, the same on every machine.

Nothing is drawn from a running generator: each number is the hash of the seed and of what it is for (which
slot, which place and worker, which control). So a replay of the log draws the same, whatever else was drawn
in between, and planning more later moves nothing that was drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def number(seed: int, *name: str | int) -> int:
    """A number uniform over [0, 2**63), from the seed and the name of what it is for."""
    text = "\x1f".join(map(str, (seed, *name)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def shuffled(items: Iterable[T], seed: int, *name: str | int) -> list[T]:
    """`items` in an order in which every permutation is equally likely."""
    ranked = [(number(seed, *name, index), index, item) for index, item in enumerate(items)]
    return [item for _, _, item in sorted(ranked, key=lambda entry: entry[:2])]
