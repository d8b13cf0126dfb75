"""Makes control tasks: a real task's displays, some with known answers, one linked wrongly, one no entity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Final, Literal

from analysis.decisions import EDIT, REMOVE, VERIFY, Decision
from analysis.documents import Span
from analysis.errors import StateError
from verifier.plan import chance, no_entity
from verifier.plan.agreeing import SURE, UNSURE, Place, agreed, displays, sureness
from verifier.plan.entities import Entities
from verifier.plan.looks import Look, look, looks
from verifier.plan.no_entity import Vocabulary
from verifier.plan.tasks import Mark, Shown, parts
from verifier.plan.wrong import EASY, HARD, Wrong

# The pool has at least five times what one worker sees.
POOL_FACTOR: Final = 5
# An answer cycle: with three answers to a task, each of the three right decisions once.
CYCLE: Final[tuple[Decision, ...]] = (VERIFY, EDIT, REMOVE)
# So many times what is wanted is made at most, for the best of it to be chosen.
_MADE: Final = 3
# Of so many words more than are needed the best are taken.
_WORDS: Final = 12
# So many times as soon as others are segments tried whose controls are less easily told from real tasks.
_SOONER: Final = 8
# How much of a difference in looks to a real task a wrong link that is hard to tell is worth.
_EASY_LINK: Final = 0.1
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
        room: a real task shows no more annotations than that; None: as many as there are.
    """

    answers: int
    most: int
    least: int
    pooled: bool = False
    cycle: tuple[Decision, ...] = CYCLE
    room: int | None = None


@dataclass(frozen=True)
class _Made:
    """A control with what it is worth."""

    control: Control
    unsure: bool
    sources: int
    easy: int
    look: Look
    again: bool = False

    def rank(self, wanted: Look) -> tuple[bool, int, float]:
        """Smaller is better: wrong links of its own, agreed by more sources, like a real task, hard."""
        return self.again, -self.sources, self.look.apart(wanted) + _EASY_LINK * self.easy


def generate(
    places: Sequence[Place], entities: Entities, wanted: Wanted, *, vocabulary: Vocabulary, seed: int
) -> Pool:
    """Control tasks on different segments, the best of three times as many as are wanted.

    A control looks like a real task: it shows what one would show there, and of that one agreed link with
    a wrong entity, and in the place of another a word that names none. Segments with many links give a
    control more often than those with few: so for each control a real task is drawn by lot, and the one that
    looks most like it is taken. Documents on which more sources ran come first: there "all sources agree"
    says more. Links that might be an error shared by all serve only where there are no others.

    Args:
        places: the segments to try.
        entities: where wrong entities come from, and who goes by which name.
        wanted: how many, and how.
        vocabulary: of the corpus.
        seed: the study's.
    """
    ranked = sorted(places, key=lambda place: (-len(place.ran), _turn(place, wanted, vocabulary, seed)))
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
        found = _Making(place, entities, vocabulary, seed, wanted).make(expected)
        if isinstance(found, str):
            failures[found] += 1
            continue
        wrong = _wrong_in(found.control, place)
        kinds[turn].append(replace(found, again=not wrong.isdisjoint(had)))
        had |= wrong
        made += 1
        sure += not found.unsure
    models = looks(places, least=wanted.answers, pooled=wanted.pooled, room=wanted.room, seed=seed)
    return _choose(kinds, wanted, failures, models)


def _turn(place: Place, wanted: Wanted, vocabulary: Vocabulary, seed: int) -> int:
    """When a segment is tried: by lot, sooner where a word that is no entity can have a capital."""
    number = chance.number(seed, "control", place.document, place.segment)
    if REMOVE not in wanted.cycle:
        return number
    spans = [mark.span for mark in place.marks]
    return number // _SOONER if no_entity.with_capital(place.text, place.span, spans, vocabulary) else number


def _wrong_in(control: Control, place: Place) -> set[tuple[str, str]]:
    """Its wrong links: mention and entity."""
    return {
        (place.text[known.shown.start : known.shown.end].casefold(), known.shown.key)
        for known in control.known
        if known.expected == EDIT
    }


def _choose(
    kinds: Sequence[list[_Made]], wanted: Wanted, failures: Counter[str], models: Sequence[Look]
) -> Pool:
    """The best of what was made; of what is unsure only as much as is needed at least."""
    sure = _taken([[one for one in kind if not one.unsure] for kind in kinds], wanted.most, models)
    unsure = [[one for one in kind if one.unsure] for kind in kinds]
    kept = max(wanted.least - len(sure), 0)
    if len(sure) < wanted.most and (left := sum(map(len, unsure)) - kept) > 0:
        failures[UNSURE_LINKS] += left
    return Pool([found.control for found in sure + _taken(unsure, kept, models)], failures)


