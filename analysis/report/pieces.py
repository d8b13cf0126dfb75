"""The pieces of the figures: rows of sources under their dataset, dots with intervals, stacked bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analysis.report import style
from analysis.report.numbers import Row
from analysis.report.words import dataset_name

WIDTH: Final = style.TWO_COLUMNS
_ROW: Final = 0.235
_NAME: Final = 27
_MARGIN: Final = 0.75
# Inches of a bar, its row of names counted in.
_NARROWEST_LABELLED: Final = 0.42


@dataclass(frozen=True)
class Rows:
    """Where the rows stand: one a (group, source), the groups apart, each under its name.

    Attributes:
        places: (group, source) -> height.
        headings: group -> height of its name.
        bottom: the lowest height.
    """

    places: Mapping[tuple[str, str], float]
    headings: Mapping[str, float]
    bottom: float

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]]) -> Rows:
        """The rows of (group, source) `pairs`, in order."""
        places: dict[tuple[str, str], float] = {}
        headings: dict[str, float] = {}
        height = 0.0
        for group, source in pairs:
            if group not in headings:
                height += 0.35 if headings else 0.0
                headings[group] = height
                height += 1.0
            places[group, source] = height
            height += 1.0
        return cls(places, headings, height - 0.4)

    @classmethod
    def flat(cls, groups: Sequence[str]) -> Rows:
        """One row a group, without headings."""
        return cls({(group, ""): float(height) for height, group in enumerate(groups)}, {}, len(groups) - 0.4)

    @property
    def inches(self) -> float:
        """How high a figure of these rows is."""
        return _MARGIN + _ROW * (self.bottom + 0.6)

    def dress(self, axes: Axes, *, names: bool = True, say: Callable[[str], str] = str) -> None:
        """Set the limits, and write the names of sources (as `say` puts them) and groups at the left."""
        axes.set_ylim(self.bottom, -0.6)
        axes.set_yticks(
            [*self.places.values(), *self.headings.values()],
            [style.label(say(source) or dataset_name(group), _NAME) for group, source in self.places]
            + [style.label(dataset_name(group)) for group in self.headings],
        )
        for tick in axes.get_yticklabels()[len(self.places) :]:
            tick.set_fontweight("bold")
        axes.tick_params(axis="y", length=0, labelleft=names)


def dot(axes: Axes, row: Row, height: float, colour: str, marker: str, *, hollow: bool = False) -> None:
    """An estimate with its interval."""
    if row["low"] is not None and row["high"] is not None:
        ends = [row["low"], row["high"]]
        axes.plot(ends, [height, height], "-", color=colour, lw=1.3, solid_capstyle="butt")
    face = style.PAPER if hollow else colour
    # A mark at the end of the scale stands there whole.
    look: dict[str, Any] = {"color": colour, "mfc": face, "mew": 1.2, "ms": 5.5, "zorder": 3}
    axes.plot(row["estimate"], height, marker, clip_on=False, **look)


def arrow(axes: Axes, before: Row | None, after: Row | None, height: float, look: tuple[str, str]) -> None:
    """Two estimates of one thing: the earlier one hollow and a little higher, the later one filled."""
    colour, marker = look
    upper, lower = (height, height) if before is None or after is None else (height - 0.17, height + 0.17)
    if before is not None and after is not None:
        ends = [before["estimate"], after["estimate"]]
        axes.plot(ends, [upper, lower], "-", color=style.MUTED, lw=0.5, zorder=1)
    if before is not None:
        dot(axes, before, upper, colour, marker, hollow=True)
    if after is not None:
        dot(axes, after, lower, colour, marker)


def share_axis(axes: Axes, title: str, lowest: float, highest: float = 1.0) -> None:
    """A scale of shares up to 1 or what lies above; it begins at 0, or at .5 or .8 if nothing lies below."""
    start = 0.0 if lowest < 0.5 else 0.5 if lowest < 0.8 else 0.8  # noqa: PLR2004 - the three scales offered
    end = max(1.0, highest)
    axes.set_xlim(start - 0.01 * (end - start), end + 0.01 * (end - start))
    axes.set_xlabel(title if start == 0 else f"{title}\n(scale begins at {start:g})")
    few_ticks(axes)
    axes.grid(axis="x")
    axes.set_axisbelow(True)


def few_ticks(axes: Axes, amount: int = 5) -> None:
    """So few marks on the scale that their numbers do not touch."""
    axes.xaxis.set_major_locator(MaxNLocator(amount, steps=[1, 2, 2.5, 5, 10]))


def panels(width: float, heights: Sequence[float], *, across: int = 1, share: bool = False) -> Panels:
    """A figure of panels, `across` beside one another where the width allows it, else under one another.

    Args:
        width: of the figure, in inches.
        heights: of each panel, in inches.
        across: how many fit beside one another in two columns.
        share: whether those beside one another have the same heights of rows.
    """
    columns = 1 if style.is_narrow(width) else min(across, len(heights))
    lines = [heights[start : start + columns] for start in range(0, len(heights), columns)]
    tall = [max(line) for line in lines]
    figure = style.new_figure(width, sum(tall) + 0.35)
    grid = figure.subplots(
        len(lines), columns, squeeze=False, height_ratios=tall, sharey="row" if share else False
    )
    drawn = [axes for line in grid for axes in line]
    for axes in drawn[len(heights) :]:
        axes.set_visible(False)
    return Panels(figure, drawn[: len(heights)], columns)


@dataclass(frozen=True)
class Panels:
    """A figure and its panels, row by row.

    Attributes:
        figure: the whole.
        axes: of each panel.
        columns: how many stand beside one another.
    """

    figure: Figure
    axes: Sequence[Axes]
    columns: int


def stacked(
    rows: Rows,
    shares: Mapping[tuple[str, str], Sequence[float]],
    parts: Sequence[str],
    title: str,
    *,
    width: float = WIDTH,
    key: Callable[[Axes], None] | None = None,
) -> Figure:
    """Bars of shares that add to 1, with the percentage in every part wide enough to hold it.

    Args:
        rows: where the bars stand.
        shares: of each bar.
        parts: their names, of `style.PARTS`.
        title: of the axis.
        width: of the figure.
        key: draws what the parts mean, in place of a legend.
    """
    above = 0.3 if key is None else 0.8
    across = len(parts) if not style.is_narrow(width) else 3
    above += 0.16 * ((len(parts) - 1) // across)
    figure = style.new_figure(width, rows.inches + above)
    if key is None:
        axes = figure.subplots()
    else:
        explained, axes = figure.subplots(2, 1, height_ratios=[above, rows.inches])
        key(explained)
    heights = [rows.places[pair] for pair in shares]
    for place, part in enumerate(parts):
        fill, _, hatch = style.PARTS[part]
        widths = [values[place] for values in shares.values()]
        starts = [sum(values[:place]) for values in shares.values()]
        look: dict[str, Any] = {"color": fill, "hatch": hatch, "edgecolor": style.PAPER, "lw": 0.6}
        axes.barh(heights, widths, 0.78, starts, label=part, **look)
        for height, extent, start in zip(heights, widths, starts, strict=True):
            if extent * width >= _NARROWEST_LABELLED:
                label_part(axes, part, start, extent, height)
    rows.dress(axes)
    axes.set_xlim(0, 1)
    axes.set_xlabel(title)
    if key is None:
        figure.legend(loc="outside upper left", ncols=across, handlelength=1.1, columnspacing=1.4)
    return figure


def label_part(axes: Axes, part: str, start: float, extent: float, height: float) -> None:
    """The percentage in the middle of a part of a bar."""
    fill, ink, hatch = style.PARTS[part]
    text = axes.text(start + extent / 2, height, f"{100 * extent:.0f} %", color=ink, size=7)
    text.set(ha="center", va="center")
    if hatch:
        text.set_bbox({"facecolor": fill, "edgecolor": "none", "pad": 0.8})


def before_after_legend(figure: Figure, width: float = WIDTH) -> None:
    """What hollow and filled marks mean."""
    common: dict[str, Any] = {"color": style.MUTED, "marker": "o", "ls": "none", "ms": 5.5, "mew": 1.2}
    before = Line2D([], [], mfc=style.PAPER, label="before: exact match with the ground truth", **common)
    after = Line2D([], [], label="after: as people judged", **common)
    across = 1 if style.is_narrow(width) else 2
    figure.legend(handles=[before, after], loc="outside upper left", ncols=across)
