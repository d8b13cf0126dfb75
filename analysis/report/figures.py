"""The figures: each a function from one policy's numbers to a drawing, with its caption and its alt text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from analysis.report import style
from analysis.report.drawing import Sketch
from analysis.report.numbers import Numbers, Row
from analysis.report.pictograms import letters_explained
from analysis.report.pieces import (
    WIDTH,
    Rows,
    arrow,
    before_after_legend,
    dot,
    panels,
    share_axis,
    stacked,
)
from analysis.report.words import dataset_name, listing, number, percent, spoken

_ROUNDING: Final = 1e-9
_MEASURES: Final = (
    ("precision", "pre_precision_exact", "posthoc_precision"),
    ("recall", "pre_recall_exact", "posthoc_recall"),
)


def verification_rate(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """How often people verified what each source said, with intervals."""
    found = _defined(numbers, ["verification_rate"])
    if not found:
        return None
    rows = Rows.of(list(found))
    figure = style.new_figure(width, rows.inches)
    axes = figure.subplots()
    looks = style.series_style(numbers.sources, numbers.ground_truth)
    for place, [row] in found.items():
        dot(axes, row, rows.places[place], *looks[place[1]])
    rows.dress(axes)
    share_axis(axes, "share that people verified", *_ends(found))
    said = [f"{source} on {dataset_name(group)} {spoken(row)}" for (group, source), [row] in found.items()]
    return Sketch(
        figure,
        "verification_rate",
        "Verification rate by dataset and source",
        "Each mark is the share of a source's judged annotations that people verified, "
        "the line through it the interval.",
        f"Verification rates: {'; '.join(said)}.",
    )


def outcome_shares(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """What became of the annotations shown: verified, edited, removed, never judged."""
    shares = _outcomes(numbers)
    if not shares:
        return None
    parts: tuple[str, ...] = ("verified", "edited", "removed", "tied", "unjudged")
    if not any(tied > _ROUNDING for _, _, _, tied, _ in shares.values()):
        parts = ("verified", "edited", "removed", "unjudged")
        shares = {place: [*values[:3], values[4]] for place, values in shares.items()}
    figure = stacked(Rows.of(list(shares)), shares, parts, "share of the annotations shown", width=width)
    said = [
        f"{source} on {dataset_name(group)} {_parts(parts, values)}"
        for (group, source), values in shares.items()
    ]
    return Sketch(
        figure,
        "outcome_shares",
        "What became of the annotations shown",
        "Shares of each source's shown annotations that people verified, edited or removed, "
        "and that nobody judged.",
        f"Outcome shares: {'; '.join(said)}.",
    )


def before_and_after(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """Precision and recall against the ground truth, and as people judged them; None without a model."""
    if numbers.alone:
        return None
    pairs = [
        (group, source)
        for group in numbers.groups
        for source in numbers.sources
        if any(numbers.defined(group, source, metric) for _, *both in _MEASURES for metric in both)
    ]
    if not pairs:
        return None
    rows = Rows.of(pairs)
    made = panels(width, [rows.inches] * len(_MEASURES), across=2, share=True)
    looks = style.series_style(numbers.sources, numbers.ground_truth)
    said: list[str] = []
    for axes, (title, before, after) in zip(made.axes, _MEASURES, strict=True):
        drawn: dict[tuple[str, str], list[Row]] = {}
        for place in pairs:
            old = numbers.defined(*place, before) if place[1] != numbers.ground_truth else None
            new = numbers.defined(*place, after)
            drawn[place] = [row for row in (old, new) if row is not None]
            arrow(axes, old, new, rows.places[place], looks[place[1]])
            if drawn[place]:
                both = ((old, "before"), (new, "after"))
                words = [f"{number(row['estimate'])} {when}" for row, when in both if row is not None]
                said.append(f"{title} of {place[1]} on {dataset_name(place[0])} {listing(words)}")
        rows.dress(axes, names=made.columns == 1 or axes is made.axes[0])
        share_axis(axes, title, *_ends(drawn))
    before_after_legend(made.figure, width)
    return Sketch(
        made.figure,
        "before_and_after",
        "Precision and recall, before and after people judged",
        "Hollow: exact matching against the ground truth (which has no score against itself). "
        "Filled: as people judged. Lines through the marks are intervals.",
        f"Before and after: {'; '.join(said)}.",
    )


def coverage(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """What the verified union has that the ground truth has not; None where nothing else was shown."""
    if numbers.alone:
        return None
    letters = "ABCDE"
    found = {
        (group, ""): [row["estimate"] for row in rows]
        for group in numbers.groups
        if (rows := _all_defined(numbers, group, "", [f"coverage_{letter}" for letter in letters]))
    }
    if not found:
        return None
    bars = Rows.flat([group for group, _ in found])
    figure = stacked(bars, found, letters, "share of the verified items", width=width, key=letters_explained)
    said = [f"{dataset_name(group)} {_parts(letters, shares)}" for (group, _), shares in found.items()]
    return Sketch(
        figure,
        "coverage",
        "What people verified, compared with the ground truth",
        "Above, each case: the upper bar is the ground truth's span, the lower one what people verified; "
        "equal marks "
        "are equal entities. A: same span, same entity. B: same span, another entity. C: overlapping "
        "span, same "
        "entity. D: overlapping span, another entity. E: nothing there.",
        f"Verified items against the ground truth: {'; '.join(said)}.",
    )


def i_of_n(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """How many of the n workers verified what every source produced, beside what independence would give."""
    names = numbers.i_of_n()
    found = {
        group: measured
        for group in numbers.groups
        if names and (measured := _all_defined(numbers, group, "", names))
    }
    if not found:
        return None
    rows = Rows.of([(group, name) for group in found for name in names])
    figure = style.new_figure(width, rows.inches)
    axes = figure.subplots()
    colour, marker = style.SERIES[1]
    for group, measured in found.items():
        for name, row in zip(names, measured, strict=True):
            dot(axes, row, rows.places[group, name], colour, marker)
            if (group, name) in numbers.independent:
                here = numbers.independent[group, name]
                axes.plot(here, rows.places[group, name], "|", color=style.MUTED, ms=10, mew=1.6)
    rows.dress(axes, say=_of)
    share_axis(axes, "share of the items of every source", 0.0)
    said = [
        f"{dataset_name(group)}: {_parts([*map(_of, names)], [row['estimate'] for row in measured])}"
        for group, measured in found.items()
    ]
    return Sketch(
        figure,
        "i_of_n",
        "How many workers verified the same item",
        "Over items that every source produced, each judged by different workers: the share verified by so "
        "many of them. Upright strokes: what workers who decide independently would give at the same rate. "
        "These are the easiest items.",
        f"Verified by so many workers. {'; '.join(said)}.",
    )


def _defined(numbers: Numbers, metrics: Sequence[str]) -> dict[tuple[str, str], list[Row]]:
    """(group, source) -> the rows of `metrics`, where all of them have an estimate."""
    return {
        (group, source): rows
        for group in numbers.groups
        for source in numbers.sources
        if (rows := _all_defined(numbers, group, source, metrics))
    }


def _all_defined(numbers: Numbers, group: str, source: str, metrics: Sequence[str]) -> list[Row]:
    rows = [row for metric in metrics if (row := numbers.defined(group, source, metric)) is not None]
    return rows if len(rows) == len(metrics) else []


def _outcomes(numbers: Numbers) -> dict[tuple[str, str], list[float]]:
    """(group, source) -> shares of the annotations shown: verified, edited, removed, tied, unjudged."""
    shares: dict[tuple[str, str], list[float]] = {}
    found = _defined(numbers, ["verification_rate", "edit_rate", "removal_rate", "unjudged_rate"])
    for place, (*rates, unjudged) in found.items():
        judged = 1 - unjudged["estimate"]
        decided = [row["estimate"] * judged for row in rates]
        shares[place] = [*decided, max(0.0, judged - sum(decided)), unjudged["estimate"]]
    return shares


def _ends(found: Mapping[tuple[str, str], Sequence[Row]]) -> tuple[float, float]:
    """The lowest and the highest value that a figure of these rows has to show."""
    shown = [row for rows in found.values() for row in rows]
    values = [row[name] for row in shown for name in ("low", "estimate", "high") if row[name] is not None]
    return min(values, default=0.0), max(values, default=1.0)


def _parts(names: Sequence[str], shares: Sequence[float]) -> str:
    return ", ".join(f"{name} {percent(share)}" for name, share in zip(names, shares, strict=True))


def _of(name: str) -> str:
    """`verified_2_of_3` -> `2 of 3`."""
    return name.removeprefix("verified_").replace("_", " ")
