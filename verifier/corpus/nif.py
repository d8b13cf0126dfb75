"""Reads NIF 2.0 and 2.1 in Turtle: contexts with their texts, phrases with their links."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from analysis.documents import Document
from analysis.keys import LINK, Entity
from verifier.corpus.audit import Draft, settle
from verifier.corpus.iris import name_of
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    confidence_value,
    entity_value,
    shown,
    storable,
    whole_value,
)
from verifier.corpus.turtle import Iri, Triples, parse

NAME: Final = "nif"
T = TypeVar("T")

_NIF: Final = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
_ITS: Final = "http://www.w3.org/2005/11/its/rdf#"
_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_SAME: Final = "http://www.w3.org/2002/07/owl#sameAs"
# RFC 5147 (#char=0,5), offsets (#offset_0_5, with an ordinal or not), and queries of the same kind.
_FRAGMENT: Final = re.compile(r"[#?&](?:nif=)?(?:char=|offset_)(?P<start>\d+)[,_](?P<end>\d*)(?:_\d+)?\Z")
# Parts of a text that are no mentions, unless they carry a link.
_STRUCTURE: Final = frozenset({"Sentence", "Word", "Paragraph", "Title", "Section", "Structure", "Page"})
# The main part of a tag (en-GB), or the end of an address that stands for a language.
_LANGUAGE: Final = re.compile(r"(?:\A|(?<=/))[a-zA-Z]{2,3}(?=-|\Z)")
_KNOWN: Final = ("wd:", "w:", "dbp:")


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The contexts of a file with the phrases that refer to them."""
    reader = _Reader(parse(text, rows), rows)
    triples = reader.triples
    contexts = {node: triples.values(node, _NIF + "isString") for node in triples.having(_NIF + "isString")}
    phrases: dict[str, list[str]] = defaultdict(list)
    for node in triples.having(_NIF + "referenceContext"):
        for context in triples.values(node, _NIF + "referenceContext"):
            if node != context or reader.is_phrase(node):
                phrases[context].append(node)
    for context, nodes in phrases.items():
        if context not in contexts:
            fault = BadRowError(
                "the context has no text",
                got=shown(str(context)) + _instead(context, contexts, phrases, triples),
                expected="nif:isString",
                remedy=f"{len(nodes)} phrases refer to it: add its text, or mend nif:referenceContext.",
            )
            rows.bad(triples.end(nodes[0], _NIF + "referenceContext"), fault)
    names = _names(list(contexts))
    for context, texts in contexts.items():
        try:
            yield reader.document(context, names[context], texts, phrases.get(context, []))
        except BadRowError as error:
            rows.bad(triples.line(context), error, triples.last(context))
    reader.conclude()


def _instead(
    context: str, contexts: Mapping[str, object], phrases: Mapping[str, object], triples: Triples
) -> str:
    """Where a context without a text is described, or those with a text that no phrase refers to."""
    if triples.having_any(context):
        return f", described in lines {triples.line(context)} to {triples.last(context)}"
    alone = [node for node in contexts if node not in phrases][:3]
    told = ", ".join(f"{shown(str(node))} in line {triples.line(node)}" for node in alone)
    return f"; no phrase refers to {told}" if told else ""


def _names(contexts: list[str]) -> dict[str, str]:
    """A name for each context: its IRI, without the offsets of the whole text where that is enough."""
    short = {context: _FRAGMENT.sub("", context) for context in contexts}
    taken = Counter(short.values())
    return {c: name_of(name) if name and taken[name] == 1 else str(c) for c, name in short.items()}


