"""Finds words that name no entity, for controls: ordinary ones that no source marks, no entity goes by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from analysis.documents import Span
from verifier.plan import chance

_WORDS = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_ENDS: Final = ".!?\u2026\u3002\n"
_BETWEEN: Final = " \t\r\"'\u201c\u201d\u2018\u2019\u00ab\u00bb()[]"
# A span with a mention this near might be meant as part of it ("the city" in "the city of York").
_NEAR: Final = 2
# Words that so large a share of the documents has carry grammar, not matter. Few texts do not tell.
_GRAMMAR: Final = 0.1
_FEW_TEXTS: Final = 10
_LONG: Final = 5
_SHORT: Final = 3
# Kinds of words: with the capital of a sentence's beginning; small, with content; any other small one.
_CAPITAL: Final = 0
_CONTENT: Final = 1
_ANY: Final = 2


class Vocabulary:
    """In how many documents each word stands: in small letters, and with a capital inside a sentence."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = len(texts)
        self._small: Counter[str] = Counter()
        self._capital: Counter[str] = Counter()
        for text in texts:
            small, capital = set(), set()
            for match in _WORDS.finditer(text):
                word = match[0]
                if word.islower():
                    small.add(word)
                elif not opens_sentence(text, match.start()):
                    capital.add(word.lower())
            self._small.update(small)
            self._capital.update(capital)

    def ordinary(self, word: str) -> bool:
        """Whether a word is no name: written small somewhere, and with a capital half as often at most."""
        low = word.lower()
        return self._small[low] > 0 and self._small[low] >= 2 * self._capital[low]

    def grammatical(self, word: str) -> bool:
        """Whether a word is so common that it stands for nothing by itself."""
        return self._texts >= _FEW_TEXTS and self._small[word.lower()] > _GRAMMAR * self._texts


def opens_sentence(text: str, start: int) -> bool:
    """Whether what begins at `start` is a sentence's first word."""
    before = start - 1
    while before >= 0 and text[before] in _BETWEEN:
        before -= 1
    return before < 0 or text[before] in _ENDS


def find(
    text: str,
    span: Span,
    marks: Sequence[Span],
    *,
    vocabulary: Vocabulary,
    is_name: Callable[[str], bool],
    seed: int,
    name: tuple[str | int, ...],
) -> Iterator[tuple[bool, Span]]:
    """Words of `span` that name no entity, those that look most like a linker's slip first.

    First ordinary words with the capital of a sentence's beginning, then words of content in small letters,
    then any words of three letters; each kind in a seeded order. Small ones are kept away from words with a
    capital, all of them from mentions, of which they might be meant as a part.

    Args:
        text: of the document.
        span: where to look.
        marks: spans of all annotations in the document, of all sources.
        vocabulary: of the corpus.
        is_name: whether some entity goes by this name.
        seed: the study's.
        name: what the order follows from.

    Yields:
        Whether the word has content of its own, and where it is.
    """
    kinds: list[list[Span]] = [[], [], []]
    for word, where, beside in _free_words(text, span, marks):
        kind = _kind(word, beside, opens=opens_sentence(text, where.start), vocabulary=vocabulary)
        if kind is not None:
            kinds[kind].append(where)
    for kind, spans in enumerate(kinds):
        for where in chance.shuffled(spans, seed, "no entity", *name):
            if not is_name(text[where.start : where.end]):
                yield kind < _ANY, where


def with_capital(text: str, span: Span, marks: Sequence[Span], vocabulary: Vocabulary) -> bool:
    """Whether `span` holds a word with a sentence's capital that names no entity, as far as texts tell."""
    return any(
        _kind(word, beside, opens=True, vocabulary=vocabulary) == _CAPITAL
        for word, where, beside in _free_words(text, span, marks)
        if opens_sentence(text, where.start)
    )


def _kind(word: str, beside: Sequence[str], *, opens: bool, vocabulary: Vocabulary) -> int | None:
    """What kind of word it is; None if it may be a name, or is too short to be asked about."""
    if len(word) < _SHORT:
        return None
    content = len(word) >= _LONG and not vocabulary.grammatical(word)
    if opens and word[1:].islower() and not word.islower():
        after = beside[-1:]
        fits = content and vocabulary.ordinary(word) and all(other.islower() for other in after)
        return _CAPITAL if fits else None
    if not word.islower() or not all(other.islower() for other in beside):
        return None
    return _CONTENT if content else _ANY


def _free_words(text: str, span: Span, marks: Iterable[Span]) -> Iterator[tuple[str, Span, tuple[str, ...]]]:
    """Words away from every mention, with their span and the words before (unless it opens) and after."""
    near = [mark for mark in marks if mark.overlaps(span)]
    found = [(match[0], Span(*match.span())) for match in _WORDS.finditer(text, span.start, span.end)]
    for i, (word, where) in enumerate(found):
        wide = Span(where.start - _NEAR, where.end + _NEAR)
        if any(wide.overlaps(mark) for mark in near):
            continue
        beside = [found[n][0] for n in (i - 1, i + 1) if 0 <= n < len(found)]
        yield word, where, tuple(beside)
