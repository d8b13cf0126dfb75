"""How good a search is: in which place the entity that was meant stands, and after how many letters."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.searches import LIMIT, Query, Search

FEW = 5


@dataclass(frozen=True)
class Quality:
    """Of some queries: how many have the entity first, among 5, among 10; and 1 / its place on average."""

    n: int
    first: int
    in_five: int
    in_ten: int
    mrr: float
    mrr_half: float

    def to_json(self) -> dict[str, object]:
        """With 95 % intervals (Wilson; of MRR by the normal distribution)."""
        return {
            "n": self.n,
            "recall@1": _share(self.first, self.n),
            "recall@5": _share(self.in_five, self.n),
            "recall@10": _share(self.in_ten, self.n),
            "mrr": [
                round(self.mrr, 3),
                round(self.mrr - self.mrr_half, 3),
                round(self.mrr + self.mrr_half, 3),
            ],
        }


def quality(search: Search, queries: Sequence[Query], took: list[float] | None = None) -> Quality:
    """Search for all; the processor time of each, in ms, is put down where that is wanted."""
    places = []
    for query in queries:
        start = time.thread_time()
        found = search(query.text)
        if took is not None:
            took.append(1000 * (time.thread_time() - start))
        places.append(_place(found, query.key))
    each = [1 / place if place else 0.0 for place in places]
    mean = sum(each) / len(each) if each else 0.0
    spread = math.sqrt(sum((one - mean) ** 2 for one in each) / max(1, len(each) - 1) / max(1, len(each)))
    counts = [sum(0 < place <= most for place in places) for most in (1, 5, LIMIT)]
    return Quality(len(places), *counts, mean, 1.96 * spread)


@dataclass(frozen=True)
class Letters:
    """How many letters of titles were typed until their entity was first, and among 5; infinite: never."""

    first: tuple[float, ...]
    among: tuple[float, ...]

    def to_json(self) -> dict[str, object]:
        """Medians, and how many titles came first or among 5 before they were typed whole."""
        return {
            "n": len(self.first),
            "letters until first": [_median(self.first), *_quartiles(self.first)],
            "letters until among 5": [_median(self.among), *_quartiles(self.among)],
            "never first": sum(math.isinf(one) for one in self.first),
        }


def letters(search: Search, titles: Sequence[Query], took: list[float] | None = None) -> Letters:
    """Type every title letter by letter, until its entity is first."""
    found = [_letters(search, title, took) for title in titles]
    return Letters(tuple(one for one, _ in found), tuple(among for _, among in found))


def _letters(search: Search, title: Query, took: list[float] | None) -> tuple[float, float]:
    first = among = math.inf
    for length in range(1, len(title.text) + 1):
        start = time.thread_time()
        place = _place(search(title.text[:length]), title.key)
        if took is not None:
            took.append(1000 * (time.thread_time() - start))
        if 0 < place <= FEW:
            among = min(among, length)
        if place == 1:
            return length, among
    return first, among


def _median(values: Sequence[float]) -> float | None:
    value = sorted(values)[len(values) // 2]
    return None if math.isinf(value) else value


def _quartiles(values: Sequence[float]) -> list[float | None]:
    ordered = sorted(values)
    return [_median(ordered[: len(ordered) // 2]), _median(ordered[len(ordered) // 2 :])]


def _place(found: Sequence[str], key: str) -> int:
    """1 is the first; 0: not there."""
    return found.index(key) + 1 if key in found[:LIMIT] else 0


def _share(count: int, n: int) -> list[float]:
    """A share with its Wilson interval of 95 %."""
    if not n:
        return []
    z = 1.96
    share, wide = count / n, 1 + z * z / n
    middle = (share + z * z / (2 * n)) / wide
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / wide
    return [round(value, 3) for value in (share, middle - half, middle + half)]
