"""The answers in sentences: every number from metrics.csv, with its interval and n, or why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.report.numbers import Numbers, Row
from analysis.report.text import Text, compose, say, sentence
from analysis.report.words import level

# The n of a letter is its own items, not those that the share is of.
_ITEMS: Final = "{}\u00a0items"


def headlines(numbers: Numbers) -> list[Text]:
    """The headline answers over the whole study, under one policy."""
    return [*_rates(numbers), *_before(numbers), *_union(numbers), *_recall(numbers), *_coverage(numbers)]


def _rates(numbers: Numbers) -> Iterator[Text]:
    for source in numbers.sources:
        row = numbers.get(numbers.overall, source, "verification_rate")
        if row is None:
            continue
        whose = f"the ground truth, {source}," if source == numbers.ground_truth else source
        if row["estimate"] is None:
            yield compose("How often people verified {} is undefined: {}.", whose.rstrip(","), _reason(row))
        else:
            text = "Of the links by {} that were judged, people verified a share of {}."
            yield compose(text, whose, sentence(row))
        unjudged = numbers.defined(numbers.overall, source, "unjudged_rate")
        if unjudged is not None and unjudged["estimate"] > 0:
            yield compose(
                "Of the links by {} that were shown, a share of {} was never judged.", source, say(unjudged)
            )


def _before(numbers: Numbers) -> Iterator[Text]:
    """What exact matching said of the same models."""
    for source in numbers.models:
        before = numbers.defined(numbers.overall, source, "pre_precision_exact")
        after = numbers.defined(numbers.overall, source, "posthoc_precision")
        if before is None or after is None:
            continue
        yield compose(
            "Matched exactly against {}, {} has a precision of {}; as people judged, it is {}.",
            str(numbers.ground_truth),
            source,
            sentence(before),
            say(after),
        )


def _union(numbers: Numbers) -> Iterator[Text]:
    row = numbers.get(numbers.overall, "", "union_size")
    if row is None:
        return
    if row["estimate"] is None:
        yield compose("How many distinct links people verified is undefined: {}.", _reason(row))
        return
    text = "Together the sources gave {} distinct links that people verified{}, each counted by the share "
    yield compose(f"{text}of its judgments that verify it.", say(row), _ends(row))


def _ends(row: Row) -> Text:
    """The interval alone: the n of a size is the size."""
    if row["low"] is None or row["high"] is None:
        return ()
    return compose(" ({} interval {} to {})", level(row["level"]), say(row, "low"), say(row, "high"))


def _recall(numbers: Numbers) -> Iterator[Text]:
    for source in numbers.sources:
        row = numbers.defined(numbers.overall, source, "posthoc_recall")
        # A source alone has all that was verified, by definition: no finding.
        if row is not None and len(numbers.sources) > 1:
            yield compose("{} found a share of {} of all that people verified.", source, sentence(row))


def _coverage(numbers: Numbers) -> Iterator[Text]:
    exact = numbers.defined(numbers.overall, "", "coverage_A")
    nothing = numbers.defined(numbers.overall, "", "coverage_E")
    if exact is None or nothing is None or numbers.ground_truth is None:
        return
    if not numbers.models:
        yield (f"{numbers.ground_truth} is the only source, so it misses nothing by definition.",)
        return
    yield compose(
        "Of the links that people verified, a share of {} stands in {} exactly, and for a share of {} it has "
        "no link at that place.",
        sentence(exact, _ITEMS),
        numbers.ground_truth,
        sentence(nothing, _ITEMS),
    )


def _reason(row: Row) -> str:
    return str(row["reason"] or "no reason is given")
