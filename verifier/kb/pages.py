"""Reads entities from the articles of a Wikipedia as it publishes them: pages-articles, XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from xml.parsers import expat

from analysis.errors import InputError
from analysis.keys import normalise
from verifier.kb import wikitext
from verifier.kb.articles import clean, short
from verifier.kb.names import address_of
from verifier.kb.packed import reading
from verifier.kb.rows import EntityRow, OtherName, Read

SUFFIXES: Final = (".xml", ".xml.bz2", ".xml.gz")
_PIECE: Final = 1 << 18
_MOST_TEXT: Final = 200_000
_MILLION: Final = 1_000_000
_KEPT: Final = frozenset({"title", "ns", "text", "base"})
# The first link of a page; asked of its beginning alone, for what one looks for anywhere may take for ever.
_SECTION: Final = re.compile(r"[^\[]*\[\[[^\[\]|]*#")
_HOST: Final = re.compile(r"https?://([a-z-]+)\.(?:m\.)?wikipedia\.org/")


def is_pages(source: Path) -> bool:
    """Whether a file's name says that it holds pages."""
    return source.name.lower().endswith(SUFFIXES)


def read_pages(source: Path, language: str) -> Iterator[Read]:
    """The articles of a Wikipedia, and the titles that lead to them; lists of namesakes are passed over.

    An article is the better known the more titles lead to it, and of two the longer one.

    Args:
        source: as Wikipedia publishes it, packed or not.
        language: of the Wikipedia, as its address begins.

    Raises:
        InputError: the file is missing, broken off, or not of this form; or the Wikipedia is another.
    """
    pages = _Pages(source, language)
    number = 0
    for page in pages.read():
        found = _row(page, language)
        if found is not None:
            number += isinstance(found, EntityRow)
            yield page.line, found
    if not number:
        raise InputError("no entities", where=str(source), expected="articles of a Wikipedia")


@dataclass
class _Page:
    line: int
    title: str = ""
    ns: str = ""
    redirect: str | None = None
    text: list[str] = field(default_factory=list)
    length: int = 0


class _Pages:
    """Takes pages from XML as it comes; nothing but the page at hand is kept.

    Documents that declare anything are refused: neither entities of their own nor other files are ever read.
    """

    def __init__(self, source: Path, language: str) -> None:
        self._source = source
        self._language = language
        self._done: list[_Page] = []
        self._page: _Page | None = None
        self._inside = ""
        self._base = ""
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._declared
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data

    def read(self) -> Iterator[_Page]:
        """Every page, in order."""
        try:
            with reading(self._source, "the pages of a Wikipedia") as file:
                while piece := file.read(_PIECE):
                    self._parser.Parse(piece, False)
                    yield from self._done
                    self._done.clear()
                self._parser.Parse(b"", True)
                yield from self._done
        except expat.ExpatError as error:
            raise InputError(
                "not XML, or broken off",
                where=f"{self._source}:{error.lineno}",
                got=expat.ErrorString(error.code),
                expected="the pages of a Wikipedia, as it publishes them",
            ) from None
        except LookupError as error:
            raise InputError(
                "not XML that can be read",
                where=f"{self._source}:1",
                got=str(error),
                expected="the pages of a Wikipedia, in UTF-8",
            ) from None

    def _declared(self, *_: object) -> None:
        raise InputError(
            "XML with declarations of its own",
            where=f"{self._source}:{self._parser.CurrentLineNumber}",
            expected="the pages of a Wikipedia, which have none",
        )

    def _start(self, name: str, given: dict[str, str]) -> None:
        if name == "page":
            self._page = _Page(self._parser.CurrentLineNumber)
        elif name == "redirect" and self._page:
            self._page.redirect = given.get("title", "")
        self._inside = name if name in _KEPT else ""

    def _end(self, name: str) -> None:
        self._inside = ""
        if name == "page" and self._page:
            self._done.append(self._page)
            self._page = None
        elif name == "base":
            self._check_language()

    def _data(self, data: str) -> None:
        page = self._page
        if self._inside == "base":
            self._base = (self._base + data)[:_PIECE]
        elif page is None or not self._inside:
            return
        elif self._inside == "text":
            if page.length < _MOST_TEXT:
                page.text.append(data)
            page.length += len(data)
        else:
            setattr(page, self._inside, (getattr(page, self._inside) + data)[:_PIECE])

    def _check_language(self) -> None:
        found = _HOST.match(self._base)
        if found and found[1] != self._language:
            raise InputError(
                "the pages of another Wikipedia",
                where=str(self._source),
                got=found[1],
                expected=self._language,
                remedy=f"Say so: --language {found[1]}",
            )


def _row(page: _Page, language: str) -> EntityRow | OtherName | InputError | None:
    """The article of a page, or where it leads; None where it is neither."""
    title = clean(page.title)
    if page.ns.strip() != "0" or not title:
        return None
    text = "".join(page.text)
    try:
        key = normalise(f"w:{language}:{title}", language)
        if page.redirect is not None:
            # What leads to a section is another thing than the article.
            target = "" if _SECTION.match(text) else clean(page.redirect)
            return OtherName(title, normalise(f"w:{language}:{target}", language)) if target else None
    except InputError:
        # Titles that no address can name; nobody can have linked to them.
        return None
    if wikitext.lists_namesakes(text):
        return None
    return EntityRow(
        key=key,
        title=title,
        description=short(wikitext.short_description(text)),
        extract=short(wikitext.first_sentences(text)),
        aliases=(),
        popularity=min(page.length, _MILLION - 1) / _MILLION,
        url=address_of(key),
    )
