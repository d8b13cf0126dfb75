"""Reads ELEVANT's files: benchmarks (labels) and linked articles (the entity mentions of one linker)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from analysis.documents import Annotation, Document
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    each,
    entity_value,
    list_value,
    lost_text,
    name_value,
    no_entity,
    objects,
    pair_value,
    text_value,
)

LABELS: Final = "elevant benchmark"
MENTIONS: Final = "elevant linked articles"


def read_labels(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a benchmark with their ground-truth labels, nested and optional ones too."""
    return _read(text, rows, "labels", "entity_id")


def read_mentions(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a linker's output; one without `entity_mentions` is one where it found nothing."""
    return _read(text, rows, "entity_mentions", "id")


def _read(text: str, rows: Rows, kept_in: str, named: str) -> Iterator[Document]:
    for line, row in objects(text, rows):
        try:
            yield _document(row, line, rows, kept_in, named)
        except BadRowError as error:
            rows.bad(line, error)


def _document(row: dict[str, Any], line: int, rows: Rows, kept_in: str, named: str) -> Document:
    name = name_value(row, "id")
    text = text_value(row, "text") if "text" in row else lost_text(name, rows)

    def annotation(item: dict[str, Any]) -> Annotation:
        span = pair_value(item, "span", text)
        if span is None:
            raise BadRowError("'span' is missing", expected="[start, end]")
        raw = item.get(named)
        return Annotation(span, no_entity(raw) or entity_value(raw, rows.language), None, line)

    evaluation = pair_value(row, "evaluation_span", text)
    annotations = each(list_value(row, kept_in), line, rows, annotation)
    return Document(name, text, tuple(annotations), evaluation, None, line)
