"""Finds entities by what was typed: equal names, words, descriptions, and words spelt nearly so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from verifier.kb.index import FIRST, LISTED, TOLD
from verifier.kb.matching import LITTLE, Typed, cost, shortened, typed
from verifier.kb.names import fold
from verifier.kb.vocabulary import Vocabulary

_POOL: Final = 60
_NEAR: Final = 20
_BEGUN: Final = 0.5
_LOOKED_AT: Final = 400
_MOST_NAMES: Final = 4000
_NO_EDIT: Final = 2
_ONE_EDIT: Final = 4
_LONGEST_WORD: Final = 40
_STRICT: Final = 4
_SPLIT: Final = 4
# Letters with which a word can begin one of a description: fewer say next to nothing.
_TELLS: Final = 3
_PAIRED: Final = 5
_MOST_CORRECTED: Final = 500
_INITIALS: Final = 3
_LEFT_OUT: Final = 4
_MOST_ASKED: Final = 6
# What more is to be said against even the best answer, so that others are looked for.
_GOOD: Final = 4.0
# How much fame counts against likeness.
_FAME: Final = 0.2
_AS_WRITTEN: Final = 0.3

Ask = Callable[[str, Iterable[object]], list[tuple[Any, ...]]]


class Searching:
    """One search in an index; `ask` runs a statement.

    Order: what is to be said against the best of an entity's names, and how many are better known, as one
    number; so a name that is equal stands before one that begins so, and that before one with the words
    inside or misspelt, unless the other is very much better known. What is equal from the first letter to the
    last comes first in any case, once there are four letters.
    """

    def __init__(self, ask: Ask, vocabulary: Callable[[], Vocabulary], query: str, limit: int) -> None:
        self._ask = ask
        self._vocabulary = vocabulary
        self._readings = typed(query)
        self._limit = limit
        self._best: dict[int, tuple[float, float]] = {}
        self._least = math.inf

    def found(self) -> list[int]:
        """The entities, best first."""
        for turn, reading in enumerate(self._readings):
            self._rank(reading, self._plainly(reading), turn)
            if reading.words and (len(self._best) < self._limit or self._is_wanting()):
                near = self._misspelt(reading)
                self._rank(near, self._nearly(near), turn)
                if self._is_wanting():
                    self._rank(near, self._but_one(near), turn)
        ordered = sorted(self._best, key=lambda entity: (*self._best[entity], entity))
        return ordered[: self._limit]

    def _is_wanting(self) -> bool:
        """Whether there is no good answer."""
        return self._least > _GOOD

    def _plainly(self, reading: Typed) -> list[int]:
        """Entities with all the words, spelt as they are."""
        found = dict.fromkeys(self._equal(reading.compact))
        if not reading.words:
            return list(found)
        *whole, last = reading.words
        words = [_quoted(word) for word in whole]
        begun = self._begun(last)
        begins = [_quoted(FIRST + whole[0]), *words[1:], begun] if whole else [self._begun(FIRST + last)]
        for asked in (begins, [*words, begun]):
            found.update(dict.fromkeys(self._matching(asked)))
        if len(found) < self._limit:
            found.update(dict.fromkeys(self._compact(reading)))
            found.update(dict.fromkeys(self._matching([self._anywhere(word) for word in _telling(reading)])))
        return list(found)

    def _misspelt(self, reading: Typed) -> Typed:
        """The same, with words spelt nearly so for each; only the nearest where there is a good answer."""
        last, most = len(reading.words) - 1, 2 if self._is_wanting() else 1
        return reading.with_near(
            {
                word: self._near(word, most, unfinished=at == last and most > 1)
                for at, word in enumerate(reading.words)
            }
        )

    def _nearly(self, reading: Typed) -> list[int]:
        """Entities with all the words, or words spelt nearly so, or words run together or taken apart.

        Those that are called just so but for the spelling, or begin so, come in any case: what many better
        known entities have in common would else keep them out.
        """
        found = dict.fromkeys(self._equal(*_corrected(reading)))
        words = _telling(reading)
        if words:
            whole = [
                [other for other, edits in reading.near.get(word, {}).items() if edits == 1] for word in words
            ]
            first, *rest = [[word, *others] for word, others in zip(words, whole, strict=True)]
            begins = [[FIRST + word for word in first], *rest]
            found.update(dict.fromkeys(self._matching([_any_of(one) for one in begins])))
        found.update(dict.fromkeys(self._matching([self._or_near(word, reading) for word in words])))
        for others in self._regrouped(reading.words):
            found.update(dict.fromkeys(self._matching([_quoted(word) for word in others])))
        return list(found)

    def _regrouped(self, words: Sequence[str]) -> list[list[str]]:
        """The words, one of them cut in two or two of them run together, where that gives words there are."""
        tried: list[tuple[list[str], list[str]]] = []
        for at, (one, other) in enumerate(pairwise(words)):
            tried.append(([one + other], [*words[:at], one + other, *words[at + 2 :]]))
        for at, word in enumerate(words):
            for cut in range(1, len(word)) if len(word) >= _SPLIT else ():
                two = [word[:cut], word[cut:]]
                tried.append((two, [*words[:at], *two, *words[at + 1 :]]))
        known = self._known({word for new, _ in tried for word in new})
        good = [(min(known[w] for w in new), whole) for new, whole in tried if all(w in known for w in new)]
        return [whole for _, whole in sorted(good, key=lambda one: -one[0])[:_SPLIT]]

    def _but_one(self, reading: Typed) -> list[int]:
        """Entities with all the words but one; a short word is left out first."""
        words = _telling(reading)
        parts = [self._or_near(word, reading) for word in words]
        found: dict[int, None] = {}
        for left_out in sorted(range(len(words)), key=lambda at: (len(words[at]), at))[:_LEFT_OUT]:
            rest = [part for at, part in enumerate(parts) if at != left_out]
            if rest:
                found.update(dict.fromkeys(self._matching(rest, _POOL // 2)))
        return list(found)

    def _equal(self, *compact: str) -> list[int]:
        marks = ",".join("?" * len(compact))
        rows = self._ask(
            f"select entity from name where replace(folded, ' ', '') in ({marks}) order by entity limit ?",
            (*compact, _POOL),
        )
        return [row[0] for row in rows]

    def _compact(self, reading: Typed) -> list[int]:
        """Entities with a name that begins so, however it is cut into words; few, in no order of fame."""
        rows = self._ask(
            "select entity from name where replace(folded, ' ', '') >= ?"
            " and replace(folded, ' ', '') < ? limit ?",
            (reading.compact, reading.compact + "\U0010ffff", _POOL),
        )
        return [row[0] for row in rows]

    def _matching(self, parts: Sequence[str], limit: int = _POOL) -> list[int]:
        rows = self._ask("select rowid from words where words match ? limit ?", (" AND ".join(parts), limit))
        return [row[0] for row in rows]

    def _near(self, word: str, most: int, *, unfinished: bool) -> dict[str, float]:
        """Words spelt nearly so, with their edits; among those of as many the words that most entities have.

        Of a word that may be unfinished, what begins nearly so counts half an edit more.
        """
        if len(word) <= _NO_EDIT or len(word) > _LONGEST_WORD:
            return {}
        edits = 1 if len(word) <= _ONE_EDIT else most
        found = self._nearest(word, self._vocabulary().near(word, edits, unfinished=False), 0.0)
        if unfinished:
            begun = self._vocabulary().near(word, edits, unfinished=True)
            found = {**self._nearest(word, begun, _BEGUN), **found}
        return found

    def _nearest(self, word: str, close: Sequence[tuple[int, int]], more: float) -> dict[str, float]:
        by_id = dict(close[:_LOOKED_AT])
        marks = ",".join("?" * len(by_id))
        rows = self._ask(
            "select w.id, w.word, t.entities from word w join term t on t.term = w.word"
            f" where w.id in ({marks})",
            list(by_id),
        )
        told = [(by_id[at], other[0] != word[0], -n, other) for at, other, n in rows if other != word]
        return {other: distance + more for distance, _, _, other in sorted(told)[:_NEAR]}

    def _known(self, words: set[str]) -> dict[str, int]:
        marks = ",".join("?" * len(words))
        return dict(self._ask(f"select term, entities from term where term in ({marks})", sorted(words)))

    def _begun(self, word: str) -> str:
        """What asks for words that begin so, of long ones for those that the best known entities have."""
        if len(word) <= LISTED:
            return _quoted(word, "*")
        rows = self._ask(
            "select term from term where term >= ? and term < ? order by best, term limit ?",
            (word, word + "\U0010ffff", _NEAR),
        )
        return f"({' OR '.join(_quoted(row[0]) for row in rows)})" if rows else _quoted(word)

    def _anywhere(self, word: str) -> str:
        """What asks for a word, or one that it begins or is short for, in a name or a description."""
        parts = [self._begun(word), *(_quoted(one) for one in shortened(word))]
        if len(word) >= _TELLS:
            parts.append(self._begun(TOLD + word))
        return f"({' OR '.join(parts)})"

    def _or_near(self, word: str, reading: Typed) -> str:
        """The same, or a word spelt nearly so."""
        return f"({' OR '.join([self._anywhere(word), *map(_quoted, reading.near.get(word, {}))])})"

    def _rank(self, reading: Typed, found: Sequence[int], turn: int) -> None:
        """Put down what is to be said against each entity, where that is less than was known."""
        # Who was found by the words as they are gains nothing from others.
        entities = [entity for entity in found if not reading.near or entity not in self._best]
        if not entities:
            return
        marks = ",".join("?" * len(entities))
        described: dict[int, str | None] = dict(
            self._ask(f"select id, description from entity where id in ({marks})", entities)
        )
        told = {entity: frozenset(fold(text or "").split()) for entity, text in described.items()}
        written = reading.raw.casefold()
        for entity, name, folded, is_title in self._names(reading, entities):
            against = cost(reading, folded.split(), is_title=bool(is_title), told=told[entity]) + turn
            equal = len(reading.compact) >= _STRICT and folded.replace(" ", "") == reading.compact
            against -= _AS_WRITTEN * (name.casefold() == written)
            self._least = min(self._least, against)
            score = (0.0 if equal else 1.0, against + _FAME * math.log(entity + 2))
            if entity not in self._best or score < self._best[entity]:
                self._best[entity] = score

    def _names(self, reading: Typed, entities: Sequence[int]) -> list[tuple[Any, ...]]:
        """The names of entities that have a part of what was typed, and all titles."""
        parts = {word for word in reading.words if word not in LITTLE} or set(reading.words)
        parts |= {other for near in reading.near.values() for other in near}
        parts |= {other for word in reading.words for other in shortened(word)}
        looked = sorted({part[: max(2, min(len(part), 4))] for part in parts})[:40]
        marks = ",".join("?" * len(entities))
        any_of = "".join([" or instr(folded, ?)"] * len(looked))
        return self._ask(
            f"select entity, name, folded, is_title from name where entity in ({marks})"
            f" and (is_title{any_of} or folded = ?) limit ?",
            [*entities, *looked, reading.compact, _MOST_NAMES],
        )


def _quoted(word: str, end: str = "") -> str:
    return f'"{word[: _LONGEST_WORD + 1]}"{end}'


def _any_of(words: Iterable[str]) -> str:
    return f"({' OR '.join(map(_quoted, words))})"


def _corrected(reading: Typed) -> list[str]:
    """What was typed with one of its words spelt otherwise, or two."""
    words = list(reading.words)
    near = [
        [one for one, edits in reading.near.get(word, {}).items() if edits == int(edits)] for word in words
    ]
    found: dict[str, None] = {}
    for at, others in enumerate(near):
        for other in others:
            changed = [*words[:at], other, *words[at + 1 :]]
            found["".join(changed)] = None
            for then in range(at + 1, len(words)) if other in others[:_PAIRED] else ():
                pairs = (
                    "".join([*changed[:then], one, *changed[then + 1 :]]) for one in near[then][:_PAIRED]
                )
                found.update(dict.fromkeys(pairs))
    return list(found)[:_MOST_CORRECTED]


def _telling(reading: Typed) -> list[str]:
    """The words that tell most, in order: no little ones where there are others, and of many the longest."""
    words = [word for word in reading.words if word not in LITTLE] or list(reading.words[:_INITIALS])
    letters = [at for at, word in enumerate(words) if len(word) == 1][_INITIALS:]
    words = [word for at, word in enumerate(words) if at not in letters]
    longest = sorted(range(len(words)), key=lambda at: (-len(words[at]), at))[:_MOST_ASKED]
    return [words[at] for at in sorted(longest)]
