"""Ctrl-C, also while modules are being imported: the program ends with its status and without a traceback.

Code that is being imported may swallow KeyboardInterrupt, or make another error of it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

# Status of a program that Ctrl-C ended.
INTERRUPTED = 130


def status_of(run: Callable[[], int]) -> int:
    """Run a program: its status, or that of one that Ctrl-C ended, whatever became of the exception.

    Raises:
        Exception: what the program raises, where nobody pressed Ctrl-C.
    """
    noting = _Noting()
    try:
        with noting:
            return run()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        if noting.came:
            return INTERRUPTED
        raise


class LeaveAtOnce:
    """While it lasts Ctrl-C ends the process. It belongs around imports, before anything is opened.

    Where Ctrl-C means something else already, and in other threads than the first, nothing changes.
    """

    def __enter__(self) -> None:
        """From here on."""
        self._before = signal.getsignal(signal.SIGINT)
        self._ours = _is_ordinary(self._before) and _said(self._leave)

    def __exit__(self, *_: object) -> None:
        """Until here."""
        if self._ours:
            signal.signal(signal.SIGINT, self._before)

    @staticmethod
    def _leave(_number: int, _frame: object) -> None:
        os._exit(INTERRUPTED)


class _Noting:
    """While it lasts KeyboardInterrupt is raised as ever, and it is known that it was."""

    def __init__(self) -> None:
        self.came = False

    def __enter__(self) -> None:
        self._ours = _is_ordinary(signal.getsignal(signal.SIGINT)) and _said(self._note)

    def __exit__(self, *_: object) -> None:
        # A command may have said otherwise meanwhile.
        if self._ours and _is_ordinary(signal.getsignal(signal.SIGINT)):
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, _number: int, _frame: object) -> None:
        self.came = True
        raise KeyboardInterrupt


def _is_ordinary(handler: object) -> bool:
    """Whether Ctrl-C raises KeyboardInterrupt."""
    return handler is signal.default_int_handler or isinstance(getattr(handler, "__self__", None), _Noting)


def _said(handler: Callable[[int, object], None]) -> bool:
    """Say what Ctrl-C does; only the first thread may, and only it is interrupted."""
    try:
        signal.signal(signal.SIGINT, handler)
    except ValueError:
        return False
    return True
