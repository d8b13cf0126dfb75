"""How many of n workers verified an item that every source produced: `verified_2_of_3` and its like."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from analysis.alpha import labels_of
from analysis.decided import as_made, units
from analysis.engine.counts import Bools, Codes, Counts
from analysis.errors import InputError, plain
from analysis.measured import Measured, View
from analysis.metrics.registry import Metric, MetricFamily, ratio, register_family

PATTERN: Final = re.compile(r"verified_(\d+)_of_(\d+)")


def shared_items(view: View, n: int) -> tuple[Counts, Codes, Codes]:
    """Items of every source decided by at least n workers: a row each, its workers m and who verified v."""
    where, counts = units(view, "verified")
    m = labels_of(counts)
    memo, name = view.measured.memo, "items of every source"
    if name not in memo:
        plain = as_made(view.measured)
        memo[name] = plain.support.all(axis=1) & plain.items["in_scope"].to_numpy(bool)
    chosen: Bools = memo[name]
    kept = chosen[where["item"].to_numpy()] & (m >= n)
    there = where.loc[kept]
    rows = Counts.of(
        document=there["document_code"], segment=there["segment"], unit=there["item"], quantities={}
    )
    return rows, m[kept], counts[kept, 0]


def independent(rate: float, i: int, n: int) -> float:
    """What i of n would be if workers verified independently at one rate (.9: .729, .243, .027, .001)."""
    return math.comb(n, i) * rate**i * (1 - rate) ** (n - i)


@cache
def _counter(n: int) -> Callable[[View], Counts]:
    """The count for n workers; one function for all i, so that it is made once.

    `chosen_i`: of the ways to choose n of an item's m workers, those with i who verified; with m = n, 0 or 1.
    """

    def count(view: View) -> Counts:
        rows, m, v = shared_items(view, n)
        width = int(m.max(initial=0)) + 1
        # Many items, few different pairs of workers and those who verified.
        several, place = np.unique(m * width + v, return_inverse=True)
        pairs = [divmod(code, width) for code in several.tolist()]
        ways = np.array([math.comb(a, n) for a, _ in pairs], np.int64)[place]
        chosen = {
            f"chosen_{i}": np.array([math.comb(b, i) * math.comb(a - b, n - i) for a, b in pairs], np.int64)[
                place
            ]
            for i in range(n + 1)
        }
        return replace(rows, n=ways, quantities={**chosen, "items": ways})

    return count


def _make(match: re.Match[str]) -> Metric:
    i, n = int(match[1]), int(match[2])
    if not 0 <= i <= n or n < 1:
        raise InputError("no such metric", got=plain(match[0]), expected="verified_i_of_n with i from 0 to n")
    return Metric(
        name=match[0],
        title=f"Verified by {i} of {n}",
        formula=f"share of the items every source produced that {i} of {n} different workers verified;"
        " with more workers, the mean over all choices of that many",
        range=(0.0, 1.0),
        better="none",
        undefined=f"no item of every source was judged by {n} different workers",
        clusters=("document", "segment", "item"),
        reference="docs/definitions.md section 2, i of n",
        family="agreement",
        per="dataset",
        count=_counter(n),
        value=ratio(f"chosen_{i}", "items"),
        size="items",
    )


def _names(measured: Measured) -> list[str]:
    n = len(measured.sources)
    return [f"verified_{i}_of_{n}" for i in range(n + 1)] if n > 1 else []


register_family(MetricFamily(PATTERN, _make, _names, "verified_I_of_N"))
