"""What the texts of a figure cover, by the renderer's own extents: for tests that no two meet."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text

_TOUCH = 0.75  # pixels at 72 to the inch
Box = tuple[str, float, float, float, float]


def boxes(figure: Figure) -> list[Box]:
    """Text, left, bottom, right and top of each text that is seen, in points."""
    figure.set_dpi(72)
    figure.draw_without_rendering()
    canvas: Any = figure.canvas
    renderer = canvas.get_renderer()
    hidden = {id(label) for axes in figure.axes for label in _beyond(axes)}
    out = []
    for text in figure.findobj(Text):
        if (
            isinstance(text, Text)
            and text.get_visible()
            and text.get_text().strip()
            and id(text) not in hidden
        ):
            box = text.get_window_extent(renderer)
            out.append((text.get_text(), box.x0, box.y0, box.x1, box.y1))
    return out


def _beyond(axes: Any) -> list[Any]:
    """Texts of axes that are not drawn: of hidden axes, and at marks outside the scale."""
    if not axes.get_visible():
        return list(axes.findobj(Text))
    out = []
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        low, high = sorted(limits)
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            out.append(tick.label2)
            if not (
                axes.axison and low - 1e-9 <= tick.get_loc() <= high + 1e-9 and tick.label1.get_visible()
            ):
                out.append(tick.label1)
    return out


def meeting(found: list[Box]) -> list[tuple[str, str]]:
    """Pairs of texts that cover each other."""
    return [(one[0], other[0]) for one, other in combinations(found, 2) if _meet(one, other)]


def _meet(one: Box, other: Box) -> bool:
    across = min(one[3], other[3]) - max(one[1], other[1])
    along = min(one[4], other[4]) - max(one[2], other[2])
    return across > _TOUCH and along > _TOUCH


def cut_off(figure: Figure, found: list[Box]) -> list[str]:
    """Texts that reach over the edge of the figure."""
    wide, high = figure.get_size_inches() * 72
    return [each[0] for each in found if min(each[1:3]) < -1 or each[3] > wide + 1 or each[4] > high + 1]
