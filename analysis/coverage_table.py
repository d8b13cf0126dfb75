"""The coverage table: the union and the ground truth held against each other, both ways, letter by letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.imported import coded
from analysis.letters import LETTERS, PARTS_OF_E, Coverage, letters
from analysis.measured import Measured
from analysis.metrics.coverage import MEANING, reference, union_letters, where_gt_ran
from analysis.sampled import parted
from analysis.schema import ALL
from analysis.union import speakers

Floats = npt.NDArray[np.float64]

COLUMNS: Final = (
    "dataset",
    "direction",
    "letter",
    "meaning",
    "n",
    "sum",
    "share",
    "any",
    "nil_same_span",
    "gt_verified",
    "gt_rejected",
    "gt_unjudged",
)
DIRECTIONS: Final = ("union_vs_gt", "models_vs_gt", "gt_vs_union", "gt_vs_models")


@dataclass(frozen=True)
class _Direction:
    """One direction, an item a row: its letter, its y, what was said of the ground truth there.

    `y` and `gt` have the weight of the item's segment.
    """

    name: str
    document: npt.NDArray[np.int64]
    y: Floats
    got: Coverage
    gt: dict[str, Floats]


def coverage_table(measured: Measured) -> pd.DataFrame:
    """Counts and shares of the letters in all four directions, a row a dataset, direction and letter.

    Directions: the union against the ground truth; the union of the models alone against it (the ground
    truth being a source, A is otherwise circular); the ground truth's links against either. Datasets are
    followed by `*`, all of them.

    Columns:
        n: items of that letter (with y > 0, or ground-truth links).
        sum: their sum of y; for ground-truth links their number. Of a sample, weighted by segment, as is
            what was said of the ground truth.
        share: sum / sum over A to E; empty where that is 0.
        any: items for which the letter holds for any annotation, whatever their first letter (A to D).
        nil_same_span: items of that letter whose very span the ground truth marks NIL or unmapped.
        gt_verified, gt_rejected, gt_unjudged: what judges said of the ground truth's own annotation there
            (behind a letter A to D; the link itself where the ground truth is what is described). They
            add to n; a share of verifying judgments counts as that share. Behind B, gt_rejected says that
            the ground truth is wrong, gt_verified that two answers were accepted.

    Returns:
        No rows where the study has no ground truth, or its plan drew tasks of single sources.
    """
    if measured.gt is None or parted(measured):
        return pd.DataFrame(columns=list(COLUMNS))
    found = _directions(measured)
    rows = []
    for dataset in (*measured.datasets, ALL):
        stretch = measured.document_codes(dataset)
        for direction in found:
            here = (direction.document >= stretch.start) & (direction.document < stretch.stop)
            rows += _rows(dataset, direction, here)
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"any": "Int64"})


def _directions(measured: Measured) -> list[_Direction]:
    target = reference(measured)
    behind_target = _outcomes(target)
    everything, got = union_letters(measured)
    models = _models(measured)
    out = []
    for name, items, found in zip(
        DIRECTIONS[:2], (everything, models), (got, letters(coded(models), target)), strict=True
    ):
        weight = _weight(measured, items["segment"])
        gt = {key: values * weight for key, values in _behind(found, behind_target, len(items)).items()}
        y = items["y"].to_numpy(float) * weight
        out.append(_Direction(name, _documents(items), y, found, gt))
    # What is outside the scope is counted against nothing, in either direction.
    in_scope = measured.annotations["in_scope"].to_numpy()[target.index.to_numpy()]
    own = target.loc[(target["kind"] == "link") & in_scope].drop_duplicates("item")
    own = own[_weight(measured, own["segment"]) > 0]
    weight = _weight(measured, own["segment"])
    rows = target.index.get_indexer(own.index)
    gt = {name: values[rows] * weight for name, values in behind_target.items()}
    document = own["document"].to_numpy(np.int64)
    for name, items in zip(DIRECTIONS[2:], (everything, models), strict=True):
        found = letters(own, coded(items))
        out.append(_Direction(name, document, weight, found, gt))
    return out


def _weight(measured: Measured, segment: pd.Series) -> Floats:
    """The weight of segments by code. In a sample what lies in none cannot have been drawn."""
    if measured.weight is None:
        return np.ones(len(segment))
    weight: Floats = np.append(measured.weight, 0.0)[segment.to_numpy(np.int64)]
    return weight


def _documents(items: pd.DataFrame) -> npt.NDArray[np.int64]:
    return items["document_code"].to_numpy(np.int64)


def _models(measured: Measured) -> pd.DataFrame:
    """The items that models have verified, y being the largest of the models' own annotations."""
    models = np.array([name != measured.gt for name in measured.sources])
    spoken = speakers(measured.view(), models)
    y = np.zeros(len(measured.items))
    y[spoken["item"].to_numpy(np.int64)] = spoken["y"]
    return measured.items.assign(y=y).iloc[where_gt_ran(measured, np.flatnonzero(y))]


def _outcomes(target: pd.DataFrame) -> dict[str, Floats]:
    """Of each ground-truth annotation: verified and rejected as shares, unjudged as 0 or 1."""
    judged = target["judged"].to_numpy(bool)
    share = np.where(judged, target["verify"] / target["n"].where(judged, 1), 0.0)
    return {
        "gt_verified": share,
        "gt_rejected": np.where(judged, 1.0 - share, 0.0),
        "gt_unjudged": (~judged).astype(float),
    }


def _behind(got: Coverage, outcome: dict[str, Floats], size: int) -> dict[str, Floats]:
    """The outcome behind each item's letter: of the best of its annotations; judged ones go first."""
    rows = got.behind.assign(
        **{name: values[got.behind["reference"].to_numpy()] for name, values in outcome.items()}
    )
    rows = rows.sort_values(
        ["item", "gt_unjudged", "gt_verified"], ascending=[True, True, False], kind="stable"
    )
    rows = rows.drop_duplicates("item")
    out = {}
    for name in outcome:
        out[name] = np.full(size, np.nan)
        out[name][rows["item"].to_numpy()] = rows[name].to_numpy()
    return out


def _rows(dataset: str, direction: _Direction, here: npt.NDArray[np.bool_]) -> list[dict[str, object]]:
    total = float(direction.y[here].sum())
    # The parts of E tell the ground truth's NIL from nothing: they describe items, not the ground truth.
    names = (*LETTERS, *PARTS_OF_E) if direction.name in DIRECTIONS[:2] else LETTERS
    rows = []
    for name in names:
        column = direction.got.part if name in PARTS_OF_E else direction.got.letter
        mask = here & (column == name)
        weight = float(direction.y[mask].sum())
        flags = direction.got.any
        row: dict[str, object] = {
            "dataset": dataset,
            "direction": direction.name,
            "letter": name,
            "meaning": MEANING[name] if direction.name in DIRECTIONS[:2] else _turned(name),
            "n": int(mask.sum()),
            "sum": weight,
            "share": weight / total if total else None,
            "any": int(flags.loc[here, name].sum()) if name in flags else None,
            "nil_same_span": int((direction.got.nil_same_span & mask).sum()),
        }
        known = name not in ("E", *PARTS_OF_E) or direction.name in DIRECTIONS[2:]
        rows.append(
            row | {key: float(values[mask].sum()) if known else None for key, values in direction.gt.items()}
        )
    return rows


def _turned(letter: str) -> str:
    """What a letter means where the ground truth is described."""
    return (
        MEANING[letter]
        .replace("a ground-truth link", "a verified item")
        .replace("no ground-truth link", "no verified item")
    )
