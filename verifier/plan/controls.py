"""Makes control tasks: displays with known answers, from what all sources agree on and a knowledge base."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

from analysis.decisions import EDIT, REMOVE, VERIFY, Decision
from analysis.documents import Span
from analysis.errors import StateError
from analysis.keys import LINK
from verifier.plan import chance
from verifier.plan.tasks import Mark, Shown

# The pool: five times what one worker sees, and about fifty wrong links where the corpus allows.
POOL_FACTOR: Final = 5
POOL_SIZE: Final = 50
# An answer cycle: with three displays to a task, each of the three right answers once.
CYCLE: Final[tuple[Decision, ...]] = (VERIFY, EDIT, REMOVE)
_WORDS = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_CANDIDATES = 10
# A span with a mention this near might be meant as part of it ("the city" in "the city of York").
_NEAR = 2
HARD: Final = "hard"
EASY: Final = "easy"


class Entities(Protocol):
    """Where wrong entities come from: the knowledge base, or the corpus where none is built."""

    def namesakes(self, key: str, limit: int) -> list[str]:
        """Entities that share a name with this one."""

    def neighbours(self, mention: str, limit: int) -> list[str]:
        """Entities that a search for the mention finds."""

    def random(self, seed: str, limit: int) -> list[str]:
        """Any entities, from a seed."""


@dataclass(frozen=True)
class Known:
    """A control display with its answer.

    Attributes:
        shown: span and key.
        expected: the decision that is right.
        acceptable: where an edit is right, the keys it may be edited to.
        difficulty: `hard` for a namesake, `easy` otherwise; as given in a file.
        use: `gate` (decides counting) or `measure`.
    """

    shown: Shown
    expected: Decision
    acceptable: tuple[str, ...] | None
    difficulty: str | None
    use: Literal["gate", "measure"] = "gate"


@dataclass(frozen=True)
class Control:
    """A control task: displays, in text order, on one segment of one document."""

    document: int
    segment: int
    known: tuple[Known, ...]


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


@dataclass
class Pool:
    """Controls that were made, and why no more could be."""

    controls: list[Control] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)


def generate(
    places: Sequence[Place],
    entities: Entities,
    *,
    answers: int,
    wanted: int,
    common: Mapping[str, int],
    seed: int,
) -> Pool:
    """Up to `wanted` control tasks of `answers` displays each, on different segments in seeded order.

    Documents on which more sources ran come first: there "all sources agree" says more.

    Args:
        places: the segments to try.
        entities: where wrong entities come from.
        answers: displays on a task; the right answers go round (verify, edit, remove).
        wanted: the most to make.
        common: word in small letters -> documents that have it.
        seed: the study's.
    """
    pool = Pool()
    ranked = sorted(
        places,
        key=lambda place: (-len(place.ran), chance.number(seed, "control", place.document, place.segment)),
    )
    for place in ranked:
        if len(pool.controls) >= wanted:
            break
        expected = [CYCLE[(len(pool.controls) + turn) % len(CYCLE)] for turn in range(answers)]
        made = _make(place, expected, entities, common, seed)
        if isinstance(made, Control):
            pool.controls.append(made)
        else:
            pool.failures[made] += 1
    return pool


def require(
    controls: Sequence[int], drawable: AbstractSet[int], per_place: int, failures: Mapping[str, int]
) -> None:
    """Refuse a plan with too few controls.

    A control's segment is never a real task of the same worker, so for each segment with real tasks enough
    controls must lie on other segments.

    Args:
        controls: the segment of each control.
        drawable: segments with real tasks.
        per_place: controls on a place.
        failures: reason -> segments on which no control could be made.

    Raises:
        StateError: with how many are needed, how many there are, and why.
    """
    on_segment = Counter(controls)
    blocked = max((on_segment[segment] for segment in drawable), default=0)
    if len(controls) - blocked >= per_place:
        return
    reasons = "; ".join(f"{count} segments: {reason}" for reason, count in sorted(failures.items()))
    raise StateError(
        f"too few controls: needs at least {per_place + max(blocked, 1)} control tasks, could make "
        f"{len(controls)} because {reasons or 'there are no segments to try'}",
        where="study.yaml, place.controls",
        got=str(per_place),
        remedy="Lower place.controls or controls.answers_per_task, give controls in a file (controls.file),"
        " or import more documents. Nothing was stored.",
    )


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


def no_entity(place: Place, common: Mapping[str, int]) -> list[Span]:
    """Runs of one or two words in small letters that no annotation overlaps, the commonest words first.

    Kept away from mentions and from words with a capital, of which they might be meant as a part. The words
    that most documents have name no entity in any of them.
    """
    marks = [mark.span for mark in place.marks]
    words = [
        (match[0], Span(*match.span()))
        for match in _WORDS.finditer(place.text, place.span.start, place.span.end)
    ]
    small = [word.islower() and _free(span, marks) for word, span in words]
    beside = [word.islower() for word, _ in words]
    found = []
    for i in range(len(words)):
        for j in (i + 1, i + 2):
            if j > len(words) or not all(small[i:j]):
                continue
            neighbours = [beside[n] for n in (i - 1, j) if 0 <= n < len(words)]
            run = place.text[words[i][1].start : words[j - 1][1].end]
            plain = run == " ".join(word for word, _ in words[i:j])
            if all(neighbours) and plain:
                rarest = min(common.get(word, 0) for word, _ in words[i:j])
                found.append((-rarest, Span(words[i][1].start, words[j - 1][1].end)))
    return [span for _, span in sorted(found)]


def document_frequency(texts: Sequence[str]) -> Counter[str]:
    """In how many documents each word in small letters stands."""
    return Counter(word for text in texts for word in {w for w in _WORDS.findall(text) if w.islower()})


def _make(
    place: Place, expected: Sequence[Decision], entities: Entities, common: Mapping[str, int], seed: int
) -> Control | str:
    """The control for this place, or the reason why there can be none."""
    items = chance.shuffled(agreed(place), seed, "agreed", place.document, place.segment)
    needed = sum(decision != REMOVE for decision in expected)
    if len(items) < needed:
        return f"fewer than {needed} mentions that all sources link identically"
    given = {mark.key for mark in place.marks}
    wrong = _wrong_spans(place, expected, common, seed)
    if wrong is None:
        return "no words in small letters, away from every mention, that could stand for no entity"
    known: list[Known] = []
    # Wrong links first: not every mention has a namesake.
    for turn, decision in sorted(enumerate(expected), key=lambda entry: entry[1] != EDIT):
        supply = _Supply(entities, given, seed, f"{place.document}/{place.segment}/{turn}")
        made = supply.unlinked(next(wrong)) if decision == REMOVE else supply.linked(place, items, decision)
        if made is None:
            return "no entity to link wrongly: neither a namesake, nor a neighbour, nor any other"
        known.append(made)
        given.add(made.shown.key)
    return Control(place.document, place.segment, tuple(sorted(known, key=lambda answer: answer.shown)))


def _wrong_spans(
    place: Place, expected: Sequence[Decision], common: Mapping[str, int], seed: int
) -> Iterator[Span] | None:
    """As many spans that are no entity as are needed, from the commoner half; None if there are too few."""
    needed = expected.count(REMOVE)
    runs = no_entity(place, common)
    half = runs[: max(len(runs) // 2, needed)]
    apart: list[Span] = []
    for run in chance.shuffled(half, seed, "no entity", place.document, place.segment):
        if not any(run.overlaps(other) for other in apart):
            apart.append(run)
    return iter(apart) if len(apart) >= needed else None


@dataclass(frozen=True)
class _Supply:
    """Answers for one display: entities that nobody gave in the document, by the chance of `name`."""

    entities: Entities
    given: set[str | None]
    seed: int
    name: str

    def linked(self, place: Place, items: list[Mark], decision: Decision) -> Known | None:
        """One of the agreed mentions, taken out of `items`: as it is, or with a wrong entity.

        A namesake of one of them if any has one, else what a search for a mention finds, else any entity.
        """
        if decision == VERIFY:
            return Known(items.pop().shown, VERIFY, None, EASY)
        for mark in items:
            if found := self._new(self.entities.namesakes(mark.key or "", _CANDIDATES)):
                return self._wrong(items, mark, found, HARD)
        for mark in items:
            if found := self._new(self.entities.neighbours(place.text[mark.start : mark.end], _CANDIDATES)):
                return self._wrong(items, mark, found, EASY)
        found = self._anything()
        return self._wrong(items, items[0], found, EASY) if found else None

    def unlinked(self, span: Span) -> Known | None:
        """A span that is no entity, with any."""
        found = self._anything()
        return Known(Shown(*span, found[0]), REMOVE, None, EASY) if found else None

    def _wrong(self, items: list[Mark], mark: Mark, found: Sequence[str], difficulty: str) -> Known:
        items.remove(mark)
        wrong = chance.shuffled(found, self.seed, "wrong", self.name)[0]
        return Known(Shown(mark.start, mark.end, wrong), EDIT, (mark.key or "",), difficulty)

    def _new(self, keys: Sequence[str]) -> list[str]:
        return [key for key in keys if key not in self.given]

    def _anything(self) -> list[str]:
        drawn = self.entities.random(f"{self.seed}/{self.name}", _CANDIDATES + len(self.given))
        return self._new(drawn)[:1]


def _free(span: Span, marks: Sequence[Span]) -> bool:
    wide = Span(span.start - _NEAR, span.end + _NEAR)
    return not any(wide.overlaps(mark) for mark in marks)
