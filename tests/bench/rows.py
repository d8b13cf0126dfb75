"""What a bench measures, and how it is printed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One figure of ours beside what a user would pick instead.

    Attributes:
        what: was done.
        ours: our figure.
        unit: of both: seconds, ms, MiB, "per second".
        peer: theirs; None where there is none.
        beside: who the peer is.
        bar: what the design asks of ours; None where it asks nothing.
    """

    what: str
    ours: float
    unit: str
    peer: float | None = None
    beside: str = ""
    bar: float | None = None

    @property
    def more_is_better(self) -> bool:
        """Whether the larger figure is the better one."""
        return "per second" in self.unit

    @property
    def ratio(self) -> float | None:
        """How many times better ours is: above 1 we win."""
        if not self.peer or not self.ours:
            return None
        return self.ours / self.peer if self.more_is_better else self.peer / self.ours

    def to_json(self) -> dict[str, Any]:
        """All of it, for one document."""
        return asdict(self) | {"ratio": self.ratio}


def seconds(work: Callable[[], object], times: int = 1) -> float:
    """The least wall time of some runs: what else the machine does only ever adds to it."""
    return min(_once(work) for _ in range(times))


def processor_seconds(work: Callable[[], object], times: int = 1) -> float:
    """The least processor time of this process over some runs, all threads together."""
    return min(_once(work, time.process_time) for _ in range(times))


def tail(values: Sequence[float], percent: float) -> float:
    """The value that `percent` of all lie at or below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def table(name: str, rows: Sequence[Row]) -> str:
    """The rows as lines of text."""
    out = [f"\n{name}"]
    for row in rows:
        line = f"  {row.what:<66} {row.ours:>11.4g} {row.unit}"
        if row.bar is not None:
            line += f"   (bar {row.bar:g})"
        if row.peer is not None:
            line += f"\n  {'':6}{row.beside:<60} {row.peer:>11.4g} {row.unit}"
            line += f"   ratio {row.ratio:.3g}" if row.ratio else ""
        out.append(line)
    return "\n".join(out)


def _once(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    work()
    return clock() - start
