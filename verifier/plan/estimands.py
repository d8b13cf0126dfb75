"""The statistics that a forecast is about: rates, recall, differences of rates."""

from __future__ import annotations

from typing import Final

import numpy as np

from verifier.plan.design import Design, Floats
from verifier.plan.layout import Bools, Items, Statistic

_LITTLE: Final = 1e-9


def held(items: Items, source: int | None, documents: Bools) -> Floats:
    """The weight of every item, 0 unless the source (None: any) gives it in one of these documents."""
    inside: Bools = documents[items.document]
    if source is not None:
        inside = np.logical_and(inside, items.source == source)
    found = np.zeros(int(items.item.max()) + 1 if len(items) else 0)
    found[items.item[inside]] = items.weight[inside]
    return found


def rate(items: Items, source: int, documents: Bools, design: Design) -> Statistic:
    """The verification rate of a source in these documents."""
    mine = held(items, source, documents)
    return Statistic(design.rate, mine / max(mine.sum(), _LITTLE), mine, centred=True)


def recall(items: Items, source: int, documents: Bools, design: Design) -> Statistic:
    """Its recall of what all sources have, on the documents that it ran on; every item as good as another."""
    inside = documents & items.ran[source]
    mine, union = held(items, source, inside), held(items, None, inside)
    total = union.sum()
    value = float(mine.sum() / total) if total else 0.0
    found = (mine > 0) - value
    coefficient = np.where(union > 0, union * found, 0.0) / max(design.rate * total, _LITTLE)
    return Statistic(value, coefficient, union, centred=False)


def difference(items: Items, one: int, other: int, documents: Bools) -> Statistic:
    """The difference of two sources' rates on the documents that both ran on."""
    inside = documents & items.ran[one] & items.ran[other]
    mine, theirs = held(items, one, inside), held(items, other, inside)
    coefficient = mine / max(mine.sum(), _LITTLE) - theirs / max(theirs.sum(), _LITTLE)
    return Statistic(0.0, coefficient, np.maximum(mine, theirs), centred=True)
