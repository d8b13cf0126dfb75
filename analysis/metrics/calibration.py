"""Whether a source's confidence means what it says: squared error, and error in ten equal bins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.engine.counts import Counts
from analysis.measured import View
from analysis.metrics.registry import Metric, register

# Confidences are counted in ten-thousandths, so that sums are exact in any order.
_TICKS: Final = 10_000
BINS: Final = 10
_CLUSTERS: Final = ("document", "segment", "annotation", "worker", "two-way")
_UNDEFINED: Final = "no judged annotation of this source has a confidence between 0 and 1"


def count(view: View) -> Counts:
    """Each judgment of an annotation whose confidence is known, held against that confidence."""
    confidence = view.measured.annotations["confidence"].to_numpy(float)
    votes = view.votes
    own = confidence[votes["annotation"].to_numpy()]
    known = (own >= 0) & (own <= 1)
    votes, own = votes[known], own[known]
    ticks = np.round(own * _TICKS).astype(np.int64)
    verify = votes["verify"].to_numpy(np.int64)
    place = np.minimum(ticks * BINS // _TICKS, BINS - 1)
    weight = votes["weight"].to_numpy(np.int64)
    # A vote is all or nothing: weighted, what it adds is that many votes.
    off = ticks * weight - verify * _TICKS
    quantities: dict[str, Any] = {
        "judged": weight,
        "square": off**2 // weight,
        "confidence": ticks * weight,
    }
    for number in range(BINS):
        # Confidence less value: what is left of it in a bin is how far the bin is off.
        quantities[f"off_{number}"] = off * (place == number)
    return Counts.of(
        document=votes["document_code"],
        segment=votes["segment"],
        unit=votes["annotation"],
        worker=votes["worker"],
        n=votes["n"],
        cell=votes["cell"],
        quantities=quantities,
    )


def _over(total: NDArray[Any], judged: NDArray[Any], scale: int) -> NDArray[Any]:
    below = np.asarray(judged, dtype=float)
    return np.where(below > 0, total / np.where(below > 0, below, 1.0) / scale, np.nan)


def _brier(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    return _over(sums["square"], sums["judged"], _TICKS**2)


def _mean(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    return _over(sums["confidence"], sums["judged"], _TICKS)


def _error(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    off = np.sum([np.abs(sums[f"off_{number}"]) for number in range(BINS)], axis=0)
    return _over(off, sums["judged"], _TICKS)


_SQUARED: Final = (
    "mean over judged annotations of the squared difference of confidence and each judgment"
    " (1 verified, 0 not)"
)
_OFF: Final = (
    f"sum over {BINS} bins of equal width of the difference of confidences and values,"
    " taken without its sign, over the number judged"
)
for _name, _title, _formula, _better, _value in (
    ("brier", "Brier score", _SQUARED, "lower", _brier),
    ("calibration_error", "Expected calibration error", _OFF, "lower", _error),
    ("mean_confidence", "Mean confidence", "mean confidence over judged annotations", "none", _mean),
):
    register(
        Metric(
            name=_name,
            title=_title,
            formula=_formula,
            range=(0.0, 1.0),
            better=_better,  # type: ignore[arg-type]  # one of the three words above
            undefined=_UNDEFINED,
            clusters=_CLUSTERS,
            reference="docs/definitions.md section 2",
            family="rates",
            per="source",
            count=count,
            value=_value,
            size="judged",
        )
    )
