"""Writes ELEVANT's benchmarks and simple JSONL: a JSON object a line, with labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from analysis.documents import Annotation, Document
from analysis.keys import LINK, NONE, UNMAPPED
from verifier.corpus.elevant import UNKNOWN
from verifier.corpus.writers.common import UNMAPPED_SPELLING, Draft, spelled

_NUMBER: Final = re.compile(r"0|[1-9]\d{0,14}")


def write(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    """The lines of a benchmark; an annotation without a link is a label without `entity_id`."""
    draft.no_place(documents, confidence=True, span=False)
    for document in documents:
        row = _document(document, draft)
        row["labels"] = [_label(n, annotation, draft) for n, annotation in enumerate(document.annotations)]
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _document(document: Document, draft: Draft) -> dict[str, Any]:
    name: str | int = document.name
    if _NUMBER.fullmatch(document.name):
        name = int(document.name)
    row: dict[str, Any] = {"id": name, "title": document.name}
    if draft.text:
        row["text"] = document.text
    if document.evaluation is not None:
        row["evaluation_span"] = list(document.evaluation)
    return row


def _label(number: int, annotation: Annotation, draft: Draft) -> dict[str, Any]:
    label: dict[str, Any] = {"id": number, "span": list(annotation.span)}
    # ELEVANT looks for both; these are its own words for what is not known.
    return label | _entity("entity_id", annotation, draft) | {"name": "Unknown", "type": "OTHER"}


def _entity(key: str, annotation: Annotation, draft: Draft) -> dict[str, str]:
    entity = annotation.entity
    if entity.kind == NONE:
        return {}
    value = spelled(entity, draft.language, nil="<NIL>")
    if key == "entity_id" and entity.kind == LINK and UNKNOWN.fullmatch(value):
        value = entity.key or value  # a title that this format takes for NIL
    if entity.kind == UNMAPPED and entity.raw != value == UNMAPPED_SPELLING:
        draft.lost["unmapped entities lose how they were written: the format has one word for all"] += 1
    return {key: value}


def write_simple(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    """The lines of simple JSONL; an annotation without a link is a label without `entity_reference`."""
    draft.no_place(documents, confidence=True, span=False)
    for document in documents:
        row = _document(document, draft)
        row["labels"] = [
            {"start_char": annotation.span.start, "end_char": annotation.span.end}
            | _entity("entity_reference", annotation, draft)
            for annotation in document.annotations
        ]
        yield json.dumps(row, ensure_ascii=False) + "\n"
