"""The one style of all figures: colours that survive grey and colour blindness, markers, fonts, safe labels.

The colours are those of Okabe and Ito (2008) or darker kin of them; whatever is told by colour is told a
second time, by marker, hatch or place. Importing this imports matplotlib.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

INK: Final = "#1c2430"
MUTED: Final = "#5d6673"
GRID: Final = "#d9dde3"
PAPER: Final = "#ffffff"

# (colour, marker): the ground truth takes the first, the models the others in turn.
SERIES: Final = (
    ("#1c2431", "s"),
    ("#0072b2", "o"),
    ("#d55e00", "^"),
    ("#009e73", "D"),
    ("#cc79a7", "v"),
    ("#56b4e9", "P"),
    ("#a6761d", "X"),
    ("#7b5ea7", "<"),
)

# Ink on coloured parts: not INK and PAPER themselves, which the dark page exchanges.
_ON_DARK: Final = "#fffffe"
_ON_LIGHT: Final = "#1c2432"

# Parts of a whole: fill, ink on it, hatch. Neighbours differ in lightness, so grey tells them apart.
PARTS: Final[dict[str, tuple[str, str, str]]] = {
    "verified": ("#0b5394", _ON_DARK, ""),
    "edited": ("#f2c14e", _ON_LIGHT, ""),
    "removed": ("#b0412e", _ON_DARK, "////"),
    "tied": ("#8d96a3", _ON_LIGHT, ""),
    "unjudged": ("#e3e6eb", _ON_LIGHT, ""),
    "A": ("#0b5394", _ON_DARK, ""),
    "B": ("#b5d5f0", _ON_LIGHT, ""),
    "C": ("#2f7f6d", _ON_DARK, "\\\\\\\\"),
    "D": ("#cf9a1f", _ON_LIGHT, ""),
    "E": ("#b0412e", _ON_DARK, "////"),
    "E0": ("#e0a296", _ON_LIGHT, "...."),
    "E1": ("#b0412e", _ON_DARK, "////"),
    "other": ("#8d96a3", _ON_LIGHT, ""),
}

# What the browser may recolour for the dark: exact colours of the SVG -> CSS variables.
RECOLOURED: Final[dict[str, str]] = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--line",
    PAPER: "--paper",
    **{colour: f"--series-{place}" for place, (colour, _) in enumerate(SERIES)},
}

# Any: the stubs list every key of matplotlib, release by release.
_SETTINGS: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.parse_math": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "posthoc",
}


# Inches: what fits one column of a two-column page, and both.
ONE_COLUMN: Final = 3.4
TWO_COLUMNS: Final = 7.0
_SMALL: Final[Any] = {"font.size": 7, "axes.titlesize": 7.5, "legend.fontsize": 7}


def is_narrow(width: float) -> bool:
    """Whether panels have to stand under one another."""
    return width < (ONE_COLUMN + TWO_COLUMNS) / 2


@contextmanager
def style(width: float = TWO_COLUMNS) -> Iterator[None]:
    """Draw in this style, whatever the caller's own settings are; smaller letters in one column."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        if is_narrow(width):
            mpl.rcParams.update(_SMALL)
        yield


def new_figure(width: float, height: float) -> Figure:
    """A figure in inches on the Agg canvas, laid out so that nothing is cut off."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def series_style(sources: Sequence[str], ground_truth: str | None) -> dict[str, tuple[str, str]]:
    """Colour and marker of each source."""
    models = [source for source in sources if source != ground_truth]
    styles = {source: SERIES[1 + place % (len(SERIES) - 1)] for place, source in enumerate(models)}
    return styles if ground_truth is None else {ground_truth: SERIES[0], **styles}


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def label(text: str, longest: int = 26) -> str:
    """`text` as a figure can print it: what has no glyph becomes a box, long names lose their middle."""
    known = _glyphs()
    kept = [
        character if ord(character) in known else "□"
        for character in unicodedata.normalize("NFC", text)
        if unicodedata.category(character) not in ("Mn", "Cf", "Cc") or ord(character) in known
    ]
    short = "".join(kept).replace("\n", " ")
    # Names that begin alike differ at their end.
    end = longest // 3
    return short if len(short) <= longest else f"{short[: longest - 1 - end]}…{short[-end:]}"
