"""Scores before anyone judged: each source's links matched against the ground truth's, a row a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from analysis import matching
from analysis.engine.counts import Bools, Codes, Counts
from analysis.imported import imported
from analysis.measured import Measured, View
from analysis.metrics.registry import Metric, macro, ratio, register
from analysis.spans import Spans, overlapping

REFERENCE: Final = "docs/definitions.md section 2, pre-annotation scores"
UNDEFINED: Final = {
    "precision": "the source is the ground truth itself, or made no link where the ground truth ran",
    "recall": "the source is the ground truth itself, or that has no link where the source ran",
    "f1": "the source is the ground truth itself, or neither has a link where both ran",
}
SPANS_IN_WORDS: Final = {"exact": "span and entity equal", "overlap": "entities equal and spans overlap"}

Count = Callable[[View], Counts]


def judged_segments(measured: Measured, source: int) -> Bools:
    """Segments judged for a source: something of it is judged there, or it shows nothing and another is."""
    rows = measured.annotations
    known = rows["segment"].to_numpy() >= 0
    size = len(measured.segments)

    def having(mask: pd.Series) -> Bools:
        found = np.zeros(size, bool)
        found[rows["segment"].to_numpy()[known & mask.to_numpy(bool)]] = True
        return found

    own = rows["source_code"] == source
    return having(own & rows["judged"]) | (having(rows["judged"]) & ~having(own & rows["shown"]))


def counter(spans: str, *, judged: bool = False) -> Count:
    """The count of one kind of matching, a row a document.

    `averaged` is what macro precision divides by: the predicted, but 0 for a document without a hit under
    many-to-one matching, since the published macro precision left those documents out.

    Args:
        spans: "exact" or "overlap".
        judged: only annotations in judged segments.
    """

    def count(view: View) -> Counts:
        both = _both_ran(view)
        # A sample weighs what was judged by its segment: there a row is a segment, which no span crosses.
        parted = judged and view.measured.weight is not None
        got = _matched(view, both, spans, judged=judged, parted=parted)
        owner = view.measured.segments["document_code"].to_numpy(np.int64)
        places = np.flatnonzero(both[owner] if parted else both)
        hits, predicted, gold = (getattr(got, name)[places] for name in ("hits", "predicted", "gold"))
        every = view.measured.policy.matching == "one_to_one"
        return Counts.of(
            document=owner[places] if parted else places,
            segment=places if parted else -1,
            unit=owner[places] if parted else places,
            quantities={
                "hits": hits,
                "twice": 2 * hits,
                "paired": got.paired[places],
                "predicted": predicted,
                "averaged": predicted if every else predicted * (hits > 0),
                "gold": gold,
                "both": predicted + gold,
            },
        )

    return count


def _both_ran(view: View) -> Bools:
    """Documents of the view where the ground truth ran too; none if it is the source itself."""
    gt = view.measured.gt
    if gt is None or view.source == gt:
        return np.zeros_like(view.in_documents)
    return view.in_documents & view.measured.ran[:, view.measured.source_code(gt)]


def _matched(view: View, both: Bools, spans: str, *, judged: bool, parted: bool) -> matching.Matched:
    measured = view.measured
    gt = measured.source_code(measured.gt) if both.any() and measured.gt else -1
    inside = judged_segments(measured, view.source_code) if judged else None

    def there(source: int) -> Bools:
        rows = imported(measured, source)
        # Links alone enter: NIL is on neither side.
        kept: Bools = both[rows["document"].to_numpy(np.int64)] & (rows["key"].to_numpy(np.int64) >= 0)
        if inside is not None:
            kept = kept & _in(rows["segment"].to_numpy(np.int64), inside)
        return kept

    sides = [(source, there(source)) for source in (gt, view.source_code)]
    # What lies in judged segments is a part of all: where it is as much, it is the same.
    sizes = " ".join(str(np.count_nonzero(kept)) for _, kept in sides)
    what = f"{view.dataset} {view.source} {parted} {sizes}"
    memo = measured.memo
    if f"matched {spans} {what}" not in memo:
        # Equal spans are among those that overlap: pairs are looked for once.
        if f"sides {what}" not in memo:
            gold, predicted = (_side(measured, *side, parted=parted) for side in sides)
            memo[f"sides {what}"] = gold, predicted, overlapping(gold.spans, predicted.spans)
        gold, predicted, edges = memo[f"sides {what}"]
        if spans == "exact":
            edges = matching.equal(gold.spans, predicted.spans, edges)
        size = len(measured.segments) if parted else len(both)
        pairing = measured.policy.matching
        memo[f"matched {spans} {what}"] = matching.match_sides(gold, predicted, edges, size, pairing)
    found: matching.Matched = memo[f"matched {spans} {what}"]
    return found


def _side(measured: Measured, source: int, kept: Bools, *, parted: bool) -> matching.Side:
    """Some of the source's links, each item once (parted: in each segment once)."""
    rows = imported(measured, source)
    place, item, key, start, end = (
        rows[name].to_numpy(np.int64)[kept]
        for name in ("segment" if parted else "document", "item", "key", "start", "end")
    )
    # An item lies in one document.
    once = ~pd.Series(place * len(measured.items) + item if parted else item).duplicated().to_numpy()
    if not once.all():
        place, key, start, end = place[once], key[once], start[once], end[once]
    return matching.Side(Spans(place, start, end), key)


