"""The agreement table: how far workers agreed about the same item, with what chance alone would give."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.agreement.classes import Classes
from analysis.agreement.coefficient import Facts
from analysis.agreement.formulas import NO_OVERLAP, ONE_CATEGORY
from analysis.agreement.intervals import Sampled, Settings
from analysis.agreement.measure import records_of
from analysis.agreement.registry import chosen
from analysis.decided import OVER, as_made, decided, units
from analysis.measured import Measured
from analysis.metrics.i_of_n import independent, shared_items
from analysis.metrics.registry import get
from analysis.schema import ALL

COLUMNS: Final = (
    "dataset",
    "over",
    "coefficient",
    "estimate",
    "low",
    "high",
    "level",
    "method",
    "target",
    "independent",
    "n_units",
    "n_workers",
    "labels_per_unit",
    "reason",
    "category",
)
# What is taken over from the rows of metrics.csv.
_TAKEN: Final = ("estimate", "low", "high", "level", "method", "target", "reason")
_COEFFICIENTS: Final = ("observed_agreement", "alpha_nominal")
# What stands beside them; of no metric's name, being computed here.
_BESIDE: Final = ("brennan_prediger", "multi_pi", "ac1", "specific_agreement")
_LEVEL: Final = 0.95
_TARGET: Final = "documents like these, these workers"


def agreement_names(measured: Measured) -> list[str]:
    """The metrics that the table shows."""
    n = len(measured.sources)
    ends = ("", "_verified")
    return [f"{name}{end}" for end in ends for name in _COEFFICIENTS] + [
        f"verified_{i}_of_{n}" for i in range(n, -1, -1) if n > 1
    ]


def agreement_table(measured: Measured, evaluated: pd.DataFrame) -> pd.DataFrame:
    """Agreement a row a dataset (and `*`, all) and coefficient.

    Columns:
        over: "decisions" (verify, edit, remove) or "verified" (or not).
        estimate to reason: as in metrics.csv.
        independent: for i of n, what workers who verify independently at one rate would give, the rate being
            that of the same items; these are the easiest items, and this says how much of the figure is that.
        n_units: items with decisions of at least two workers (for i of n: of every source, and of n workers).
        n_workers: workers with a decision about such an item.
        labels_per_unit: how many items have how many workers, as `workers:items` words.
        category: of specific agreement, which one.

    Args:
        measured: the study under a policy.
        evaluated: rows of metrics.csv of this study and policy, holding the metrics of `agreement_names`.
    """
    rows = []
    wanted = evaluated.loc[evaluated["metric"].isin(agreement_names(measured))]
    found = wanted.set_index(["dataset", "metric"])[list(_TAKEN)].to_dict("index")
    for dataset in (*measured.datasets, ALL):
        for name in agreement_names(measured):
            if (dataset, name) in found:
                row: dict[str, Any] = {"dataset": dataset, "category": "", **_facts(measured, dataset, name)}
                row |= {str(key): value for key, value in found[dataset, name].items()}
                if row["reason"] == get(name).undefined and name.startswith("alpha"):
                    row["reason"] = ONE_CATEGORY if row["n_units"] else NO_OVERLAP
                rows.append(row)
        if found:
            rows += _beside(measured, dataset, _level(wanted))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _level(rows: pd.DataFrame) -> float:
    """Of the intervals of metrics.csv."""
    given = rows["level"].dropna()
    return float(given.iloc[0]) if len(given) else _LEVEL


def _beside(measured: Measured, dataset: str, level: float) -> list[dict[str, Any]]:
    """Other coefficients of the same decisions, each with its jackknife interval over documents."""
    rows = []
    for over, end in (("decisions", ""), ("verified", "_verified")):
        where, table = units(measured.view(dataset), over)
        # Lone decisions would count for chance alone: these coefficients are about the same items as alpha.
        several = table.sum(axis=1) > 1
        where, table = where.loc[several], table[several]
        if not len(table):
            continue
        names = tuple(map(str, OVER[over]))
        classes = Classes.of_counts(table, where["document_code"].to_numpy(np.int64))
        sampled = Sampled(classes, Settings(level=level, replicates=0))
        facts = _facts(measured, dataset, f"alpha_nominal{end}")
        for record in records_of(sampled, Facts(names, True, None, 1), chosen(list(_BESIDE)), "documents"):
            taken = {name: record[name] for name in ("estimate", "low", "high", "method", "reason")}
            there = {"level": level, "target": _TARGET} if record["low"] is not None else {}
            about = {"coefficient": record["coefficient"], "category": record["category"]}
            rows.append({"dataset": dataset, **facts, **taken, **there, **about})
    return rows


def _facts(measured: Measured, dataset: str, name: str) -> dict[str, Any]:
    """What the metric's own row does not say: units, workers, and what independence would give."""
    over = "decisions" if name in _COEFFICIENTS else "verified"
    facts: dict[str, Any] = {"over": over, "coefficient": name.removesuffix("_verified")}
    view = measured.view(dataset)
    if name.startswith("verified_"):
        i, n = (int(part) for part in name.split("_")[1::2])
        counts, m, v = shared_items(view, n)
        rate = float((v / m).mean()) if len(m) else None
        facts["independent"] = None if rate is None else independent(rate, i, n)
        items = counts.unit
    else:
        where, table = units(view, over)
        m = table.sum(axis=1)
        items, m = where["item"].to_numpy()[m > 1], m[m > 1]
    size, often = np.unique(m, return_counts=True)
    made = decided(measured)
    facts["n_units"] = len(items)
    inside = np.zeros(len(as_made(measured).items), bool)
    inside[items] = True
    about = made["worker"].to_numpy()[inside[made["item"].to_numpy()]]
    facts["n_workers"] = len(np.unique(about))
    facts["labels_per_unit"] = " ".join(f"{a}:{b}" for a, b in zip(size, often, strict=True))
    return facts
