"""`span_agreement`: how far workers agree about where spans are and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.agreement import beside, unitizing
from analysis.agreement.classes import Classes, Tallied
from analysis.agreement.coefficient import Coefficient, Ready
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
from analysis.agreement.intervals import Sampled, Settings, interval_of
from analysis.agreement.marks import Marks, read
from analysis.agreement.measure import check_options
from analysis.agreement.span_blocks import Matching, documents_as_classes, matched, pairs_of, positions
from analysis.engine.counts import Floats
from analysis.errors import InputError

_F1: Final = "mean over pairs of workers of 2 x matched spans / spans of both"
_NOBODY: Final = "no document was done by two workers"
_NO_SPANS: Final = "no two workers have a span in a document that both did"
_NO_LENGTH: Final = "the length of documents is not known: it needs a column length"
_OVERLAP: Final = "a worker marked overlapping spans of one label, which a continuum cannot hold"
_FEW: Final = 20

MATCHINGS: Final = {
    "span_f1_exact": Matching("exact"),
    "span_f1_overlap": Matching("overlap"),
    "span_f1_iou50": Matching("iou"),
    "span_f1_exact_untyped": Matching("exact", typed=False),
    "span_f1_overlap_untyped": Matching("overlap", typed=False),
    "span_f1_iou50_untyped": Matching("iou", typed=False),
}
SCHEMES: Final = {
    "token_kappa": "IO",
    "token_alpha": "IO",
    "token_kappa_bio": "BIO",
    "token_alpha_bio": "BIO",
    "token_kappa_in_out": "in or out",
    "token_alpha_in_out": "in or out",
}
_WORDS: Final = {
    "exact": "start and end equal",
    "overlap": "a position shared",
    "iou": "half of all positions shared",
}


def _declared() -> dict[str, Coefficient]:
    made = {}
    for name, how in MATCHINGS.items():
        label = "labels equal" if how.typed else "whatever the labels"
        made[name] = _coefficient(
            name,
            f"Span F1, {_WORDS[how.spans]}, {label}",
            f"{_F1}; a pair matches with {_WORDS[how.spans]}, {label}; one to one, as many as can be",
            "a document that a worker did not do is left out of his pairs; one without marks of his is not",
            "Hripcsak & Rothschild (2005), doi:10.1197/jamia.M1733",
            corrected=False,
        )
    for name, scheme in SCHEMES.items():
        kind = "alpha, nominal" if "alpha" in name else "kappa (of two Cohen's, else multi)"
        made[name] = _coefficient(
            name,
            f"Token {kind.split(' (', maxsplit=1)[0]}, {scheme}",
            f"{kind}, of the tags of positions under the scheme {scheme}",
            "documents of unknown length are left out",
            "docs/definitions.md section 6",
        )
    made["alpha_u"] = _coefficient(
        "alpha_u",
        "Unitizing alpha",
        "1 - sum of Do over labels and documents / sum of De, documents weighing by their length",
        "documents of unknown length, or done by one worker, are left out",
        "Krippendorff (2004), Content Analysis, chapter 11",
    )
    return made


def _coefficient(
    name: str, title: str, formula: str, missing: str, reference: str, *, corrected: bool = True
) -> Coefficient:
    assumes = "positions are alike and independent" if name.startswith("token") else "nothing"
    return Coefficient(
        name, title, formula, assumes, missing, reference, lambda _: "it is for spans", corrected=corrected
    )


SPAN_COEFFICIENTS: Final = _declared()


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
        coefficients: names; None: all.

    Raises:
        InputError: a row is no span, or a coefficient is unknown.
    """
    wanted = list(coefficients) if coefficients is not None else list(SPAN_COEFFICIENTS)
    if strange := [name for name in wanted if name not in SPAN_COEFFICIENTS]:
        raise InputError(
            "no such coefficient of spans", got=", ".join(strange), expected=", ".join(SPAN_COEFFICIENTS)
        )
    check_options("nominal", interval, level, replicates)
    marks, settings = read(table), Settings(level, interval, replicates, seed)
    documents = Sampled(documents_as_classes(marks), settings)
    tagged: dict[str, Sampled] = {}
    records = []
    for name in wanted:
        if name in SCHEMES:
            scheme = SCHEMES[name]
            if scheme not in tagged:
                tagged[scheme] = Sampled(positions(marks, scheme)[0], settings)
        sampled = tagged[SCHEMES[name]] if name in SCHEMES else documents
        records.append(_record(name, marks, sampled, documents.classes))
    return Agreement(
        records=records,
        table=_told_apart(marks),
        categories=[],
        workers=_workers(marks),
        units=[],
        overlap=beside.overlap(documents.classes),
        warnings=[*marks.notes, *_warnings(documents.classes)],
    )


def _f1(pairs: int) -> Formula:
    def parts(sums: Sums) -> Parts:
        found = sums["matched"]
        each = quotient(found[..., :pairs], found[..., pairs:])
        defined = ~np.isnan(each)
        mean = quotient(np.where(defined, each, 0.0).sum(axis=-1), defined.sum(axis=-1).astype(np.float64))
        return 1 - mean, np.ones_like(mean)

    return parts


def _unitized(sums: Sums) -> Parts:
    return sums["unitized"][..., 0], sums["unitized"][..., 1]


def _made(block: Floats) -> Callable[[Tallied], Floats]:
    return lambda _: block


def _ready(name: str, marks: Marks) -> Ready:
    """What is summed for a coefficient."""
    if name in MATCHINGS:
        block = f"matched {name}"
        inner = _f1(len(pairs_of(marks)))
        return Ready(
            lambda sums: inner({"matched": sums[block]}),
            (block,),
            {block: _made(matched(marks, MATCHINGS[name]))},
        )
    if name == "alpha_u":
        return Ready(_unitized, ("unitized",), {"unitized": _made(unitizing.disagreements(marks))})
    if "alpha" in name:
        return Ready(alpha_nominal, ("matches", "pairable"))
    return Ready(multi_kappa(len(marks.workers)), ("agree", "paired", "margin"))


def _reason(name: str, marks: Marks, of: Classes) -> str:
    """Why a coefficient cannot be computed; "" where it can."""
    if not of.paired.any():
        return _NOBODY
    if name in MATCHINGS:
        return ""
    known = (marks.length > 0) & (marks.done.sum(axis=1) > 1)
    if not known.any():
        return _NO_LENGTH
    return _OVERLAP if name == "alpha_u" and unitizing.overlapping_units(marks) else ""


def _record(name: str, marks: Marks, sampled: Sampled, documents: Classes) -> Record:
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
    ready = _ready(name, marks)
    estimate = float(value(ready.formula(sampled.total(ready))))
    if np.isnan(estimate):
        return record | {"reason": _NO_SPANS if name in MATCHINGS else NO_CHANCE}
    found = interval_of(sampled, ready, "documents")
    low, high = found.limits or (None, None)
    below, above = found.beside or (None, None)
    return record | {
        "estimate": estimate,
        "low": low,
        "high": high,
        "method": found.method,
        "reason": found.reason,
        "band": band(name, low) if SPAN_COEFFICIENTS[name].corrected else "",
        "bootstrap_low": below,
        "bootstrap_high": above,
        "se": sampled.standard_error(ready),
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
