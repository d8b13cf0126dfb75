"""Workers as the researcher sees them: by pseudonym, with what they did and what stands out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from analysis.alpha import table_of
from analysis.decisions import DECISIONS, Decision
from verifier.crowd.control_audit import answers_of
from verifier.crowd.review import TOO_FAST_SECONDS
from verifier.crowd.tally import Tally

if TYPE_CHECKING:
    from verifier.store import progress
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


def workers(study: Study, tally: Tally | None = None) -> list[WorkerLine]:
    """All workers, in the order they came.

    Args:
        study: open.
        tally: of the study, up to date; None: one is made.
    """
    tally = tally or Tally(study).refresh()
    number: dict[int, int] = {}
    for one in tally.people:
        number.setdefault(one.worker_id, len(number))
    who = np.array([number[one.worker_id] for one in tally.people], dtype=np.int64)
    size, wide = len(number), len(DECISIONS)
    decided = np.zeros((size, wide), dtype=np.int64)
    judged, seconds = np.zeros(size), np.zeros(size)
    for made in (tally.made, tally.in_hand):
        if not len(made):
            continue
        mine = who[made.person]
        real = ~tally.displays.control[made.display]
        decided += table_of(mine[real], made.decision[real].astype(np.int64), size, wide)
        judged += np.bincount(mine, minlength=size)
        seconds += np.bincount(mine, weights=made.seconds, minlength=size)
    answers = answers_of(tally)
    asked = np.bincount(who[answers.person], minlength=size) if len(answers.person) else np.zeros(size, int)
    right = (
        np.bincount(who[answers.person], weights=answers.right, minlength=size)
        if len(answers.person)
        else np.zeros(size)
    )
    rows: list[list[progress.Person]] = [[] for _ in number]
    for one in tally.people:
        rows[number[one.worker_id]].append(one)
    return [
        _line(
            rows[at],
            dict(zip(DECISIONS, decided[at].tolist(), strict=True)),
            int(right[at]),
            int(asked[at]),
            float(seconds[at] / judged[at]) if judged[at] else None,
        )
        for at in range(size)
    ]


def _line(
    rows: Sequence[progress.Person],
    decided: dict[Decision, int],
    right: int,
    asked: int,
    seconds: float | None,
) -> WorkerLine:
    return WorkerLine(
        worker=rows[0].worker,
        submitted=sum(row.state == "submitted" for row in rows),
        counted=sum(bool(row.counted) for row in rows),
        judgments={str(decision): n for decision, n in decided.items()},
        right=right,
        asked=asked,
        seconds=seconds,
        flags=tuple(_flags(rows, Counter(decided), seconds)),
    )


def _flags(
    rows: Sequence[progress.Person], decided: Counter[Decision], seconds: float | None
) -> Iterable[str]:
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
