"""The two lengths by which every splitter closes its segments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Lengths:
    """How long segments are, in characters.

    Attributes:
        min_chars: where a segment closes: its least length, but for the last.
        min_tail: least length of a last segment that stands alone; a third of `min_chars` unless given.
    """

    min_chars: int = 300
    min_tail: int = field(default=-1)

    def __post_init__(self) -> None:
        if self.min_tail < 0:
            object.__setattr__(self, "min_tail", self.min_chars // 3)

    @property
    def parameters(self) -> dict[str, Any]:
        """What it was set to, for the record."""
        return {"min_chars": self.min_chars, "min_tail": self.min_tail}
