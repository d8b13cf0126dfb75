"""The pure part of drawing: shares of the strata, packing of the tail, the number of places needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.store.claims import Slot


def shares(open_slots: Mapping[str, int], size: int) -> dict[str, int]:
    """How many of `size` tasks each stratum gets: in proportion to what is open, by largest remainder.

    Every share is within one task of `size * open / total`, and none exceeds what is open. Equal remainders
    go to the earlier in `open_slots`: give the strata in a random order, so that no name is favoured.

    Args:
        open_slots: stratum -> open slots.
        size: tasks to share out; no more than are open are.
    """
    total = sum(open_slots.values())
    size = min(size, total)
    if not total:
        return dict.fromkeys(open_slots, 0)
    given = {name: size * count // total for name, count in open_slots.items()}
    by_remainder = sorted(open_slots, key=lambda name: -(size * open_slots[name] % total))
    for name in by_remainder[: size - sum(given.values())]:
        given[name] += 1
    return given


def places_needed(open_by_segment: Iterable[int], capacity: int) -> int:
    """The least number of places in which all open slots can be done.

    A place holds at most `capacity` real tasks and never two of one segment, so it takes at least as many
    as the fullest segment has open slots; that many are also enough (see `pack`).
    """
    counts = [count for count in open_by_segment if count]
    return max(-(-sum(counts) // max(capacity, 1)), max(counts, default=0))


def pack(slots: Iterable[Slot], wanted: Mapping[str, int], size: int, places: int) -> list[Slot]:
    """`size` slots of different segments, such that what is left fits into one place fewer.

    If all that is open fits into `places` (`places_needed`), a draw of ceil(open / places) that takes one of
    every segment with `places` open ones leaves what fits into one less. Those segments are a must; beyond
    them the stratum furthest below its share goes first, then the segment with most open slots, then the
    seeded order.

    Args:
        slots: open, of segments that the worker has not seen.
        wanted: the strata's shares of this draw.
        size: tasks wanted.
        places: needed for all that is open, this one included.
    """
    left: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        left[slot.segment].append(slot)
    must = {segment for segment, group in left.items() if len(group) >= places}
    lacking = defaultdict(int, wanted)
    taken: list[Slot] = []
    while left and len(taken) < size:
        choice = must if len(must) >= size - len(taken) else left
        _, _, _, slot = min(
            (-lacking[slot.stratum], -len(left[segment]), slot.position, slot)
            for segment in choice
            for slot in left[segment]
        )
        lacking[slot.stratum] -= 1
        taken.append(slot)
        must.discard(slot.segment)
        del left[slot.segment]
    return taken
