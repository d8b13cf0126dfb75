"""Reads the table of entities that a knowledge base is built from; all bad rows are told at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from analysis.errors import InputError, Problem
from analysis.keys import normalise
from verifier.kb.images import LARGEST, name_of
from verifier.kb.names import title_of

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
    credit: str | None = None


def read_rows(source: Path, language: str) -> list[EntityRow]:
    """The entities of a tab-separated file with a header line.

    Args:
        source: columns `key`, `title`, `description`, `extract`, `aliases` (`|` between), `popularity`,
            `url`, `image` (a file, from where the table lies); all but `key` may be missing; `qid` and
            `label` are read as `key` and `title`.
        language: of keys that are bare titles.

    Raises:
        InputError: the file is missing or not text, or has bad rows; each is listed with its line.
    """
    lines = _lines(source)
    first = next(lines, None)
    if first is None:
        raise InputError("empty file", where=str(source), expected="a header line with at least: key")
    columns = _header(source, first[1])
    rows: list[EntityRow] = []
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    for number, cells in lines:
        where = f"{source}:{number}"
        try:
            row = _row(where, columns, cells, language, source.parent)
        except InputError as error:
            problems.extend(error)
            continue
        if row.key in seen:
            problems.append(
                Problem(f"second row for {row.key}", where, got=f"the first is line {seen[row.key]}")
            )
            continue
        seen[row.key] = number
        rows.append(row)
    if not rows and not problems:
        problems.append(
            Problem("no entities", str(source), expected="a row for each entity below the header")
        )
    if problems:
        raise InputError.of(problems)
    return rows


def _lines(source: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    try:
        text = source.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(
            "no such file", where=str(source), expected="a tab-separated table of entities"
        ) from None
    except IsADirectoryError:
        raise InputError("a folder, not a file", where=str(source)) from None
    except UnicodeDecodeError as error:
        raise InputError(
            "not UTF-8 text", where=str(source), got=f"byte {error.object[error.start]:#x} at {error.start}"
        ) from None
    # Only newlines end a row: str.splitlines would also cut at separators that names may hold.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line.rstrip("\r").split("\t")


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
        raise InputError(error.problems[0].what, where=where, got=repr(value["key"])) from None
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
        credit=value.get("image_credit") or None,
    )


def _popularity(where: str, cell: str) -> float:
    try:
        number = float(cell or 0)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError("popularity is not a number", where=where, got=repr(cell), expected="such as 1234.5")
    return number


def _image(where: str, folder: Path, cell: str) -> Path | None:
    """The file of an image, if it is one that a card can show."""
    if not cell:
        return None
    path = folder / cell
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
        raise InputError("not a web address", where=where, got=repr(cell), expected="https://...")
    return cell
