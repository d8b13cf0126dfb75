"""Writes documents as posthoc JSONL, so that reading it back gives the same documents."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any

from analysis.documents import Annotation, Document
from analysis.keys import LINK, NIL_KIND, NONE


def write_jsonl(documents: Iterable[Document], file: IO[str], *, text: bool = True) -> int:
    """Write documents, a line each; how many there were.

    Args:
        documents: what to write.
        file: where to.
        text: with the texts and mentions, or without them where they may not be passed on.
    """
    count = 0
    for document in documents:
        json.dump(_document(document, text=text), file, ensure_ascii=False, allow_nan=False)
        file.write("\n")
        count += 1
    return count


def _document(document: Document, *, text: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"id": document.name}
    if text:
        row["text"] = document.text
    if document.language:
        row["language"] = document.language
    if document.evaluation:
        row["evaluation_span"] = list(document.evaluation)
    row["annotations"] = [_annotation(annotation) for annotation in document.annotations]
    return row


def _annotation(annotation: Annotation) -> dict[str, Any]:
    row: dict[str, Any] = {"start": annotation.span.start, "end": annotation.span.end}
    entity = annotation.entity
    if entity.kind == LINK:
        row["entity"] = entity.key
    elif entity.kind == NIL_KIND:
        row["entity"] = None
    elif entity.kind != NONE:
        row["entity_raw"] = entity.raw
    if entity.kind in (LINK, NIL_KIND) and entity.raw not in (None, entity.key):
        row["entity_raw"] = entity.raw
    if annotation.confidence is not None:
        row["confidence"] = annotation.confidence
    return row
