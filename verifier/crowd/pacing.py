"""The pacer: makes a call again while the platform is busy or cannot be reached, ever more slowly."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from analysis.errors import StateError

T = TypeVar("T")


class BusyError(StateError):
    """The platform did not answer, or asked to be asked later; the call may have been done or not."""

    code = "busy"


@dataclass(frozen=True)
class Pacer:
    """How calls are made again.

    Attributes:
        attempts: in all.
        first: seconds before the second; each further wait is twice as long.
        longest: seconds that a wait has at most.
        sleep: waits.
    """

    attempts: int = 8
    first: float = 0.5
    longest: float = 30.0
    sleep: Callable[[float], None] = time.sleep

    def call(self, make: Callable[[], T]) -> T:
        """Make a call that may be made again without harm.

        Raises:
            BusyError: it never came through. What it was for may be done; a later run finds out.
        """
        for attempt in range(self.attempts - 1):
            try:
                return make()
            except BusyError:
                self.sleep(min(self.first * 2**attempt, self.longest))
        return make()
