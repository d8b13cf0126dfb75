"""Memory that a process has freed: kept, or given back.

To ask the system for it anew for every array costs a quarter of the time that large tables take. What is not
given back between the stages of a large analysis adds up to as much as its tables.
"""

from __future__ import annotations

import ctypes
import sys
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


def give_back() -> None:
    """Give back what is free, of the C library of GNU and of pyarrow where it is in use."""
    if (arrow := sys.modules.get("pyarrow")) is not None:
        arrow.default_memory_pool().release_unused()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):
        return