class _Reader:
    """The triples of a file, and what is noted of them while they are read."""

    def __init__(self, triples: Triples, rows: Rows) -> None:
        self.triples, self.rows = triples, rows
        self.values, self.line = triples.values, triples.line
        self.structures = 0
        self.several: list[int] = []

    def document(self, context: str, name: str, texts: list[str], nodes: list[str]) -> Document:
        """One context with its phrases, in text order."""
        if len(texts) > 1:
            raise BadRowError(
                f"{len(texts)} texts for one context", got=shown(str(context)), expected="one nif:isString"
            )
        if not isinstance(context, Iri):
            raise BadRowError(
                "the context has no IRI to name the document by", expected="<IRI> a nif:Context"
            )
        text = storable(str(texts[0]), "isString")
        storable(name, "context")
        drafts: list[Draft] = []
        for node in nodes:
            try:
                drafts += self._drafts(node)
            except BadRowError as error:
                self.rows.bad(self.line(node), error, self.triples.last(node))
        drafts.sort(key=lambda draft: (draft.start, -draft.end, draft.line))
        said = [getattr(texts[0], "language", None), *self.values(context, _NIF + "predLang")]
        language = _LANGUAGE.search(next(filter(None, said), ""))
        annotations = settle(name, text, drafts, self.rows, self.triples.end(context, _NIF + "isString"))
        spoken = language[0].lower() if language else None
        return Document(name, text, annotations, None, spoken, self.line(context))

    def is_phrase(self, node: str) -> bool:
        """Whether a context is a phrase as well: a mention that is the whole text has the same IRI."""
        linked = self.values(node, _ITS + "taIdentRef") or self.values(node, _NIF + "annotationUnit")
        return bool(linked) or any(str(value) == _NIF + "Phrase" for value in self.values(node, _TYPE))

    def conclude(self) -> None:
        """Note what was decided more than once."""
        if self.structures:
            said = f"{self.structures} sentences, words and other parts without a link are no annotations."
            self.rows.notes.append(said)
        if self.several:
            self.rows.notes.append(
                f"{len(self.several)} phrases have several links of one scheme, the first in line"
                f" {min(self.several)}: each link was kept as an annotation of its own."
            )

    def _drafts(self, node: str) -> list[Draft]:
        """A phrase as annotations: one, or one for each of several links."""
        units = [node, *self.values(node, _NIF + "annotationUnit")]
        given = [value for unit in units for value in self.values(unit, _ITS + "taIdentRef")]
        if not given and self._is_structure(node):
            self.structures += 1
            return []
        try:
            links = self._links(given or self._same(node))
        except BadRowError as error:
            error.line = max(self.triples.end(unit, _ITS + "taIdentRef") for unit in units)
            raise
        line = self.line(node)
        if len(links) > 1:
            self.several.append(line)
        start, end = self._span(node)
        anchors = self.values(node, _NIF + "anchorOf")
        if len(anchors) > 1:
            raise BadRowError(f"{len(anchors)} mentions for one phrase", expected="one nif:anchorOf")
        mention = self._read(node, _NIF + "anchorOf", storable, str(anchors[0])) if anchors else None
        named = _ITS + "taConfidence"
        scores = [(unit, value) for unit in units for value in self.values(unit, named)]
        unit, score = scores[0] if len(scores) == 1 else (node, "")
        confidence = self._read(unit, named, confidence_value, score)
        ends = (self.triples.end(node, _NIF + name) for name in ("anchorOf", "beginIndex", "endIndex"))
        lines = tuple(filter(None, ends))
        return [Draft(start, end, mention, entity, confidence, line, lines=lines) for entity in links]

    def _read(self, node: str, predicate: str, read: Callable[[str, str], T], value: str) -> T:
        """What `read` makes of a property's value; its fault has the property's line."""
        try:
            return read(value, re.split("[#/]", predicate)[-1])
        except BadRowError as error:
            error.line = self.triples.end(node, predicate)
            raise

    def _is_structure(self, node: str) -> bool:
        types = {str(value).removeprefix(_NIF) for value in self.values(node, _TYPE)}
        return bool(types & _STRUCTURE) and "Phrase" not in types

    def _same(self, node: str) -> list[str]:
        """What a node is said to be the same as, in either direction."""
        return self.values(node, _SAME) + self.triples.subjects(_SAME, node)

    def _links(self, given: list[str]) -> list[Entity]:
        """The entities of a phrase: of one scheme, Wikidata before Wikipedia before DBpedia.

        Each link that is in none of these is taken to what it is the same as, where that is in one.
        """
        if not given:
            return [entity_value(None, self.rows.language)]
        found: dict[str | None, Entity] = {}
        for value in given:
            entity = self._entity(value)
            if entity.kind == LINK and not str(entity.key).startswith(_KNOWN):
                others = [self._entity(other) for other in self._same(value)]
                known = [other for other in others if str(other.key).startswith(_KNOWN)]
                for other in known or [entity]:
                    found.setdefault(other.key, other)
            else:
                found.setdefault(entity.key, entity)
        linked = [entity for entity in found.values() if entity.kind == LINK]
        for scheme in _KNOWN:
            if chosen := [entity for entity in linked if str(entity.key).startswith(scheme)]:
                return chosen
        return linked or [next(iter(found.values()))]

    def _entity(self, value: str) -> Entity:
        return entity_value(str(value), self.rows.language)

    def _span(self, node: str) -> tuple[int, int]:
        """Begin and end as properties or, failing these, in the fragment of the IRI."""
        indices = [self.values(node, _NIF + name) for name in ("beginIndex", "endIndex")]
        if all(len(found) == 1 for found in indices):
            start, end = (str(found[0]) for found in indices)
            return (
                self._read(node, _NIF + "beginIndex", whole_value, start),
                self._read(node, _NIF + "endIndex", whole_value, end),
            )
        if any(len(found) > 1 for found in indices):
            raise BadRowError(
                "several offsets for one phrase", expected="one nif:beginIndex, one nif:endIndex"
            )
        match = _FRAGMENT.search(str(node))
        if match and match["end"]:
            return int(match["start"]), int(match["end"])
        raise BadRowError(
            "the phrase has no offsets",
            got=shown(str(node)),
            expected="nif:beginIndex and nif:endIndex, or #char=0,5 or #offset_0_5 in its IRI",
        )
