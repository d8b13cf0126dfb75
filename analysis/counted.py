"""What a metric counted of a study, made once for everyone who asks."""

from __future__ import annotations

from typing import Final

from analysis.engine.counts import Counts
from analysis.measured import Measured
from analysis.metrics.registry import Metric
from analysis.schema import ALL

COUNTED: Final = "counted"
# Marks a study whose tables are not there: what it has counted was counted block by block.
ELSEWHERE: Final = "counted elsewhere"


def counts_of(measured: Measured, metric: Metric, source: str, *, units: bool = True) -> Counts:
    """The counts of a metric over all datasets; metrics that count alike share them.

    Args:
        measured: the study.
        metric: which.
        source: empty where the metric is of a dataset.
        units: segments or units will be asked for. Else, unless segments have weights, the rows of one
            document, worker and n are added: a fraction of the memory, and kept for whoever asks next.
    """
    kept = measured.memo.setdefault(COUNTED, {})
    merged = not units and measured.weight is None
    key = (metric.count, source, merged)
    found: Counts | None = kept.get(key)
    if found is not None:
        return found.wide()
    if ELSEWHERE in measured.memo:
        raise LookupError(f"{metric.name} was not counted")
    counts = metric.count(measured.view(ALL, source or None))
    if merged:
        counts = counts.merged()
        kept[key] = counts.narrow()
    return counts