def _taken(kinds: Sequence[list[_Made]], most: int, models: Sequence[Look]) -> list[_Made]:
    """At most so many, of each kind in turn; each is the best of its kind for the next model."""
    left, model = [list(kind) for kind in kinds], cycle(models)
    found: list[_Made] = []
    while len(found) < most and any(left):
        for kind in left:
            if kind and len(found) < most:
                wanted = next(model)
                best = min(kind, key=lambda made: made.rank(wanted))
                kind.remove(best)
                found.append(best)
    return found


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
    wanted: Wanted

    def make(self, expected: Sequence[Decision]) -> _Made | str:
        """The control, or the reason why there can be none."""
        place = self.place
        items = chance.shuffled(agreed(place), self.seed, "agreed", place.document, place.segment)
        needed = sum(decision != REMOVE for decision in expected)
        there, span = self._part(items, needed)
        items = [mark for mark in items if mark.shown in there]
        if len(items) < needed:
            return f"fewer than {needed} mentions that all sources link identically"
        level = {mark: sureness(mark, place.text, self.entities) for mark in items}
        items.sort(key=level.__getitem__)
        wrong = self._wrong_links(items, level, expected.count(EDIT))
        if wrong is None:
            return "no entity to link wrongly: neither a namesake, nor a neighbour, nor any other"
        none = self._no_entities(expected.count(REMOVE), span)
        if none is None:
            return "no words away from every mention that name no entity"
        right = [mark for mark in items if mark not in wrong][: expected.count(VERIFY)]
        gate = [*wrong.values(), *none, *(self._right(mark, level[mark]) for mark in right)]
        rest = self._rest(there, {*wrong, *right}, level, instead=len(none))
        known = tuple(sorted((*gate, *rest), key=lambda answer: answer.shown))
        return _Made(
            Control(place.document, place.segment, known),
            unsure=any(level[mark] == UNSURE for mark in (*wrong, *right)),
            sources=len(place.ran),
            easy=sum(answer.difficulty != HARD for answer in wrong.values()),
            look=look(place, [answer.shown for answer in known]),
        )

    def _part(self, items: Sequence[Mark], needed: int) -> tuple[Sequence[Shown], Span]:
        """What a real task shows there, and where: all, or if that is too much, a part with enough to ask."""
        shown, whole = displays(self.place, pooled=self.wanted.pooled, seed=self.seed), self.place.span
        if self.wanted.room is None or not shown:
            return shown, whole
        clear = {mark.shown for mark in items}
        divided = parts(shown, max(self.wanted.room, needed))
        ordered = chance.shuffled(divided, self.seed, "part", *self._name)
        part = next((part for part in ordered if len(clear.intersection(part)) >= needed), ())
        if not part:
            return part, whole
        # No highlight of a part stands among those of another.
        before = [one.end for one in shown if one < part[0]]
        after = [one.start for one in shown if one > part[-1]]
        start, end = max([whole.start, *before]), min([whole.end, *after])
        return part, Span(start, end) if start < end else whole

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

    def _no_entities(self, needed: int, span: Span) -> list[Known] | None:
        """So many words of `span` that name no entity, each with one; None if there are too few."""
        place, supply = self.place, Wrong(self.place, self.entities, self.seed)
        words = no_entity.find(
            place.text,
            span,
            [mark.span for mark in place.marks],
            vocabulary=self.vocabulary,
            is_name=lambda word: bool(self.entities.named(word)),
            seed=self.seed,
            name=self._name,
        )
        # Words that a title has, which linkers stumble over, and those with a capital, as most mentions have
        # one, before others.
        ranked = sorted(
            (plain + small, small, number, plain, span)
            for number, (content, span) in enumerate(islice(words, needed + _WORDS))
            for plain in (not (content and supply.containing(span)),)
            for small in (place.text[span.start].islower(),)
        )
        linked = ((plain, span, supply.unlinked(span)) for *_, plain, span in ranked)
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

    def _rest(
        self, there: Sequence[Shown], used: AbstractSet[Mark], level: Mapping[Mark, int], *, instead: int
    ) -> list[Known]:
        """What else a real task shows there, but for so many in whose place something else stands.

        A sure answer measures, another is not graded.
        """
        taken = {mark.shown for mark in used}
        sure = {mark.shown for mark in level if level[mark] == SURE}
        rest = [shown for shown in there if shown not in taken]
        # Of those that nobody learns anything from, the first go.
        order = sorted(chance.shuffled(rest, self.seed, "rest", *self._name), key=sure.__contains__)
        return [
            Known(shown, VERIFY, None, EASY, "measure")
            if shown in sure
            else Known(shown, None, use="measure")
            for shown in order[instead:]
        ]

    @property
    def _name(self) -> tuple[int, int]:
        """What its chance follows from."""
        return self.place.document, self.place.segment
