"""The pure part of drawing: shares of the strata, packing of the tail, the number of places needed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

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


def places_needed(open_by_passage: Iterable[int], capacity: int) -> int:
    """The least number of places in which all open slots can be done.

    A place holds at most `capacity` real tasks and never two of one passage, so it takes at least as many
    as the fullest passage has open slots; that many are also enough (see `pack`).
    """
    counts = [count for count in open_by_passage if count]
    return max(-(-sum(counts) // max(capacity, 1)), max(counts, default=0))


def pack(slots: Iterable[Slot], counts: Mapping[str, int], size: int, places: int) -> list[Slot]:
    """`size` slots of different passages, such that what is left fits into one place fewer.

    If all that is open fits into `places` (`places_needed`), a draw of ceil(open / places) that takes one of
    every passage with `places` open ones leaves what fits into one less. Those passages are a must.

    A draw that takes them all and every stratum within one task of its share exists whenever the worker has
    seen none of the passages: to take each slot with weight 1 / places does both on the average, and what a
    flow can do in parts with whole bounds it can do whole. Where he has seen some, the musts go before the
    shares. Beyond both, largest remainders go first, then the passages with most open slots, then the
    seeded order.

    Args:
        slots: open, of passages that the worker has not seen.
        counts: stratum -> open slots, of passages seen and not.
        size: tasks wanted.
        places: needed for all that is open, this one included.
    """
    left: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        left[slot.passage].append(slot)
    taken = _matched(left, counts, size, places) if left and size else []
    for slot in taken:
        del left[slot.passage]
    lacking = Counter(shares(counts, size))
    lacking.subtract(slot.stratum for slot in taken)
    # Strata of which the worker has seen too much leave room for others.
    while left and len(taken) < size:
        _, _, _, slot = min(
            (-lacking[slot.stratum], -len(group), slot.position, slot)
            for group in left.values()
            for slot in group
        )
        lacking[slot.stratum] -= 1
        taken.append(slot)
        del left[slot.passage]
    return taken


def _matched(left: Mapping[int, list[Slot]], counts: Mapping[str, int], size: int, places: int) -> list[Slot]:
    """The best matching of seats, the whole part of each share and one for the rest of it, to passages."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to load, only for the last draws
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415 - the same

    total = max(sum(counts.values()), 1)
    sure = [name for name, count in counts.items() for _ in range(size * count // total)]
    rest = sorted((n for n in counts if size * counts[n] % total), key=lambda n: -(size * counts[n] % total))
    seats = [*sure, *rest]
    passages = sorted(left, key=lambda passage: min(slot.position for slot in left[passage]))
    # Each of these outweighs all of those before it together, over a whole draw.
    fuller = len(passages) * size + 1  # an edge's own worth is over 1
    earlier = fuller * size * max(map(len, left.values())) + 1
    seated = earlier * len(seats) ** 2 + 1
    must = seated * (size + 1)
    worth = np.zeros((len(seats), len(passages) + len(seats)))
    for column, passage in enumerate(passages):
        group = left[passage]
        own = fuller * len(group) - column + (must if len(group) >= places else 0)
        offered = {slot.stratum for slot in group}
        for row, stratum in enumerate(seats):
            if stratum in offered:
                worth[row, column] = own + (seated if row < len(sure) else earlier * (len(seats) - row))
    # A seat may stay empty, and of those for the rests, as many as are too many do. Nought is no edge.
    spare = len(seats) - size
    worth[:, len(passages) :] = 1
    worth[len(sure) :, len(passages) : len(passages) + spare] = must * (size + 1)
    rows, columns = min_weight_full_bipartite_matching(csr_array(worth), maximize=True)
    return [
        min((s for s in left[passages[column]] if s.stratum == seats[row]), key=lambda s: (s.position, s.id))
        for row, column in zip(rows, columns, strict=True)
        if column < len(passages)
    ]
