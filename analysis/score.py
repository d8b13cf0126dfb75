"""Standard scores from documents: precision, recall and F1 of predictions matched against a ground truth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis import elevant, matching
from analysis.documents import Document
from analysis.engine import jackknife
from analysis.engine.counts import Bools, Counts
from analysis.engine.tally import ALL_DATASETS, Cut, Tally
from analysis.errors import InputError, Problem, plain
from analysis.keys import LINK
from analysis.metrics.registry import ratio
from analysis.schemes import differences
from analysis.spans import Ints

COLUMNS: Final = ["document", "start", "end", "key", "kind"]
# How many names a message lists before it only counts.
_NAMED: Final = 5


@dataclass(frozen=True)
class _Formula:
    """A score: its numerator and denominator, and why it is undefined where the denominator is 0."""

    name: str
    numerator: str
    denominator: str
    undefined: str


_FORMULAS: Final = (
    _Formula("precision", "hits", "predicted", "the source made no prediction that counts"),
    _Formula("recall", "hits", "gold", "the ground truth has no annotation that counts"),
    _Formula("f1", "twice", "both", "neither the source nor the ground truth has an annotation that counts"),
)


def score(
    gt: Iterable[Document],
    predictions: Mapping[str, Iterable[Document]],
    match: str = "exact",
    nil: str = "drop",
    *,
    dataset: str = "",
    level: float = 0.95,
) -> list[dict[str, Any]]:
    """Precision, recall and F1 of each source's predictions, matched one to one against the ground truth.

    Micro scores, over all annotations. Documents are joined by name; a source is scored on those it ran on.
    What lies outside the evaluation span of the ground truth's document is not counted. Intervals are
    delete-one jackknife-t by documents: their target is documents like these.

    Args:
        gt: the ground truth.
        predictions: name of a source -> its documents.
        match: "exact", "overlap", or "elevant" for the rules of `analysis.elevant`.
        nil: "drop", "ignore" or "require"; see `analysis.matching.match`.
        dataset: name to write in the records.
        level: of the intervals.

    Returns:
        One record a source: source, dataset, match, nil, documents, hits, predicted, gold; precision, recall
        and f1, each with `_low` and `_high`; level; method; reason (why something is None, else empty);
        warnings. Undefined numbers are None.

    Raises:
        InputError: a document is there twice, texts differ, no document is common, or an option is unknown.
    """
    if match not in (*matching.MATCHES, elevant.NAME):
        known = ", ".join((*matching.MATCHES, elevant.NAME))
        raise InputError("unknown value of match", got=plain(match), expected=known)
    if not 0 < level < 1:
        raise InputError("not a confidence level", got=f"{level:g}", expected="between 0 and 1, like 0.95")
    truth = _ground_truth(gt)
    records = []
    for source, documents in predictions.items():
        found = _against(truth, source, documents, match, nil)
        head = {"source": source, "dataset": dataset, "match": match, "nil": nil}
        records.append(head | _record(found, level))
    return records


def _record(found: _Scored, level: float) -> dict[str, Any]:
    """The numbers of one source."""
    matched, rows = found.matched, np.flatnonzero(found.ran)
    quantities = {name: getattr(matched, name)[rows] for name in ("hits", "predicted", "gold")}
    quantities |= {"twice": 2 * quantities["hits"], "both": quantities["predicted"] + quantities["gold"]}
    places = np.arange(len(rows))
    counts = Counts.of(document=places, unit=places, quantities=quantities)
    cut = Tally(counts, [0, len(rows)]).cut(ALL_DATASETS)
    record: dict[str, Any] = {"documents": len(rows)}
    record |= {name: int(quantities[name].sum()) for name in ("hits", "predicted", "gold")}
    methods: dict[str, str] = {}
    reasons = []
    for formula in _FORMULAS:
        numbers, method, reason = _estimate(cut, formula, level)
        record |= numbers
        if method:
            methods[formula.name] = method
        if reason:
            reasons.append(f"{formula.name}: {reason}")
    same = len(set(methods.values())) == 1
    method = next(iter(methods.values())) if same else "; ".join(f"{k}: {v}" for k, v in methods.items())
    return record | {
        "level": level,
        "method": method,
        "reason": "; ".join(reasons),
        "warnings": list(found.warnings),
    }


def _estimate(cut: Cut, formula: _Formula, level: float) -> tuple[dict[str, float | None], str, str]:
    """One score with its limits, the method, and the reason if something is missing."""
    value = ratio(formula.numerator, formula.denominator)
    spread = jackknife.spread(cut, value, formula.denominator, "document")
    names = (formula.name, f"{formula.name}_low", f"{formula.name}_high")
    if np.isnan(spread.estimate):
        return dict.fromkeys(names), "", formula.undefined
    limits = jackknife.limits(spread, level, (0.0, 1.0), jackknife.MIN_ICC)
    if limits is None:
        alone = "no interval: without one document there is nothing left to score"
        return dict(zip(names, (spread.estimate, None, None), strict=True)), "", alone
    low, high, method = limits
    return dict(zip(names, (spread.estimate, low, high), strict=True)), f"{method}, by documents", ""


@dataclass(frozen=True)
class _GroundTruth:
    """The ground truth: its documents by name, their codes, and its annotations as a frame of codes."""

    documents: Mapping[str, Document]
    code: Mapping[str, int]
    start: Ints
    end: Ints
    annotations: pd.DataFrame


def _ground_truth(documents: Iterable[Document]) -> _GroundTruth:
    """The ground truth, cropped to the evaluation spans.

    Raises:
        InputError: a document name is there twice.
    """
    named = _by_name(documents, "the ground truth")
    code = {name: i for i, name in enumerate(named)}
    spans = [document.evaluation or (0, len(document.text)) for document in named.values()]
    start = np.array([span[0] for span in spans], np.int64)
    end = np.array([span[1] for span in spans], np.int64)
    return _GroundTruth(named, code, start, end, matching.crop(_frame(named.values(), code), start, end))


@dataclass(frozen=True)
class _Scored:
    """One source's predictions against the ground truth, document for document of the ground truth.

    Attributes:
        ran: whether the source's file holds the document.
        matched: counts per document; 0 where it did not run.
        warnings: what a reader must know.
    """

    ran: Bools
    matched: matching.Matched
    warnings: tuple[str, ...]


def _against(gt: _GroundTruth, source: str, documents: Iterable[Document], match: str, nil: str) -> _Scored:
    """Match a source's documents with those of the ground truth that have the same name.

    Raises:
        InputError: a name is there twice, a text differs, or no document is in both.
    """
    named = _by_name(documents, source)
    common = [name for name in gt.documents if name in named]
    _check_texts(gt, source, [named[name] for name in common])
    if not common:
        raise InputError(
            "no document of the predictions is in the ground truth",
            where=source,
            got=_few(list(named)),
            expected=_few(list(gt.documents)),
            remedy="Give files of the same corpus: documents are joined by their ids.",
        )
    ran = np.zeros(len(gt.code), bool)
    ran[[gt.code[name] for name in common]] = True
    predicted = matching.crop(_frame((named[name] for name in common), gt.code), gt.start, gt.end)
    gold = gt.annotations.loc[ran[gt.annotations["document"].to_numpy(np.int64)]]
    if match == elevant.NAME:
        matched = elevant.match([(gt.documents[name], named.get(name)) for name in gt.code], nil)
    else:
        matched = matching.match(gold, predicted, len(ran), spans=match, nil=nil)
    return _Scored(ran, matched, tuple(_warnings(gt, source, list(named), gold, predicted)))


def _check_texts(gt: _GroundTruth, source: str, documents: Sequence[Document]) -> None:
    problems = [
        Problem(
            "the text is not that of the ground truth",
            where=f"{source}: {document.name}",
            expected="the same text, since offsets point into it",
        )
        for document in documents
        if document.text and gt.documents[document.name].text not in ("", document.text)
    ]
    if problems:
        raise InputError.of(problems)


def _warnings(
    gt: _GroundTruth, source: str, names: Sequence[str], gold: pd.DataFrame, predicted: pd.DataFrame
) -> Iterator[str]:
    """What makes the numbers of a source mean less than they seem to."""
    missing = [name for name in gt.documents if name not in set(names)]
    if missing:
        yield (
            f"{source}: {len(missing)} of {len(gt.code)} documents of the ground truth are not in its file"
            f" ({_few(missing)}) and do not count"
        )
    if strange := [name for name in names if name not in gt.documents]:
        yield f"{source}: {len(strange)} documents are not in the ground truth ({_few(strange)}); not counted"
    truth = "the ground truth"
    links = {
        name: frame.loc[frame["kind"] == LINK, "key"] for name, frame in ((truth, gold), (source, predicted))
    }
    yield from differences(links, truth)


def _by_name(documents: Iterable[Document], whose: str) -> dict[str, Document]:
    named: dict[str, Document] = {}
    problems = []
    for document in documents:
        if document.name in named:
            problems.append(
                Problem(
                    "two documents of one name",
                    where=whose,
                    got=f"{document.name!r} (lines {named[document.name].line} and {document.line})",
                    expected="each document once",
                )
            )
        named[document.name] = document
    if problems:
        raise InputError.of(problems)
    return named


def _frame(documents: Iterable[Document], code: Mapping[str, int]) -> pd.DataFrame:
    rows = [
        (
            code[document.name],
            annotation.span.start,
            annotation.span.end,
            annotation.entity.key,
            annotation.entity.kind,
        )
        for document in documents
        for annotation in document.annotations
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return frame.astype(
        {"document": "int64", "start": "int64", "end": "int64", "key": object, "kind": object}
    )


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_NAMED]))
    return f"{shown} and {len(names) - _NAMED} more" if len(names) > _NAMED else shown
