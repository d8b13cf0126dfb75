"""Writes AIDA-YAGO2 TSV, a token a line. What came in this layout keeps each line that nothing changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from analysis.documents import Annotation, Document, Span
from analysis.keys import LINK, NIL_KIND, NONE, OTHER, Entity
from verifier.corpus import aida
from verifier.corpus.rows import BadRowError, Rows
from verifier.corpus.writers.common import NO_WORD, Draft, spelled, split_key
from verifier.corpus.writers.sheet import START, Layout, Sheet, from_original, from_text, reread

NME: Final = "--NME--"
IMPORT_AGAIN: Final = (
    "Import the same file again (nothing else changes by it): its lines are kept then, and written."
)
_NOT_YAGO: Final = re.compile("[^A-Za-z0-9_-]")
_ADDRESS: Final = 1  # of the columns after the mention


class Misfit(NamedTuple):
    """An annotation that the lines of its document cannot hold, and why."""

    document: Document
    annotation: Annotation
    why: BadRowError


class _Columns:
    """The columns after the mention, by entity: as the files have them, else as far as they are known."""

    def __init__(self, layout: Layout, language: str) -> None:
        self._rows = Rows(Path(), language)
        self._language = language
        self._known: dict[str, tuple[str, ...]] = {}
        self._written = bool(layout.originals)
        self._scheme = "http"
        for original in layout.originals.values():
            self._learn(original.noted.tokens)
        self._addresses = any(len(columns) > _ADDRESS for columns in self._known.values())

    def _learn(self, tokens: Sequence[aida.Token]) -> None:
        for token in tokens:
            if token.tag == "B" and len(token.rest) > 1 and (entity := self.read(token.rest)):
                known = max(self._known.get(entity.key or "", ()), token.rest[1:], key=len)
                self._known[entity.key or ""] = known
                if len(known) > _ADDRESS and known[_ADDRESS].startswith("https:"):
                    self._scheme = "https"

    def read(self, rest: Sequence[str]) -> Entity | None:
        """What the reader makes of the columns after the tag; None if it refuses them."""
        try:
            return aida.named_entity(rest, self._rows)
        except BadRowError:
            return None

    def of(self, entity: Entity) -> tuple[str, ...]:
        """The columns of an entity.

        Raises:
            BadRowError: there are none that read back as it.
        """
        if entity.kind == NIL_KIND:
            return (NME,)
        for columns in self._candidates(entity):
            found = (
                None
                if any(re.search(r"[\t\r\n]", column) for column in columns)
                else self.read(("", *columns))
            )
            if found and (found.kind, found.key) == (entity.kind, entity.key):
                return columns
        raise BadRowError("the entity cannot be written in a column", got=repr(entity.key or entity.raw))

    def _candidates(self, entity: Entity) -> Iterator[tuple[str, ...]]:
        if entity.kind != LINK or entity.key is None:
            yield (spelled(entity, self._language),)
            return
        if entity.key in self._known:
            yield self._known[entity.key]
        kind, edition, rest = split_key(entity.key)
        plain = kind == "wd" or (kind == "w" and edition == self._language)
        name = _yago(rest) if kind in ("w", "dbp") else rest
        address = self._address(entity)
        # The page id is not known: its column is empty. Nor is the Freebase id: that column is left out.
        given = "//" in (entity.raw or "") and not self._written
        if plain and not self._addresses and not given:
            yield (name,)
        yield name, address, ""
        yield (name,)
        yield (entity.key,)

    def _address(self, entity: Entity) -> str:
        kind, edition, rest = split_key(entity.key or "")
        title = quote(rest.replace(" ", "_"), safe="_-.,()!*':;@&=~$/")
        if kind == "w":
            return f"{self._scheme}://{edition}.wikipedia.org/wiki/{title}"
        if kind == "wd":
            return f"{self._scheme}://www.wikidata.org/wiki/{rest}"
        if kind == "dbp":
            return f"http://{'' if edition == 'en' else f'{edition}.'}dbpedia.org/resource/{title}"
        raw = entity.raw or ""
        return raw if "//" in raw else rest


def _yago(title: str) -> str:
    """A title as YAGO writes names: underscores for spaces, all but letters and digits as escapes."""

    def escaped(match: re.Match[str]) -> str:
        units = match[0].encode("utf-16-be").hex()
        return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))

    return _NOT_YAGO.sub(escaped, title.replace(" ", "_"))


def write(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    """The lines of the file; texts are needed beside it where tokens joined by spaces do not make them."""
    draft.no_place(documents, confidence=True)
    columns = _Columns(draft.layout, draft.language)
    draft.apart = set()
    last = ""
    # In the order of the files that they came in, what came in none of them last.
    places = {name: place for place, name in enumerate(draft.layout.originals)}
    for document in sorted(documents, key=lambda document: places.get(document.name, len(places))):
        if (sheet := _sheet(document, draft, columns)) is None:
            continue
        for _, annotation, why in _fill(sheet, draft, columns):
            start, end = annotation.span
            got = f"{document.text[start:end]!r} at {start} to {end}"
            draft.refuse(document, f"a mention cannot be written: {why.problem.what}", got)
        if not sheet.joined:
            draft.apart.add(document.name)
        yield from ([] if not last or last.endswith("\n") else ["\n"])
        yield from (_behind(sheet.lines) if last else sheet.lines)
        last = sheet.lines[-1]


def _behind(lines: Sequence[str]) -> Iterator[str]:
    """Lines behind another document, which would take what stood before the first of a file for its own.

    A byte order mark there, and tokens that belong to no document, are left out.
    """
    begun = False
    for line in lines:
        plain = line.removeprefix("\ufeff")
        begun = begun or aida.document_name(plain.rstrip("\r\n")) is not None
        if begun or not plain.strip():
            yield plain if line is lines[0] else line


def misfits(documents: Sequence[Document], draft: Draft) -> Iterator[Misfit]:
    """The annotations that cannot be written where their documents' tokens are."""
    columns = _Columns(draft.layout, draft.language)
    for document in documents:
        if sheet := _sheet(document, draft, columns):
            yield from _fill(sheet, draft, columns)


