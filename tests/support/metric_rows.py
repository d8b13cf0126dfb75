"""A small hand-made frame with the columns of metrics.csv, for tests of what is written from it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.evaluate import COLUMNS


def row(dataset: str, source: str, metric: str, estimate: float | None, **more: Any) -> dict[str, Any]:
    """One row; an interval of +-.03 inside [0, 1] unless told otherwise."""
    known: dict[str, Any] = dict.fromkeys(COLUMNS)
    known.update(policy="recommended", dataset=dataset, source=source, metric=metric, estimate=estimate)
    if estimate is None:
        known["reason"] = "nobody's judgments are counted"
    else:
        low, high = max(0.0, estimate - 0.03), min(1.0, estimate + 0.03)
        known.update(low=low, high=high, level=0.95, method="two-way jackknife-t", n=120, clusters=20)
        known.update(target="documents like these", bootstrap_low=low, bootstrap_high=high)
    return {**known, **more}


def metrics(
    datasets: tuple[str, ...] = ("news", "wiki"), sources: tuple[str, ...] = ("GT", "Alpha", "Beta")
) -> pd.DataFrame:
    """Rates, scores, coverage and i of n of every dataset and source, none of them equal."""
    rows = []
    for place, dataset in enumerate([*datasets, "*"]):
        rows.append(row(dataset, "", "union_size", 300.5 + place, low=280.0, high=320.0))
        for letter, share in zip("ABCDE", (0.62, 0.13, 0.02, 0.05, 0.18), strict=True):
            rows.append(row(dataset, "", f"coverage_{letter}", share))
        for count, share in enumerate((0.01, 0.04, 0.2, 0.75)):
            rows.append(row(dataset, "", f"verified_{count}_of_3", share))
        for rank, source in enumerate(sources):
            verified = 0.93 - 0.04 * rank - 0.01 * place
            rows.append(row(dataset, source, "verification_rate", verified))
            rows.append(row(dataset, source, "edit_rate", 0.6 * (1 - verified)))
            rows.append(row(dataset, source, "removal_rate", 0.4 * (1 - verified)))
            rows.append(row(dataset, source, "unjudged_rate", 0.02))
            rows.append(row(dataset, source, "posthoc_precision", verified))
            rows.append(row(dataset, source, "posthoc_recall", 0.8 - 0.05 * rank))
            rows.append(row(dataset, source, "posthoc_f1", 0.85 - 0.05 * rank))
            for name in ("precision", "recall", "f1"):
                before = None if rank == 0 else 0.66 - 0.03 * rank
                reason = "the ground truth has no score against itself" if rank == 0 else None
                rows.append(row(dataset, source, f"pre_{name}_exact", before, reason=reason))
    return pd.DataFrame(rows, columns=COLUMNS)
