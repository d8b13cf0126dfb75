"""The agreement table: how far workers agreed about the same item, with what chance alone would give."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.agreement.classes import Classes
from analysis.agreement.coefficient import Facts, Ready
from analysis.agreement.formulas import NO_OVERLAP, ONE_CATEGORY, value
from analysis.agreement.found import Record
from analysis.agreement.intervals import Sampled, Settings, interval_of
from analysis.agreement.many import OF_MANY, Many
from analysis.agreement.measure import records_of
from analysis.agreement.registry import chosen
from analysis.chosen import ENTITY, FALLS, STANDS, TARGET, choices, crowd_and_source
from analysis.decided import OVER, as_made, decided, units
from analysis.measured import Measured
from analysis.metrics.i_of_n import independent, shared_items
from analysis.metrics.registry import get
from analysis.schema import ALL
from analysis.spans import Ints

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
# Of the crowd and a source, on whether an item stands.
_WITH_SOURCE: Final = ("observed_agreement", "kappa_cohen", "ac1", "specific_agreement", "bias_index")
_RECORDED: Final = ("coefficient", "category", "estimate", "low", "high", "method", "reason")
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
        over: "decisions" (verify, edit, remove), "verified" (or not), "chosen entity" (the one shown,
            one's own, or none), "edited target" (of those who edited), or "crowd and SOURCE".
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
            level = _level(wanted)
            rows += _beside(measured, dataset, level)
            rows += _entities(measured, dataset, level) + _sources(measured, dataset, level)
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
        records = records_of(sampled, Facts(names, True, None, 1), chosen(list(_BESIDE)), "documents")
        rows += [{"dataset": dataset, **facts, **_of_record(record, level)} for record in records]
    return rows


def _of_record(record: Record, level: float) -> dict[str, Any]:
    """What a row takes of a record."""
    taken = {name: record[name] for name in _RECORDED}
    there = {"level": level, "target": _TARGET} if record["low"] is not None else {}
    return {**taken, **there}


def _entities(measured: Measured, dataset: str, level: float) -> list[dict[str, Any]]:
    """Agreement on the entity that workers are left with, and on that of those who edited."""
    made, inside = choices(measured), measured.view(dataset).in_documents
    rows = []
    for over, wanted in ((ENTITY, np.ones(len(made.item), bool)), (TARGET, made.edited)):
        kept = wanted & inside[made.document]
        kept[kept] = np.bincount(made.item[kept])[made.item[kept]] > 1
        sampled = Many(made.item[kept], made.label[kept], made.document[kept], Settings(level, replicates=0))
        several = np.bincount(made.item[kept])
        facts = {
            "dataset": dataset,
            "over": over,
            "category": "",
            "n_units": sampled.units,
            "n_workers": len(np.unique(made.worker[kept])),
            "labels_per_unit": _overlap(several[several > 0]),
        }
        rows += [{**facts, **_of_many(sampled, name, ready, level)} for name, ready in OF_MANY.items()]
    return rows


def _of_many(sampled: Many, name: str, ready: Ready, level: float) -> dict[str, Any]:
    estimate = float(value(ready.formula(sampled.total(ready))))
    if np.isnan(estimate):
        return {"coefficient": name, "reason": ONE_CATEGORY if sampled.units else NO_OVERLAP}
    found = interval_of(sampled, ready, "documents")
    low, high = found.limits or (None, None)
    there = {"level": level, "target": _TARGET} if low is not None else {}
    known = {"estimate": estimate, "low": low, "high": high, "method": found.method, "reason": found.reason}
    return {"coefficient": name, **known, **there}


def _sources(measured: Measured, dataset: str, level: float) -> list[dict[str, Any]]:
    """Agreement of the crowd with each source: it has the item or not, most of them verified it or not."""
    rows = []
    for code, source in enumerate(measured.sources):
        classes, items = crowd_and_source(measured, dataset, code)
        facts = {
            "dataset": dataset,
            "over": f"crowd and {source}",
            "n_units": len(items),
            "n_workers": _workers_of(measured, items),
        }
        sampled = Sampled(classes, Settings(level=level, replicates=0))
        two = Facts((STANDS, FALLS), True, None, 2)
        records = records_of(sampled, two, chosen(list(_WITH_SOURCE)), "documents")
        rows += [{**facts, **_of_record(record, level)} for record in records]
    return rows


def _workers_of(measured: Measured, items: Ints) -> int:
    """How many workers have a decision about one of these items."""
    inside = np.zeros(len(as_made(measured).items), bool)
    inside[items] = True
    made = decided(measured)
    seen = np.zeros(len(measured.workers), bool)
    seen[made["worker"].to_numpy()[inside[made["item"].to_numpy()]]] = True
    return int(np.count_nonzero(seen))


def _overlap(labels: Ints) -> str:
    """How many units have how many labels."""
    size, often = np.unique(labels, return_counts=True)
    return " ".join(f"{a}:{b}" for a, b in zip(size, often, strict=True))


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
    facts["n_units"] = len(items)
    facts["n_workers"] = _workers_of(measured, items)
    facts["labels_per_unit"] = _overlap(m)
    return facts
