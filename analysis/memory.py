"""Memory that a process has freed and keeps.

To ask the system for it anew for every array costs a quarter of the time that large tables take.
"""

from __future__ import annotations

import ctypes
from typing import Final

# Of malloc.h: how much must be free at the end to be given back; how many pieces are asked for singly.
_TRIM: Final = -1
_SINGLY: Final = -4
_NEVER: Final = 2**31 - 1


def keep() -> None:
    """Keep what is freed for the arrays to come; without the C library of GNU nothing happens."""
    try:
        mallopt = ctypes.CDLL("libc.so.6").mallopt
    except (OSError, AttributeError):
        return
    mallopt(_TRIM, _NEVER)
    mallopt(_SINGLY, 0)
