"""Reads posthoc JSONL: a document a line, with its text and the annotations of one source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from analysis.documents import Document
from analysis.keys import LINK, NIL, NIL_KIND, UNMAPPED, Entity
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    each,
    entity_value,
    list_value,
    name_value,
    no_entity,
    number_value,
    numbers_value,
    objects,
    pair_value,
    text_value,
)
from verifier.corpus.texts import lost_text

NAME: Final = "jsonl"

_DOCUMENT_KEYS: Final = frozenset({"id", "text", "language", "evaluation_span", "annotations"})
# Where other formats keep theirs: without them it would seem that nothing was found.
_FOREIGN: Final = frozenset({"labels", "entity_mentions", "predictions", "response", "mentions", "entities"})
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
    if "annotations" not in row and (others := sorted(_FOREIGN & row.keys())):
        raise BadRowError(
            "a document of another format",
            got=", ".join(others),
            expected="annotations, or none of these",
            remedy="Let the format be told from the file (--format auto), or name it.",
        )
    name = name_value(row, "id")
    text = text_value(row, "text") if "text" in row else lost_text(name, rows)
    language = text_value(row, "language") if row.get("language") is not None else None

    def draft(item: dict[str, Any], ordinal: int) -> Draft:
        rows.ignored.update(item.keys() - _ANNOTATION_KEYS)
        start, end = numbers_value(item.get("start"), item.get("end"))
        mention = text_value(item, "mention") if item.get("mention") is not None else None
        entity = _entity(item, language or rows.language)
        confidence = number_value(item.get("confidence"), "confidence")
        return Draft(start, end, mention, entity, confidence, line, ordinal)

    evaluation = pair_value(row, "evaluation_span", text)
    annotations = settle(name, text, each(list_value(row, "annotations"), line, rows, draft), rows)
    return Document(name, text, annotations, evaluation, language, line)


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
