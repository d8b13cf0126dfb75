"""A figure with its words, written as SVG and PDF, and as part of a page: the same bytes every time."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from analysis.report import style


@dataclass(frozen=True)
class Drawing:
    """A finished figure.

    Attributes:
        name: of its file, without the ending.
        title: what it shows.
        caption: how to read it.
        alt: what it says, for those who cannot see it.
        svg: the drawing.
        pdf: the same as PDF; empty if not asked for.
        column: the same as PDF for one column of two.
    """

    name: str
    title: str
    caption: str
    alt: str
    svg: str
    pdf: bytes = b""
    column: bytes = b""

    def with_column(self, column: bytes) -> Drawing:
        """The same, with a PDF for one column."""
        return replace(self, column=column)


@dataclass(frozen=True)
class Sketch:
    """A figure that is drawn but not yet written; its words are those of `Drawing`."""

    figure: Figure
    name: str
    title: str
    caption: str
    alt: str

    def write(self, *, pdf: bool = False) -> Drawing:
        """As SVG, and as PDF if asked; without a date."""
        about = {"Date": None, "Creator": None, "Title": self.title, "Description": self.alt}
        svg = io.StringIO()
        # `savefig` would draw once more before, to find places that are found in drawing.
        canvas: Any = FigureCanvasSVG(self.figure)
        canvas.print_svg(svg, metadata=about)
        # The SVG goes first: drawing a figure again does not move anything.
        printed = self.print() if pdf else b""
        return Drawing(self.name, self.title, self.caption, self.alt, svg.getvalue(), printed)

    def print(self) -> bytes:
        """As PDF; without a date."""
        dateless = {"CreationDate": None, "Creator": None, "Title": self.title, "Subject": self.alt}
        printed = io.BytesIO()
        self.figure.savefig(printed, format="pdf", metadata=dateless)
        return printed.getvalue()


def inline(drawing: Drawing) -> str:
    """The SVG for a page that has others: ids of its own, colours that the page may change, no XML head."""
    svg = drawing.svg[drawing.svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"<title>.*?</title>", "", svg, count=1, flags=re.DOTALL)
    mark = f"{drawing.name}-"
    svg = re.sub(r'\bid="', f'id="{mark}', svg)
    svg = re.sub(r'(url\(#|href="#)', rf"\g<1>{mark}", svg)
    for colour, variable in style.RECOLOURED.items():
        svg = svg.replace(f": {colour}", f": var({variable}, {colour})")
    # Without a size of its own the drawing takes the width of its place; the view box keeps its shape.
    head, rest = svg.split(">", 1)
    return re.sub(r' (?:width|height)="[\d.]+pt"', "", head) + ' aria-hidden="true" focusable="false">' + rest
