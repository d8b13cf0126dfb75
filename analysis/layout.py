"""How a table was saved: what parts its columns, and in which encoding. Spreadsheets save in several ways."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Final, NamedTuple

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HEADER: Final = 1 << 20


class Layout(NamedTuple):
    """What a reader of a table has to know.

    Attributes:
        separator: between columns.
        encoding: of the file.
    """

    separator: str = ","
    encoding: str = "utf-8-sig"

    @property
    def decimal_comma(self) -> bool:
        """Whether a comma may stand in a number: never where it parts columns."""
        return self.separator != ","


def separator_of(header: str) -> str:
    """What parts the columns of a header: a tab if it has one, else the commoner of semicolon and comma.

    What stands in quotes parts nothing.
    """
    bare = "".join(header.split('"')[::2])
    if "\t" in bare:
        return "\t"
    return ";" if bare.count(";") > bare.count(",") else ","


def encoding_of(start: bytes) -> str:
    """The encoding of a text that begins so: UTF-16 (Excel's "Unicode text") by its mark, else UTF-8."""
    return "utf-16" if start.startswith(_UTF16) else "utf-8-sig"


def layout_of(path: Path) -> Layout:
    """The layout of a file, by its first line; the usual one if that cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEADER)
        text = codecs.getincrementaldecoder(encoding_of(start))().decode(start)
    except (OSError, UnicodeDecodeError):
        return Layout()
    return Layout(separator_of(text.split("\n", 1)[0]), encoding_of(start))


def number(text: str, layout: Layout) -> str:
    """A number as computers write it: where a comma parts no columns, one in a number is a decimal comma."""
    whole, comma, rest = text.partition(",")
    plain = comma and layout.decimal_comma and whole.isdecimal() and rest.isdecimal()
    return f"{whole}.{rest}" if plain else text
