"""Reads ELEVANT's files: benchmarks (labels), linked articles (the mentions of one linker), simple JSONL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from analysis.documents import Document, Label
from analysis.keys import NIL, NIL_KIND, OTHER, Entity
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
    shown,
    text_value,
)
from verifier.corpus.texts import lost_text

LABELS: Final = "elevant benchmark"
MENTIONS: Final = "elevant linked articles"
# What is in no knowledge base, beside <NIL>; simple JSONL, which names titles, has no such word.
UNKNOWN: Final = re.compile(r"Unknown\d*")
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
        entity = _entity(item, named, rows)
        label = _label(item, entity) if kept_in == "labels" else None
        return Draft(*span, None, entity, None, line, ordinal, label)

    evaluation = pair_value(row, "evaluation_span", text)
    annotations = settle(name, text, each(list_value(row, kept_in), line, rows, draft), rows)
    return Document(name, text, annotations, evaluation, None, line)


def _label(item: dict[str, Any], entity: Entity) -> Label | None:
    """What the benchmark says of scoring a label: that it is optional (or describes), or part of another.

    Quantities and dates are optional in ELEVANT's evaluation whatever they say.
    """
    optional = entity.kind == OTHER
    for key in ("optional", "desc"):
        if item.get(key) not in (None, True, False):
            raise BadRowError(f"{key!r} is neither true nor false", got=shown(item[key]))
        optional = optional or bool(item.get(key))
    for key in ("id", "parent"):
        if type(item.get(key, 0)) is not int and item[key] is not None:
            raise BadRowError(f"{key!r} is not the number of a label", got=shown(item[key]))
    parts = list_value(item, "children")
    if strange := [part for part in parts if type(part) is not int]:
        raise BadRowError("'children' holds what is no number of a label", got=shown(strange[0]))
    own, parent = item.get("id"), item.get("parent")
    nothing = own is None and parent is None and not optional
    return None if nothing else Label(own, parent, tuple(parts), optional)


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
    if named != "entity_reference" and isinstance(raw, str) and UNKNOWN.fullmatch(raw):
        return Entity(NIL_KIND, NIL, raw)
    return no_entity(raw) or entity_value(raw, rows.language)
