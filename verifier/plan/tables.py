"""Words and tables for what a plan says on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def count(number: int, thing: str) -> str:
    """A number of things, in words that fit: `1 control`, `2 controls`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Rows under their heads, columns aligned."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
