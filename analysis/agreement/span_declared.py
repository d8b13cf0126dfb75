"""The coefficients of agreement about spans, declared; a threshold of shared positions is part of a name."""

from __future__ import annotations

import re
from typing import Final

from analysis.agreement.coefficient import Coefficient
from analysis.agreement.span_blocks import Matching
from analysis.errors import InputError

_F1: Final = "mean over pairs of workers of 2 x matched spans / spans of both"
_IOU: Final = re.compile(r"span_f1_iou([1-9][0-9]?|100)(_untyped)?")
GAMMA: Final = "gamma"
_SHARES: Final = {0.5: "half"}

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


def _words(how: Matching) -> str:
    if how.spans == "iou":
        return f"{_SHARES.get(how.share, f'{how.share:.0%}')} of all positions shared"
    return {"exact": "start and end equal", "overlap": "a position shared"}[how.spans]


def _declared() -> dict[str, Coefficient]:
    made = {}
    for name, how in MATCHINGS.items():
        made[name] = _f1(name, how)
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
    made[GAMMA] = _coefficient(
        GAMMA,
        "Gamma",
        "1 - disorder of the best alignment / mean disorder of sampled ones, documents weighing by their"
        " spans; disorder ((|starts| + |ends|) / both lengths)^2, + 1 for other labels, 1 for no partner",
        "documents of unknown length, or done by one worker, are left out",
        "Mathet, Widlocher & Metivier (2015), doi:10.1162/COLI_a_00227",
    )
    return made


def _f1(name: str, how: Matching) -> Coefficient:
    label = "labels equal" if how.typed else "whatever the labels"
    return _coefficient(
        name,
        f"Span F1, {_words(how)}, {label}",
        f"{_F1}; a pair matches with {_words(how)}, {label}; one to one, as many as can be",
        "a document that a worker did not do is left out of his pairs; one without marks of his is not",
        "Hripcsak & Rothschild (2005), doi:10.1197/jamia.M1733",
        corrected=False,
    )


def _coefficient(
    name: str, title: str, formula: str, missing: str, reference: str, *, corrected: bool = True
) -> Coefficient:
    assumes = "positions are alike and independent" if name.startswith("token") else "nothing"
    return Coefficient(
        name, title, formula, assumes, missing, reference, lambda _: "it is for spans", corrected=corrected
    )


SPAN_COEFFICIENTS: Final = _declared()
# Gamma samples, and takes its time: it is computed when it is named.
USUAL: Final = tuple(name for name in SPAN_COEFFICIENTS if name != GAMMA)


def matching_of(name: str) -> Matching | None:
    """How spans match for a coefficient; None where none are matched. `span_f1_iou75` asks for 75 %."""
    if name in MATCHINGS:
        return MATCHINGS[name]
    found = _IOU.fullmatch(name)
    return Matching("iou", typed=not found[2], share=int(found[1]) / 100) if found else None


def span_coefficient(name: str) -> Coefficient:
    """The coefficient of that name.

    Raises:
        InputError: there is none.
    """
    if name in SPAN_COEFFICIENTS:
        return SPAN_COEFFICIENTS[name]
    how = matching_of(name)
    if how is None:
        expected = f"{', '.join(SPAN_COEFFICIENTS)}, or span_f1_iouN, N from 1 to 100"
        raise InputError("no such coefficient of spans", got=name, expected=expected)
    return _f1(name, how)
