"""Hand-made frames that figures are drawn from, for any datasets and sources: for tests of the report."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pandas as pd

from analysis.report.numbers import Numbers
from tests.support.metric_rows import metrics

_STEPS = (
    ("exact, not verified", "A", "edited", -0.02),
    ("exact, not verified", "A", "removed", -0.01),
    ("not exact, verified", "B", "verified", 0.09),
    ("not exact, verified", "C", "verified", 0.03),
    ("not exact, verified", "D", "verified", 0.02),
    ("not exact, verified", "E0", "verified", 0.01),
    ("not exact, verified", "E1", "verified", 0.07),
)


def waterfall(datasets: tuple[str, ...], models: tuple[str, ...]) -> pd.DataFrame:
    """Steps that add up, a little different for each model."""
    rows: list[dict[str, Any]] = []
    for dataset in datasets:
        for place, model in enumerate(models):
            level = 0.66 - 0.03 * place
            head = {"policy": "recommended", "dataset": dataset, "source": model, "reason": ""}
            rows.append({**head, "step": "exact precision", "reached": level})
            level += 0.01
            rows.append(
                {**head, "step": "only what was judged", "n": 100.0, "change": 0.01, "reached": level}
            )
            for step, letter, outcome, change in _STEPS:
                level += change
                known = {
                    "step": step,
                    "letter": letter,
                    "outcome": outcome,
                    "change": change,
                    "reached": level,
                }
                rows.append({**head, **known, "n": 100 * abs(change)})
            rows.append({**head, "step": "posthoc precision", "n": 100.0, "reached": level})
    return pd.DataFrame(rows)


def comparisons(datasets: tuple[str, ...], sources: tuple[str, ...]) -> pd.DataFrame:
    """Every pair, in three scores."""
    rows = []
    for metric in ("posthoc_precision", "posthoc_recall", "posthoc_f1"):
        for dataset in datasets:
            for place, (source, other) in enumerate(combinations(sources, 2)):
                change = 0.08 - 0.02 * place
                rows.append(
                    {
                        "policy": "recommended",
                        "kind": "difference",
                        "dataset": dataset,
                        "metric": metric,
                        "source": source,
                        "other": other,
                        "estimate": change,
                        "low": change - 0.05,
                        "high": change + 0.05,
                        "level": 0.95,
                        "method": "by hand",
                        "p": 0.04,
                        "p_holm": 0.08,
                        "documents": 20,
                        "n": 200.0,
                    }
                )
    return pd.DataFrame(rows)


def frames(datasets: tuple[str, ...], sources: tuple[str, ...]) -> dict[str, pd.DataFrame]:
    """Everything beside metrics and agreement."""
    everywhere = datasets if len(datasets) == 1 else (*datasets, "*")
    bins = [(tenth / 10, max(0.0, tenth / 10 - 0.05)) for tenth in range(1, 10)]
    return {
        "waterfall": waterfall(everywhere, sources[1:]),
        "comparisons": comparisons(everywhere, sources),
        "reliability": pd.DataFrame(
            [
                ("recommended", everywhere[-1], source, at, at, value, value - 0.04, value + 0.04)
                for source in sources[1:]
                for at, value in bins
            ],
            columns=["policy", "dataset", "source", "bin", "confidence", "verified", "low", "high"],
        ).astype({"bin": str}),
        "workers": pd.DataFrame({"worker": ["w1", "w2", "w3"], "control_rate": [1.0, 0.8, None]}),
        "times": pd.DataFrame(
            [
                (dataset, decision, 50, 3.0, 5.0, 8.0, 11.0, 19.5)
                for dataset in everywhere
                for decision in ("verify", "edit", "remove", "any")
            ],
            columns=["dataset", "decision", "n", "p10", "p25", "median", "p75", "p90"],
        ),
        "controls": pd.DataFrame(
            [
                (expected, difficulty, 40, 34, 0.85, 0.71, 0.93, 0.95)
                for expected in ("verify", "edit", "remove")
                for difficulty in ("easy", "hard", "*")
            ],
            columns=["expected", "difficulty", "n", "right", "share", "low", "high", "level"],
        ),
        "spending": pd.DataFrame(
            [
                (
                    "recommended",
                    source,
                    place,
                    1.2 * place,
                    "USD",
                    10 * place,
                    0.9 - 0.01 * rank - 0.1 / place,
                )
                for rank, source in enumerate(sources)
                for place in range(1, 30)
            ],
            columns=["policy", "source", "assignments", "spent", "currency", "n", "verification_rate"],
        ),
    }


def numbers(
    datasets: tuple[str, ...] = ("news", "wiki"), sources: tuple[str, ...] = ("GT", "Alpha", "Beta")
) -> Numbers:
    """All of it as figures take it."""
    return Numbers.of(metrics(datasets, sources), "recommended", "GT", None, frames(datasets, sources))
