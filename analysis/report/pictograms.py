"""The pictogram of each coverage letter: how a verified item stands to the ground truth's link."""

from __future__ import annotations

from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from analysis.report import style

# Letter -> begin and end of the ground truth's span (None: it has none), whether the entity is the same.
_CASES: Final[dict[str, tuple[tuple[float, float] | None, bool]]] = {
    "A": ((0.42, 0.86), True),
    "B": ((0.42, 0.86), False),
    "C": ((0.3, 0.7), True),
    "D": ((0.3, 0.7), False),
    "E": (None, False),
}
_FOUND: Final = (0.42, 0.86)


def letters_explained(axes: Axes) -> None:
    """The five cases beside one another, each in the colour of its part."""
    for place, letter in enumerate(_CASES):
        _case(axes, place, letter)
    axes.set_xlim(0, len(_CASES))
    axes.set_ylim(0, 1)
    axes.set_axis_off()


def _case(axes: Axes, place: int, letter: str) -> None:
    fill, ink, hatch = style.PARTS[letter]
    reference, same = _CASES[letter]
    axes.text(place + 0.14, 0.5, letter, ha="center", va="center", fontweight="bold")
    mark: dict[str, Any] = {"ms": 4.2, "mew": 1.0}
    if reference is None:
        axes.plot([place + _FOUND[0], place + _FOUND[1]], [0.75, 0.75], ":", color=style.MUTED, lw=1.0)
    else:
        start, end = reference
        box: dict[str, Any] = {"facecolor": "none", "edgecolor": style.MUTED, "lw": 1.0}
        axes.add_patch(Rectangle((place + start, 0.6), end - start, 0.3, **box))
        axes.plot(place + (start + end) / 2, 0.75, "o", color=style.MUTED, **mark)
    start, end = _FOUND
    look: dict[str, Any] = {"facecolor": fill, "edgecolor": style.PAPER, "hatch": hatch, "lw": 0.6}
    axes.add_patch(Rectangle((place + start, 0.1), end - start, 0.3, **look))
    shape = "o" if same else "D"
    axes.plot(place + (start + end) / 2, 0.25, shape, color=ink, mec=fill, **mark)
