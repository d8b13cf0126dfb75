"""Reads posthoc JSONL: a document a line, with its text and the annotations of one source."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from analysis.documents import Annotation, Document
from analysis.keys import LINK, NIL, NIL_KIND, UNMAPPED, Entity
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    check_mention,
    each,
    entity_value,
    list_value,
    lost_text,
    name_value,
    no_entity,
    objects,
    pair_value,
    shown,
    span_value,
    text_value,
)

NAME: Final = "jsonl"

_DOCUMENT_KEYS: Final = frozenset({"id", "text", "language", "evaluation_span", "annotations"})
_ANNOTATION_KEYS: Final = frozenset({"start", "end", "mention", "entity", "entity_raw", "confidence"})


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a file; bad rows are kept in `rows`."""
    for line, row in objects(text, rows):
        try:
            yield _document(row, line, rows)
        except BadRowError as error:
            rows.bad(line, error)


def _document(row: dict[str, Any], line: int, rows: Rows) -> Document:
    rows.ignored.update(row.keys() - _DOCUMENT_KEYS)
    name = name_value(row, "id")
    text = text_value(row, "text") if "text" in row else lost_text(name, rows)
    language = text_value(row, "language") if row.get("language") is not None else None

    def annotation(item: dict[str, Any]) -> Annotation:
        rows.ignored.update(item.keys() - _ANNOTATION_KEYS)
        span = span_value(item.get("start"), item.get("end"), text)
        check_mention(item.get("mention"), span, text)
        entity = _entity(item, language or rows.language)
        return Annotation(span, entity, _confidence(item.get("confidence")), line)

    evaluation = pair_value(row, "evaluation_span", text)
    annotations = each(list_value(row, "annotations"), line, rows, annotation)
    return Document(name, text, tuple(annotations), evaluation, language, line)


def _entity(item: dict[str, Any], language: str) -> Entity:
    """JSON null is NIL, absent is no link given, `entity_raw` without `entity` is unmapped."""
    raw = item.get("entity_raw")
    if raw is not None:
        raw = text_value(item, "entity_raw")
    if "entity" not in item:
        if raw is None:
            return entity_value(None, language)
        return no_entity(raw) or Entity(UNMAPPED, None, raw)
    if item["entity"] is None:
        return Entity(NIL_KIND, NIL, raw)
    entity = entity_value(item["entity"], language)
    return Entity(entity.kind, entity.key, raw) if raw is not None and entity.kind == LINK else entity


def _confidence(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadRowError("'confidence' is not a number", got=shown(value))
    return float(value)
