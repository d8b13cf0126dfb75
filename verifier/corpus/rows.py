"""What all readers share: the lines of a file, and a place for bad rows, so that all are told at once."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from analysis.documents import Span
from analysis.errors import InputError, Problem
from analysis.keys import OTHER, Entity, read_entity

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_GZIP: Final = b"\x1f\x8b"
_SHOWN = 60
# Labels that stand where an entity would, and are none.
_NO_ENTITY: Final = frozenset({"QUANTITY", "DATETIME"})


class BadRowError(Exception):
    """One row that cannot be used; the reader notes it and goes on with the next."""

    def __init__(self, what: str, *, got: str = "", expected: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.problem = Problem(what, "", got, expected, remedy)


@dataclass
class Rows:
    """What is known while a file is read.

    Attributes:
        path: the file, for messages.
        language: of bare titles, where the file names none.
        texts: folder of texts for documents that come without.
        problems: the bad rows so far.
        ignored: keys of the file that mean nothing to us.
    """

    path: Path
    language: str
    texts: Path | None = None
    problems: list[Problem] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)

    def bad(self, line: int, error: BadRowError) -> None:
        """Keep the fault of a row with its place."""
        fault = error.problem
        where = f"{self.path}:{line}"
        self.problems.append(Problem(fault.what, where, fault.got, fault.expected, fault.remedy))


def read_bytes(path: Path) -> bytes:
    """The file's bytes as they are.

    Raises:
        InputError: it is not there or cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            "file not found" if isinstance(error, FileNotFoundError) else "file cannot be read",
            where=str(path),
            got="" if isinstance(error, FileNotFoundError) else (error.strerror or str(error)),
            remedy="Check the path.",
        ) from None


