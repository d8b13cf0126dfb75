"""From exact precision before anyone judged to posthoc precision, step by step: waterfall.csv."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools, Floats
from analysis.imported import coded
from analysis.letters import LETTERS, PARTS_OF_E, letters
from analysis.measured import Measured
from analysis.metrics.coverage import MEANING, reference
from analysis.points import Place, points
from analysis.schema import ALL

COLUMNS: Final = (
    "policy",
    "dataset",
    "source",
    "step",
    "letter",
    "outcome",
    "meaning",
    "n",
    "change",
    "reached",
    "reason",
)
START: Final = "exact precision"
JUDGED: Final = "only what was judged"
LOST: Final = "exact, not verified"
GAINED: Final = "not exact, verified"
NO_LETTER: Final = "none"
WEAK: Final = "matched to the union"
END: Final = "posthoc precision"
_METRICS: Final = ("pre_precision_exact", "verification_rate", "posthoc_precision")
_NOTHING: Final = 1e-12
_NO_LINK: Final = "no link, or outside what the ground truth is held against"
_KINDS: Final = ("A", "B", "C", "D", *PARTS_OF_E, NO_LETTER)
_OUTCOMES: Final = ("verified", "edited", "removed", "tied")


def waterfall(measured: Measured) -> pd.DataFrame:
    """The steps of each model and dataset; they add up to posthoc precision exactly.

    From `exact precision` (all links, against all of the ground truth) to the share of exact links among what
    was judged (`only what was judged`); then exact links that people did not verify are taken away, and the
    others that they did verify are added, by how they stand to the ground truth (A to E1); last, under weak
    hits, what matches the union besides. `outcome` parts what was not verified into edited, removed and tied.
    `n` is the number of judged annotations, of a share y counted as that share.

    Returns:
        No rows where the study has no ground truth.
    """
    rows: list[dict[str, Any]] = []
    if measured.gt is not None:
        reached = points(measured, _METRICS)
        for source in measured.sources[1:]:
            rows += _source(measured, source, reached)
    order = {name: place for place, name in enumerate([*measured.datasets, ALL])}
    rows.sort(key=lambda row: order[row["dataset"]])
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in COLUMNS:
        if name in ("n", "change", "reached"):
            frame[name] = frame[name].astype(float)
        else:
            frame[name] = frame[name].astype(object).fillna("").astype("str")
    return frame


def _source(measured: Measured, source: str, reached: Mapping[Place, float]) -> Iterator[dict[str, Any]]:
    view = measured.view(ALL, source)
    gt_ran = measured.ran[:, 0]
    rows = view.annotations
    rows = rows[rows["judged"].to_numpy(bool)]
    kind = _kinds(measured, rows, gt_ran)
    weight = np.ones(len(rows))
    if measured.weight is not None:
        weight = np.append(measured.weight, 1.0)[rows["segment"].to_numpy()]
    document = rows["document_code"].to_numpy()
    for dataset in (*measured.datasets, ALL):
        stretch = measured.document_codes(dataset)
        inside = (document >= stretch.start) & (document < stretch.stop)
        before, rate, after = (reached.get((dataset, source, name), np.nan) for name in _METRICS)
        if not view.in_documents[stretch].any():
            continue
        head = {"policy": measured.policy.name, "dataset": dataset, "source": source}
        if np.isnan(before) or np.isnan(rate) or np.isnan(after):
            lacking = "before anyone judged" if np.isnan(before) else "posthoc"
            yield head | {"step": START, "reason": f"there is no precision {lacking}"}
            continue
        part = _Part(kind[inside], weight[inside], _outcomes(rows[inside]))
        yield from _steps(head, part, before, rate, after)


class _Part:
    """The judged annotations of one source and dataset: kinds, weights, and outcomes as shares."""

    def __init__(self, kind: Any, weight: Floats, outcomes: dict[str, Floats]) -> None:
        self.kind, self.weight, self.outcomes = kind, weight, outcomes
        self.total = float(weight.sum())

    def share(self, rows: Bools, outcome: str) -> float:
        """Of all judged, those of some rows with an outcome."""
        return float((self.weight[rows] * self.outcomes[outcome][rows]).sum()) / self.total

    def number(self, rows: Bools, outcome: str) -> float:
        """How many they are."""
        return float(self.outcomes[outcome][rows].sum())


def _steps(
    head: dict[str, Any], part: _Part, before: float, rate: float, after: float
) -> Iterator[dict[str, Any]]:
    exact = part.kind == "A"
    level = before
    yield head | {"step": START, "reached": before}
    judged = float(part.weight[exact].sum()) / part.total
    level += judged - before
    yield head | {"step": JUDGED, "n": float(len(part.kind)), "change": judged - before, "reached": level}
    for outcome in _OUTCOMES[1:]:
        change = 0.0 - part.share(exact, outcome)
        level += change
        yield head | {
            "step": LOST,
            "letter": "A",
            "outcome": outcome,
            "meaning": MEANING["A"],
            "n": part.number(exact, outcome),
            "change": change,
            "reached": level,
        }
    for kind in _KINDS[1:]:
        rows = part.kind == kind
        change = part.share(rows, "verified")
        level += change
        yield head | {
            "step": GAINED,
            "letter": kind,
            "outcome": "verified",
            "meaning": MEANING.get(kind, _NO_LINK),
            "n": part.number(rows, "verified"),
            "change": change,
            "reached": level,
        }
    if abs(after - rate) > _NOTHING:
        yield head | {"step": WEAK, "change": after - level, "reached": after}
    yield head | {"step": END, "n": float(len(part.kind)), "reached": after}


def _kinds(measured: Measured, rows: pd.DataFrame, gt_ran: Bools) -> Any:
    """How each judged annotation stands to the ground truth: A to D, E0, E1, or none."""
    out = np.full(len(rows), NO_LETTER, dtype="<U4")
    item = rows["item"].to_numpy()
    linked = (item >= 0) & gt_ran[rows["document_code"].to_numpy()]
    if linked.any():
        items, place = np.unique(item[linked], return_inverse=True)
        got = letters(coded(measured.items.iloc[items]), reference(measured))
        out[linked] = np.where(got.letter == LETTERS[-1], got.part, got.letter)[place]
    return out


def _outcomes(rows: pd.DataFrame) -> dict[str, Floats]:
    n = rows["n"].to_numpy(float)
    names = ("verify", "edit", "remove")
    verified, edited, removed = (rows[name].to_numpy(float) / n for name in names)
    # What is left is rounding, but where votes decide nothing.
    tied = 1 - verified - edited - removed
    return {
        "verified": verified,
        "edited": edited,
        "removed": removed,
        "tied": np.where(tied > _NOTHING, tied, 0.0),
    }
