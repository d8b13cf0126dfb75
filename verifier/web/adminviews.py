"""Figures that the dashboard's templates draw: numbers in, coordinates and pieces out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from verifier.crowd.status import Status
from verifier.store.shown import ShownTask


@dataclass(frozen=True)
class Totals:
    """The whole of the work, in slots."""

    done: int
    leased: int
    open: int

    @property
    def all(self) -> int:
        """All slots."""
        return self.done + self.leased + self.open

    def share(self, part: int) -> float:
        """A part in percent of all; 0 if there is no work."""
        return 100 * part / self.all if self.all else 0.0


@dataclass(frozen=True)
class Piece:
    """A run of a task's text.

    Attributes:
        text: of the run.
        depth: how many displays cover it; 0: none.
        begins: numbers of the displays that begin with it, 1-based.
    """

    text: str
    depth: int
    begins: tuple[int, ...]


def totals(status: Status) -> Totals:
    """The slots of all datasets and sources, by state."""
    cells = [cell.work for cell in status.cells]
    return Totals(
        sum(work.done for work in cells), sum(work.leased for work in cells), sum(work.open for work in cells)
    )


def pieces(task: ShownTask) -> list[Piece]:
    """The text cut at the borders of its displays; blank lines at its end are left out."""
    borders = {0, len(task.text.rstrip())}
    for shown in task.displays:
        borders |= {shown.start, shown.end}
    cuts = sorted(borders)
    return [
        Piece(
            task.text[start:end],
            sum(shown.start <= start and end <= shown.end for shown in task.displays),
            tuple(number for number, shown in enumerate(task.displays, 1) if shown.start == start),
        )
        for start, end in pairwise(cuts)
    ]
