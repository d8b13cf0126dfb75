"""Faults on demand: what goes wrong with the next calls of an operation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from analysis.errors import InputError, plain

ANY: Final = "*"
LAG_SECONDS: Final = 60.0


class Kind(StrEnum):
    """What goes wrong.

    `throttle`: refused, too many requests. `before`: a server error, nothing done. `drop`: done, and the
    connection is closed without an answer. `lag`: lists do not show what is younger than a minute. `short`:
    lists give fewer than asked for, and go on. `empty`: lists go on once more and have nothing there.
    `credentials`: who asks is not known.
    """

    THROTTLE = "throttle"
    BEFORE = "before"
    DROP = "drop"
    LAG = "lag"
    SHORT = "short"
    CREDENTIALS = "credentials"
    EMPTY = "empty"


@dataclass
class Fault:
    """A fault of an operation ("*": any), which happens so many times more."""

    operation: str
    kind: Kind
    times: int


class Faults:
    """The faults that are asked for, in the order in which they were.

    Args:
        operations: names the operations that there are.
    """

    def __init__(self, operations: Callable[[], Collection[str]]) -> None:
        self._operations = operations
        self._asked: list[Fault] = []
        self._lock = threading.Lock()

    def ask(self, operation: str, kind: str, times: int = 1) -> None:
        """Ask for a fault.

        Raises:
            InputError: there is no such operation or kind.
        """
        if operation != ANY and operation not in self._operations():
            raise InputError("no such operation", got=plain(operation))
        if kind not in list(Kind):
            raise InputError("no such fault", got=plain(kind), expected=", ".join(Kind))
        with self._lock:
            self._asked.append(Fault(operation, Kind(kind), times))

    def take(self, operation: str) -> Kind | None:
        """What goes wrong with this call; the fault is used up by one."""
        with self._lock:
            for fault in self._asked:
                if fault.operation in (ANY, operation) and fault.times > 0:
                    fault.times -= 1
                    return fault.kind
        return None

    def clear(self) -> None:
        """Ask for none any more."""
        with self._lock:
            self._asked.clear()
