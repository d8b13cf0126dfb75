"""controls.csv: what people made of the links whose right answer is known, by that answer and difficulty."""

from __future__ import annotations

from typing import Final

import pandas as pd

from analysis.decisions import DECISIONS
from analysis.engine.proportions import wilson
from analysis.schema import ALL
from analysis.skill import graded
from analysis.study import Study

COLUMNS: Final = ("expected", "difficulty", "n", "right", "share", "low", "high", "level")


def control_results(study: Study, level: float) -> pd.DataFrame:
    """Judgments of controls and the share of them that is right, with Wilson intervals over judgments.

    Args:
        study: the tables.
        level: of the intervals.

    Returns:
        A row an expected decision and difficulty (empty where none is given); with several difficulties one
        more a decision, difficulty `*`. No rows without controls.
    """
    made = graded(study)
    if made.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    made = made.merge(study["control_answers"][["display", "expected", "difficulty"]], on="display")
    made["difficulty"] = made["difficulty"].astype(object).fillna("").astype(str)
    rows = []
    for expected in DECISIONS:
        mine = made[made["expected"] == expected]
        parts = [(str(name), part) for name, part in mine.groupby("difficulty", sort=True)]
        if len(parts) > 1:
            parts.append((ALL, mine))
        for difficulty, part in parts:
            n, right = len(part), int(part["passed"].sum())
            rows.append((expected, difficulty, n, right, right / n, *wilson(right, n, level), level))
    return pd.DataFrame(rows, columns=list(COLUMNS))
