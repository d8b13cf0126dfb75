"""Where sentences end as Punkt's English model sees it, by rules alone: what the published study went by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.documents import Span

# A stop counts before white space or a mark that no word holds; not within "3.5", "gmail.com", "U.S.-led".
_STOP = re.compile(r"(?P<stop>[.!?]+)(?=\s|[\"'”’»)\]}(\[{;:*@])")  # noqa: RUF001 - quotes
# Quotes and brackets that close the sentence, even after white space: white space or a dash follows them.
_CLOSING = re.compile(r"\s*[\"'”’»)\]}]+(?=\s|--|\Z)")  # noqa: RUF001 - quotes
_WORD_BEFORE = re.compile(r"(?:[^\s(\[\"'“‘«-]|(?<=\w)')+\Z")  # noqa: RUF001 - quotes
_WORD_AFTER = re.compile(r"\s+([^\W\d_]+)")
_NUMBER = re.compile(r"[.,]?\d[\d,.]*\Z")
_LONGEST_WORD: Final = 40
# A full stop after these ends no sentence, unless a word follows that mostly begins one. What the model does
# not know ("No.", "Fig.", "etc.", "Gov.", "i.e.", most initials in a row) ends one, as it did in the study.
_ABBREVIATIONS: Final = frozenset(
    re.findall(
        r"[\w.]+",
        """
        mr mrs ms messrs dr prof st sr jr vs gen col lt maj adm rep reps sen inc co cos corp ltd
        bros cie ct ft ave yr jan feb aug sep sept oct nov dec tues wed fri calif colo conn fla ga
        ill kan ky mich minn nev okla ore pa tenn va vt wash wis ok
        a.a a.c a.d a.g a.h a.m a.s a.t b.f b.v c.v d.c d.h d.w e.f e.h e.l e.m f.g f.j g.d g.f g.k
        h.f h.m j.b j.c j.j j.k j.p j.r l.a l.f l.p m.b.a m.j n.c n.d n.h n.j n.m n.v n.y p.m ph.d
        r.a r.h r.i r.j r.k r.t s.a s.c s.g s.s t.j u.k u.n u.s u.s.a u.s.s.r w.c w.r w.va w.w
        """,
    )
)
# Single letters after which one ends a sentence where such a word follows; after the others it never does.
_ENDING_LETTERS: Final = frozenset("abijoquxyz")
# Words that begin sentences and are otherwise written small.
_STARTERS: Final = frozenset(
    re.findall(
        r"\w+",
        """
        according almost along although among authorities between both but certainly despite earlier eight
        even finally following given he her here however hundreds if in indeed instead it many meanwhile
        moreover most nevertheless nonetheless nor separately seven similarly since so some speaking such
        the there therefore these they this though throughout thus under unfortunately unlike very via when
        while yes yet
        """,
    )
)


def sentences(text: str) -> list[Span]:
    """The sentences of `text` without the white space between them, in order; none of a blank text.

    ! and ? end one, before white space or a quote or bracket. So does a full stop, but for these: after an
    abbreviation, after an initial and for dots in a row a word must follow that mostly begins sentences;
    after a number none that starts with a small letter. Closing quotes and brackets belong to the sentence
    they close. Line breaks are white space: a heading belongs to the sentence after it.

    References:
        Kiss & Strunk (2006), doi 10.1162/coli.2006.32.4.485: the questions that are asked of a full stop.
        Punkt answers them from counts of a corpus, this from lists of English words.
    """
    found, start = [], _content(text, 0)
    for end in _ends(text):
        if end > start:
            found.append(Span(start, end))
            start = _content(text, end)
    last = len(text.rstrip())
    if last > start:
        found.append(Span(start, last))
    return found


def _content(text: str, start: int) -> int:
    """Where the text goes on after white space."""
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _ends(text: str) -> Iterator[int]:
    for match in _STOP.finditer(text):
        if _is_end(text, match):
            closing = _CLOSING.match(text, match.end())
            yield closing.end() if closing else match.end()


def _is_end(text: str, match: re.Match[str]) -> bool:
    stop = match["stop"]
    if stop[-1] != ".":
        return True
    following = _WORD_AFTER.match(text, match.end())
    after = following[1] if following else ""
    begins = after[:1].isupper() and after.lower() in _STARTERS
    if stop.endswith(".."):
        return begins
    found = _WORD_BEFORE.search(text, max(0, match.start() - _LONGEST_WORD), match.start())
    word = found[0].lower() if found else ""
    if len(word) == 1 and word.isalpha():
        return begins and word in _ENDING_LETTERS
    if word in _ABBREVIATIONS:
        return begins
    return not (_NUMBER.match(word) and after[:1].islower())
