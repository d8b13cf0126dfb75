"""Triples of Turtle files, each subject with its line, and prefixes that a file uses without declaring."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from analysis.errors import InputError, MissingExtraError, Problem
from verifier.corpus.lines import before, line_of
from verifier.corpus.rows import Rows, shown

_UNBOUND: Final = re.compile(r'Prefix "(?P<name>[^"]*):" not bound')
_DECLARED: Final = re.compile(r"^[ \t]*@?prefix[ \t]+(?P<name>[\w.-]*):", re.MULTILINE | re.IGNORECASE)
_MOST_PREFIXES = 50
_USUAL: Final = {
    "nif": "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#",
    "itsrdf": "http://www.w3.org/2005/11/its/rdf#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "dbr": "http://dbpedia.org/resource/",
    "wd": "http://www.wikidata.org/entity/",
}


class Iri(str):
    """A node with an address; one without is some other text."""

    __slots__ = ()


class Text(str):
    """A literal as written, with its language if it says so."""

    __slots__ = ("language",)
    language: str | None


class Triples:
    """What a file says, in its order.

    Known of each subject is the line on which its first statement begins, and of each of its properties
    that on which the first value ends.
    """

    def __init__(self) -> None:
        self._of: dict[str, dict[str, list[str]]] = {}
        self._lines: dict[str, int] = {}
        self._ends: dict[str, dict[str, int]] = {}
        self._subjects: dict[tuple[str, str], list[str]] | None = None

    def add(self, subject: str, predicate: str, value: str, line: int, end: int = 0) -> None:
        """Put one triple down, with the lines on which its statement begins and its value ends.

        One that is there already changes nothing.
        """
        self._lines.setdefault(subject, line)
        self._ends.setdefault(subject, {}).setdefault(predicate, end or line)
        values = self._of.setdefault(subject, {}).setdefault(predicate, [])
        if value not in values:
            values.append(value)

    def line(self, node: str) -> int:
        """The line of a subject; 1 for what is none."""
        return self._lines.get(node, 1)

    def end(self, node: str, predicate: str) -> int:
        """The line on which a property's first value ends; 0 if it has none."""
        return self._ends.get(node, {}).get(predicate, 0)

    def last(self, node: str) -> int:
        """The line on which the last of a subject's properties ends."""
        return max(self._ends.get(node, {}).values(), default=0)

    def having(self, predicate: str) -> list[str]:
        """What has a property."""
        return [node for node, said in self._of.items() if predicate in said]

    def having_any(self, node: str) -> bool:
        """Whether anything is said of a node."""
        return node in self._of

    def values(self, node: str, predicate: str) -> list[str]:
        """The values of a property."""
        return self._of.get(node, {}).get(predicate, [])

    def subjects(self, predicate: str, value: str) -> list[str]:
        """What has a property with that value."""
        if self._subjects is None:
            self._subjects = {}
            for node, said in self._of.items():
                for name, values in said.items():
                    for one in values:
                        self._subjects.setdefault((name, one), []).append(node)
        return self._subjects.get((predicate, value), [])


class _Fault(NamedTuple):
    """Why a file is not Turtle, on which line, in the statement that begins on which; what it is after."""

    what: str
    line: int
    began: int
    ended: int
    around: str


def parse(text: str, rows: Rows) -> Triples:
    """The triples of a Turtle file; nothing is fetched.

    Raises:
        MissingExtraError: rdflib is not installed.
        InputError: it is not Turtle, or uses prefixes that nobody declared; all of them are named.
    """
    prefixes = dict(rows.prefixes)
    missing: list[Problem] = []
    while True:
        # On the first line, so that lines keep their numbers.
        head = "".join(f"@prefix {name}: <{iri}> . " for name, iri in prefixes.items())
        triples, fault = _attempt(head + text)
        if fault is None and not missing:
            return triples
        unbound = _UNBOUND.search(fault.what) if fault else None
        if fault is None or unbound is None or len(missing) >= _MOST_PREFIXES:
            raise InputError.of(missing if fault is None else [*missing, _told(fault, rows)])
        name = unbound["name"]
        what, where = f"the prefix {name}: is used and not declared", f"{rows.path}:{fault.line}"
        remedy = f"Say what it stands for: --prefix {name}={_USUAL.get(name, 'IRI')}"
        missing.append(Problem(what, where, expected=_declarations(text), remedy=remedy))
        prefixes[name] = f"urn:posthoc:undeclared:{name}:"


def _declarations(text: str) -> str:
    """Which prefixes a file declares, and where: a misspelled one is among them."""
    found = {
        match["name"]: text.count("\n", 0, match.start("name")) + 1 for match in _DECLARED.finditer(text)
    }
    told = ", ".join(f"{name}: (line {line})" for name, line in found.items())
    return f"one of those declared: {told}" if told else "a declaration: @prefix"


def _attempt(text: str) -> tuple[Triples, _Fault | None]:
    """The triples as far as they could be read, and why it ended if that was before the end."""
    try:
        from verifier.corpus.parsing import TurtleReader  # noqa: PLC0415 - needs an extra
    except ImportError:
        raise MissingExtraError("NIF needs the package rdflib", remedy='pip install "posthoc[nif]"') from None
    triples = Triples()
    parser = TurtleReader(triples)
    try:
        with _quiet():
            parser.loadBuf(text)
    except Exception as error:  # noqa: BLE001 - on damaged files rdflib raises whatever it stumbles over
        place = getattr(error, "_i", None)
        around = text[place : place + 40] if isinstance(place, int) else ""
        why = str(getattr(error, "_why", "") or error or type(error).__name__).split("\n", 1)[0]
        if isinstance(place, int) and not text[place:].strip():
            place = len(text)
        line = line_of(text, place) if isinstance(place, int) else parser.lines + 1
        ended = before(text, place) if isinstance(place, int) else line
        return triples, _Fault(why, line, parser.began + 1, ended, around)
    return triples, None


def _told(fault: _Fault, rows: Rows) -> Problem:
    began = f" (the statement begins in line {fault.began})" if fault.began != fault.line else ""
    after = f", after line {fault.ended}" if fault.ended != fault.line else ""
    return Problem(
        f"not Turtle: {fault.what[:200]}",
        f"{rows.path}:{fault.line}",
        shown(fault.around) + after if fault.around else "",
        "Turtle, complete",
        f"Mend the file there{began}, or fetch it anew if it is cut off.",
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Without rdflib's remarks on IRIs and literals: what matters of them is checked here."""
    logger = logging.getLogger("rdflib")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