def _sheet(document: Document, draft: Draft, columns: _Columns) -> Sheet | None:
    """The lines of a document before anything is changed in them; what is in the way is refused."""
    layout = draft.layout
    before = layout.before.get(document.name, document.annotations)
    if (original := layout.originals.get(document.name)) is not None:
        sheet = from_original(document, original)
    elif layout.lost:
        sheet = from_text(document, (), whole=True) if layout.joined else None
        if sheet is not None:
            told = list(_place(sheet, {annotation.span: annotation for annotation in before}, columns))
            sheet = None if told else reread(sheet)
    else:
        if aida.document_name(f"{START} ({document.name})") != document.name:
            draft.refuse(document, "the document's name cannot stand after -DOCSTART-", repr(document.name))
        spans = [a.span for a in (*before, *document.annotations)]
        return from_text(document, spans)
    if sheet is None:
        draft.refuse(document, "its tokens are not known", remedy=IMPORT_AGAIN)
    return sheet


def _fill(sheet: Sheet, draft: Draft, columns: _Columns) -> Iterator[Misfit]:
    """Make the lines say what the document says; what they cannot say."""
    document = sheet.document
    stood = {annotation.span for annotation in draft.layout.before.get(document.name, ())}
    wanted: dict[Span, Annotation] = {}
    # What stood there goes before what is new where both want a token.
    for annotation in sorted(document.annotations, key=lambda a: a.span not in stood):
        if annotation.entity.kind == OTHER:
            draft.lost[NO_WORD] += 1
        elif (other := wanted.setdefault(annotation.span, annotation)) is not annotation:
            if _same(other.entity, annotation.entity):
                draft.lost["annotations that stand twice are written once"] += 1
            else:
                yield Misfit(document, annotation, BadRowError("it has the span of another mention"))
    yield from _revise(sheet, wanted, columns)
    yield from _place(sheet, wanted, columns)


def _revise(sheet: Sheet, wanted: dict[Span, Annotation], columns: _Columns) -> Iterator[Misfit]:
    """Change the mentions that are there; what is told of is taken out of `wanted`."""
    for mention, span in list(sheet.mentions()):
        rest = sheet.tokens[mention.first].rest
        try:
            aida.check_mention(list(sheet.tokens), mention)
        except BadRowError:
            continue  # left out when it was imported: it stays as it is
        if (stands := columns.read(rest)) is None:
            continue
        annotation = wanted.pop(span, None)
        if annotation is None:
            sheet.clear(mention)
        elif not _same(stands, annotation.entity):
            try:
                _put(sheet, mention, annotation.entity, columns, rest[0] if rest else "")
            except BadRowError as why:
                yield Misfit(sheet.document, annotation, why)


def _place(sheet: Sheet, wanted: Mapping[Span, Annotation], columns: _Columns) -> Iterator[Misfit]:
    """Put mentions where there are none."""
    for span, annotation in wanted.items():
        try:
            _put(sheet, sheet.mention_at(span), annotation.entity, columns)
        except BadRowError as why:
            yield Misfit(sheet.document, annotation, why)


def _put(sheet: Sheet, mention: aida.Mention, entity: Entity, columns: _Columns, name: str = "") -> None:
    words = (token.text for token in sheet.tokens[mention.first : mention.last + 1])
    if entity.kind == NONE:
        sheet.put(mention, "", ())
    else:
        sheet.put(mention, name or " ".join(words), columns.of(entity))


def _same(one: Entity, other: Entity) -> bool:
    if one.kind != other.kind:
        return False
    return one.key == other.key and (one.key is not None or (one.raw or "") == (other.raw or ""))
