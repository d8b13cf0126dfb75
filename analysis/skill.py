"""How much a worker's voice weighs under `resolution=weighted`: what he made of the controls."""

from __future__ import annotations

import json
from typing import Final

import numpy as np
import pandas as pd

from analysis.decisions import EDIT
from analysis.engine.counts import Codes
from analysis.errors import ConfigError
from analysis.schema import DECOY
from analysis.study import Study

# Weights are whole: counts stay exact, and the denominators of values few.
FULL: Final = 100


def graded(study: Study) -> pd.DataFrame:
    """Every current judgment of a control with a known answer, no decoy: assignment, worker, display, passed.

    Passed is the expected decision; of an edit, to an entity that the control accepts, if it names any.
    """
    made = study["judgments"]
    made = made[made["current"].astype(bool) & (made["role"] == "worker")]
    answers = study["control_answers"]
    made = made.merge(answers[answers["use"] != DECOY], on="display")
    made = made.merge(study["assignments"][["assignment", "worker", "state"]], on="assignment")
    right = (made["decision"] == made["expected"]).to_numpy(dtype=bool)
    accepted = [
        decision != EDIT or not isinstance(named, str) or key in json.loads(named)
        for decision, named, key in zip(made["decision"], made["acceptable"], made["key"], strict=True)
    ]
    return made[["assignment", "worker", "state", "display"]].assign(
        passed=right & np.asarray(accepted, dtype=bool)
    )


def weights(study: Study, workers: tuple[str, ...]) -> Codes:
    """The weight of each worker, 1 to 100: (right + 1) / (answered + 2) of his controls, in hundredths.

    The one and the two keep whoever answered a single control from weighing nothing or all. Last comes the
    weight of somebody unknown: (right + 1) / (answered + 2) of everybody's controls. So does everyone weigh
    who answered no control.

    Raises:
        ConfigError: no control with a known answer was judged.
    """
    if study.around is not None and study.around.skill is not None:
        known = study.around.skill
        return np.array([*(known.get(name, known[""]) for name in workers), known[""]], dtype=np.int64)
    rows = graded(study)
    if rows.empty:
        raise ConfigError(
            "resolution=weighted needs to know how good workers are",
            where="--set",
            got="no judgment of a control with a known answer",
            expected="a bundle of a study with controls",
            remedy="Use resolution=share.",
        )
    per_worker = rows.groupby("worker")["passed"].agg(["sum", "size"]).reindex(list(workers), fill_value=0)
    right = np.append(per_worker["sum"].to_numpy(np.int64), int(rows["passed"].sum()))
    answered = np.append(per_worker["size"].to_numpy(np.int64), len(rows))
    skill = (right + 1) / (answered + 2)
    skill = np.where(answered > 0, skill, skill[-1])
    hundredths: Codes = np.maximum(1, np.round(FULL * skill)).astype(np.int64)
    return hundredths
