"""Reads neleval and TAC KBP tables: a mention a line, ends inclusive, the texts in a folder of their own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.documents import Document
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    check_line,
    confidence_value,
    entity_value,
    shown,
    storable,
    whole_value,
)
from verifier.corpus.texts import look_beside, lost_text, without_annotations

NAME: Final = "neleval"

TAC_PLACE: Final = re.compile(r"(?P<document>.+):(?P<start>-?\d+)-(?P<end>-?\d+)\Z")
_TAC_COLUMNS: Final = 8
_LEAST: Final = 3
# Candidates come in groups: entity, score, type.
_GROUP: Final = 3


class _Row(NamedTuple):
    document: str
    draft: Draft


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents that the file names, and those of the folder of texts that it does not."""
    look_beside(rows)
    drafts: dict[str, list[Draft]] = defaultdict(list)
    several = 0
    for number, given in enumerate(text.split("\n"), start=1):
        line = given.removesuffix("\r")
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        try:
            check_line(line)
            tac = len(columns) == _TAC_COLUMNS and TAC_PLACE.match(columns[3])
            row = _tac(columns, number, rows) if tac else _neleval(columns, number, rows)
        except BadRowError as error:
            rows.bad(number, error)
            continue
        several += len(columns) > 2 * _GROUP and not tac
        drafts[row.document].append(row.draft)
    if several:
        rows.notes.append(
            f"{several} mentions have several candidates: the one with the highest score counts."
        )
    for name, given_here in drafts.items():
        try:
            found = lost_text(name, rows)
        except BadRowError as error:
            rows.bad(given_here[0].line, error)
            continue
        yield Document(name, found, settle(name, found, given_here, rows), None, None, given_here[0].line)
    yield from without_annotations(drafts, rows)


def _neleval(columns: list[str], line: int, rows: Rows) -> _Row:
    """document, start, end, then entity, score, type; more candidates may follow in threes."""
    if len(columns) < _LEAST:
        raise BadRowError(
            f"{len(columns)} columns",
            got=shown("\t".join(columns)),
            expected="document, start, end, entity, score, type, parted by tabs",
        )
    candidates = []
    for place in range(_LEAST, len(columns), _GROUP):
        entity, score = columns[place], columns[place + 1] if place + 1 < len(columns) else ""
        if entity.strip() or place == _LEAST:
            candidates.append((entity, confidence_value(score, "score")))
    best = max(candidates, key=lambda c: c[1] if c[1] is not None else float("-inf"), default=(None, None))
    span = _span(columns[1], columns[2])
    known = entity_value((best[0] or "").strip(), rows.language)
    return _Row(_name(columns[0]), Draft(*span, None, known, best[1], line))


def _tac(columns: list[str], line: int, rows: Rows) -> _Row:
    """run, query, mention, document:start-end, entity, type, kind of mention, confidence."""
    place = TAC_PLACE.match(columns[3])
    if place is None:
        raise BadRowError("no place", got=shown(columns[3]), expected="document:start-end")
    mention = storable(columns[2], "mention")
    confidence = confidence_value(columns[7], "confidence")
    span = _span(place["start"], place["end"])
    known = entity_value(columns[4].strip(), rows.language)
    return _Row(_name(place["document"]), Draft(*span, mention, known, confidence, line))


def _span(start: str, last: str) -> tuple[int, int]:
    """Start and end, of which the file gives the last character."""
    return whole_value(start, "start"), whole_value(last, "end") + 1


def _name(value: str) -> str:
    if not value.strip():
        raise BadRowError("the document has no name", expected="its name in the first column")
    return storable(value.strip(), "document")
