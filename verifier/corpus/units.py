"""Other ways of counting than code points: where a text's places lie when a file counts them otherwise."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Literal, NamedTuple

UTF16: Final = "UTF-16 units"
UTF8: Final = "UTF-8 bytes"
ESCAPED: Final = "escaped text"
CRLF: Final = "CRLF"
NORMAL: Final = "another Unicode form"

_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_MARKUP: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_QUOTED: Final = {**_MARKUP, '"': "&quot;"}


class Unit(NamedTuple):
    """A way of counting.

    Attributes:
        name: how it is called in the audit.
        places: for a text, the offset in this unit -> the offset in code points, where they meet.
        same: whether a mention is the piece of text that was found for it.
    """

    name: str
    places: Callable[[str], dict[int, int]]
    same: Callable[[str, str], bool]


def _equal(mention: str, found: str) -> bool:
    return mention == found


def _equal_unescaped(mention: str, found: str) -> bool:
    return mention in (found, html.unescape(found)) or html.unescape(mention) == found


def _equal_lines(mention: str, found: str) -> bool:
    return mention.replace("\r\n", "\n") == found.replace("\r\n", "\n")


def _equal_normal(mention: str, found: str) -> bool:
    return unicodedata.normalize("NFC", mention) == unicodedata.normalize("NFC", found)


def _map(pieces: Iterator[tuple[int, int]]) -> dict[int, int]:
    """The places where both counts meet, from the pieces of a text: (code points, units)."""
    place = unit = 0
    met = {0: 0}
    for points, units in pieces:
        place, unit = place + points, unit + units
        met[unit] = place
    return met


def _by_character(text: str, *, width: Callable[[str], int]) -> dict[int, int]:
    return _map((1, width(character)) for character in text)


def _by_pattern(text: str, *, pattern: re.Pattern[str], width: Callable[[str], int]) -> dict[int, int]:
    """Characters count one each, but what `pattern` matches counts as `width` says."""

    def pieces() -> Iterator[tuple[int, int]]:
        done = 0
        for match in pattern.finditer(text):
            yield from ((1, 1) for _ in range(match.start() - done))
            yield match.end() - match.start(), width(match[0])
            done = match.end()
        yield from ((1, 1) for _ in range(len(text) - done))

    return _map(pieces())


def _by_letter(text: str, *, form: Literal["NFC", "NFD"]) -> dict[int, int]:
    """Letters with the marks that combine with them count as in another Unicode form."""

    def pieces() -> Iterator[tuple[int, int]]:
        start = 0
        for place in range(1, len(text) + 1):
            if place == len(text) or not unicodedata.combining(text[place]):
                yield place - start, len(unicodedata.normalize(form, text[start:place]))
                start = place

    return _map(pieces()) if text else {0: 0}


def _as_it_is(text: str) -> dict[int, int]:
    return {place: place for place in range(len(text) + 1)}


def _escaped(marks: dict[str, str]) -> Callable[[str], dict[int, int]]:
    pattern = re.compile("[" + re.escape("".join(marks)) + "]")
    return partial(_by_pattern, pattern=pattern, width=lambda mark: len(marks[mark]))


UNITS: Final = (
    Unit(UTF16, partial(_by_character, width=lambda c: 2 if c > "\uffff" else 1), _equal),
    Unit(UTF8, partial(_by_character, width=lambda c: len(c.encode())), _equal),
    # The offsets count the text as it is, and only the mention was unescaped.
    Unit(ESCAPED, _as_it_is, _equal_unescaped),
    # The offsets count `&amp;` where the text has `&`.
    Unit(ESCAPED, _escaped(_MARKUP), _equal_unescaped),
    Unit(ESCAPED, _escaped(_QUOTED), _equal_unescaped),
    # The offsets count `&` where the text has `&amp;`.
    Unit(
        ESCAPED,
        partial(_by_pattern, pattern=_ENTITY, width=lambda e: len(html.unescape(e))),
        _equal_unescaped,
    ),
    Unit(CRLF, _as_it_is, _equal_lines),
    # The offsets count CR LF where the text has LF.
    Unit(CRLF, partial(_by_pattern, pattern=re.compile(r"(?<!\r)\n"), width=lambda _: 2), _equal_lines),
    # The offsets count LF where the text has CR LF.
    Unit(CRLF, partial(_by_pattern, pattern=re.compile(r"\r\n"), width=lambda _: 1), _equal_lines),
    # The offsets count the text as it is, and only the mention was composed or decomposed.
    Unit(NORMAL, _as_it_is, _equal_normal),
    # The offsets count letters composed (é as one) or decomposed (e and its accent as two).
    Unit(NORMAL, partial(_by_letter, form="NFC"), _equal_normal),
    Unit(NORMAL, partial(_by_letter, form="NFD"), _equal_normal),
)
