"""Writes NIF 2.1 Turtle: a context with its text for each document, a phrase for each annotation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import quote

from analysis.documents import Annotation, Document, Span
from analysis.keys import LINK, NIL_KIND, NONE
from verifier.corpus.iris import iri_of, is_iri
from verifier.corpus.writers.common import NO_WORD, Draft, spelled, split_key

_PREFIXES: Final = {
    "nif": "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#",
    "itsrdf": "http://www.w3.org/2005/11/its/rdf#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_NOT_IN_WIKI: Final = "http://aksw.org/notInWiki/"
_ESCAPED: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f-\x9f\\"\u2028\u2029\ufeff\ufffe\uffff]')


def write(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    """Prefixes, then the documents."""
    draft.no_place(documents)
    yield "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in _PREFIXES.items())
    for document in documents:
        yield from _document(document, draft)


def _document(document: Document, draft: Draft) -> Iterator[str]:
    base = iri_of(document.name, draft.name)
    whole = Span(0, len(document.text))
    context = f"<{base}#char=0,{whole.end}>"
    tag = f"@{document.language}" if document.language else ""
    lines = [*_extent(whole), f"nif:isString {_literal(document.text)}{tag}"]
    yield f"\n{context} a nif:Context , nif:OffsetBasedString ;\n    " + " ;\n    ".join(lines) + " .\n"
    seen: Counter[Span] = Counter()
    for annotation in document.annotations:
        if (links := _links(document, annotation, draft)) is None:
            continue
        seen[annotation.span] += 1
        phrase = f"<{base}#{_fragment(annotation.span, whole, seen[annotation.span])}>"
        lines = [
            f"nif:anchorOf {_literal(document.text[slice(*annotation.span)])}",
            *_extent(annotation.span),
        ]
        lines += [f"nif:referenceContext {context}", *links]
        yield f"\n{phrase} a nif:Phrase , nif:OffsetBasedString ;\n    " + " ;\n    ".join(lines) + " .\n"


def _fragment(span: Span, whole: Span, ordinal: int) -> str:
    """Of a phrase, unlike any other's: links of two annotations at one span would run together.

    The first at a span is written as RFC 5147 has it, unless it is the whole text, which is the context.
    """
    if ordinal == 1 and span != whole:
        return f"char={span.start},{span.end}"
    return f"offset_{span.start}_{span.end}" + (f"_{ordinal}" if ordinal > 1 else "")


def _extent(span: Span) -> list[str]:
    return [
        f'nif:beginIndex "{span.start}"^^xsd:nonNegativeInteger',
        f'nif:endIndex "{span.end}"^^xsd:nonNegativeInteger',
    ]


def _links(document: Document, annotation: Annotation, draft: Draft) -> list[str] | None:
    """What is said of the entity and how sure it is; None where NIF has no word for it."""
    entity = annotation.entity
    lines = []
    if entity.kind in (LINK, NIL_KIND):
        iri = _iri(document, annotation, draft)
        lines.append(f"itsrdf:taIdentRef <{iri}>")
    elif entity.kind != NONE:
        draft.lost[NO_WORD] += 1
        return None
    if annotation.confidence is not None:
        lines.append(f'itsrdf:taConfidence "{annotation.confidence!r}"^^xsd:double')
    return lines


def _iri(document: Document, annotation: Annotation, draft: Draft) -> str:
    entity = annotation.entity
    if entity.kind == NIL_KIND:
        words = document.text[annotation.span.start : annotation.span.end]
        return _NOT_IN_WIKI + (quote(words.replace(" ", "_"), safe="") or "NIL")
    key = entity.key or ""
    given = spelled(entity, draft.language)
    if given != key and is_iri(given) and given.startswith(("http://", "https://")):
        return given
    kind, edition, rest = split_key(key)
    title = quote(rest.replace(" ", "_"), safe="")
    if kind == "wd":
        return f"http://www.wikidata.org/entity/{rest}"
    if kind == "w":
        return f"https://{edition}.wikipedia.org/wiki/{title}"
    if kind == "dbp":
        return f"http://{'' if edition == 'en' else f'{edition}.'}dbpedia.org/resource/{title}"
    iri = rest if rest.startswith(("http://", "https://")) else key
    if not is_iri(iri):
        draft.refuse(document, "the entity cannot be written as an IRI", repr(key))
    return iri


def _literal(text: str) -> str:
    """A Turtle string; what a reader might take for something else is escaped."""
    return '"' + _UNSAFE.sub(lambda mark: _ESCAPED.get(mark[0], f"\\u{ord(mark[0]):04X}"), text) + '"'
