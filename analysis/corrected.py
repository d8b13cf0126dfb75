"""Rates and recall corrected for workers who accept what is wrong, by what they made of the controls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import special

from analysis.decisions import EDIT, VERIFY
from analysis.engine.counts import Counts
from analysis.engine.errors_in_judging import (
    Share,
    equal_specificity,
    lang_reiczigel,
    rogan_gladen,
    worth,
)
from analysis.engine.jackknife import FEW_WORKERS, MIN_ICC, Spread, spread
from analysis.engine.tally import ALL_DATASETS, Cut, Tally
from analysis.measured import Measured
from analysis.metrics.rates import judged
from analysis.metrics.registry import ratio
from analysis.outcomes import measure
from analysis.sampled import parted, size_of
from analysis.schema import ALL
from analysis.voices import gate_of

RATE: Final = "corrected_verification_rate"
RECALL: Final = "corrected_recall"
FEW_CONTROLS: Final = 20
_LEAST: Final = 0.1
_SPECIFICITIES: Final = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SENSITIVITY_COLUMNS: Final = ("policy", "dataset", "source", "sp", "corrected", "what")
_VALUE: Final = ratio("hit", "judged")


@dataclass(frozen=True)
class Controls:
    """How people judge what is known to be right or wrong.

    Attributes:
        se: P(verify | right).
        sp: P(not verify | wrong), at the study's own mix of edits and removals.
        wrong: number of distinct wrong controls.
        who: whose judgments these are, in words.
        gate: the policy's gate under which the study's judgments are the same people's.
        reason: why nothing can be corrected; empty if it can.
    """

    se: Share
    sp: Share
    wrong: int
    who: str
    gate: str
    reason: str = ""


def corrected_rows(measured: Measured, level: float) -> tuple[list[dict[str, Any]], pd.DataFrame, list[str]]:
    """Rows of metrics.csv, the corrected rate over Sp, and what must be said.

    The controls and the rates are of the same people: those who count, if some controls did not decide who
    counts; else everyone who submitted. Values are shares whatever the policy's resolution; recall is of
    distinct items, pooled, whatever its union.
    """
    plain = {"pooling": "item", "resolution": "share", "union_edits": "no", "hits": "own"}
    controls = read_controls(measured)
    wanted = plain | {"gate": controls.gate}
    people = measured
    if not controls.reason and any(measured.policy.choices[name] != value for name, value in wanted.items()):
        people = measure(measured.study, measured.policy.override(wanted))
    rows = [row for source in people.sources for row in _source(people, source, controls, level)]
    rows = [{**row, "policy": measured.policy.name} for row in rows]
    order = {name: place for place, name in enumerate([*people.datasets, ALL])}
    rows.sort(key=lambda row: order[row["dataset"]])
    warnings = []
    if not controls.reason:
        warnings.append(
            "Corrected numbers take planted wrong links to be as hard to see as real errors; if those are"
            " harder, the truth is lower. sensitivity.csv shows how much hangs on it."
        )
        if controls.wrong < FEW_CONTROLS:
            warnings.append(
                f"Corrected numbers rest on {controls.wrong} distinct wrong controls, fewer than"
                f" {FEW_CONTROLS}."
            )
    return rows, _sensitivity(measured.policy.name, rows, controls), warnings


def read_controls(measured: Measured) -> Controls:
    """Se and Sp from the controls of the study, clustered by worker and by control."""
    answers = measured.study["control_answers"]
    # Right links alone that decide nothing tell only half of how people err. Decoys decide nothing either.
    asked = answers.loc[answers["use"] != "gate", "expected"] == VERIFY
    apart = bool(asked.any() and not asked.all())
    rule = measured.policy.gate if apart else "none"
    who = "workers who count, controls that decided nothing" if apart else "everyone, all controls"
    rows = _control_rows(measured, rule, measure_only=apart)
    nothing = Share(float("nan"), 0)
    right = rows[rows["expected"] == VERIFY]
    wrong = rows[rows["expected"] != VERIFY]
    for part, name in ((right, "right"), (wrong, "wrong")):
        if part.empty:
            reason = f"no control with a {name} link was judged, so how people err is not known"
            return Controls(nothing, nothing, 0, who, rule, reason)
    se = _share(right, right["verified"].to_numpy())
    sp = _specificity(wrong, measured)
    reason = ""
    informed = se.value + sp.value - 1
    least = informed - float(special.ndtri(0.975)) * sqrt(se.variance + sp.variance)
    if least < _LEAST:
        reason = (
            f"on the controls people do not tell right from wrong links well enough: Se + Sp - 1 is"
            f" {informed:.2f}, and may be {max(least, -1):.2f}"
        )
    return Controls(se, sp, wrong["item"].nunique(), who, rule, reason)


def _control_rows(measured: Measured, rule: str, *, measure_only: bool) -> pd.DataFrame:
    """Judgments of controls with a known answer: worker, item (the control), expected, verified."""
    study = measured.study
    answers = study["control_answers"]
    if measure_only:
        answers = answers[answers["use"] != "gate"]
    enters, _ = gate_of(study["assignments"], rule)
    inside = study["assignments"].loc[enters, ["assignment", "worker"]]
    made = study["judgments"]
    made = made[made["current"].astype(bool) & (made["role"] == "worker")]
    displays = study["displays"].rename(columns={"key": "shown"})
    rows = made.merge(answers, on="display").merge(inside, on="assignment").merge(displays, on="display")
    rows = rows.merge(study["tasks"][["task", "segment"]], on="task")
    same = (rows["key"] == rows["shown"]).fillna(value=False).to_numpy(dtype=bool)
    verified = (rows["decision"] == VERIFY).to_numpy() | ((rows["decision"] == EDIT).to_numpy() & same)
    place = pd.MultiIndex.from_frame(rows[["segment", "start", "end", "shown"]].astype("str"))
    # Whoever has no name is somebody of his own in each assignment.
    named = rows["worker"].where(rows["worker"] != "", "\0" + rows["assignment"].astype("str"))
    return pd.DataFrame(
        {
            "worker": named.astype("str"),
            "item": pd.factorize(place, sort=True)[0],
            "expected": rows["expected"],
            "verified": verified.astype(np.int64),
        }
    ).sort_values(["item", "worker"], ignore_index=True)


def _share(rows: pd.DataFrame, hits: np.ndarray) -> Share:
    """A share of control judgments, worth what its clusters (controls x workers) leave of it."""
    item, worker = (pd.factorize(rows[name], sort=True)[0] for name in ("item", "worker"))
    counts = Counts.of(document=item, unit=item, worker=worker, quantities={"hit": hits, "judged": 1})
    return _worth(
        spread(Tally(counts, [0, int(item.max()) + 1]).cut(ALL_DATASETS), _VALUE, "judged", "two-way")
    )


def _worth(found: Spread) -> Share:
    n = worth(found.estimate, found.n, found.variance, found.member, MIN_ICC)
    return Share(found.estimate, n)


def _specificity(wrong: pd.DataFrame, measured: Measured) -> Share:
    """Sp of wrong entities and of links that are none, weighed by how often the study edits and removes."""
    votes = measured.votes
    share = 1 / votes["n"].to_numpy()
    edits, removals = (float((votes[name].to_numpy() * share).sum()) for name in ("edit", "remove"))
    parts = [
        (weight, _share(rows, 1 - rows["verified"].to_numpy()))
        for expected, weight in (("edit", edits), ("remove", removals))
        if len(rows := wrong[wrong["expected"] == expected]) and weight > 0
    ]
    if not parts:
        return _share(wrong, 1 - wrong["verified"].to_numpy())
    total = sum(weight for weight, _ in parts)
    value = sum(weight / total * part.value for weight, part in parts)
    variance = sum((weight / total) ** 2 * part.variance for weight, part in parts)
    n = value * (1 - value) / variance if variance > 0 else sum(part.n for _, part in parts)
    return Share(value, n)


def _source(people: Measured, source: str, controls: Controls, level: float) -> Iterator[dict[str, Any]]:
    view = people.view(ALL, source)
    counts = judged(view)
    hits = {"hit": counts.quantities["verify"], "judged": counts.quantities["judged"]}
    rates = Counts(counts.document, counts.segment, counts.unit, counts.worker, counts.n, hits)
    tally = Tally(rates, people.bounds, people.weight)
    recall = Tally(_items(people, source), people.bounds, people.weight)
    for place, dataset in enumerate([*people.datasets, ALL]):
        if not view.in_documents[people.document_codes(dataset)].any():
            continue
        at = ALL_DATASETS if dataset == ALL else place
        head = {"dataset": dataset, "source": source, "level": level, "reason": controls.reason}
        weighted = people.weight is not None
        n = _plain(tally, "judged", at, weighted=weighted)
        whole = _plain(recall, "items", at, weighted=weighted)
        rate: dict[str, Any] = {**head, "metric": RATE, "n": n}
        found: dict[str, Any] = {**head, "metric": RECALL, "n": whole}
        if not n or not whole:
            rate["reason"] = found["reason"] = "no annotation of this source was judged by anyone who counts"
        if parted(people):
            found["reason"] = "the plan drew tasks of single sources: what they found together is not known"
        if not rate["reason"]:
            rate |= _rate(people, tally.cut(at), controls, level)
        if not found["reason"]:
            found |= _recall(people, recall.cut(at), controls, level)
        yield rate
        yield found


def _plain(tally: Tally, quantity: str, at: int, *, weighted: bool) -> float:
    """How many units were judged; the weights of a sample do not enter."""
    if not weighted:
        return float(tally.cut(at).total[quantity][0])
    return float(Tally(tally.counts, tally.bounds, units=False).cut(at).total[quantity][0])


def _kind(people: Measured, cut: Cut) -> str:
    return "document" if people.anonymous or cut.n_workers < FEW_WORKERS else "two-way"


def _rate(people: Measured, cut: Cut, controls: Controls, level: float) -> dict[str, Any]:
    found = spread(cut, _VALUE, "judged", _kind(people, cut))
    if people.weight is not None:
        counts, rows = cut.tally.counts, cut.rows
        inside = (counts.document >= rows.start) & (counts.document < rows.stop)
        size = size_of(counts, "judged", people.weight, inside)
        found = replace(found, n=size, member=found.member * size / found.n)
    p = _worth(found)
    low, high = lang_reiczigel(p, controls.se, controls.sp, level)
    return {
        "estimate": rogan_gladen(p.value, controls.se.value, controls.sp.value),
        "low": low,
        "high": high,
        "raw": p.value,
        "method": f"Lang-Reiczigel on effective sizes; {controls.who}; Se {controls.se.value:.3f}, Sp"
        f" {controls.sp.value:.3f}",
        "target": "documents and controls like these",
        "clusters": found.clusters,
    }


def _items(people: Measured, source: str) -> Counts:
    """Values of all judged items, and of those that the source has; what nobody verified counts too."""
    votes = people.view(ALL, source).item_votes
    item = votes["item"].to_numpy()
    mine = people.support[item, people.source_code(source)].astype(np.int64)
    return Counts.of(
        document=votes["document_code"],
        segment=votes["segment"],
        unit=item,
        worker=votes["worker"],
        n=votes["n"],
        quantities={
            "union": votes["verify"],
            "items": 1,
            "found": votes["verify"] * mine,
            "own": mine,
        },
    )


def _recall(people: Measured, cut: Cut, controls: Controls, level: float) -> dict[str, Any]:
    """Sum over the source's items of y - (1 - Sp), over that of all: Se cancels."""
    wrong = 1 - controls.sp.value

    def value(sums: Any) -> Any:
        below = sums["union"] - wrong * sums["items"]
        return np.where(below > 0, (sums["found"] - wrong * sums["own"]) / below, np.nan)

    found = spread(cut, value, "items", _kind(people, cut))
    if np.isnan(found.estimate):
        return {"reason": "so few are verified that all may be wrong links which were accepted"}
    total = {name: float(values[0]) for name, values in cut.total.items()}
    below = total["union"] - wrong * total["items"]
    above = total["found"] - wrong * total["own"]
    slope = (total["own"] * below - above * total["items"]) / below**2
    estimate = min(1.0, max(0.0, found.estimate))
    row = {
        "estimate": estimate,
        "method": f"jackknife-t with the variance of Sp; {controls.who}; Sp {controls.sp.value:.3f}",
        "target": "documents and controls like these",
        "clusters": found.clusters,
    }
    if np.isnan(found.variance) or found.df <= 0:
        return row | {"reason": "no interval: everything lies in one cluster", "target": ""}
    variance = found.variance + slope**2 * controls.sp.variance
    half = float(special.stdtrit(found.df, (1 + level) / 2)) * sqrt(variance)
    return row | {"low": max(0.0, estimate - half), "high": min(1.0, estimate + half)}


def _sensitivity(policy: str, rows: list[dict[str, Any]], controls: Controls) -> pd.DataFrame:
    """The corrected rate if Sp were another; and the Sp at which it equals the raw one."""
    out = []
    for row in rows:
        if row["metric"] != RATE or "raw" not in row:
            continue
        raw, se = row["raw"], controls.se.value
        points = [(sp, "if Sp were this") for sp in _SPECIFICITIES if se + sp - 1 > _LEAST]
        points.append((controls.sp.value, "as the controls say"))
        if (same := equal_specificity(raw, se)) is not None:
            points.append((same, "corrected equals raw"))
        out += [
            (policy, row["dataset"], row["source"], sp, rogan_gladen(raw, se, sp), what)
            for sp, what in sorted(points)
        ]
    frame = pd.DataFrame(out, columns=list(SENSITIVITY_COLUMNS))
    return frame.astype({"sp": float, "corrected": float})