def _in(segment: Codes, inside: Bools) -> Bools:
    """Whether each segment code is among those inside; -1 never is."""
    return np.asarray(np.append(inside, False)[segment])


COUNTS: Final = {spans: counter(spans) for spans in SPANS_IN_WORDS}


def _metric(name: str, title: str, formula: str, count: Count, parts: tuple[str, str, str]) -> Metric:
    numerator, denominator, size = parts
    return Metric(
        name=name,
        title=title,
        formula=formula,
        range=(0.0, 1.0),
        better="higher",
        undefined=UNDEFINED[name.split("_")[1]] if name.startswith("pre_") else UNDEFINED["precision"],
        clusters=("document",),
        reference=REFERENCE,
        family="matching",
        per="source",
        count=count,
        value=ratio(numerator, denominator),
        size=size,
    )


def _scores(spans: str) -> None:
    words = f"links of the source matched to the ground truth's ({SPANS_IN_WORDS[spans]})"
    kinds = {
        "precision": (f"{words} / links of the source", ("hits", "predicted", "predicted")),
        "recall": (f"{words} / links of the ground truth", ("hits", "gold", "gold")),
        "f1": (f"2 x {words} / links of both", ("twice", "both", "both")),
    }
    counts = {False: COUNTS[spans], True: counter(spans, judged=True)}
    for kind, (formula, parts) in kinds.items():
        for judged in (False, True):
            end, where = ("_judged", ", judged segments only") if judged else ("", "")
            title = f"{kind.replace('f1', 'F1').capitalize()} before verification ({spans}{where})"
            metric = _metric(f"pre_{kind}_{spans}{end}", title, formula + where, counts[judged], parts)
            register(metric)
            mean = replace(macro(metric), name=f"pre_{kind}_{spans}_macro{end}")
            register(replace(mean, value=ratio("hits", "averaged")) if kind == "precision" else mean)


def _mentions() -> None:
    count = COUNTS["exact"]
    spans = "spans of the source's links that equal the span of a ground-truth link"
    mention_precision = _metric(
        "mention_precision",
        "Mention precision",
        f"{spans} / links of the source",
        count,
        ("paired", "predicted", "predicted"),
    )
    mention_recall = replace(
        _metric(
            "mention_recall",
            "Mention recall",
            f"{spans} / links of the ground truth",
            count,
            ("paired", "gold", "gold"),
        ),
        undefined=UNDEFINED["recall"],
    )
    for metric in (mention_precision, mention_recall):
        register(metric)
        register(macro(metric))
    accuracy = _metric(
        "linking_accuracy",
        "Linking accuracy on detected mentions",
        f"{spans} and name its entity / {spans}",
        count,
        ("hits", "paired", "paired"),
    )
    register(replace(accuracy, undefined="no span of the source equals the span of a ground-truth link"))


_scores("exact")
_scores("overlap")
_mentions()
