"""times.csv: how long people took for a judgment, by dataset and decision."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.decisions import DECISIONS
from analysis.schema import ALL
from analysis.study import Study

COLUMNS: Final = ("dataset", "decision", "n", "p10", "p25", "median", "p75", "p90")
ANY: Final = "any"
_QUANTILES: Final = {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}


def times(study: Study) -> pd.DataFrame:
    """Quantiles of the seconds a worker was active on a display, of judgments that count; controls apart.

    Returns:
        A row a dataset (and `*`) and decision (and `any`); no rows where no times are known.
    """
    made = _timed(study)
    if made.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    both = pd.concat([made, made.assign(dataset=ALL)] if len(made["dataset"].unique()) > 1 else [made])
    both = pd.concat([both, both.assign(decision=ANY)])
    groups = both.groupby(["dataset", "decision"], sort=False)["seconds"]
    frame = groups.quantile(np.array(list(_QUANTILES.values()))).unstack()  # noqa: PD010 - quantiles are an index, not a pivot
    frame.columns = pd.Index(_QUANTILES)
    frame.insert(0, "n", groups.size())
    frame = frame.reset_index()
    place = {name: number for number, name in enumerate([*sorted(set(made["dataset"])), ALL])}
    rank = {name: number for number, name in enumerate([*DECISIONS, ANY])}
    order = pd.DataFrame({"dataset": frame["dataset"].map(place), "decision": frame["decision"].map(rank)})
    return frame.loc[order.sort_values(["dataset", "decision"]).index, list(COLUMNS)].reset_index(drop=True)


def _timed(study: Study) -> pd.DataFrame:
    """dataset, decision, seconds of each judgment that has a time."""
    made = study["judgments"]
    assignments = study["assignments"]
    counted = assignments.loc[assignments["counted"].fillna(value=False).astype(bool), "assignment"]
    kept = made["current"].astype(bool) & (made["role"] == "worker") & made["seconds"].notna()
    made = made.loc[kept & made["assignment"].isin(counted), ["display", "decision", "seconds"]]
    tasks = study["tasks"]
    tasks = tasks.loc[tasks["kind"] == "real", ["task", "segment"]]
    where = tasks.merge(study["segments"][["segment", "dataset"]], on="segment")
    where = where.merge(study["displays"][["display", "task"]], on="task")[["display", "dataset"]]
    found = made.merge(where, on="display")[["dataset", "decision", "seconds"]]
    return found.astype({"dataset": str, "decision": str, "seconds": float})
