"""Opens files that may be packed, and says in words what is wrong with one."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from analysis.errors import InputError


@contextmanager
def reading(source: Path, expected: str) -> Iterator[IO[bytes]]:
    """The file, unpacked as its name says, piece by piece: it never is in memory as a whole.

    Raises:
        InputError: it is missing, or not what its name says, however late that shows.
    """
    try:
        with _opened(source) as file:
            yield file
    except FileNotFoundError:
        raise InputError("no such file", where=str(source), expected=expected) from None
    except IsADirectoryError:
        raise InputError("a folder, not a file", where=str(source)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            "the file is broken off or not packed as its name says", where=str(source), got=str(error)
        ) from None


def _opened(source: Path) -> IO[bytes]:
    name = source.name.lower()
    if name.endswith(".gz"):
        return cast("IO[bytes]", gzip.open(source))
    return bz2.open(source) if name.endswith(".bz2") else source.open("rb")
