"""What all sources agree on in a segment, and how sure such a link is: what controls are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from analysis.documents import Span
from analysis.keys import LINK
from verifier.plan import chance
from verifier.plan.entities import Entities, described_in
from verifier.plan.tasks import Mark, Shown

# How sure it is that a link on which all sources agree is right.
SURE: Final = 0
READ: Final = 1
OPEN: Final = 2
UNSURE: Final = 3


class Place(NamedTuple):
    """A segment that a control might be made on.

    Attributes:
        document, segment: ids; the segment's number in its document.
        text: of the document.
        span: the part of the segment that is judged.
        marks: every annotation of every source in the document, keys after redirects.
        ran: the sources that ran on the document.
    """

    document: int
    segment: int
    text: str
    span: Span
    marks: Sequence[Mark]
    ran: frozenset[int]


def agreed(place: Place) -> list[Mark]:
    """The items of the place that every source which ran there gives identically, and nobody contradicts.

    One mark stands for all; an item that another span or key overlaps is left out.
    """
    inside = [mark for mark in place.marks if mark.span.overlaps(place.span)]
    sources: dict[Shown, set[int]] = {}
    first: dict[Shown, Mark] = {}
    for mark in inside:
        if mark.kind == LINK and mark.key is not None and mark.span.within(place.span):
            sources.setdefault(mark.shown, set()).add(mark.source)
            first.setdefault(mark.shown, mark)
    clean = []
    for shown in sorted(sources):
        rivals = (m for m in inside if m.span.overlaps(first[shown].span) and m.shown != shown)
        if sources[shown] == place.ran and next(rivals, None) is None:
            clean.append(first[shown])
    return clean


def sureness(mark: Mark, text: str, entities: Entities) -> int:
    """How sure it is that a link on which all sources agree is right.

    `SURE`: the name leads to this entity alone, so no source can have mistaken it for a namesake. `READ`: it
    leads to several, and the text shares more words with the description of this one than with that of any
    other. `OPEN`: with no other's more. `UNSURE`: the text speaks for another, so that all sources may have
    made the same mistake, such as taking the best known; or nobody knows the name.

    References:
        Lesk (1986), doi 10.1145/318723.318728: the sense whose definition shares most words with the text.
    """
    mention = text[mark.start : mark.end]
    bearers = entities.named(mention)
    if mark.key not in bearers:
        return UNSURE
    if len(bearers) == 1:
        return SURE
    around = described_in(text) - described_in(mention)
    shared = {key: len(around & entities.words(key)) for key in bearers}
    others = max(number for key, number in shared.items() if key != mark.key)
    if shared[mark.key] == others:
        return OPEN
    return READ if shared[mark.key] > others else UNSURE


def displays(place: Place, *, pooled: bool, seed: int) -> list[Shown]:
    """What a real task on this segment would show: one source's links (a seeded one's), or those of all."""
    found = all_displays(place, pooled=pooled)
    return found[0] if pooled else chance.shuffled(found, seed, "shape", place.document, place.segment)[0]


def all_displays(place: Place, *, pooled: bool) -> list[list[Shown]]:
    """What the real tasks on this segment would show: each source's links, or in one those of all."""
    found: dict[int, set[Shown]] = {0: set()} if pooled else {source: set() for source in sorted(place.ran)}
    for mark in place.marks:
        group = found.get(0 if pooled else mark.source)
        if group is not None and mark.kind == LINK and mark.key is not None and mark.span.within(place.span):
            group.add(mark.shown)
    return [sorted(group) for group in found.values()]
