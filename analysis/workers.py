"""workers.csv: a row a worker: decisions, controls, time, and how far he agrees with the rest."""

from __future__ import annotations

import json
from functools import cache
from typing import Final

import numpy as np
import pandas as pd

from analysis.agreement.classes import Classes
from analysis.agreement.labels import Labels
from analysis.agreement.members import members
from analysis.decided import decided
from analysis.decisions import DECISIONS, EDIT
from analysis.engine.proportions import wilson
from analysis.measured import Measured
from analysis.schema import EXPERT
from analysis.study import Study

_AGREES: Final = ("agreement", "agreement_low", "agreement_high", "agrees_less")
_RATE: Final = {"verify": "verify_rate", "edit": "edit_rate", "remove": "removal_rate"}


def workers_frame(study: Study, level: float, measured: Measured | None = None) -> pd.DataFrame:
    """Assignments, judgments, rates with their Wilson intervals, control results, median seconds, agreement.

    Everyone is listed, counted or not. Judgments are the latest of each display, by workers. Agreement with
    the rest is about items that others decided too; `agrees_less` holds for who surely agrees less than the
    others do with each other (`analysis.agreement.members`), never by rank.

    Args:
        study: the tables.
        level: of the intervals.
        measured: the study under a policy, whose judgments agreement is about; None: no agreement.
    """
    made = _judgments(study)
    real = made[made["kind"] == "real"]
    # A control shows links without a known answer too, so that it looks like any other task.
    controls = made[(made["kind"] == "control") & made["expected"].notna()]
    assignments = study["assignments"]
    assignments = assignments[assignments["state"] != EXPERT]
    known = assignments.assign(counts=assignments["counted"].fillna(value=False).astype(bool)).groupby(
        "worker"
    )
    frame = known.agg(assignments=("assignment", "size"), counted=("counts", "sum"))
    given = assignments[["worker", "reason"]].dropna().drop_duplicates().sort_values("reason")
    frame["reasons"] = given.groupby("worker")["reason"].agg("; ".join).reindex(frame.index, fill_value="")
    frame["judgments"] = _per_worker(real["worker"], frame.index)
    for decision in DECISIONS:
        _add_rate(
            frame,
            _RATE[decision],
            real.loc[real["decision"] == decision, "worker"],
            frame["judgments"],
            level,
        )
    frame["controls"] = _per_worker(controls["worker"], frame.index)
    passed = controls.loc[controls["passed"].astype(bool), "worker"]
    _add_rate(frame, "control_rate", passed, frame["controls"], level)
    frame["median_seconds"] = real.groupby("worker")["seconds"].median().reindex(frame.index)
    if measured is not None:
        frame = frame.join(_agreement(measured, level))
    return frame.reset_index().sort_values("worker", ignore_index=True)


def _judgments(study: Study) -> pd.DataFrame:
    """Current judgments of workers, with the kind of their task and, for controls, whether they are right."""
    judgments = study["judgments"]
    judgments = judgments[judgments["current"].astype(bool) & (judgments["role"] == "worker")]
    displays = study["displays"][["display", "task"]].merge(study["tasks"][["task", "kind"]], on="task")
    made = judgments.merge(displays, on="display").merge(
        study["assignments"][["assignment", "worker"]], on="assignment"
    )
    made = made.merge(
        study["control_answers"][["display", "expected", "acceptable"]], on="display", how="left"
    )
    right = made["decision"] == made["expected"]
    # An edit control may name the entities it accepts; another entity, or one not known, is a wrong answer.
    accepted = np.ones(len(made), dtype=bool)
    named = made.loc[made["acceptable"].notna().to_numpy(dtype=bool), ["key", "acceptable"]]
    accepted[made["acceptable"].notna().to_numpy(dtype=bool)] = [
        key in json.loads(keys) for key, keys in zip(named["key"], named["acceptable"], strict=True)
    ]
    return made.assign(passed=right & ((made["decision"] != EDIT) | accepted))


def _agreement(measured: Measured, level: float) -> pd.DataFrame:
    """Of each worker who has decided what another did: agreement with the rest, its limits, and the flag."""
    made = decided(measured)
    _, unit = np.unique(made["item"].to_numpy(np.int64), return_inverse=True)
    labels = Labels(
        unit=unit.astype(np.int64),
        worker=made["worker"].to_numpy(np.int64),
        label=made["decision"].to_numpy(np.int64),
        units=tuple(map(str, range(int(unit.max(initial=-1)) + 1))),
        workers=measured.workers,
        categories=DECISIONS,
        declared=True,
        numbers=None,
    )
    rows = members(Classes.of(labels), measured.workers, level) if len(labels) else []
    known = {
        row["worker"]: (
            row["agreement_with_rest"],
            row["agreement_low"],
            row["agreement_high"],
            row["flagged"],
        )
        for row in rows
        if row["agreement_with_rest"] is not None
    }
    return pd.DataFrame.from_dict(known, orient="index", columns=list(_AGREES), dtype=object)


def _per_worker(workers: pd.Series, index: pd.Index) -> pd.Series:
    return workers.value_counts().reindex(index, fill_value=0).astype("int64")


def _add_rate(frame: pd.DataFrame, name: str, hits: pd.Series, n: pd.Series, level: float) -> None:
    """The share and its interval; empty where nothing was judged."""
    found = _per_worker(hits, frame.index)
    bounds = [_wilson(k, m, level) if m else (None, None) for k, m in zip(found, n, strict=True)]
    frame[name] = [k / m if m else None for k, m in zip(found, n, strict=True)]
    frame[f"{name}_low"] = [low for low, _ in bounds]
    frame[f"{name}_high"] = [high for _, high in bounds]


# Thousands of workers share a few hundred pairs of counts.
_wilson = cache(wilson)
