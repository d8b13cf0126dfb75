"""Forest plot of the differences between sources, with intervals."""

from __future__ import annotations

from typing import Final

from matplotlib.axes import Axes

from analysis.report import style
from analysis.report.drawing import Sketch
from analysis.report.numbers import Numbers, Row
from analysis.report.pieces import WIDTH, Rows, dot, few_ticks, panels
from analysis.report.words import dataset_name, number, signed

_SCORES: Final = (
    ("posthoc_precision", "precision"),
    ("posthoc_recall", "recall"),
    ("posthoc_f1", "F1"),
)
_NAME: Final = 12
_LESS: Final = "\0"
_SHORT_LESS: Final = " \u2212 "
_MOST: Final = 60


def differences(numbers: Numbers, width: float = WIDTH) -> Sketch | None:
    """Each pair of sources: precision, recall and F1 of the first less those of the second."""
    found = {
        title: named
        for metric, title in _SCORES
        if (named := {_place(row): row for row in _records(numbers, metric)})
    }
    if not found:
        return None
    places = list(dict.fromkeys(place for drawn in found.values() for place in drawn))
    if len(places) > _MOST:
        places = [place for place in places if place[0] == numbers.overall][:_MOST]
    rows = Rows.of(places)
    made = panels(width, [rows.inches] * len(found), across=len(found), share=True)
    for place, (axes, (title, drawn)) in enumerate(zip(made.axes, found.items(), strict=True)):
        for pair, row in drawn.items():
            if pair in rows.places:
                _draw(axes, row, rows.places[pair])
        rows.dress(axes, names=place % made.columns == 0, say=_pair)
        _scale(axes, title)
    said = [
        f"{title} of {row['source']} less {row['other']} on {dataset_name(row['dataset'])} {_spoken(row)}"
        for title, drawn in found.items()
        for pair, row in drawn.items()
        if pair in rows.places
    ]
    return Sketch(
        made.figure,
        "differences",
        "Sources compared in pairs",
        "The first source less the second, over the documents on which both ran, with intervals (not "
        "adjusted for "
        "being many). Filled: the interval leaves out 0.",
        f"Differences. {'; '.join(said)}.",
    )


def _records(numbers: Numbers, metric: str) -> list[Row]:
    rows = numbers.records("comparisons", kind="difference", metric=metric)
    return [row for row in rows if row["estimate"] is not None and row["dataset"] in numbers.groups]


def _place(row: Row) -> tuple[str, str]:
    """Names may look alike when they are shortened, so that the whole ones tell rows apart."""
    return str(row["dataset"]), f"{row['source']}{_LESS}{row['other']}"


def _pair(place: str) -> str:
    return _SHORT_LESS.join(style.label(name, _NAME) for name in place.split(_LESS))


def _draw(axes: Axes, row: Row, height: float) -> None:
    known = row["low"] is not None and row["high"] is not None
    sure = known and not row["low"] <= 0 <= row["high"]
    dot(axes, row, height, style.INK if sure else style.MUTED, "o", hollow=not sure)


def _scale(axes: Axes, title: str) -> None:
    axes.axvline(0, color=style.INK, lw=0.8, zorder=0)
    axes.set_xlabel(f"difference in {title}")
    few_ticks(axes, 4)
    axes.grid(axis="x")
    axes.set_axisbelow(True)


def _spoken(row: Row) -> str:
    if row["low"] is None or row["high"] is None:
        return signed(row["estimate"])
    return f"{signed(row['estimate'])} (interval {number(row['low'])} to {number(row['high'])})"
