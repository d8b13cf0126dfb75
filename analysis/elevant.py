"""Scores by the rules of ELEVANT's own evaluation, which its published numbers were made with.

What is other than in `analysis.matching`:

- a prediction is at a label if their spans are equal, or equal once widened to the ends of words;
- an optional label (or one that only describes, or a quantity or date) need not be found, and is no hit; a
  wrong link on it is wrong;
- labels with a parent stand for it together: the parent counts once, as a hit if it is linked right itself
  or, where parts of it were found, if all of them are right and none is missing; each wrong link counts;
- a link on a NIL label is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.documents import Annotation, Document, Label, Span
from analysis.errors import InputError, plain
from analysis.keys import LINK, NIL_KIND, OTHER, UNMAPPED, Entity
from analysis.matching import Matched

NAME: Final = "elevant"

_NIL_RULES: Final = ("drop", "require")
_HIT: Final = "hit"
_MISS: Final = "miss"
_WRONG: Final = "wrong"
# What belongs to a word beside letters and digits.
_IN_WORDS: Final = "'\"_"
# What ELEVANT takes for NIL: an id that could not be mapped is none that it knows.
_UNKNOWN: Final = (NIL_KIND, UNMAPPED)
_NOTHING: Final[frozenset[str]] = frozenset()


def match(documents: Sequence[tuple[Document, Document | None]], nil: str) -> Matched:
    """Counts per document: of the ground truth, each with the predictions of a source, if it ran there.

    Args:
        documents: in the order of the counts.
        nil: "drop" counts links alone (ELEVANT's mode IGNORED), "require" NIL too (REQUIRED).

    Raises:
        InputError: another rule for NIL.
    """
    if nil not in _NIL_RULES:
        raise InputError(
            f"not with the match {NAME}", where="nil", got=plain(nil), expected="drop or require"
        )
    rows = [
        _Scored(gold, found, require=nil == "require").counts() if found else (0, 0, 0)
        for gold, found in documents
    ]
    hits, misses, wrong = np.array(rows, np.int64).reshape(-1, 3).T
    return Matched(hits, hits, hits + wrong, hits + misses)


def widened(span: Span, text: str) -> Span:
    """The span out to the ends of the words it begins and ends in.

    As ELEVANT does it: apostrophes, quotes and underscores are of words, the last character of a text is
    never taken in, and a quote that is only opened stays out.
    """
    start, end = span
    while start > 0 and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) - 1 and _in_word(text[end]):
        end += 1
    if text[start] == '"' and '"' not in text[start + 1 : end]:
        start += 1
    return Span(start, end)


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter in _IN_WORDS


class _Scored:
    """The labels of one document beside what a source found there; labels are known by their place."""

    def __init__(self, gold: Document, found: Document, *, require: bool) -> None:
        self.text, self.require = gold.text or found.text, require
        self.evaluation = gold.evaluation or Span(0, len(self.text))
        self.labels = [a for a in gold.annotations if a.span.within(self.evaluation)]
        self.wide = [widened(label.span, self.text) for label in self.labels]
        self.predicted = {a.span: a.entity for a in found.annotations}
        by_words = {widened(span, self.text): entity for span, entity in self.predicted.items()}
        at = self.predicted | by_words
        places = enumerate(self.labels)
        self.found = [at.get(label.span, at.get(self.wide[place])) for place, label in places]
        self.parent, self.parts = _tree(self.labels)
        self.right = [_equal(one, label.entity) for one, label in zip(self.found, self.labels, strict=True)]
        self.touched, self.needed = [False] * len(self.labels), [False] * len(self.labels)
        for place in _parts_first(self.parts):
            self.touched[place] = self._is_touched(place)
            self.needed[place] = any(
                not _optional(self.labels[part]) or self.needed[part] for part in self.parts[place]
            )

    def counts(self) -> tuple[int, int, int]:
        """Hits, misses and wrong links."""
        hits = misses = 0
        counting: set[int] = set()
        for place, parent in enumerate(self.parent):
            if parent is None:
                own = self._counting(place)
                outcomes = self._together(place, own)
                hits += _HIT in outcomes
                misses += _MISS in outcomes
                counting |= own
        wrong = sum(_WRONG in self._outcome(place) for place in counting)
        spans = {label.span for label in self.labels} | set(self.wide)
        for span, entity in self.predicted.items():
            at_label = span in spans or widened(span, self.text) in spans
            counts = entity.kind == LINK or (self.require and entity.kind in _UNKNOWN)
            wrong += counts and not at_label and span.within(self.evaluation)
        return hits, misses, wrong

    def _is_touched(self, place: int) -> bool:
        """Whether a label, or one of its parts, can count in place of its parent."""
        if self.right[place] or any(self.touched[part] for part in self.parts[place]):
            return True
        parent = self.parent[place]
        other = parent is None or self.wide[parent] != self.wide[place]
        return other and self.found[place] is not None

    def _counting(self, root: int) -> set[int]:
        """The labels of a tree that count: the root alone, or those of its parts that stand for it."""
        if self.right[root] or not any(self.touched[part] for part in self.parts[root]):
            return {root}
        counting: set[int] = set()
        above, seen = [root], {root}
        while above:
            parts = self.parts[above.pop()]
            for part in parts:
                if not self.right[part] and any(self.touched[one] for one in self.parts[part]):
                    above += [part] if part not in seen else []
                    seen.add(part)
                elif self.touched[part] or self._missing(part, parts):
                    counting.add(part)
        return counting

    def _missing(self, part: int, parts: Sequence[int]) -> bool:
        """Whether a part was not found where one beside it counts."""
        return self.found[part] is None and any(self.touched[one] for one in parts if one != part)

    def _together(self, root: int, counting: set[int]) -> frozenset[str]:
        """What a whole tree amounts to."""
        if counting == {root}:
            return self._outcome(root)
        outcomes = frozenset[str]().union(*map(self._outcome, counting))
        if _MISS in outcomes:
            return frozenset({_MISS})
        return outcomes if outcomes == {_HIT} else _NOTHING

    def _outcome(self, place: int) -> frozenset[str]:
        """What one label amounts to, by what it is and what was found there."""
        label, found = self.labels[place], self.found[place]
        known = label.entity.kind == LINK
        linked = found is not None and found.kind == LINK
        if found is None:
            free = _optional(label) and (self.parent[place] is not None or not self.needed[place])
            return frozenset({_MISS}) if (known or self.require) and not free else _NOTHING
        if _optional(label):
            sure = known or label.entity.kind == OTHER
            bad = not (known and self.right[place]) if linked else self.require and sure
            return frozenset({_WRONG}) if bad else _NOTHING
        if known:
            if self.right[place]:
                return frozenset({_HIT})
            return frozenset({_MISS, _WRONG}) if linked or self.require else frozenset({_MISS})
        if linked:
            return frozenset({_MISS, _WRONG}) if self.require else frozenset({_WRONG})
        return frozenset({_HIT}) if self.require else _NOTHING


def _equal(found: Entity | None, entity: Entity) -> bool:
    if found is None or found.kind != entity.kind:
        return False
    return entity.kind == NIL_KIND or (entity.kind == LINK and found.key == entity.key)


def _optional(label: Annotation) -> bool:
    return label.entity.kind == OTHER or (label.label is not None and label.label.optional)


def _tree(labels: Sequence[Annotation]) -> tuple[list[int | None], list[list[int]]]:
    """The place of each label's parent, and the places of its parts, by what either says; circles are cut."""
    said = [annotation.label or Label(None) for annotation in labels]
    places = {label.id: place for place, label in enumerate(said) if label.id is not None}
    parents = [None if label.parent is None else places.get(label.parent) for label in said]
    named: list[set[int]] = [{places[one] for one in label.parts if one in places} for label in said]
    for place, parent in enumerate(parents):
        if parent is not None:
            named[parent].add(place)
    parts = _without_circles([sorted(one) for one in named])
    for place, parent in enumerate(parents):
        if parent is not None and place not in parts[parent]:
            parents[place] = None
    return parents, parts


def _without_circles(parts: list[list[int]]) -> list[list[int]]:
    """The same without the parts that lead back to what they are parts of."""
    kept: list[list[int]] = [[] for _ in parts]
    done, open_ = set[int](), set[int]()
    for root in range(len(parts)):
        if root in done:
            continue
        trail = [(root, iter(parts[root]))]
        open_.add(root)
        while trail:
            place, rest = trail[-1]
            for part in rest:
                if part in open_:
                    continue
                kept[place].append(part)
                if part not in done:
                    open_.add(part)
                    trail.append((part, iter(parts[part])))
                    break
            else:
                trail.pop()
                open_.discard(place)
                done.add(place)
    return kept


def _parts_first(parts: Sequence[Sequence[int]]) -> list[int]:
    """All places, each after its parts."""
    order, seen = list[int](), set[int]()
    for root in range(len(parts)):
        trail = [(root, False)]
        while trail:
            place, done = trail.pop()
            if done:
                order.append(place)
            elif place not in seen:
                seen.add(place)
                trail.append((place, True))
                trail += [(part, False) for part in parts[place]]
    return order
