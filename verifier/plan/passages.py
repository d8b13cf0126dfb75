"""Which segments hold the same text: a worker reads a passage once, wherever it stands."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from hashlib import blake2b

_SIZE = 16


def digest(text: str) -> bytes:
    """Equal for texts that a reader takes for the same.

    White space of any kind and length is one space, at the ends none; characters that Unicode composes (NFC)
    are one whichever way they are written. Case and punctuation count.
    """
    return blake2b(" ".join(unicodedata.normalize("NFC", text).split()).encode(), digest_size=_SIZE).digest()


class Passages:
    """The passages of a study while it is planned: each named by the first segment that holds it.

    Args:
        known: segment -> passage, of segments stored before, where that is another segment.
    """

    def __init__(self, known: Mapping[int, int]) -> None:
        self._of = dict(known)
        self._first: dict[bytes, int] = {}

    def put(self, segment: int, text: str) -> int:
        """The passage of a segment that holds `text`; its own if no segment before it holds the same."""
        passage = self._first.setdefault(digest(text), segment)
        if passage != segment:
            self._of[segment] = passage
        return passage

    def __getitem__(self, segment: int) -> int:
        """The passage of a segment."""
        return self._of.get(segment, segment)
