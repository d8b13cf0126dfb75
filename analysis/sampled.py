"""What a sampling plan leaves of the numbers: which it breaks, with the reason, and what units are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from analysis.engine.counts import Bools, Codes, Counts, Floats
from analysis.errors import InputError, plain
from analysis.measured import Measured
from analysis.metrics.registry import Metric
from analysis.study import Study

Unit = Literal["document", "segment", "task"]
UNITS: Final[tuple[Unit, ...]] = ("document", "segment", "task")


@dataclass(frozen=True)
class Sampling:
    """How a study's segments were drawn, as its manifest says.

    Attributes:
        unit: document, segment (with all its sources) or task (a segment with one source).
        method: all, simple, stratified, size.
        share: of the units that was drawn; None where it is not said.
        strata: what a stratified sample drew within: dataset, document.
    """

    unit: Unit
    method: str
    share: float | None
    strata: tuple[str, ...] = ()


def sampling(study: Study) -> Sampling | None:
    """The sampling plan; None where everything was planned.

    Raises:
        InputError: the manifest says something that is no sampling plan.
    """
    found = study.manifest.get("sampling")
    if found is None:
        return None
    where = "manifest.json: sampling"
    if not isinstance(found, Mapping):
        raise InputError("not a sampling plan", where=where, got=plain(found), expected="unit, method, share")
    unit, method, share = (found.get(name) for name in ("unit", "method", "share"))
    if unit not in UNITS:
        raise InputError("no such sampling unit", where=where, got=plain(unit), expected=", ".join(UNITS))
    if share is not None and not (isinstance(share, int | float) and 0 < share <= 1):
        raise InputError("not a share", where=where, got=plain(share), expected="more than 0, at most 1")
    if method == "all":
        return None
    strata = found.get("strata") or ()
    if not isinstance(strata, list | tuple):
        raise InputError("not a list of strata", where=where, got=plain(strata), expected="dataset, document")
    within = tuple(map(str, strata)) if method == "stratified" else ()
    return Sampling(unit, str(method), None if share is None else float(share), within)


def refusal(measured: Measured, metric: Metric) -> str:
    """Why a sample leaves a metric undefined; empty where it does not."""
    plan = sampling(measured.study)
    if plan is None:
        return ""
    if parted(measured) and (metric.family == "union" or metric.name.startswith("verified_")):
        return (
            "the plan drew tasks of single sources: where one source was judged another was not, so what the"
            " sources found together, and what each found of it, is not known"
        )
    if metric.macro and _by_judgments(metric) and plan.unit != "document":
        return "the plan drew parts of documents: a mean over documents needs whole ones"
    return ""


def _by_judgments(metric: Metric) -> bool:
    """Whether a metric is about what was judged, and not about all that was imported."""
    return metric.family != "matching" or metric.name.endswith("_judged")


def document_weight(measured: Measured, metric: Metric) -> Floats | None:
    """What each document of a sample of documents stands for in a mean over documents; None: all alike.

    The mean is Hajek's: sum of w x value / sum of w, over the documents that have a value (Saerndal, Swensson
    and Wretman 1992, 5.7). Of documents with equal weights it is the plain mean.
    """
    plan = sampling(measured.study)
    if plan is None or plan.unit != "document" or not (metric.macro and _by_judgments(metric)):
        return None
    if not _unequal(measured):
        return None
    weight = np.zeros(len(measured.documents))
    np.maximum.at(
        weight, measured.segments["document_code"].to_numpy(), measured.segments["weight"].to_numpy(float)
    )
    return weight


def parted(measured: Measured) -> bool:
    """Whether sources were judged on different parts, so that nothing they share is known."""
    plan = sampling(measured.study)
    return plan is not None and plan.unit == "task"


def _unequal(measured: Measured) -> bool:
    weight = measured.segments["weight"].to_numpy(float)
    return len(np.unique(weight[weight > 0])) > 1


def drawn_share(measured: Measured, stretch: slice) -> float:
    """Share of the segments of some documents that the plan drew one by one; 0 where it drew otherwise."""
    plan = sampling(measured.study)
    if plan is None or plan.unit != "segment":
        return 0.0
    document = measured.segments["document_code"].to_numpy()
    inside = (document >= stretch.start) & (document < stretch.stop)
    return float((measured.segments["weight"].to_numpy(float)[inside] > 0).mean()) if inside.any() else 0.0


def strata_of(measured: Measured) -> Strata | None:
    """The strata of a sample of segments; None where it has none."""
    plan = sampling(measured.study)
    names = [] if plan is None else [name for name in plan.strata if name in ("dataset", "document")]
    if plan is None or plan.unit != "segment" or not names:
        return None
    # A document lies in one dataset.
    by = ["dataset", "document"] if "document" in names else ["dataset"]
    of: Codes = measured.documents.groupby(by, sort=True).ngroup().to_numpy().astype(np.int64)
    stratum = of[measured.segments["document_code"].to_numpy()]
    drawn = (measured.segments["weight"].to_numpy(float) > 0).astype(float)
    count = np.maximum(np.bincount(stratum, minlength=int(of.max(initial=-1)) + 1), 1)
    return Strata(of, np.bincount(stratum, weights=drawn, minlength=len(count)) / count)


def notes(study: Study) -> list[str]:
    """What a reader of a sampled study must know."""
    plan = sampling(study)
    if plan is None:
        return []
    drawn = int((study["segments"]["weight"] > 0).sum())
    whole = {"document": "documents", "segment": "segments", "task": "tasks"}[plan.unit]
    share = f"{drawn} of {len(study['segments'])} segments are in it"
    said = [
        f"A sample of {whole} was judged ({share}): numbers from judgments are weighted estimates for all."
    ]
    if plan.unit == "task":
        said.append(
            "Tasks of single sources were drawn: recall, F1, union, coverage and i of n are undefined."
        )
    return said


@dataclass(frozen=True)
class Strata:
    """Within what the segments of a stratified sample were drawn.

    Attributes:
        of: stratum of each document.
        drawn: share of each stratum's segments that was drawn.
    """

    of: Codes
    drawn: Floats

    def variance(self, values: Floats, estimate: float, document: Codes) -> float:
        """Of an estimate from its values without each segment: their spread within strata.

        Sum over strata of (1 - f) n / (n - 1) sum of (d - mean d)^2, d being the value without the segment
        less the estimate. Of a stratum with one segment drawn the spread is not known: d^2 is taken.

        Args:
            values: without each segment.
            estimate: with all.
            document: of each segment.
        """
        stratum = self.of[document]
        d = values - estimate
        size = np.bincount(stratum, minlength=len(self.drawn)).astype(float)
        mean = np.bincount(stratum, weights=d, minlength=len(size)) / np.maximum(size, 1)
        several = size > 1
        centred = (d - np.where(several, mean, 0.0)[stratum]) ** 2
        factor = np.where(several, size / np.maximum(size - 1, 1), 1.0) * (1 - self.drawn)
        return float((factor[stratum] * centred).sum())


@dataclass(frozen=True)
class Size:
    """How much a cell rests on: units counted plainly, and what unequal weights leave of them.

    Attributes:
        plain: units that were judged.
        effective: what unequal weights leave of them.
        drawn: share of the corpus' segments that were drawn one by one, for the finite population
            correction of intervals by segments; 0 where they were drawn otherwise.
        strata: within which they were drawn.
    """

    plain: float
    effective: float
    drawn: float = 0.0
    strata: Strata | None = None


def size_of(counts: Counts, quantity: str, weight: Floats, rows: Bools) -> float:
    """Kish's effective size of some rows of weighted counts: (sum of w)^2 / sum of w^2.

    Args:
        counts: the rows.
        quantity: whose total is n.
        weight: of each segment.
        rows: which rows.
    """
    value = counts.quantities[quantity][rows] / counts.n[rows]
    each = np.append(weight, 1.0)[counts.segment[rows]]
    squares = float((each**2 * value).sum())
    return float((each * value).sum()) ** 2 / squares if squares > 0 else 0.0
