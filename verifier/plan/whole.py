"""How sure the rate of the very texts of a study will be, in place of texts like them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

import numpy as np

from verifier.plan.design import Design
from verifier.plan.layout import Items, Layout, Statistic, Sureness, effective, squares, told

Cluster = Literal["worker", "segment"]
WORKER: Final = "worker"
SEGMENT: Final = "segment"


def sureness_here(
    items: Items, layout: Layout, statistic: Statistic, design: Design, *, drawn: float | None = None
) -> Sureness:
    """The expected variance of a rate whose target is this corpus, as the analysis will estimate it.

    Where all is judged, texts are what they are, and only who judges them is chance: the analysis takes
    workers for clusters. With C the sum of squares of the judgments' coefficients over clusters of a kind
    (see `sureness`):

        V = q [d C(cells) + w C(workers) + (a + e) C(judgments)]

    Where a share f of the segments was drawn, segments are the clusters, and what was drawn is known:

        V = (1 - f) q [d C(segments) + w C(segments of a worker) + a C(items) + e C(judgments)]

    Args:
        items: what is shown.
        layout: who judges it.
        statistic: a rate.
        design: what is assumed or measured of judgments.
        drawn: share of the segments that the sample drew; None: all are judged.
    """
    spoken = told(layout, statistic)
    each = float((spoken.share**2).sum())
    d, w, a, e = design.document, design.worker, design.annotation, design.chance
    if drawn is None:
        cell = spoken.document * (layout.workers or 1) + spoken.worker
        by = d * squares(cell, spoken.share) + w * squares(spoken.worker, spoken.share) + (a + e) * each
        clusters, variance = effective(spoken.worker, spoken.size), design.variance * by
    else:
        of_item = np.zeros(len(layout.of_item), np.int64)
        of_item[items.item] = items.segment
        segment = of_item[spoken.item]
        his = segment * (layout.workers or 1) + spoken.worker
        by = d * squares(segment, spoken.share) + w * squares(his, spoken.share)
        by += a * squares(spoken.item, spoken.share) + e * each
        clusters = effective(segment, spoken.size)
        variance = (1 - drawn) * design.variance * by
    found = Sureness(statistic.value, float((statistic.size > 0).sum()), variance, clusters, clusters)
    return replace(found, variance=0.0) if not len(spoken.item) else found
