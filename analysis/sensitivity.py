"""How much the headline numbers hang on who counts, on any one worker, and on what controls say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.corrected import RATE
from analysis.engine.tally import evaluate_at, without_each
from analysis.errors import ConfigError
from analysis.measured import Measured
from analysis.outcomes import measure
from analysis.points import HEADLINES, Place, moved, points, summed
from analysis.policy import CHOICES
from analysis.schema import ALL
from analysis.skill import graded
from analysis.study import Study
from analysis.voices import gate_of

COLUMNS: Final = (
    "policy",
    "kind",
    "dataset",
    "source",
    "metric",
    "setting",
    "estimate",
    "change",
    "low",
    "high",
    "what",
    "reason",
)
SPECIFICITY: Final = "specificity"
GATE: Final = "gate"
WORKER: Final = "without_worker"
_MANY_ANSWERS: Final = 6
_WORDS: Final = {
    "none": "everyone who submitted",
    "assignment": "assignments that passed",
    "worker": "workers none of whose assignments failed",
}


def sensitivity(measured: Measured, curve: pd.DataFrame) -> pd.DataFrame:
    """Rows of sensitivity.csv under one policy.

    Kinds:
        specificity: the corrected rate if Sp, the setting, were another.
        gate: headline numbers for everyone, for who passes under each gate, for who gets at least m of n
            controls right, and weighted by skill.
        without_worker: of each headline number the least and the largest value without any one worker; the
            setting is the worker who moves it most, estimate and change are those without him.

    Args:
        measured: the study.
        curve: of `corrected_rows`.
    """
    rows = [*_specificity(curve), *_gates(measured), *_without_workers(measured)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame["policy"] = measured.policy.name
    floats = ("estimate", "change", "low", "high")
    frame = frame.astype(dict.fromkeys(floats, float))
    text = [name for name in COLUMNS if name not in floats]
    frame[text] = frame[text].astype(object).fillna("").astype("str")
    return frame


def _specificity(curve: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for row in curve.to_dict("records"):
        yield {
            "kind": SPECIFICITY,
            "dataset": row["dataset"],
            "source": row["source"],
            "metric": RATE,
            "setting": f"{row['sp']:.4g}",
            "estimate": row["corrected"],
            "what": row["what"],
        }


def _gates(measured: Measured) -> Iterator[dict[str, Any]]:
    study = measured.study
    if study["assignments"]["counted"].fillna(value=False).all() and not len(study["control_answers"]):
        # Everybody counts, and nobody answered anything that could say who should not.
        return
    base = points(measured)
    assignments = study["assignments"]
    known: dict[bytes, Mapping[Place, float]] = {
        gate_of(assignments, measured.policy.gate)[0].tobytes(): base
    }

    def of(changed: Study, gate: str) -> Mapping[Place, float]:
        """The numbers of whoever passes; those who are the same people are measured once."""
        who = gate_of(changed["assignments"], gate)[0].tobytes()
        if who not in known:
            known[who] = _points_of(measure(changed, measured.policy.override({"gate": gate})))
        return known[who]

    for gate in CHOICES["gate"].values:  # noqa: PD011 - no frame
        yield from _gate_rows(f"gate={gate}", _WORDS[gate], base, of(study, gate))
    for m, n, changed in _thresholds(study):
        who = f"assignments with at least {m / n:.0%} of their controls right"
        yield from _gate_rows(f"{m} of {n} controls", who, base, of(changed, "assignment"))
    if measured.policy.resolution == "weighted":
        return
    try:
        found = measure(study, measured.policy.override({"resolution": "weighted"}))
    except ConfigError:
        return
    yield from _gate_rows("resolution=weighted", "judgments weighted by skill", base, _points_of(found))


def _points_of(other: Measured) -> Mapping[Place, float]:
    """The numbers of a study that is measured for them alone."""
    found = points(other)
    other.forget()
    return found


def _gate_rows(
    setting: str, what: str, base: Mapping[Place, float], found: Mapping[Place, float]
) -> Iterator[dict[str, Any]]:
    for place, value in found.items():
        dataset, source, metric = place
        row: dict[str, Any] = {
            "kind": GATE,
            "dataset": dataset,
            "source": source,
            "metric": metric,
            "setting": setting,
            "what": what,
        }
        if np.isnan(value):
            yield row | {"reason": "undefined: nothing that it needs was judged by anyone who counts so"}
        else:
            yield row | {"estimate": value, "change": moved(base.get(place, float("nan")), value)}


def _thresholds(study: Study) -> Iterator[tuple[int, int, Study]]:
    """m, n, and the study if assignments counted with at least m of n control answers right.

    n is the number of control answers that most assignments have, or 4 where they are many; assignments
    without any count as they did.
    """
    rows = graded(study)
    if rows.empty:
        return
    per = rows.groupby("assignment")["passed"].agg(["sum", "size"])
    n = int(per["size"].mode().iloc[0])
    n = n if n < _MANY_ANSWERS else 4
    assignments = study["assignments"]
    share = (per["sum"] / per["size"]).reindex(assignments["assignment"]).to_numpy(dtype=float)
    submitted = (assignments["state"] == "submitted").to_numpy()
    for m in range(1, n + 1):
        passed = pd.Series(share >= m / n - 1e-12, index=assignments.index).astype("boolean")
        decided = passed.where(~np.isnan(share) & submitted, assignments["counted"])
        changed = {**study.tables, "assignments": assignments.assign(counted=decided)}
        yield m, n, Study(changed, study.manifest, study.notes)


def _without_workers(measured: Measured) -> Iterator[dict[str, Any]]:
    """From the sums of each worker's cells: nothing is evaluated anew."""
    if measured.anonymous or not measured.judgments:
        return
    for each in summed(measured, HEADLINES):
        if each.workers is None:
            continue
        view = measured.view(ALL, each.source or None)
        for place, dataset in enumerate([*measured.datasets, ALL]):
            if not view.in_documents[measured.document_codes(dataset)].any():
                continue
            total = {name: values[place : place + 1] for name, values in each.totals.items()}
            whole = float(evaluate_at(each.value, total)[0])
            if np.isnan(whole):
                continue
            mine = {name: values[place] for name, values in each.workers.items()}
            there = np.any([values != 0 for values in mine.values()], axis=0)
            values = np.where(there, evaluate_at(each.value, without_each(mine, total)), np.nan)
            row: dict[str, Any] = {
                "kind": WORKER,
                "dataset": dataset,
                "source": each.source,
                "metric": each.metric.name,
            }
            if np.isnan(values).all():
                yield row | {"reason": "without its one worker nothing is left"}
                continue
            most = int(np.nanargmax(np.abs(values - whole)))
            yield row | {
                "setting": measured.workers[most],
                "estimate": float(values[most]),
                "change": float(values[most] - whole),
                "low": float(np.nanmin(values)),
                "high": float(np.nanmax(values)),
                "what": f"without the worker who moves it most, of {int(there.sum())}",
            }
