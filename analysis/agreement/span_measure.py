"""`span_agreement`: how far workers agree about where spans are and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.agreement import beside, unitizing
from analysis.agreement.classes import Classes, Tallied
from analysis.agreement.coefficient import Ready
from analysis.agreement.formulas import (
    NO_CHANCE,
    Formula,
    Parts,
    Sums,
    alpha_nominal,
    multi_kappa,
    quotient,
    value,
)
from analysis.agreement.found import Agreement, Record, band
from analysis.agreement.gamma import Gamma, gamma
from analysis.agreement.intervals import Sampled, Settings, interval_of
from analysis.agreement.linear import standard_error
from analysis.agreement.marks import Marks, read
from analysis.agreement.measure import check_options
from analysis.agreement.registry import refuse
from analysis.agreement.span_blocks import documents_as_classes, matched, pairs_of, positions
from analysis.agreement.span_declared import GAMMA, MATCHINGS, SCHEMES, USUAL, matching_of, span_coefficient
from analysis.engine.counts import Floats
from analysis.errors import InputError

_NOBODY: Final = "no document was done by two workers"
_NO_SPANS: Final = "no two workers have a span in a document that both did"
_NO_LENGTH: Final = "the length of documents is not known: it needs a column length"
_OVERLAP: Final = "a worker marked overlapping spans of one label, which a continuum cannot hold"
_FEW: Final = 20


def span_agreement(
    table: pd.DataFrame,
    *,
    interval: str = "jackknife",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    coefficients: Sequence[str] | None = None,
) -> Agreement:
    """Agreement of workers about spans.

    Args:
        table: columns document, worker, start, end, label and, where known, length (of the document, in the
            same positions); a row with start, end and label empty says the worker marked nothing there.
        interval: jackknife, percentile, basic or bca, over documents.
        level: of the intervals.
        replicates: of the bootstrap; 0: none.
        seed: of the bootstrap.
        coefficients: names; None: all but gamma. `span_f1_iou75` asks for 75 % of all positions shared.

    Raises:
        InputError: a row is no span, or a coefficient is unknown.
    """
    wanted = list(USUAL) if coefficients is None else list(coefficients)
    refuse(wanted)
    for name in wanted:
        span_coefficient(name)
    check_options("nominal", interval, level, replicates)
    if interval == "gwet":
        raise InputError("Gwet's standard error is for labels", where="interval", remedy="Use jackknife.")
    marks, settings = read(table), Settings(level, interval, replicates, seed)
    documents = Sampled(documents_as_classes(marks), settings)
    tagged: dict[str, Sampled] = {}
    records, notes = [], []
    for name in wanted:
        if name in SCHEMES:
            scheme = SCHEMES[name]
            if scheme not in tagged:
                tagged[scheme] = Sampled(positions(marks, scheme)[0], settings)
        sampled = tagged[SCHEMES[name]] if name in SCHEMES else documents
        given = None
        if name == GAMMA and not _reason(name, marks, documents.classes):
            given = gamma(marks, seed)
        record = _record(name, marks, sampled, documents.classes, given)
        if given is not None and record["estimate"] is not None:
            record["se"] = hypot(record["se"] or 0.0, given.error)
            notes.append(_sampling(given))
        records.append(record)
    return Agreement(
        records=records,
        table=_told_apart(marks),
        categories=[],
        workers=_workers(marks),
        units=[],
        overlap=beside.overlap(documents.classes),
        warnings=[*marks.notes, *_warnings(documents.classes), *notes],
    )


def _f1(pairs: int) -> Formula:
    def parts(sums: Sums) -> Parts:
        found = sums["matched"]
        each = quotient(found[..., :pairs], found[..., pairs:])
        defined = ~np.isnan(each)
        mean = quotient(np.where(defined, each, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64))
        return 1 - mean, np.ones_like(mean)

    return parts


def _weighed(block: str) -> Formula:
    """Observed and expected of a block of them and their weight."""

    def parts(sums: Sums) -> Parts:
        found = sums[block]
        return quotient(found[..., 0], found[..., 2]), quotient(found[..., 1], found[..., 2])

    return parts


def _made(block: Floats) -> Callable[[Tallied], Floats]:
    return lambda _: block


def _sampling(given: Gamma) -> str:
    off = f"it may be {1.96 * given.error:.3f} off to either side"
    return f"gamma rests on {given.samples} samples of each document: by sampling alone {off} (95 %)"


def _ready(name: str, marks: Marks, given: Gamma | None) -> Ready:
    """What is summed for a coefficient."""
    if given is not None:
        return Ready(_weighed(GAMMA), (GAMMA,), {GAMMA: _made(given.sums)})
    if how := matching_of(name):
        block = f"matched {name}"
        inner = _f1(len(pairs_of(marks)))
        return Ready(
            lambda sums: inner({"matched": sums[block]}), (block,), {block: _made(matched(marks, how))}
        )
    if name == "alpha_u":
        return Ready(_weighed("unitized"), ("unitized",), {"unitized": _made(unitizing.disagreements(marks))})
    if "alpha" in name:
        return Ready(alpha_nominal, ("matches", "pairable"))
    return Ready(multi_kappa(len(marks.workers)), ("agree", "paired", "margin"))


def _reason(name: str, marks: Marks, of: Classes) -> str:
    """Why a coefficient cannot be computed; "" where it can."""
    if not of.paired.any():
        return _NOBODY
    if matching_of(name):
        return ""
    known = (marks.length > 0) & (marks.done.sum(axis=1) > 1)
    if not known.any():
        return _NO_LENGTH
    return _OVERLAP if name == "alpha_u" and unitizing.overlapping_units(marks) else ""


def _record(name: str, marks: Marks, sampled: Sampled, documents: Classes, given: Gamma | None) -> Record:
    settings = sampled.settings
    both = documents.paired > 0
    record: Record = {
        "coefficient": name,
        "category": "",
        "estimate": None,
        "low": None,
        "high": None,
        "level": settings.level,
        "method": "",
        "n_units": int(both.sum()),
        "n_workers": int(marks.done[both].any(axis=0).sum()),
        "reason": _reason(name, marks, documents),
        "band": "",
        "bootstrap_low": None,
        "bootstrap_high": None,
        "se": None,
    }
    if record["reason"]:
        return record
    ready = _ready(name, marks, given)
    estimate = float(value(ready.formula(sampled.total(ready))))
    if np.isnan(estimate):
        return record | {"reason": _NO_SPANS if matching_of(name) else NO_CHANCE}
    found = interval_of(sampled, ready, "documents")
    low, high = found.limits or (None, None)
    below, above = found.beside or (None, None)
    return record | {
        "estimate": estimate,
        "low": low,
        "high": high,
        "method": found.method,
        "reason": found.reason,
        "band": band(name, low) if span_coefficient(name).corrected else "",
        "bootstrap_low": below,
        "bootstrap_high": above,
        "se": standard_error(sampled, ready),
    }


def _told_apart(marks: Marks) -> dict[str, Any]:
    """Of all pairs of workers: F1, and spans that agree in both, in one, or in nothing."""
    every = pairs_of(marks)
    sums = {name: matched(marks, how).sum(axis=0) for name, how in MATCHINGS.items() if how.spans != "iou"}
    rows = []
    for place, (one, other) in enumerate(every):
        spans = float(sums["span_f1_exact"][len(every) + place])
        same, placed, called, met = (
            float(sums[name][place]) / 2
            for name in (
                "span_f1_exact",
                "span_f1_exact_untyped",
                "span_f1_overlap",
                "span_f1_overlap_untyped",
            )
        )
        rows.append(
            {
                "workers": [marks.workers[one], marks.workers[other]],
                "spans": int(spans),
                "f1_exact": 2 * same / spans if spans else None,
                "f1_overlap": 2 * called / spans if spans else None,
                "same_span_and_label": int(same),
                "label_differs": int(placed - same),
                "boundary_differs": int(called - same),
                "matched_at_all": int(met),
            }
        )
    return {"kind": "pairs", "categories": list(marks.labels), "rows": rows}


def _workers(marks: Marks) -> list[Record]:
    given = np.bincount(marks.worker, minlength=len(marks.workers))
    return [
        {
            "worker": name,
            "labels": int(given[place]),
            "documents": int(marks.done[:, place].sum()),
            "agreement_with_rest": None,
            "alpha_without": None,
        }
        for place, name in enumerate(marks.workers)
    ]


def _warnings(of: Classes) -> list[str]:
    both = int(of.paired.sum())
    if both and both < _FEW:
        return [f"only {both} documents were done by two workers: intervals are rough under {_FEW}"]
    return []
