"""Reads the table of entities that a knowledge base is built from; all bad rows are told at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from analysis.errors import InputError, plain
from analysis.keys import normalise
from verifier.kb.images import LARGEST, name_of
from verifier.kb.names import title_of
from verifier.kb.packed import reading

COLUMNS: Final = (
    "key",
    "title",
    "description",
    "extract",
    "aliases",
    "popularity",
    "url",
    "image",
    "image_credit",
)
_SYNONYMS: Final = {"qid": "key", "label": "title"}
_IGNORED: Final = frozenset({"type_qids"})


@dataclass(frozen=True)
class EntityRow:
    """One entity of the table."""

    key: str
    title: str
    description: str | None
    extract: str | None
    aliases: tuple[str, ...]
    popularity: float
    url: str | None
    image: Path | None = None
    image_credit: str | None = None


@dataclass(frozen=True)
class OtherName:
    """A name by which an entity goes that stands elsewhere in the file, before it or after."""

    name: str
    key: str


# Line, and what stands there or what is wrong with it.
Read = tuple[int, EntityRow | OtherName | InputError]


def read_rows(source: Path, language: str) -> Iterator[Read]:
    """The entities of a tab-separated file with a header line, one after the other.

    Args:
        source: columns `key`, `title`, `description`, `extract`, `aliases` (`|` between), `popularity`,
            `url`, `image` (a file, from where the table lies), `image_credit`; all but `key` may be missing;
            `qid` and `label` are read as `key` and `title`.
        language: of keys that are bare titles.

    Raises:
        InputError: the file is missing or not text, or holds no entities.
    """
    lines = _lines(source)
    first = next(lines, None)
    if first is None:
        raise InputError("empty file", where=str(source), expected="a header line with at least: key")
    columns = _header(source, first[1])
    number = 0
    for number, cells in lines:
        try:
            yield number, _row(f"{source}:{number}", columns, cells, language, source.parent)
        except InputError as error:
            yield number, error
    if not number:
        raise InputError("no entities", where=str(source), expected="a row for each entity below the header")


def _lines(source: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    number = place = 0
    try:
        with reading(source, "a tab-separated table of entities") as file:
            # Only newlines end a row: str.splitlines would also cut at separators that names may hold.
            for number, raw in enumerate(file, start=1):
                line = raw.decode("utf-8" if place else "utf-8-sig")
                place += len(raw)
                if line.strip():
                    yield number, line.rstrip("\n").rstrip("\r").split("\t")
    except UnicodeDecodeError as error:
        got = f"byte {error.object[error.start]:#x} at {place + error.start}"
        raise InputError("not UTF-8 text", where=str(source), got=got) from None


def _header(source: Path, cells: list[str]) -> list[str]:
    columns = [_SYNONYMS.get(cell.strip().lower(), cell.strip().lower()) for cell in cells]
    where = f"{source}:1"
    unknown = [c for c in columns if c not in COLUMNS and c not in _IGNORED]
    if "key" not in columns or unknown or len(set(columns)) != len(columns):
        raise InputError(
            "not the header of a table of entities",
            where=where,
            got=" ".join(cells)[:200],
            expected="tab-separated columns among " + ", ".join(COLUMNS) + ", with key",
        )
    return columns


def _row(where: str, columns: list[str], cells: list[str], language: str, folder: Path) -> EntityRow:
    if len(cells) != len(columns):
        raise InputError(
            "wrong number of cells", where=where, got=str(len(cells)), expected=str(len(columns))
        )
    if any("\0" in cell for cell in cells):
        raise InputError("a NUL character", where=where, remedy="Remove it.")
    value = {column: cell.strip() for column, cell in zip(columns, cells, strict=True)}
    if not value["key"]:
        raise InputError("no key", where=where, expected="an identifier such as Q42 or a Wikipedia address")
    try:
        key = normalise(value["key"], language)
    except InputError as error:
        raise InputError(error.problems[0].what, where=where, got=plain(value["key"])) from None
    aliases = tuple(a for a in (part.strip() for part in value.get("aliases", "").split("|")) if a)
    return EntityRow(
        key=key,
        title=value.get("title") or title_of(key),
        description=value.get("description") or None,
        extract=value.get("extract") or None,
        aliases=aliases,
        popularity=_popularity(where, value.get("popularity", "")),
        url=_url(where, value.get("url", "")),
        image=_image(where, folder, value.get("image", "")),
        image_credit=value.get("image_credit") or None,
    )


def _popularity(where: str, cell: str) -> float:
    try:
        number = float(cell or 0)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            "popularity is not a number", where=where, got=plain(cell), expected="such as 1234.5"
        )
    return number


def _image(where: str, folder: Path, cell: str) -> Path | None:
    """The file of an image, if it is one that a card can show."""
    if not cell:
        return None
    path = folder / cell
    if cell.startswith(("http://", "https://")):
        raise InputError(
            "an image is a file, no address",
            where=where,
            got=plain(cell),
            expected="a file, named from where the table lies",
            remedy="Download it; that its licence allows to show it stands in image_credit.",
        )
    try:
        with path.open("rb") as file:
            name_of(file.read(LARGEST + 1))
    except InputError as error:
        told = error.problems[0]
        raise InputError(told.what, where=where, got=cell, expected=told.expected) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(
            "the image cannot be read", where=where, got=f"{cell}: {why}", expected="a file beside the table"
        ) from None
    return path


def _url(where: str, cell: str) -> str | None:
    """The address, if it is one a page may link to: `javascript:` and its like never reach a worker."""
    if not cell:
        return None
    try:
        split = urlsplit(cell)
    except ValueError:
        split = urlsplit("")
    if split.scheme not in ("http", "https") or not split.netloc:
        raise InputError("not a web address", where=where, got=plain(cell), expected="https://...")
    return cell
