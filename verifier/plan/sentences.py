"""Where sentences end as Punkt sees it, by rules alone: what the published study's splitter went by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.documents import Span

_STOP = re.compile(r"(?P<stop>[.!?…]+)[\"'”’»)\]}]*(?P<space>\s+)")  # noqa: RUF001 - quotes
_WORD_BEFORE = re.compile(r"[^\s(\[\"'“‘«]+\Z")  # noqa: RUF001 - quotes
_WORD_AFTER = re.compile(r"[\"'“‘«(\[]*([^\W\d_]*)")  # noqa: RUF001 - quotes
# "U.S", "p.m", "Ph.D": a stop between one or two letters; not "gmail.com".
_LETTERS = re.compile(r"(?:^|-)[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+$")
_LONGEST_WORD: Final = 40
# Written with a full stop that ends no sentence, unless a word follows that mostly begins one.
_ABBREVIATIONS: Final = frozenset(
    re.findall(
        r"\w+",
        """mr mrs ms messrs mme dr prof st sr jr vs gen col lt sgt cpl pvt capt maj cmdr adm rep reps
        sen sens gov rev hon pres supt insp inc co cos corp ltd bros assn fig figs vol pp ed eds
        approx ca cf dept est etc al jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues
        wed thu thurs fri ala ariz ark calif colo conn del fla ga ill ind kan ky md mass mich minn
        mo mont neb nev okla ore pa penn tenn tex va vt wash wis wyo ave blvd rd ft mt univ no nos""",
    )
)
_STARTERS: Final = frozenset(
    re.findall(
        r"\w+",
        """a after all although an and any as at because before but by despite each even every for
        from he her here his how however i if in it its many meanwhile more most my no nobody not
        now of on one only our perhaps she since so some such that the their then there these they
        this those though thus to two under until we what when where which while who why with yet
        you your""",
    )
)


def sentences(text: str) -> list[Span]:
    """The sentences of `text` without the white space between them, in order; none of a blank text.

    A stop (. ! ? …) with its closing quotes or brackets ends one where white space follows. A full stop after
    an abbreviation or between single letters ("U.S.") does only where a word follows that mostly begins
    sentences, after an initial never; dots in a row only where a capital follows. Line breaks are white
    space: a heading belongs to the sentence after it.

    References:
        Kiss & Strunk (2006), doi 10.1162/coli.2006.32.4.485: the questions that are asked of a full stop.
        Punkt answers them from a corpus, this from lists of English words.
    """
    found, start = [], _content(text, 0)
    for end, begin in _ends(text):
        if end > start:
            found.append(Span(start, end))
            start = begin
    last = len(text.rstrip())
    if last > start:
        found.append(Span(start, last))
    return found


def _content(text: str, start: int) -> int:
    """Where the text goes on after white space."""
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def _ends(text: str) -> Iterator[tuple[int, int]]:
    for match in _STOP.finditer(text):
        if _is_end(text, match):
            yield match.start("space"), match.end()


def _is_end(text: str, match: re.Match[str]) -> bool:
    stop = match["stop"]
    if "!" in stop or "?" in stop:
        return True
    following = _WORD_AFTER.match(text, match.end())
    after = following[1] if following else ""
    if stop != ".":
        return after[:1].isupper()
    found = _WORD_BEFORE.search(text, max(0, match.start() - _LONGEST_WORD), match.start())
    word = found[0] if found else ""
    if len(word) == 1 and word.isalpha():
        return False
    if word.lower() in _ABBREVIATIONS or _LETTERS.search(word):
        return after[:1].isupper() and after.lower() in _STARTERS
    return True
