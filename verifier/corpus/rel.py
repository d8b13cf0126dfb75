"""Reads what REL answers: the API's response beside the request, or the output of a batch of documents.

A mention is a list: start, length, mention, entity, confidence of the link, confidence of the mention, type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from analysis.documents import Document
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    decode,
    entity_value,
    name_value,
    no_constant,
    number_value,
    objects,
    read_bytes,
    shown,
    storable,
    text_value,
)
from verifier.corpus.texts import lost_text

NAME: Final = "rel"

_LEAST: Final = 4
_RESPONSES: Final = ("response", "annotations", "mentions")
_KEYS: Final = frozenset({"id", "text", "request", *_RESPONSES})
_ENDINGS: Final = (".gz", ".json", ".jsonl", ".response", ".rel")


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a file in one of three layouts.

    One response alone, its request in `NAME.request.json` beside it or its text in the folder of texts; one
    JSON object, document -> mentions, with a folder of texts; or lines with `id`, `request` and `response`.
    """
    for line, row in _rows(text, rows):
        try:
            yield _document(row, line, rows)
        except BadRowError as error:
            rows.bad(line, error)


def whole(text: str) -> Any:
    """The file as one JSON value; None if it is not one."""
    try:
        return json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError, BadRowError):
        return None


def is_mentions(value: Any) -> bool:
    """Whether a JSON value looks like the mentions of one response."""
    return isinstance(value, list) and all(
        isinstance(item, list)
        and len(item) >= _LEAST
        and isinstance(item[0], int)
        and isinstance(item[1], int)
        and isinstance(item[2], str)
        for item in value
    )


def _rows(text: str, rows: Rows) -> Iterator[tuple[int, dict[str, Any]]]:
    """A row a document, whatever the layout, with its line."""
    value = whole(text)
    if isinstance(value, list):
        yield 1, {"id": _stem(rows), "response": value, **_request(rows)}
    elif isinstance(value, dict) and not value.keys() & {"request", "text", *_RESPONSES}:
        for name, mentions in value.items():
            place = text.find(json.dumps(name, ensure_ascii=False))
            yield text.count("\n", 0, max(place, 0)) + 1, {"id": name, "response": mentions}
    elif isinstance(value, dict):
        yield 1, {"id": _stem(rows), **value}
    else:
        yield from objects(text, rows)


def _document(row: dict[str, Any], line: int, rows: Rows) -> Document:
    rows.ignored.update(row.keys() - _KEYS)
    name = name_value(row, "id")
    request = row["request"] if isinstance(row.get("request"), dict) else row
    text = text_value(request, "text") if "text" in request else lost_text(name, rows)
    response = next((row[key] for key in _RESPONSES if key in row), None)
    if not isinstance(response, list):
        raise BadRowError(
            "no response" if response is None else "the response is not a list",
            got="" if response is None else shown(response),
            expected="'response': [[start, length, mention, entity, ...], ...]",
        )
    drafts = []
    for ordinal, item in enumerate(response, start=1):
        try:
            drafts.append(_draft(item, line, ordinal, rows))
        except BadRowError as error:
            rows.bad(line, error.numbered(ordinal))
    return Document(name, text, settle(name, text, drafts, rows), None, None, line)


def _draft(item: Any, line: int, ordinal: int, rows: Rows) -> Draft:
    if not is_mentions([item]) or isinstance(item[0], bool) or isinstance(item[1], bool):
        raise BadRowError("not a mention", got=shown(item), expected="[start, length, mention, entity, ...]")
    start, length, mention, raw = item[:_LEAST]
    confidence = number_value(item[_LEAST] if len(item) > _LEAST else None, "confidence")
    entity = entity_value(raw, rows.language)
    return Draft(start, start + length, storable(mention, "mention"), entity, confidence, line, ordinal)


def _stem(rows: Rows) -> str:
    """The document that a file of one response is about, by the file's name."""
    name = rows.path.name
    while ending := next((e for e in _ENDINGS if name.endswith(e) and name != e), ""):
        name = name.removesuffix(ending)
    return name


def _request(rows: Rows) -> dict[str, Any]:
    """The request beside a response, if there is one."""
    path = rows.path.with_name(f"{_stem(rows)}.request.json")
    if not path.is_file():
        return {}
    value = whole(decode(read_bytes(path), path, rows.encoding))
    if not isinstance(value, dict) or "text" not in value:
        raise BadRowError(f"{path} is no request", expected='{"text": ...}')
    rows.notes.append(f"The text was taken from {path}.")
    return {"request": value}
