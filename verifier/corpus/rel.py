"""Reads what REL answers: the API's response beside the request, or the output of a batch of documents.

A mention is a list: start, length, mention, entity, confidence of the link, confidence of the mention, type.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from analysis.documents import Document
from analysis.errors import InputError
from verifier.corpus.audit import Draft, settle
from verifier.corpus.lines import damage, line_of, members, place_of
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
# Lines of which one at least is an object where each is one.
_HEAD: Final = 50
_RESPONSES: Final = ("response", "annotations", "mentions")
_KEYS: Final = frozenset({"id", "text", "request", *_RESPONSES})
_ENDINGS: Final = (".gz", ".json", ".jsonl", ".response", ".rel")


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents of a file in one of three layouts.

    One response alone, its request in `NAME.request.json` beside it or its text in the folder of texts; one
    JSON object, document -> mentions, with a folder of texts; or lines with `id`, `request` and `response`.
    """
    for line, row, places in _rows(text, rows):
        try:
            yield _document(row, line, rows, places)
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


class _Places:
    """The lines of the mentions of a response, in a file that is one JSON value over many lines."""

    def __init__(self, text: str, place: int) -> None:
        self._text = text
        self._places: list[int] = []
        self.lines: list[int] = []
        self.first = line = line_of(text, place)
        before = place
        for _, where in members(text, place):
            line, before = line + text.count("\n", before, where), where
            self._places.append(where)
            self.lines.append(line)

    def parts(self, number: int) -> tuple[int, ...]:
        """The lines of start, length, mention and so on, of a mention by its place in the list."""
        place, line = self._places[number], self.lines[number]
        inside = [where for _, where in members(self._text, place)]
        return tuple(line + self._text.count("\n", place, where) for where in inside)


def _rows(text: str, rows: Rows) -> Iterator[tuple[int, dict[str, Any], _Places | None]]:
    """A row a document, whatever the layout, with its line and, in a file of many, where its mentions are."""
    value = whole(text)
    long = "\n" in text.strip()
    if isinstance(value, list):
        places = _Places(text, place_of(text, 0)) if long else None
        yield 1, {"id": _stem(rows), "response": value, **_request(rows)}, places
    elif isinstance(value, dict) and not value.keys() & {"request", "text", *_RESPONSES}:
        found: dict[str, int] = {}
        for name, place in members(text, place_of(text, 0)):
            if name in found:
                line = line_of(text, place)
                told = f"{shown(name)}, first in line {line_of(text, found[str(name)])}"
                rows.bad(line, BadRowError("the document stands in the file twice", got=told))
            found[str(name)] = place
        for name, mentions in value.items():
            places = _Places(text, found[name]) if long else None
            yield places.first if places else 1, {"id": name, "response": mentions}, places
    elif isinstance(value, dict):
        named = next((key for key in _RESPONSES if key in value), "") if long else ""
        yield 1, {"id": _stem(rows), **value}, _Places(text, place_of(text, 0, named)) if named else None
    else:
        _check_one_value(text, rows)
        for line, row in objects(text, rows):
            yield line, row, None


def _check_one_value(text: str, rows: Rows) -> None:
    """Say where a file is damaged that is no line a document, but was one JSON value over many.

    Raises:
        InputError: it is.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if any(isinstance(whole(line), dict) for line in lines[:_HEAD]):
        return
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"not JSON: {error.msg}",
            where=f"{rows.path}:{error.lineno}",
            got=damage(error),
            expected="one JSON value, or one a line",
            remedy="Mend the file there, or fetch it anew if it is cut off.",
        ) from None
    except (ValueError, RecursionError):
        return


def _document(row: dict[str, Any], line: int, rows: Rows, places: _Places | None) -> Document:
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
        own = places.lines[ordinal - 1] if places else line
        try:
            draft = _draft(item, own, ordinal, rows)
        except BadRowError as error:
            rows.bad(own, error.numbered(ordinal), max(places.parts(ordinal - 1), default=0) if places else 0)
            continue
        drafts.append(draft._replace(lines=places.parts(ordinal - 1)[:3]) if places else draft)
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
