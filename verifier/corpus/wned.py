"""Reads WNED XML: annotations in one file, each document's text in a folder (RawText) beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final, TypeVar
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, InputSource, Locator

from defusedxml import DefusedXmlException
from defusedxml.sax import make_parser

from analysis.documents import Document
from analysis.errors import InputError, Problem
from analysis.keys import LINK, NIL, NIL_KIND, Entity
from verifier.corpus.audit import Draft, settle
from verifier.corpus.lines import before
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    confidence_value,
    entity_value,
    shown,
    storable,
    whole_value,
)
from verifier.corpus.texts import look_beside, lost_text, without_annotations

NAME: Final = "wned"
T = TypeVar("T")

_FIELDS: Final = frozenset(
    {"mention", "wikiName", "wikidataId", "wikipediaId", "offset", "length", "prob", "confidence"}
)
_NEEDED: Final = ("mention", "offset", "length")
_MEND: Final = "Mend the file there."
_FEW: Final = 5
_ROOT: Final = re.compile("entityAnnotation$")
# What stands in these files where an id or a title would, and says that there is none.
_NO_TITLE: Final = frozenset({"", "null"})
_NO_ID: Final = frozenset({"", "null", "-1", "0"})


@dataclass
class _Given:
    """One `annotation` element: its lines, its fields as written and their lines; an empty tag is None."""

    line: int
    last: int = 0
    fields: dict[str, str | None] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


@dataclass
class _Noted:
    """One `document` element: its name, line and annotations."""

    name: str | None
    line: int
    annotations: list[_Given] = field(default_factory=list)


class _Handler(ContentHandler):
    """Collects documents and annotations with their lines; what they mean is decided afterwards."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._lines = text.split("\n")
        self.documents: list[_Noted] = []
        self.strays: list[tuple[int, str]] = []
        self.loose: list[tuple[int, str]] = []
        self.ignored: set[str] = set()
        self.root = ""
        self._locator: Locator | None = None
        self._given: _Given | None = None
        self._document = 0
        self._text: list[str] = []
        self.open: list[tuple[str, int]] = []

    def setDocumentLocator(self, locator: Locator) -> None:  # noqa: N802 - the parser's word
        self._locator = locator

    def _place(self) -> tuple[int, int]:
        locator = self._locator
        return ((locator.getLineNumber() or 0), (locator.getColumnNumber() or 0)) if locator else (0, 0)

    def _after_empty_tag(self) -> bool:
        """Whether the element that ends here is `<wikiName/>`, which the parser does not tell from a pair."""
        line, column = self._place()
        return 0 < line <= len(self._lines) and self._lines[line - 1][:column].endswith("/>")

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - the parser's word
        line = self._place()[0]
        if self._given is not None and (self._in_field() or name in ("annotation", "document")):
            outer, began = self.open[-1]
            self.strays.append((line, f"<{name}> inside the <{outer}> of line {began}"))
        elif name == "document" and self._document:
            self.strays.append((line, f"a document inside that of line {self._document}"))
        elif name == "annotation" and not self._document:
            self.strays.append((line, "an annotation outside a document"))
        self._text = []
        self.root = self.root or name
        self.open.append((name, line))
        if name == "document":
            self._document = line
            self.documents.append(_Noted(attrs.get("docName"), line))
        elif name == "annotation":
            self._given = _Given(line)
            if self._document:
                self.documents[-1].annotations.append(self._given)

    def _in_field(self) -> bool:
        """Whether what is open innermost is a field of an annotation."""
        return self._given is not None and bool(self.open) and self.open[-1][0] != "annotation"

    def characters(self, content: str) -> None:
        self._text.append(content)
        if not self._in_field() and content.strip():
            self.loose.append((self._place()[0], content.strip()))

    def endElement(self, name: str) -> None:  # noqa: N802 - the parser's word
        _, began = self.open.pop()
        if name == "document":
            self._document = 0
        elif name == "annotation":
            if self._given is not None:
                self._given.last = self._place()[0]
            self._given = None
        elif self._given is not None:
            if name not in _FIELDS:
                self.ignored.add(name)
            elif name in self._given.fields:
                other = self._given.lines[name]
                self.strays.append((began, f"two {name} in one annotation, the other in line {other}"))
            content = "".join(self._text)
            self._given.fields[name] = None if not content and self._after_empty_tag() else content
            self._given.lines[name] = began
        self._text = []

    def faults(self) -> list[tuple[int, str]]:
        """What is where it cannot be; text between elements too, if it may be what is left of a tag."""
        loose = [(line, f"text outside of the elements: {shown(text)}") for line, text in self.loose[:1]]
        return (loose if self.strays else []) + self.strays


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a file, and those of the folder of texts that it does not name."""
    look_beside(rows)
    handler = _parse(text, rows)
    for line, what in handler.faults():
        rows.bad(line, BadRowError(what, remedy=_MEND))
    if handler.loose and not handler.strays:
        line, said = handler.loose[0]
        rows.notes.append(f"Text outside of the elements was not read, first in line {line}: {shown(said)}.")
    if not handler.documents and not _ROOT.search(handler.root):
        raise InputError(
            "no WNED XML",
            where=f"{rows.path}:1",
            got=shown(f"<{handler.root}>"),
            expected='<NAME.entityAnnotation> with <document docName="...">',
            remedy="If it is a page that says why a download failed, fetch the file anew.",
        )
    rows.ignored |= handler.ignored
    links: Counter[str] = Counter()
    for noted in handler.documents:
        try:
            yield _document(noted, rows, links)
        except BadRowError as error:
            rows.bad(noted.line, error)
    yield from without_annotations([noted.name or "" for noted in handler.documents], rows)
    if len(links) > 1:
        said = ", ".join(f"{count} by {name}" for name, count in links.most_common())
        rows.notes.append(f"Links were read {said}: these ids are of different schemes.")


def _parse(text: str, rows: Rows) -> _Handler:
    """The file as a whole; a fault in its XML refuses it, since what follows is lost.

    Raises:
        InputError: it is not well-formed, or declares entities.
    """
    handler = _Handler(text)
    parser = make_parser()
    parser.setContentHandler(handler)
    source = InputSource(str(rows.path))
    # It is decoded already, so that what the file says of its encoding counts no more.
    source.setEncoding("utf-8")
    source.setByteStream(BytesIO(text.encode("utf-8", "surrogatepass")))
    try:
        parser.parse(source)
    except SAXParseException as error:
        fault = Problem(
            f"not well-formed XML: {error.getMessage()}",
            f"{rows.path}:{error.getLineNumber()}",
            f"column {(error.getColumnNumber() or 0) + 1}{_still_open(handler)}{_after(text, error)}",
            "WNED XML, complete, with & and < written as &amp; and &lt;",
            "Mend the file there, or fetch it anew if it is cut off.",
        )
        # What went wrong before is why it ended there.
        loose = handler.loose[:1] if not handler.strays else []
        before = [
            Problem(what, f"{rows.path}:{line}", remedy=_MEND) for line, what in handler.faults()[:_FEW]
        ]
        before += [
            Problem("text outside of the elements", f"{rows.path}:{line}", shown(said), remedy=_MEND)
            for line, said in loose
        ]
        raise InputError.of([*before, fault]) from None
    except DefusedXmlException as error:
        raise InputError(
            "the XML declares entities or refers to other files, which is not read",
            where=str(rows.path),
            got=type(error).__name__,
            expected="WNED XML without entity declarations",
            remedy="Take the DOCTYPE out of the file.",
        ) from None
    return handler


def _after(text: str, error: SAXParseException) -> str:
    """The line on which what stands before the fault ends, if that is another."""
    line = error.getLineNumber() or 1
    place = sum(len(one) + 1 for one in text.split("\n", line)[: line - 1])
    ends = before(text, place + (error.getColumnNumber() or 0))
    return f", after line {ends}" if ends != line else ""


def _still_open(handler: _Handler) -> str:
    """The innermost elements that were open, whose end may be what is missing."""
    inner = handler.open[-2:][::-1]
    said = ", in ".join(f"<{name}> of line {line}" for name, line in inner)
    return f", in {said}" if said else ""


def _document(noted: _Noted, rows: Rows, links: Counter[str]) -> Document:
    if not noted.name or not noted.name.strip():
        raise BadRowError("the document has no name", expected='<document docName="...">')
    name = storable(noted.name, "docName")
    text = lost_text(name, rows)
    drafts = []
    for given in noted.annotations:
        try:
            entity, named_by = _entity(given, rows)
            drafts.append(_draft(given, entity))
        except BadRowError as error:
            rows.bad(given.line, error, given.last)
            continue
        if entity.kind == LINK:
            links[named_by] += 1
    return Document(name, text, settle(name, text, drafts, rows), None, None, noted.line)


def _draft(given: _Given, entity: Entity) -> Draft:
    lines = tuple(given.lines[name] for name in _NEEDED if name in given.lines)
    if missing := [name for name in _NEEDED if not given.fields.get(name)]:
        raise BadRowError(
            f"the annotation has no {' and no '.join(missing)}", expected="mention, offset and length"
        )
    mention = _field(given, "mention", storable)
    start = _field(given, "offset", whole_value)
    length = _field(given, "length", whole_value)
    name = "prob" if given.fields.get("prob") else "confidence"
    confidence = _field(given, name, confidence_value) if name in given.fields else None
    return Draft(start, start + length, mention, entity, confidence, given.line, lines=lines)


def _field(given: _Given, name: str, read: Callable[[str, str], T]) -> T:
    """What `read` makes of a field; its fault has the field's line."""
    try:
        return read(given.fields[name] or "", name)
    except BadRowError as error:
        error.line = given.lines[name]
        raise


