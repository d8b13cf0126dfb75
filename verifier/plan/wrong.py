"""Wrong entities for controls: the nearest to the right one that there is, before just any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from analysis.documents import Span
from analysis.keys import LINK
from verifier.plan import chance
from verifier.plan.agreeing import Place
from verifier.plan.entities import Entities
from verifier.plan.tasks import Mark

HARD: Final = "hard"
EASY: Final = "easy"
_CANDIDATES: Final = 10
# Of candidates in an order of nearness, one of the first so many is taken.
_NEAREST: Final = 3


@dataclass(frozen=True)
class Wrong:
    """Wrong entities on one segment.

    Attributes:
        place: the segment.
        entities: where they come from.
        seed: the study's.
    """

    place: Place
    entities: Entities
    seed: int

    def namesakes(self, mark: Mark) -> list[str]:
        """Entities that go by the mention, or else share another name with the right one."""
        avoid = self._given_to(mark)
        bearers = _without(self.entities.named(self._mention(mark)), avoid)
        return bearers or _without(self.entities.namesakes(mark.key or "", _CANDIDATES), avoid)

    def link(self, mark: Mark) -> tuple[str, str] | None:
        """A wrong entity for a mention whose right one is known, and how hard it is to tell; None if none is.

        The nearest kind that there is: a namesake; what a search for the mention finds; an entity of the
        same document or else of the knowledge base that is described alike; another one of the document; any.
        """
        avoid = self._given_to(mark)
        for difficulty, keys in self._links(mark):
            if found := _without(keys, avoid):
                return self._one_of(found, mark.start), difficulty
        return None

    def containing(self, span: Span) -> list[str]:
        """Entities, none of the document, whose title has the word at `span` among others."""
        word = self.place.text[span.start : span.end]
        return _without(self.entities.containing(word, _CANDIDATES), self._given())

    def unlinked(self, span: Span) -> str | None:
        """An entity for a word that names none.

        One whose title has the word, as linkers err; else one like those that the document speaks of; else
        any. Never one of the document itself, which the word might be meant for.
        """
        given = self._given()
        for keys in self._unlinked(span, given):
            if found := _without(keys, given):
                return self._one_of(found, span.start)
        return None

    def _links(self, mark: Mark) -> Iterator[tuple[str, list[str]]]:
        key = mark.key or ""
        yield HARD, self.namesakes(mark)
        yield EASY, self.entities.neighbours(self._mention(mark), _CANDIDATES)
        given = self._given()
        alike = self.entities.alike(key, len(given) + _CANDIDATES)
        yield EASY, [other for other in alike if other in given]
        yield EASY, alike
        yield EASY, chance.shuffled(sorted(given), self.seed, "document", *self._name(mark.start))
        yield EASY, self._any(mark.start)

    def _unlinked(self, span: Span, given: set[str]) -> Iterator[list[str]]:
        yield self.containing(span)
        for key in chance.shuffled(sorted(given), self.seed, "like", *self._name(span.start)):
            yield self.entities.alike(key, len(given) + _CANDIDATES)
        yield self._any(span.start)

    def _mention(self, mark: Mark) -> str:
        return self.place.text[mark.start : mark.end]

    def _given(self) -> set[str]:
        """Every entity that a source links in the document."""
        return {mark.key for mark in self.place.marks if mark.kind == LINK and mark.key is not None}

    def _given_to(self, mark: Mark) -> set[str]:
        """Every entity that a source gives to this name in the document: one of them might be right."""
        name = self._mention(mark).casefold()
        return {
            other.key
            for other in self.place.marks
            if other.key is not None and self._mention(other).casefold() == name
        }

    def _one_of(self, found: list[str], start: int) -> str:
        return chance.shuffled(found[:_NEAREST], self.seed, "wrong", *self._name(start))[0]

    def _any(self, start: int) -> list[str]:
        name = "/".join(map(str, self._name(start)))
        return self.entities.random(f"{self.seed}/{name}", _CANDIDATES + len(self._given()))

    def _name(self, start: int) -> tuple[int, int, int]:
        return self.place.document, self.place.segment, start


def _without(keys: Iterable[str], avoid: set[str]) -> list[str]:
    return [key for key in keys if key not in avoid]
