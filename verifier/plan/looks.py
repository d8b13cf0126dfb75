"""What is seen of a task before it is read: that by which nobody is to tell a control from a real one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from verifier.plan import chance
from verifier.plan.agreeing import Place, all_displays
from verifier.plan.tasks import Shown, parts

# So many segments are looked at: enough to know how real tasks look.
_SEGMENTS: Final = 300
# Highlights of small words, where the other has none, weigh as much as three times as many highlights.
_SMALL: Final = log(3)
# One highlight too many of the same entity is seen sooner than one too many.
_AGAIN: Final = 2


@dataclass(frozen=True)
class Look:
    """Of a task: how many highlights of how many entities, how long a text, and whether one begins small."""

    highlights: int
    entities: int
    letters: int
    small: bool

    def apart(self, other: Look) -> float:
        """How different two look: 0 for the same; log 2 if one has twice as many highlights, or letters."""
        return (
            abs(log(self.highlights / other.highlights))
            + abs(log(self.highlights / self.entities) - log(other.highlights / other.entities)) * _AGAIN
            + abs(log(self.letters / other.letters))
            + _SMALL * (self.small != other.small)
        )


def look(place: Place, shown: Sequence[Shown]) -> Look:
    """How a task that shows this on a segment looks."""
    small = any(place.text[one.start].islower() for one in shown)
    entities = len({one.key for one in shown})
    return Look(max(len(shown), 1), max(entities, 1), max(place.span.end - place.span.start, 1), small)


def looks(places: Sequence[Place], *, least: int, pooled: bool, room: int | None, seed: int) -> list[Look]:
    """How real tasks look, in a random order: those that show at least so much; any, if none does.

    Args:
        places: segments.
        least: highlights that a task must have for a control to look like it.
        pooled: whether a task shows the links of all sources together.
        room: what a task shows at most; None: as much as there is.
        seed: the study's.
    """
    order = sorted(places, key=lambda one: chance.number(seed, "look", one.document, one.segment))
    found = [
        look(place, part)
        for place in order[:_SEGMENTS]
        for shown in all_displays(place, pooled=pooled)
        if shown
        for part in parts(shown, room)
    ]
    mixed = chance.shuffled(found, seed, "looks")
    return [one for one in mixed if one.highlights >= least] or mixed or [Look(1, 1, 1, small=False)]
