"""Reads entities from a dump of Wikidata or of a Wikipedia's search index: JSON, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from analysis.errors import InputError
from verifier.kb.articles import clean, is_heading, is_page, mapping, read_article
from verifier.kb.names import address_of
from verifier.kb.packed import reading
from verifier.kb.rows import EntityRow, Read

SUFFIXES: Final = (".json", ".json.gz", ".json.bz2")
_MOST_TOLD: Final = 50


def is_dump(source: Path) -> bool:
    """Whether a file's name says that it is a dump."""
    return source.name.lower().endswith(SUFFIXES)


def read_dump(source: Path, language: str) -> Iterator[Read]:
    """The items of a dump that have a label in `language`; properties, lexemes and redirects are passed over.

    An item is the better known the more Wikipedias have an article on it, an article the more it is
    looked at.

    Args:
        source: as Wikidata publishes it, packed or not: `[`, an item a line with a comma after it, `]`; the
            brackets and commas may be missing; or the pages of a Wikipedia, see `verifier.kb.articles`.
        language: of labels, aliases, descriptions and articles.

    Raises:
        InputError: the file is missing, broken off, or has no such items.
    """
    rows = bad = 0
    for number, line in _lines(source):
        try:
            row = _row(line, language)
        except ValueError as error:
            what, where = "neither an item of Wikidata nor an article", f"{source}:{number}"
            yield number, InputError(what, where=where, got=str(error)[:200])
            bad += 1
            if bad == _MOST_TOLD:
                return
            continue
        if row is not None:
            rows += 1
            yield number, row
    if not rows and not bad:
        raise InputError("no entities", where=str(source), expected=f"items with a label in {language}")


def _lines(source: Path) -> Iterator[tuple[int, str]]:
    """Number and text of every line that holds something, without the array's brackets and commas."""
    number = 0
    try:
        with reading(source, "a dump of Wikidata") as file:
            for number, raw in enumerate(file, start=1):
                line = raw.decode("utf-8").strip().removesuffix(",")
                if line not in ("", "[", "]"):
                    yield number, line
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", where=f"{source}:{number}") from None


def _row(line: str, language: str) -> EntityRow | None:
    """The item of a line; None where it is none or has no label in this language.

    Raises:
        ValueError: the line is not of this form.
    """
    told = _decoded(line)
    if is_heading(told):
        return None
    if is_page(told):
        return read_article(told, language)
    identity = told.get("id")
    if not isinstance(identity, str):
        raise ValueError("no id")  # noqa: TRY004 - a fault of the file, not of the program
    label = _worded(told, "labels", language)
    if told.get("type", "item") != "item" or label is None:
        return None
    if not (identity[:1] == "Q" and identity[1:].isascii() and identity[1:].isdecimal()):
        raise ValueError(f"id {identity!r}")
    links = told.get("sitelinks")
    links = links if isinstance(links, dict) else {}
    article = mapping(links.get(f"{language.replace('-', '_')}wiki")).get("title")
    aliases = mapping(told.get("aliases")).get(language)
    names = [mapping(one).get("value") for one in aliases] if isinstance(aliases, list) else []
    return EntityRow(
        key=f"wd:{identity}",
        title=label,
        description=_worded(told, "descriptions", language),
        extract=None,
        aliases=tuple(clean(one) for one in [*names, article] if isinstance(one, str) and clean(one)),
        popularity=float(sum(site.endswith("wiki") for site in links)),
        url=address_of(f"w:{language}:{article}") if isinstance(article, str) and article else None,
    )


def _decoded(line: str) -> Mapping[str, Any]:
    try:
        told = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(told, dict):
        raise ValueError("no object")  # noqa: TRY004 - a fault of the file, not of the program
    return told


def _worded(told: Mapping[str, Any], what: str, language: str) -> str | None:
    value = mapping(mapping(told.get(what)).get(language)).get("value")
    return (clean(value) or None) if isinstance(value, str) else None
