"""Workers as the researcher sees them: by pseudonym, with what they did and what stands out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from analysis.decisions import DECISIONS
from verifier.crowd import counting
from verifier.crowd.review import TOO_FAST_SECONDS
from verifier.store import grades, progress

if TYPE_CHECKING:
    from verifier.study import Study

# From so many judgments on, the same decision on all of them is worth a look.
_MONOTONE_FROM: Final = 20


@dataclass(frozen=True)
class WorkerLine:
    """One worker.

    Attributes:
        worker: pseudonym.
        submitted, counted: his submitted assignments, and how many of them count.
        judgments: that stand on real tasks, by decision, as `analyze` has them in workers.csv.
        right, asked: control questions answered rightly, and asked, in submitted assignments.
        seconds: mean active time of a judgment, on controls too; None if he made none.
        flags: what stands out, in words.
    """

    worker: str
    submitted: int
    counted: int
    judgments: dict[str, int]
    right: int
    asked: int
    seconds: float | None
    flags: tuple[str, ...]

    @property
    def total(self) -> int:
        """All his judgments."""
        return sum(self.judgments.values())


def workers(study: Study) -> list[WorkerLine]:
    """All workers, in the order they came."""
    with study.read() as session:
        people = progress.people(session)
        decided: dict[int, Counter[str]] = defaultdict(Counter)
        for worker, decision, n in progress.decisions(session):
            decided[worker][decision] = n
        done = [person.assignment for person in people if person.state == "submitted"]
        asked = grades.asked(session, done)
    by_assignment: dict[int, list[grades.Asked]] = defaultdict(list)
    for question in asked:
        by_assignment[question.assignment].append(question)
    by_worker: dict[int, list[progress.Person]] = defaultdict(list)
    for person in people:
        by_worker[person.worker_id].append(person)
    return [
        _line(rows, decided[worker], [q for row in rows for q in by_assignment[row.assignment]])
        for worker, rows in by_worker.items()
    ]


def _line(
    rows: Sequence[progress.Person], decided: Counter[str], asked: Sequence[grades.Asked]
) -> WorkerLine:
    timed = [(row.judgments, row.seconds_each) for row in rows if row.seconds_each is not None]
    total = sum(n for n, _ in timed)
    seconds = sum(n * each for n, each in timed) / total if total else None
    return WorkerLine(
        worker=rows[0].worker,
        submitted=sum(row.state == "submitted" for row in rows),
        counted=sum(bool(row.counted) for row in rows),
        judgments={decision: decided[decision] for decision in DECISIONS},
        right=sum(counting.right_answers(asked)),
        asked=len(asked),
        seconds=seconds,
        flags=tuple(_flags(rows, decided, seconds)),
    )


def _flags(rows: Sequence[progress.Person], decided: Counter[str], seconds: float | None) -> Iterable[str]:
    if rows[0].excluded:
        yield "not invited any more"
    if any(row.counted is False for row in rows):
        yield "failed the controls"
    if seconds is not None and seconds < TOO_FAST_SECONDS:
        yield "too fast"
    if decided.total() >= _MONOTONE_FROM and max(decided.values()) == decided.total():
        yield f"only ever chose {decided.most_common(1)[0][0]}"
    for state in ("returned", "expired"):
        if any(row.state == state for row in rows):
            yield state
