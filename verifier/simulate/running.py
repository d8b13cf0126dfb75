"""Running a simulated crowd: workers in waves, in an order that makes the study the same each time.

A draw depends on who came before, so what draws or reopens work must happen in a fixed order. Workers come in
waves of a fixed size. Within a wave they arrive one after the other, in the order of their numbers; then all
work at once, each on his own thread, deciding by chance that depends on (seed, worker, what is shown) alone;
then they hand in or give back one after the other. So the same seed, crowd and size of wave give the same
judgments whatever the timing.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TextIO

from verifier.simulate.client import TaskServer
from verifier.simulate.deciding import Mind
from verifier.simulate.doors import Door, LinkDoor
from verifier.simulate.habits import Habits
from verifier.simulate.truth import Truth
from verifier.simulate.worker import SimulatedWorker
from verifier.targets import check, json_with

TOGETHER: Final = 8


@dataclass(frozen=True)
class Crowd:
    """Who comes: how many workers, of which habits, knowing which truth, from which seed.

    Attributes:
        together: workers in a wave.
        door: by which a worker of a platform's id comes and goes.
    """

    workers: int
    seed: int
    habits: Habits
    truth: Truth
    together: int = TOGETHER
    door: Callable[[str], Door] = lambda worker: LinkDoor({"participant": worker})

    def participant(self, number: int) -> str:
        """The platform id of a simulated worker."""
        return f"simulated-{self.seed}-{number:05d}"


@dataclass(frozen=True)
class Worked:
    """What a simulated crowd did: workers by outcome, and judgments stored."""

    outcomes: Mapping[str, int]
    judgments: int


class Acknowledgements:
    """A log, one JSON line each, of the judgments that the server has said are stored."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Open the file, if one is wanted."""
        if self._path is not None:
            check([self._path], json_with("assignment", "sequence"))
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a", encoding="utf-8")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        if self._file is not None:
            self._file.close()

    def __call__(self, token: str, sequence: int) -> None:
        """Note one."""
        if self._file is not None:
            with self._lock:
                self._file.write(json.dumps({"assignment": token, "sequence": sequence}) + "\n")
                self._file.flush()


def run(
    url: str,
    crowd: Crowd,
    *,
    abandoned: Callable[[str], None],
    progress: Callable[[int, int], None] = lambda _workers, _judgments: None,
    acknowledged: Callable[[str, int], None] = lambda _token, _sequence: None,
) -> Worked:
    """Let the crowd work, until all have come or a whole wave found nothing left to do.

    Args:
        url: where the task server listens.
        crowd: who comes.
        abandoned: called with the token of each assignment left without a word, after its wave: a simulated
            crowd does not wait for the clock, so the caller lets its lease run out.
        progress: called after each wave with the workers that came and the judgments stored so far.
        acknowledged: called with (token, sequence) of each judgment the server has stored.
    """
    outcomes: Counter[str] = Counter()
    judgments = came = 0
    nothing_left = False
    with ThreadPoolExecutor(crowd.together) as pool:
        while came < crowd.workers and not nothing_left:
            numbers = range(came, min(came + crowd.together, crowd.workers))
            wave = _wave(url, crowd, numbers, acknowledged, pool)
            for worker in wave:
                if worker.token is not None and worker.outcome == "abandoned":
                    abandoned(worker.token)
                outcomes[worker.outcome] += 1
                judgments += worker.judgments
            came += len(wave)
            nothing_left = all(worker.outcome == "turned away" for worker in wave)
            progress(came, judgments)
    return Worked(dict(outcomes), judgments)


def _wave(
    url: str,
    crowd: Crowd,
    numbers: range,
    acknowledged: Callable[[str, int], None],
    pool: ThreadPoolExecutor,
) -> list[SimulatedWorker]:
    with ExitStack() as stack:
        wave = [
            SimulatedWorker(
                number,
                Mind(crowd.habits, crowd.truth, crowd.seed, number),
                stack.enter_context(TaskServer(url)),
                stack.enter_context(closing(crowd.door(crowd.participant(number)))),
                acknowledged,
            )
            for number in numbers
        ]
        for worker in wave:
            worker.arrive()
        list(pool.map(SimulatedWorker.work, wave))
        for worker in wave:
            worker.end()
    return wave