def _entity(given: _Given, rows: Rows) -> tuple[Entity, str]:
    """The entity, and which field named it: the Wikidata id, else the title, else the page id.

    A title or id that is there and empty, or says so, is NIL; none of the three is no link given.
    """
    values: dict[str, str] = {
        name: (given.fields[name] or "").strip()
        for name in ("wikidataId", "wikiName", "wikipediaId")
        if name in given.fields
    }
    for name, value in values.items():
        if value in (_NO_TITLE if name == "wikiName" else _NO_ID):
            continue
        if name == "wikipediaId":
            if not value.isdigit():
                raise BadRowError(
                    f"{name} is not a page id",
                    got=shown(value),
                    expected="digits, or -1",
                    line=given.lines[name],
                )
            return entity_value(f"id:w:{rows.language}:{value}", rows.language), name
        entity = _named(given, name, value, rows)
        if name == "wikidataId" and entity.kind == LINK and not (entity.key or "").startswith("wd:"):
            raise _no_item(value, values, given.lines[name])
        # An id that is NIL where a title is given: the title alone says which entity it is.
        if entity.kind != NIL_KIND or not _link_after(given, name, values, rows):
            return entity, name
    if not values:
        return entity_value(None, rows.language), ""
    raw = given.fields.get("wikiName", next(iter(values.values())))
    return Entity(NIL_KIND, NIL, "<wikiName/>" if raw is None else raw or "<wikiName></wikiName>"), "wikiName"


def _named(given: _Given, name: str, value: str, rows: Rows) -> Entity:
    """The entity that a field names; its fault has the field's line."""
    try:
        return entity_value(value, rows.language)
    except BadRowError as error:
        error.line = given.lines[name]
        raise


def _link_after(given: _Given, name: str, values: dict[str, str], rows: Rows) -> bool:
    title = values.get("wikiName", "")
    return (
        name == "wikidataId"
        and title not in _NO_TITLE
        and _named(given, "wikiName", title, rows).kind == LINK
    )


def _no_item(value: str, values: dict[str, str], line: int) -> BadRowError:
    swapped = values.get("wikipediaId", "").startswith("Q")
    return BadRowError(
        "wikidataId is not a Wikidata id",
        got=shown(value),
        expected="Q and digits, or NIL",
        remedy=f"wikipediaId holds {values['wikipediaId']}: they stand swapped." if swapped else "Mend it.",
        line=line,
    )
