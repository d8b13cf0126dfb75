"""What stands beside coefficients: the table, categories, workers against the rest, units, overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from analysis.agreement import blocks
from analysis.agreement.classes import Classes, Tallied
from analysis.agreement.formulas import alpha_nominal, binary_pi, quotient, shares, value
from analysis.engine.counts import Floats

_MOST: Final = 10
_LARGEST_TABLE: Final = 100
_FREE: Final = 30_000_000


def plain(number: float) -> float | None:
    """A number for JSON; undefined is None."""
    return None if np.isnan(number) else float(number)


def table(of: Classes, names: tuple[str, ...]) -> dict[str, Any]:
    """The joint table of two workers (rows the first's), or the coincidences of more."""
    two = of.workers == 2  # noqa: PLR2004 - two are meant
    if len(names) > _LARGEST_TABLE:
        return {"kind": "joint" if two else "coincidence", "categories": list(names), "rows": []}
    first, second = of.pairs
    code = of.label[first] * len(names) + of.label[second]
    weight = of.count[of.row[first]] * (1.0 if two else (of.per_pair * of.m)[of.row[first]])
    cells = np.bincount(code, weights=weight, minlength=len(names) ** 2).reshape(len(names), -1)
    rows = cells if two else cells + cells.T
    listed = [[int(cell) if float(cell).is_integer() else cell for cell in row] for row in rows.tolist()]
    return {"kind": "joint" if two else "coincidence", "categories": list(names), "rows": listed}


def categories(of: Classes, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Of each category: labels, share, specific agreement, kappa against all others."""
    sums = {
        name: of.total(of.block(name, blocks.OF_COUNTS[name]))
        for name in ("share", "specific", "possible", "binary", "paired")
    }
    kappa, share = value(binary_pi(sums)), shares(sums)
    agreement = quotient(sums["specific"], sums["possible"])
    given = of.count @ of.counts
    return [
        {
            "category": name,
            "labels": int(given[place]),
            "share": plain(share[place]),
            "specific_agreement": plain(agreement[place]),
            "kappa": plain(kappa[place]),
        }
        for place, name in enumerate(names)
    ]


def workers(of: Classes, names: Sequence[str]) -> list[dict[str, Any]]:
    """Of each worker: labels, agreement with the others on his units, nominal alpha without him."""
    counts, weight = of.counts, of.count[of.row]
    own = counts[of.row, of.label] - 1
    others = of.m[of.row] - 1
    size = len(names)

    def added(values: Floats) -> Floats:
        return np.bincount(of.worker, weights=values * weight, minlength=size).astype(np.float64)

    agreement = quotient(added(own), added(others))
    given = added(np.ones(len(of.row)))
    without = _alpha_without(of, size)
    return [
        {
            "worker": name,
            "labels": int(given[place]),
            "agreement_with_rest": plain(agreement[place]),
            "alpha_without": plain(without[place]),
        }
        for place, name in enumerate(names)
    ]


def _alpha_without(of: Classes, size: int) -> Floats:
    """Nominal alpha when each worker is left out."""
    if len(of.row) * of.categories > _FREE:
        return np.full(size, np.nan)
    rest = of.counts[of.row]
    rest[np.arange(len(of.row)), of.label] -= 1
    without, weight, sums = Tallied(rest), of.count[of.row][:, None], {}
    for name in ("matches", "pairable"):
        make = blocks.OF_COUNTS[name]
        change = (make(without) - make(of)[of.row]) * weight
        added = [np.bincount(of.worker, weights=column, minlength=size) for column in change.T]
        sums[name] = of.count @ make(of) + np.stack(added, axis=1)
    return value(alpha_nominal(sums))


def units(of: Classes, names: Sequence[str], categories: Sequence[str]) -> list[dict[str, Any]]:
    """The units whose workers disagree most: smallest share of agreeing pairs, most labels first.

    Args:
        of: the classes.
        names: of units; as many as there are, ascending.
        categories: their names.
    """
    if of.place is None:
        return []
    agree = blocks.agree(of)[:, 0]
    order = np.lexsort((-of.m, agree))
    order = order[(of.paired[order] > 0) & (agree[order] < 1)]
    found: list[int] = []
    start = 0
    while start < len(order) and len(found) < _MOST:
        # Classes that disagree alike go together, their units in order of names.
        same = (agree[order] == agree[order[start]]) & (of.m[order] == of.m[order[start]])
        wanted = np.zeros(of.size + 1, dtype=bool)
        wanted[order[same]] = True
        found += [int(one) for one in np.flatnonzero(wanted[of.place])[: _MOST - len(found)]]
        start = int(np.flatnonzero(same)[-1]) + 1
    return [_unit(of, one, names[one], categories) for one in found]


def _unit(of: Classes, one: int, name: str, categories: Sequence[str]) -> dict[str, Any]:
    here = 0 if of.place is None else int(of.place[one])
    given = of.counts[here]
    return {
        "unit": name,
        "agreement": float(blocks.agree(of)[here, 0]),
        "labels": {categories[place]: int(given[place]) for place in np.flatnonzero(given).tolist()},
    }


def overlap(of: Classes) -> dict[str, int]:
    """How many units have how many labels."""
    found = np.bincount(of.m.astype(np.int64), weights=of.count)
    return {str(many): int(often) for many, often in enumerate(found) if often}
