"""Writes WNED XML: the annotations of all documents in one file, the texts in a folder RawText beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from analysis.documents import Annotation, Document
from analysis.keys import LINK, NIL_KIND, NONE
from verifier.corpus.writers.common import Draft, entities, spelled, split_key

# What XML 1.0 cannot hold, however it is written.
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# As references, or a parser makes spaces and line feeds of them.
_KEPT: Final = {"\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]")


def write(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    """The lines of the file."""
    draft.no_place(documents)
    root = _NAME.sub("_", draft.name)
    root = root if re.match("[A-Za-z_]", root) else f"_{root}"
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<{root}.entityAnnotation>\n'
    for document in documents:
        name = quoteattr(_held(document, document.name, "document's name", draft), _KEPT)
        yield f"  <document docName={name}>\n"
        for annotation in entities(document, draft):
            yield _annotation(document, annotation, draft)
        yield "  </document>\n"
    yield f"</{root}.entityAnnotation>\n"


def _annotation(document: Document, annotation: Annotation, draft: Draft) -> str:
    start, end = annotation.span
    mention = _held(document, document.text[start:end], "mention", draft)
    lines = [f"<mention>{escape(mention, _KEPT)}</mention>"]
    if annotation.entity.kind != NONE:
        lines.append(_entity(document, annotation, draft))
    lines += [f"<offset>{start}</offset>", f"<length>{end - start}</length>"]
    if annotation.confidence is not None:
        lines.append(f"<prob>{annotation.confidence!r}</prob>")
    inner = "".join(f"      {line}\n" for line in lines)
    return f"    <annotation>\n{inner}    </annotation>\n"


def _entity(document: Document, annotation: Annotation, draft: Draft) -> str:
    entity = annotation.entity
    if entity.kind == NIL_KIND:
        return "<wikiName/>"
    if entity.kind == LINK and entity.key is not None:
        kind, _, rest = split_key(entity.key)
        if kind == "wd":
            return f"<wikidataId>{rest}</wikidataId>"
    name = spelled(entity, draft.language)
    # A title that these files write where there is none.
    name = entity.key or name if name == "null" else name
    return f"<wikiName>{escape(_held(document, name, 'entity', draft), _KEPT)}</wikiName>"


def _held(document: Document, value: str, what: str, draft: Draft) -> str:
    if found := _FORBIDDEN.search(value):
        draft.refuse(document, f"the {what} holds U+{ord(found[0]):04X}, which XML cannot hold", repr(value))
    return value
