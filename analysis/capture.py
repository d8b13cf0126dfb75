"""What nobody found: capture and recapture over mention groups, a sensitivity that lies below the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from analysis.corrected import Controls
from analysis.engine.counts import Bools, Codes, Floats
from analysis.engine.errors_in_judging import chao2, chapman
from analysis.measured import Measured
from analysis.sampled import parted
from analysis.schema import ALL
from analysis.union import group_of

CHAPMAN: Final = "capture_chapman"
CHAO: Final = "capture_chao2"
NAMES: Final = (CHAPMAN, CHAO)
_TWICE: Final = 2
TARGET: Final = "mentions of this corpus, if sources found them independently"
NOTE: Final = (
    "The capture_* numbers take sources to find mentions independently of one another. They do not: what one"
    " finds the others tend to find, so that the truth lies above. They are no estimates of it."
)


@dataclass(frozen=True)
class _Groups:
    """Mention groups of judged items.

    Attributes:
        document: of each.
        value: how much of a mention it is: the largest value of its items, less what people accept wrongly.
        found: (groups x sources) the source has a verified item in it.
    """

    document: Codes
    value: Floats
    found: Bools


def capture_rows(measured: Measured, controls: Controls, level: float) -> list[dict[str, Any]]:
    """Rows of metrics.csv, of datasets: how many mentions there are, found or not.

    Two captures are the ground truth and all models together (Chapman 1951); many, the sources (Chao 1987).
    Where controls tell how people err, a group counts (y - (1 - Sp)) / (Se + Sp - 1), which may be less than
    nothing.

    Args:
        measured: the study.
        controls: what they say of how people err.
        level: of the intervals.
    """
    made = _groups(measured, controls)
    rows = []
    for dataset in (*measured.datasets, ALL):
        stretch = measured.document_codes(dataset)
        inside = (made.document >= stretch.start) & (made.document < stretch.stop)
        part = _Groups(made.document[inside], made.value[inside], made.found[inside])
        for name in NAMES:
            head = {
                "policy": measured.policy.name,
                "dataset": dataset,
                "source": "",
                "metric": name,
                "n": float(part.found.any(axis=1).sum()),
                "level": level,
                "reason": _refused(measured, stretch, name),
            }
            rows.append(head if head["reason"] else head | _estimate(measured, part, name, controls, level))
    return rows


def _refused(measured: Measured, stretch: slice, name: str) -> str:
    ran: Bools = np.asarray(measured.ran[stretch].any(axis=0))
    if parted(measured):
        return "the plan drew tasks of single sources: what several found is not known"
    if name == CHAPMAN and (measured.gt is None or not ran[0] or not ran[1:].any()):
        return "it needs the ground truth and a model"
    if ran.sum() < _TWICE:
        return "it needs two sources"
    return ""


def _groups(measured: Measured, controls: Controls) -> _Groups:
    items = measured.items
    codes = np.flatnonzero((items["judged"] & items["in_scope"] & items["shown"]).to_numpy(bool))
    _, group = np.unique(group_of(measured, codes), return_inverse=True)
    size = int(group.max(initial=-1)) + 1
    y = items["y"].to_numpy(float)[codes]
    value, found = np.zeros(size), np.zeros((size, len(measured.sources)), dtype=bool)
    np.maximum.at(value, group, y)
    own = measured.support[codes] & (y > 0)[:, None]
    np.logical_or.at(found, group, own)
    document = np.zeros(size, dtype=np.int64)
    document[group] = items["document_code"].to_numpy()[codes]
    if not controls.reason:
        value = (value - (1 - controls.sp.value)) / (controls.se.value + controls.sp.value - 1)
    if measured.weight is not None:
        segment = np.full(size, -1, dtype=np.int64)
        segment[group] = items["segment"].to_numpy()[codes]
        value = value * np.append(measured.weight, 1.0)[segment]
    return _Groups(document, value, found)


def _estimate(
    measured: Measured, part: _Groups, name: str, controls: Controls, level: float
) -> dict[str, Any]:
    if name == CHAPMAN:
        gt, models = part.found[:, 0], part.found[:, 1:].any(axis=1)
        first, second, both = (max(0.0, float(part.value[rows].sum())) for rows in (gt, models, gt & models))
        if both <= 0:
            return {"reason": "the ground truth and the models share nothing that was verified"}
        found = chapman(first, second, both, level)
        said = f"Chapman, {measured.gt} and models; {first:.1f}, {second:.1f}, both {both:.1f}"
    else:
        times = part.found.sum(axis=1)
        captures = int(part.found.any(axis=0).sum())
        often = (times > 0, times == 1, times == _TWICE)
        seen, once, twice = (max(0.0, float(part.value[rows].sum())) for rows in often)
        if seen <= 0 or captures < _TWICE:
            return {"reason": "fewer than two sources have something that was verified"}
        if twice <= 0:
            return {"reason": "nothing was found by exactly two sources"}
        found = chao2(seen, once, twice, captures, level)
        said = f"Chao2, {captures} sources; seen {seen:.1f}, once {once:.1f}, twice {twice:.1f}"
    how = "as judged" if controls.reason else f"less what people accept wrongly (Sp {controls.sp.value:.3f})"
    row: dict[str, Any] = {"estimate": found[0], "method": f"{said}; {how}", "target": TARGET}
    if found[2] > found[1]:
        return row | {"low": found[1], "high": found[2]}
    return row | {"reason": "no interval: the formula gives none", "target": ""}
