"""What stands beside coefficients: the table, categories, units that disagree most, overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from analysis.agreement import blocks
from analysis.agreement.classes import Classes
from analysis.agreement.formulas import binary_pi, quotient, shares, value

_MOST: Final = 10
_LARGEST_TABLE: Final = 100


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
    # Sums of 1 / (m - 1) are whole but for rounding.
    rows = np.round(cells if two else cells + cells.T, 9)
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
