"""How well a name answers what was typed: what is missing, out of order or misspelt, as one number."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from verifier.kb.names import fold, marks

LONGEST: Final = 200
_MOST_WORDS: Final = 12
_POSSESSIVE: Final = re.compile(
    r"(?<=\w)['\u2019\u02bc`\u00b4]s\b|(?<=s)['\u2019\u02bc`\u00b4](?!\w)", re.IGNORECASE
)
# Words that one says or leaves out, in the languages that are read most.
_LITTLE_WORDS: Final = """
    a an and at by das de del der des di die do du el et for i in la las le les los o of on s
    the to und van von y
"""
LITTLE: Final = frozenset(_LITTLE_WORDS.split())
# What is written short, and is no beginning of the whole word.
_SHORT: Final = {
    "st": ("saint", "street", "sankt"),
    "ste": ("sainte",),
    "mt": ("mount", "mountain"),
    "ft": ("fort",),
    "dr": ("doctor",),
    "mr": ("mister",),
    "jr": ("junior",),
    "sr": ("senior",),
    "intl": ("international",),
    "natl": ("national",),
    "govt": ("government",),
    "dept": ("department",),
    "assn": ("association",),
    "ctr": ("center", "centre"),
    "rd": ("road",),
    "hwy": ("highway",),
    "vs": ("versus",),
    "n": ("and",),
    "sgt": ("sergeant",),
    "lt": ("lieutenant",),
    "bros": ("brothers",),
}

# What is added for each; the unit is a thousandfold lesser fame for about 7.
_ALIAS: Final = 0.3
_BEGINS: Final = 2.0
_INSIDE: Final = 1.0
_WORD_OVER: Final = 0.35
_MOST_OVER: Final = 4
_TURNED: Final = 0.7
_CUT: Final = 1.0
_SHORTENED: Final = 0.7
_IN_DESCRIPTION: Final = 2.0
_MISSING: Final = 7.0
_LITTLE_MISSING: Final = 0.8
_EDIT: Final = 1.0
_EDIT_OF_SHORT: Final = 6.0
_OTHER_FIRST: Final = 1.0


@dataclass(frozen=True)
class Typed:
    """What was typed, in the forms in which it is compared.

    Attributes:
        raw: as it was typed.
        compact: folded, without spaces; of marks alone, the marks.
        words: its words; the last may be unfinished.
        near: for each word, words spelt nearly so, with their edits.
    """

    raw: str
    compact: str
    words: tuple[str, ...]
    near: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def with_near(self, near: Mapping[str, Mapping[str, float]]) -> Typed:
        """The same, where words may be misspelt."""
        return Typed(self.raw, self.compact, self.words, near)


def typed(query: str) -> list[Typed]:
    """What a query may be read as, its own form first: names in the genitive are looked for bare too."""
    # Halves of letters are none, and no index holds them.
    text = query[:LONGEST].encode("utf-8", "ignore").decode("utf-8").strip()
    found = [text]
    if (bare := _POSSESSIVE.sub("", text)) != text:
        found.append(bare)
    return [one for one in map(_typed, found) if one.compact]


def shortened(word: str) -> tuple[str, ...]:
    """The words that one may stand for."""
    return _SHORT.get(word, ())


def cost(asked: Typed, name: Sequence[str], *, is_title: bool, told: frozenset[str]) -> float:
    """What is to be said against a name as the answer: 0, it is the title that was typed.

    Args:
        asked: what was typed.
        name: the words of the name, folded.
        is_title: whether it is the title, rather than an alias.
        told: the words of the description.
    """
    found = 0.0 if is_title else _ALIAS
    compact = "".join(name)
    if compact == asked.compact:
        return found
    if compact.startswith(asked.compact):
        rest = len(name) - len(asked.words)
        whole = name[: len(asked.words)] == list(asked.words)
        begins = _BEGINS if whole else _BEGINS + _INSIDE / 2
        return found + begins + _WORD_OVER * min(max(rest, 0), _MOST_OVER)
    return found + _BEGINS + _by_words(asked, name, told)


def _by_words(asked: Typed, name: Sequence[str], told: frozenset[str]) -> float:
    """The same, word by word: each takes the best of the name's words that are left, the next one first."""
    free = list(range(len(name)))
    found, before, first = 0.0, -1, None
    last = len(asked.words) - 1
    for place, word in enumerate(asked.words):
        near = asked.near.get(word, {})
        at, least = -1, _absent(word, told, unfinished=place == last)
        for index in free:
            one = _between(word, name[index], near, unfinished=place == last)
            if one is not None and (one < least or (one == least and at < before < index)):
                at, least = index, one
        found += least
        if at < 0:
            continue
        free.remove(at)
        found += _TURNED if at < before else 0.0
        first = at if first is None else first
        before = at
    over = sum(name[index] not in LITTLE for index in free)
    return found + (_INSIDE if first else 0.0) + _WORD_OVER * min(over, _MOST_OVER)


def _absent(word: str, told: frozenset[str], *, unfinished: bool) -> float:
    """What it costs that a word is not in the name."""
    if word in told:
        return _IN_DESCRIPTION
    if any(one.startswith(word) for one in told):
        return _IN_DESCRIPTION + (0.0 if unfinished else _CUT)
    return _LITTLE_MISSING if word in LITTLE else _MISSING


def _between(word: str, other: str, near: Mapping[str, float], *, unfinished: bool) -> float | None:
    """What it costs to read a word as another; None: it cannot be."""
    if word == other:
        return 0.0
    if other.startswith(word):
        return _INSIDE / 2 if unfinished else _CUT
    if other in _SHORT.get(word, ()) or word in _SHORT.get(other, ()):
        return _SHORTENED
    edits = near.get(other)
    if edits is None:
        return None
    return edits * (_EDIT + _EDIT_OF_SHORT / len(word)) + (_OTHER_FIRST if word[0] != other[0] else 0.0)


def _typed(text: str) -> Typed:
    words = fold(text).split()
    return Typed(text, "".join(words) or marks(text), tuple(words[:_MOST_WORDS]))
