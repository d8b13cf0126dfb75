"""Makes control tasks: a real task's displays, some with known answers, one linked wrongly, one no entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import Final, Literal

from analysis.decisions import EDIT, REMOVE, VERIFY, Decision
from analysis.errors import StateError
from verifier.plan import chance, no_entity
from verifier.plan.agreeing import SURE, UNSURE, Place, agreed, displays, sureness
from verifier.plan.entities import Entities
from verifier.plan.no_entity import Vocabulary
from verifier.plan.tasks import Mark, Shown
from verifier.plan.wrong import EASY, HARD, Wrong

# The pool has at least five times what one worker sees.
POOL_FACTOR: Final = 5
# An answer cycle: with three answers to a task, each of the three right decisions once.
CYCLE: Final[tuple[Decision, ...]] = (VERIFY, EDIT, REMOVE)
# So many times what is wanted is made at most, for the best of it to be chosen.
_MADE: Final = 3
# Of so many words more than are needed the best are taken.
_WORDS: Final = 12
Use = Literal["gate", "measure", "decoy"]
UNSURE_LINKS: Final = "the sources agree on links, but each might be the best known namesake, taken by all"


@dataclass(frozen=True)
class Known:
    """A display of a control.

    Attributes:
        shown: span and key.
        expected: the decision that is right; None where nobody knows, shown for the look of it.
        acceptable: where an edit is right, the keys it may be edited to.
        difficulty: `hard` for a link to a namesake, a right one whose name leads to several entities, and a
            word that titles have; `easy` otherwise; as given in a file.
        use: `gate` (decides counting), `measure`, or `decoy` (the wrong link of a decoy).
    """

    shown: Shown
    expected: Decision | None
    acceptable: tuple[str, ...] | None = None
    difficulty: str | None = None
    use: Use = "gate"


@dataclass(frozen=True)
class Control:
    """A control task: displays, in text order, on one segment of one document."""

    document: int
    segment: int
    known: tuple[Known, ...]


@dataclass
class Pool:
    """Controls that were made, and why no more could be."""

    controls: list[Control] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Wanted:
    """What controls are to be made.

    Attributes:
        answers: graded answers on each; the right ones go round (verify, edit, remove).
        most: how many to make where the corpus allows.
        least: how many to make even of links that are not sure.
        pooled: whether real tasks show the links of all sources together.
        cycle: the right decisions that go round.
    """

    answers: int
    most: int
    least: int
    pooled: bool = False
    cycle: tuple[Decision, ...] = CYCLE


@dataclass(frozen=True)
class _Made:
    """A control with what it is worth."""

    control: Control
    unsure: bool
    sources: int
    easy: int
    again: bool = False

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """Smaller is better: sure links, wrong ones of their own, agreed by more sources, hard to tell."""
        return self.unsure, self.again, -self.sources, self.easy


def generate(
    places: Sequence[Place], entities: Entities, wanted: Wanted, *, vocabulary: Vocabulary, seed: int
) -> Pool:
    """Control tasks on different segments, the best of three times as many as are wanted.

    A control looks like a real task: it shows what one would show there, and of that one agreed link with
    a wrong entity, and a word that names none. Documents on which more sources ran come first: there "all
    sources agree" says more. Links that might be an error shared by all serve only where there are no others.

    Args:
        places: the segments to try.
        entities: where wrong entities come from, and who goes by which name.
        wanted: how many, and how.
        vocabulary: of the corpus.
        seed: the study's.
    """
    ranked = sorted(
        places,
        key=lambda place: (-len(place.ran), chance.number(seed, "control", place.document, place.segment)),
    )
    # One list for each way in which the cycle begins, so that choosing the best keeps the answers in balance.
    kinds: list[list[_Made]] = [[] for _ in wanted.cycle]
    failures = Counter[str]()
    made = sure = 0
    had: set[tuple[str, str]] = set()
    for place in ranked:
        if sure >= _MADE * wanted.most:
            break
        turn = made * wanted.answers % len(wanted.cycle)
        expected = [wanted.cycle[(turn + number) % len(wanted.cycle)] for number in range(wanted.answers)]
        found = _Making(place, entities, vocabulary, seed, pooled=wanted.pooled).make(expected)
        if isinstance(found, str):
            failures[found] += 1
            continue
        wrong = _wrong_in(found.control, place)
        kinds[turn].append(replace(found, again=not wrong.isdisjoint(had)))
        had |= wrong
        made += 1
        sure += not found.unsure
    return _choose(kinds, wanted, failures)


def _wrong_in(control: Control, place: Place) -> set[tuple[str, str]]:
    """Its wrong links: mention and entity."""
    return {
        (place.text[known.shown.start : known.shown.end].casefold(), known.shown.key)
        for known in control.known
        if known.expected == EDIT
    }


def _choose(kinds: Sequence[list[_Made]], wanted: Wanted, failures: Counter[str]) -> Pool:
    """The best of what was made; of what is unsure only as much as is needed at least."""
    turns = zip_longest(*(sorted(kind, key=lambda found: found.rank) for kind in kinds))
    best = [found for turn in turns for found in turn if found is not None]
    sure = [found for found in best if not found.unsure][: wanted.most]
    unsure = [found for found in best if found.unsure]
    kept = max(wanted.least - len(sure), 0)
    if len(sure) < wanted.most and (left := len(unsure[kept:])):
        failures[UNSURE_LINKS] += left
    return Pool([found.control for found in sure + unsure[:kept]], failures)


def least(controls: Sequence[int], drawable: AbstractSet[int], per_place: int) -> int:
    """How many controls a study needs, given where there are some.

    A control's segment is never a real task of the same worker, so for each segment with real tasks enough
    controls must lie on other segments.

    Args:
        controls: the segment of each control.
        drawable: segments with real tasks.
        per_place: controls on a place.
    """
    on_segment = Counter(controls)
    return per_place + max((on_segment[segment] for segment in drawable), default=0)


def require(
    controls: Sequence[int],
    drawable: AbstractSet[int],
    per_place: int,
    failures: Mapping[str, int],
    *,
    key: str = "place.controls",
) -> None:
    """Refuse a plan with too few controls (see `least`).

    Args:
        controls: the segment of each control.
        drawable: segments with real tasks.
        per_place: controls on a place.
        failures: reason -> segments on which no control could be made.
        key: where study.yaml asks for them.

    Raises:
        StateError: with how many are needed, how many there are, and why.
    """
    needed = least(controls, drawable, per_place)
    if len(controls) >= needed:
        return
    needed = max(needed, per_place + 1)
    reasons = "; ".join(f"{count} segments: {reason}" for reason, count in sorted(failures.items()))
    what, lower = key.split(".")[1], f"Lower {key}"
    if key == "place.controls":
        lower += " or controls.answers_per_task, give controls in a file (controls.file),"
    raise StateError(
        f"too few {what}: needs at least {needed} {what.removesuffix('s')} tasks, could make "
        f"{len(controls)} because {reasons or 'there are no segments to try'}",
        where=f"study.yaml, {key}",
        got=str(per_place),
        remedy=f"{lower} or import more documents. Nothing was stored.",
    )


@dataclass(frozen=True)
class _Making:
    """Makes the control of one segment."""

    place: Place
    entities: Entities
    vocabulary: Vocabulary
    seed: int
    pooled: bool

    def make(self, expected: Sequence[Decision]) -> _Made | str:
        """The control, or the reason why there can be none."""
        place = self.place
        items = chance.shuffled(agreed(place), self.seed, "agreed", place.document, place.segment)
        needed = sum(decision != REMOVE for decision in expected)
        if len(items) < needed:
            return f"fewer than {needed} mentions that all sources link identically"
        level = {mark: sureness(mark, place.text, self.entities) for mark in items}
        items.sort(key=level.__getitem__)
        wrong = self._wrong_links(items, level, expected.count(EDIT))
        if wrong is None:
            return "no entity to link wrongly: neither a namesake, nor a neighbour, nor any other"
        none = self._no_entities(expected.count(REMOVE))
        if none is None:
            return "no words away from every mention that name no entity"
        right = [mark for mark in items if mark not in wrong][: expected.count(VERIFY)]
        gate = [*wrong.values(), *none, *(self._right(mark, level[mark]) for mark in right)]
        rest = self._rest({*wrong, *right}, level)
        known = tuple(sorted((*gate, *rest), key=lambda answer: answer.shown))
        return _Made(
            Control(place.document, place.segment, known),
            unsure=any(level[mark] == UNSURE for mark in (*wrong, *right)),
            sources=len(place.ran),
            easy=sum(answer.difficulty != HARD for answer in wrong.values()),
        )

    def _wrong_links(
        self, items: Sequence[Mark], level: Mapping[Mark, int], needed: int
    ) -> dict[Mark, Known] | None:
        """So many of the agreed mentions with a wrong entity; those with namesakes first."""
        supply = Wrong(self.place, self.entities, self.seed)
        ranked = items
        if needed:
            ranked = sorted(
                items, key=lambda mark: (level[mark] == UNSURE, not supply.namesakes(mark), level[mark])
            )
        found: dict[Mark, Known] = {}
        for mark in ranked:
            if len(found) == needed:
                break
            if made := supply.link(mark):
                key, difficulty = made
                shown = Shown(mark.start, mark.end, key)
                found[mark] = Known(shown, EDIT, (mark.key or "",), difficulty)
        return found if len(found) == needed else None

    def _no_entities(self, needed: int) -> list[Known] | None:
        """So many words that name no entity, each with one; None if there are too few."""
        place, supply = self.place, Wrong(self.place, self.entities, self.seed)
        words = no_entity.find(
            place.text,
            place.span,
            [mark.span for mark in place.marks],
            vocabulary=self.vocabulary,
            is_name=lambda word: bool(self.entities.named(word)),
            seed=self.seed,
            name=(place.document, place.segment),
        )
        # Words that a title has, which linkers stumble over, before others.
        ranked = sorted(
            (not (content and supply.containing(span)), number, span)
            for number, (content, span) in enumerate(islice(words, needed + _WORDS))
        )
        linked = ((plain, span, supply.unlinked(span)) for plain, _, span in ranked)
        found = [
            Known(Shown(*span, key), REMOVE, None, EASY if plain else HARD)
            for plain, span, key in islice((one for one in linked if one[2]), needed)
            if key
        ]
        return found if len(found) == needed else None

    @staticmethod
    def _right(mark: Mark, level: int) -> Known:
        """A right link; hard to tell where its name leads to several entities."""
        return Known(mark.shown, VERIFY, None, EASY if level == SURE else HARD)

    def _rest(self, used: AbstractSet[Mark], level: Mapping[Mark, int]) -> list[Known]:
        """What else a real task shows there: a sure answer measures, another is not graded."""
        taken = {mark.shown for mark in used}
        sure = {mark.shown for mark in level if level[mark] == SURE}
        rest = [
            shown for shown in displays(self.place, pooled=self.pooled, seed=self.seed) if shown not in taken
        ]
        return [
            Known(shown, VERIFY, None, EASY, "measure")
            if shown in sure
            else Known(shown, None, use="measure")
            for shown in rest
        ]
