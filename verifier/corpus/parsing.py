"""The part that needs rdflib: its parser of Turtle, whose triples come to us with their statement's line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rdflib import Graph
from rdflib.plugins.parsers.notation3 import RDFSink, SinkParser

from verifier.corpus import turtle

if TYPE_CHECKING:
    from verifier.corpus.turtle import Iri, Text, Triples


class _Sink(RDFSink):
    """Takes what the parser finds; nodes are plain texts, since rdflib's own cost more than the parsing."""

    def __init__(self, triples: Triples) -> None:
        super().__init__(Graph())
        self.triples = triples
        self.line = 1
        self.now: Callable[[], int] = lambda: 0

    def newSymbol(self, *args: str) -> Iri:  # type: ignore[override]  # noqa: N802 - the parser's word
        return turtle.Iri(args[0])

    def newLiteral(self, s: str, dt: Any = None, lang: str | None = None) -> Text:  # type: ignore[override]  # noqa: ARG002, N802 - the same
        literal = turtle.Text(s)
        literal.language = lang
        return literal

    def makeStatement(self, quadruple: Any, why: Any = None) -> None:  # noqa: ARG002, N802 - the same
        _, predicate, subject, value = quadruple
        said = [self.normalise(None, node) for node in (subject, predicate, value)]
        self.triples.add(said[0], str(said[1]), said[2], self.line, self.now())


class TurtleReader(SinkParser):
    """rdflib's parser, which keeps the line it is at; this one also where its statement began."""

    def __init__(self, triples: Triples) -> None:
        self.began = 0
        self.sink = _Sink(triples)
        super().__init__(self.sink, baseURI="urn:posthoc:document", turtle=True)
        self.sink.now = lambda: self.lines + 1

    def directiveOrStatement(self, argstr: str, h: int) -> int:  # noqa: N802 - the parser's word
        """Note where the next statement begins, and parse it."""
        self.began = self.lines
        self.sink.line = self.lines + 1
        return int(super().directiveOrStatement(argstr, h))
