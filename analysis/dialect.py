"""How a table was saved: what parts its columns, and in which encoding. Spreadsheets save in several ways."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from analysis.errors import InputError

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Letters, or bytes, that hold any header.
HEADER: Final = 1 << 20
_LINE: Final = re.compile(r"[^\r\n]*[^\s][^\r\n]*")
_SIGNED: Final = re.compile(r"-?[0-9]+([.,])[0-9]+")
# A sign before three digits may part thousands.
_GROUPED: Final = re.compile(r"-?[1-9][0-9]{0,2}[.,][0-9]{3}")


class Dialect(NamedTuple):
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


def separator_of(text: str) -> str:
    """What parts columns: a tab if the first line has one, else the commoner of semicolon and comma.

    What stands in quotes parts nothing, and blank lines are none.
    """
    line = _LINE.search("".join(text[:HEADER].split('"')[::2]))
    header = line[0] if line else ""
    if "\t" in header:
        return "\t"
    return ";" if header.count(";") > header.count(",") else ","


def encoding_of(start: bytes) -> str:
    """The encoding of a text that begins so: UTF-16 (Excel's "Unicode text") by its mark, else UTF-8."""
    return "utf-16" if start.startswith(_UTF16) else "utf-8-sig"


def dialect_of(path: Path) -> Dialect:
    """The dialect of a file, by its first line; the usual one if that cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(HEADER)
        text = codecs.getincrementaldecoder(encoding_of(start))().decode(start)
    except (OSError, UnicodeDecodeError):
        return Dialect()
    return Dialect(separator_of(text), encoding_of(start))


def numbers(cells: Iterable[str], dialect: Dialect, where: str) -> list[str]:
    """Numbers as computers write them: where a comma parts no columns, one in a number is a decimal comma.

    Args:
        cells: all that stand together, each without blanks around it; what is no number stays as it is.
        dialect: of their table.
        where: for messages.

    Raises:
        InputError: some have a comma and some a point; or what they have may part thousands as well.
    """
    said = list(cells)
    if not dialect.decimal_comma:
        return said
    signed = {text: found[1] for text in dict.fromkeys(said) if (found := _SIGNED.fullmatch(text))}
    _check_signs(signed, said, where)
    return [text.replace(",", ".") if signed.get(text) == "," else text for text in said]


def _check_signs(signed: dict[str, str], said: list[str], where: str) -> None:
    example = {sign: text for text, sign in signed.items()}
    if len(example) > 1:
        raise InputError(
            "some numbers have a comma and some a point",
            where=where,
            got=f"{example[',']} and {example['.']}",
            expected="one of them, before the decimals, and nothing between thousands",
        )
    whole = next((text for text in said if text.isascii() and text.isdecimal()), None)
    if signed and whole is not None and all(map(_GROUPED.fullmatch, signed)):
        (text,) = example.values()
        raise InputError(
            "whether these are thousands or decimals cannot be told",
            where=where,
            got=f"{text} beside {whole}",
            expected="decimals that show it in one number at least, or nothing between thousands",
            remedy=f"Write {text[:-4]}{text[-3:]} or {text}0, whichever is meant.",
        )