def decode(content: bytes, path: Path, encoding: str) -> str:
    """The text of a file, unpacked if it is gzipped.

    Raises:
        InputError: the bytes are not of that encoding (with line and offset), or the encoding is unknown.
    """
    if content.startswith(_GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError("the gzip file is damaged", where=str(path), got=str(error)) from None
    try:
        return content.decode(encoding)
    except LookupError:
        raise InputError("unknown encoding", got=repr(encoding), expected="utf-8, latin-1, ...") from None
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, offset = before.count(b"\n") + 1, error.start - before.rfind(b"\n") - 1
        raise InputError(
            f"not {encoding} text",
            where=f"{path}:{line}",
            got=f"byte 0x{content[error.start]:02x} at byte {offset} of the line",
            remedy="Name the file's encoding with --encoding.",
        ) from None


def objects(text: str, rows: Rows) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file that has one a line, with their lines; what is none is a bad row."""
    # Only line feeds part lines: a JSON string may hold all else that Unicode calls a line break.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=_no_constant)
        except BadRowError as error:
            rows.bad(number, error)
        except json.JSONDecodeError as error:
            rows.bad(
                number, BadRowError(f"not JSON: {error.msg}", got=f"{shown(line)} at column {error.colno}")
            )
        except (ValueError, RecursionError) as error:
            rows.bad(number, BadRowError("not JSON that can be read", got=shown(str(error))))
        else:
            if isinstance(value, dict):
                yield number, value
            else:
                rows.bad(number, BadRowError("not a document", got=shown(value), expected="a JSON object"))


def _no_constant(name: str) -> None:
    raise BadRowError("not JSON", got=name, expected="a number or null")


def text_value(row: dict[str, Any], key: str) -> str:
    """The text under `key`, free of what the databases cannot hold."""
    value = row.get(key)
    if not isinstance(value, str):
        raise BadRowError(
            f"{key!r} is missing" if key not in row else f"{key!r} is not text", got=shown_if(row, key)
        )
    return storable(value, key)


def storable(value: str, label: str) -> str:
    """`value`, if it holds neither NUL nor a lone surrogate."""
    if found := _UNSTORABLE.search(value):
        kind = "a NUL" if found[0] == "\x00" else f"the lone surrogate U+{ord(found[0]):04X}"
        raise BadRowError(
            f"{label!r} holds {kind}", got=f"offset {found.start()}", remedy="Take it out of the file."
        )
    return value


def name_value(row: dict[str, Any], key: str) -> str:
    """The document's name under `key`: text, or a whole number."""
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    name = text_value(row, key)
    if not name.strip():
        raise BadRowError(f"{key!r} is empty", expected="the document's name")
    return name


def list_value(row: dict[str, Any], key: str) -> list[Any]:
    """The list under `key`; an empty one if the key is not there or null."""
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRowError(f"{key!r} is not a list", got=shown(value))
    return value


def span_value(start: Any, end: Any, text: str, label: str = "span") -> Span:
    """The span, if it is one of `text`."""
    if type(start) is not int or type(end) is not int:
        got = f"{shown(start)}, {shown(end)}"
        raise BadRowError(f"{label} is not two whole numbers", got=got, expected="start, end")
    if not 0 <= start < end <= len(text):
        raise BadRowError(
            f"{label} outside the text" if start < end else f"{label} is empty or backwards",
            got=f"{start} to {end}",
            expected=f"0 <= start < end <= {len(text)}, in code points",
            remedy="Offsets count Unicode code points: no bytes, no UTF-16 units.",
        )
    return Span(start, end)


def pair_value(row: dict[str, Any], key: str, text: str) -> Span | None:
    """The span written as a list of two under `key`; None if it is not there or null."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - start and end
        raise BadRowError(f"{key!r} is not a span", got=shown(value), expected="[start, end]")
    return span_value(value[0], value[1], text, key)


def check_mention(mention: Any, span: Span, text: str) -> None:
    """Refuse a mention that is not the text at its span, saying where else it stands."""
    found = text[span.start : span.end]
    if mention is None or mention == found:
        return
    place = text.find(mention) if isinstance(mention, str) else -1
    raise BadRowError(
        "the mention is not the text at its span",
        got=f"{shown(mention)} for {span.start} to {span.end}",
        expected=shown(found),
        remedy=f"It stands at {place} to {place + len(mention)}." if place >= 0 else "",
    )


@lru_cache(maxsize=200_000)
def _entity(raw: str | None, language: str) -> Entity:
    return read_entity(raw, language)


def entity_value(raw: Any, language: str) -> Entity:
    """The entity that `raw` names; None is no link given."""
    if raw is None:
        return _entity(None, language)
    if not isinstance(raw, str):
        raise BadRowError("the entity is not text", got=shown(raw))
    try:
        return _entity(storable(raw, "entity"), language)
    except InputError as error:
        fault = error.problems[0]
        raise BadRowError(fault.what, got=fault.got, expected=fault.expected) from None


def no_entity(raw: Any) -> Entity | None:
    """What a label that stands where an entity would, and is none, amounts to; None for all others."""
    return Entity(OTHER, None, raw) if isinstance(raw, str) and raw in _NO_ENTITY else None


def each(items: list[Any], line: int, rows: Rows, read: Callable[[dict[str, Any]], Any]) -> list[Any]:
    """What `read` makes of each object of a list; the bad ones are noted and left out."""
    made = []
    for ordinal, item in enumerate(items):
        try:
            made.append(read(_object(item)))
        except BadRowError as error:
            error.problem = _numbered(error.problem, ordinal)
            rows.bad(line, error)
    return made


def _object(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise BadRowError("not an annotation", got=shown(item), expected="a JSON object")
    return item


def _numbered(problem: Problem, ordinal: int) -> Problem:
    what = f"annotation {ordinal + 1}: {problem.what}"
    return Problem(what, problem.where, problem.got, problem.expected, problem.remedy)


def shown(value: Any) -> str:
    """`value` for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def shown_if(row: dict[str, Any], key: str) -> str:
    """The value under `key` for a message; nothing if it is not there."""
    return shown(row[key]) if key in row else ""


def lost_text(name: str, rows: Rows) -> str:
    """The text of a document that came without one, from the folder of texts."""
    if rows.texts is None:
        raise BadRowError(
            "the document has no text", got=shown(name), remedy="Name the folder of texts with --texts."
        )
    for candidate in (rows.texts / name, rows.texts / f"{name}.txt"):
        if candidate.is_file() and candidate.resolve().is_relative_to(rows.texts.resolve()):
            return storable(decode(candidate.read_bytes(), candidate, "utf-8-sig"), str(candidate))
    raise BadRowError("no text for the document", got=shown(name), expected=f"{rows.texts}/{name}.txt")
