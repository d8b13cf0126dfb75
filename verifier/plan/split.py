"""Cuts a text into segments: pieces short enough for one screen that cut no mention and lose nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from analysis.documents import Span
from verifier.plan.lengths import Lengths

NAME: Final = "whole"
VERSION: Final = "2"

_BLANK_LINE = re.compile(r"(?:\r\n|\r|\n)[^\S\r\n]*(?:\r\n|\r|\n)\s*")
_STOP = re.compile(
    r"(?P<stop>[.!?…]+)[\"'”\u2019»)\]]*(?P<space>\s+)"  # what needs a space after it
    r"|(?P<wide>[。！？]+)[”’」』）]*(?P<gap>\s*)"  # noqa: RUF001 - full-width marks are what is meant
)
_FIRST_LINE = re.compile(r"\s*(?P<line>\S(?:[^\r\n]*\S)?)[^\S\r\n]*(?:\r\n|\r|\n)[^\S\r\n]*(?=\S)")
_LINE = re.compile(r"[^\r\n]*")
_OPENING = "\"'“‘«([¿¡-–—"  # noqa: RUF001 - the dashes and quotes that open a sentence
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«]+\Z")  # noqa: RUF001 - quotes
_LONGEST_WORD = 30
# A headline is a first line of at most so many characters, before a line at least so many times as long.
_HEADLINE: Final = 120
_LONGER: Final = 2
# After these a full stop ends no sentence. Single letters and words with a stop inside ("U.S.") neither.
_ABBREVIATIONS: Final = frozenset(
    re.findall(
        r"\w+",
        """mr mrs ms dr prof st sr jr vs gen col lt sgt capt maj cmdr rep sen gov rev hon pres inc co corp ltd
        bros fig figs vol pp ed eds approx ca cf dept est etc jan feb mar apr jun jul aug sep sept oct
        nov dec""",
    )
)


@dataclass(frozen=True)
class Whole(Lengths):
    """The default splitter.

    A segment closes at the first sentence end, at or after `min_chars` characters, that cuts no mention.
    A blank line ends a sentence whatever stands before it, and so does the line break after a headline. A
    last piece of under `min_tail` characters joins the one before. Segments tile the text: every character
    lies in exactly one, the space after a sentence in the sentence's own. A text shorter than `min_chars` is
    one segment, an empty one an empty segment.

    Attributes:
        min_chars: least length of a segment but the last.
        min_tail: least length of a last segment that stands alone; a third of `min_chars` unless given.
        headlines: whether a headline is told by its line; version 1 told it by a blank line alone.
    """

    headlines: bool = True

    name: ClassVar[str] = NAME

    @property
    def version(self) -> str:
        """Of the rule."""
        return VERSION if self.headlines else "1"

    def split(self, text: str, mentions: Iterable[Span]) -> list[Span]:
        """The segments of `text`, in order.

        Args:
            text: the document.
            mentions: of every source; none is cut.
        """
        stretches = _merged(mentions)
        starts = [stretch.start for stretch in stretches]
        cuts, start = [0], 0
        for end, begin in sentence_ends(text, headlines=self.headlines):
            if end - start < self.min_chars:
                continue
            before = bisect_right(starts, begin - 1) - 1
            if before < 0 or stretches[before].end <= begin:
                cuts.append(begin)
                start = begin
        if len(cuts) > 1 and len(text) - cuts[-1] < self.min_tail:
            cuts.pop()
        return [Span(a, b) for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def sentence_ends(text: str, *, headlines: bool = True) -> Iterator[tuple[int, int]]:
    """Where sentences end and the next ones begin: pairs (end of one, start of the next), in order.

    A stop (. ! ? …, or full-width) with its closing quotes ends one if white space follows and what comes
    next does not start with a small letter; not after an abbreviation, an initial or a word with a stop
    inside. A blank line ends one too, and, with `headlines`, the break after a first line without a stop, of
    at most 120 characters, if the next is at least twice as long: in texts broken into lines by their length
    none is. The end of the text is not listed.
    """
    found = {match.end(): match.start() for match in _BLANK_LINE.finditer(text)}
    if headlines and (cut := _headline(text)):
        found.setdefault(cut[1], cut[0])
    for match in _STOP.finditer(text):
        if match["wide"] or _ends_sentence(text, match):
            space = match.start("gap") if match["wide"] else match.start("space")
            found.setdefault(match.end(), space)
    for begin in sorted(found):
        if 0 < begin < len(text):
            yield found[begin], begin


def _headline(text: str) -> tuple[int, int] | None:
    """Where the text's headline ends and what follows it begins; None if it has none."""
    match = _FIRST_LINE.match(text)
    if match is None or match.end("line") - match.start("line") > _HEADLINE:
        return None
    following = _LINE.match(text, match.end())
    length = len(following[0].rstrip()) if following else 0
    long = length >= _LONGER * (match.end("line") - match.start("line"))
    stopped = match["line"].rstrip("\"'”’»)]")[-1:] in ".!?…。！？,;:"  # noqa: RUF001 - quotes, full-width marks
    return (match.end("line"), match.end()) if long and not stopped else None


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 4].lstrip(_OPENING)
    if following[:1].islower():
        return False
    if match["stop"] != ".":
        return True
    last = _LAST_WORD.search(text, max(0, match.start() - _LONGEST_WORD), match.start())
    word = last[0] if last else ""
    initial = len(word) == 1 and word.isalpha()
    return not (initial or "." in word or word.lower() in _ABBREVIATIONS)


def _merged(mentions: Iterable[Span]) -> list[Span]:
    """The stretches that mentions cover: mentions that share a character are one, touching ones are not."""
    merged: list[Span] = []
    for mention in sorted(mentions):
        if merged and mention.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, mention.end))
        else:
            merged.append(Span(*mention))
    return merged
