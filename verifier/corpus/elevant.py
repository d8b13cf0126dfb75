"""Reads ELEVANT's files: benchmarks (labels), linked articles (the mentions of one linker), simple JSONL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from analysis.documents import Document
from analysis.keys import Entity
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    each,
    entity_value,
    list_value,
    name_value,
    no_entity,
    numbers_value,
    objects,
    pair_value,
    text_value,
)
from verifier.corpus.texts import lost_text

LABELS: Final = "elevant benchmark"
MENTIONS: Final = "elevant linked articles"
SIMPLE: Final = "elevant simple jsonl"


def read_labels(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a benchmark with their ground-truth labels, nested and optional ones too."""
    return _read(text, rows, partial(_document, rows=rows, kept_in="labels", named="entity_id"))


def read_mentions(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a linker's output; one without `entity_mentions` is one where it found nothing."""
    return _read(text, rows, partial(_document, rows=rows, kept_in="entity_mentions", named="id"))


def read_simple(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of simple JSONL: `predictions` or `labels`, each with its `entity_reference`."""
    return _read(text, rows, partial(_simple, rows=rows))


def _read(text: str, rows: Rows, made: Callable[[dict[str, Any], int], Document]) -> Iterator[Document]:
    for line, row in objects(text, rows):
        try:
            yield made(row, line)
        except BadRowError as error:
            rows.bad(line, error)


def _document(row: dict[str, Any], line: int, rows: Rows, kept_in: str, named: str) -> Document:
    name = name_value(row, "id")
    text = text_value(row, "text") if "text" in row else lost_text(name, rows)

    def draft(item: dict[str, Any], ordinal: int) -> Draft:
        span = pair_value(item, "span", text)
        if span is None:
            raise BadRowError("'span' is missing", expected="[start, end]")
        return Draft(*span, None, _entity(item, named, rows), None, line, ordinal)

    evaluation = pair_value(row, "evaluation_span", text)
    annotations = settle(name, text, each(list_value(row, kept_in), line, rows, draft), rows)
    return Document(name, text, annotations, evaluation, None, line)


def _simple(row: dict[str, Any], line: int, rows: Rows) -> Document:
    """A document of simple JSONL; without an id it has its title or, as in ELEVANT, its place for a name."""
    named = next((key for key in ("id", "title") if row.get(key) not in (None, "")), None)
    name = name_value(row, named) if named else str(line - 1)
    text = text_value(row, "text") if "text" in row else lost_text(name, rows)
    kept_in = "predictions" if "predictions" in row else "labels"

    def draft(item: dict[str, Any], ordinal: int) -> Draft:
        span = numbers_value(item.get("start_char"), item.get("end_char"), "'start_char', 'end_char'")
        return Draft(*span, None, _entity(item, "entity_reference", rows), None, line, ordinal)

    evaluation = pair_value(row, "evaluation_span", text)
    annotations = settle(name, text, each(list_value(row, kept_in), line, rows, draft), rows)
    return Document(name, text, annotations, evaluation, None, line)


def _entity(item: dict[str, Any], named: str, rows: Rows) -> Entity:
    raw = item.get(named)
    return no_entity(raw) or entity_value(raw, rows.language)
