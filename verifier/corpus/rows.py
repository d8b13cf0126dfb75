"""What all readers share: the lines of a file, and a place for bad rows, so that all are told at once."""

from __future__ import annotations

import codecs
import gzip
import json
import math
import re
import stat
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

from analysis.documents import Span
from analysis.errors import InputError, Problem
from analysis.keys import OTHER, Entity, read_entity

T = TypeVar("T")

# What begins with these is no text in any encoding that one would mean.
_NO_TEXT: Final = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "Unpack it; from Excel, save as CSV UTF-8."),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file", "From Excel, save as CSV UTF-8."),
    (b"%PDF-", "a PDF", "Take the text out of it."),
    (b"BZh", "packed with bzip2", "Unpack it, or pack it with gzip."),
    (b"\xfd7zXZ\x00", "packed with xz", "Unpack it, or pack it with gzip."),
    (b"7z\xbc\xaf", "a 7z archive", "Unpack it."),
    (b"\x28\xb5\x2f\xfd", "packed with zstd", "Unpack it, or pack it with gzip."),
    (b"PAR1", "a Parquet table", "Write it as CSV."),
    (b"SQLite format 3\x00", "an SQLite database", "Export its table as CSV."),
)
_WIDE: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_XML: Final = re.compile(rb"\s*<\?xml\b(?:[^>]*?\bencoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"'])?")
_GZIP: Final = b"\x1f\x8b"
_SHOWN = 60
_WHOLE: Final = re.compile(r"-?[0-9]{1,12}")
# Labels that stand where an entity would, and are none.
_NO_ENTITY: Final = frozenset({"QUANTITY", "DATETIME"})


class BadRowError(Exception):
    """One row that cannot be used; the reader notes it and goes on with the next.

    Attributes:
        problem: what is wrong; its place is put in when it is noted.
        line: where in the row it is, if that is known; 0: at its beginning.
    """

    def __init__(
        self, what: str, *, got: str = "", expected: str = "", remedy: str = "", line: int = 0
    ) -> None:
        super().__init__(what)
        self.problem = Problem(what, "", got, expected, remedy)
        self.line = line

    def numbered(self, ordinal: int) -> BadRowError:
        """The same, of the annotation with that number in its row, 1-based."""
        fault = self.problem
        self.problem = replace(fault, what=f"annotation {ordinal}: {fault.what}")
        return self


# Of texts inside programs and host names, not of files.
_NO_ENCODINGS = frozenset(
    {"undefined", "punycode", "idna", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"}
)


@dataclass
class Rows:
    """What is known while a file is read.

    Attributes:
        path: the file, for messages.
        language: of bare titles, where the file names none.
        texts: folder of texts for documents that come without.
        encoding: of the texts in that folder.
        mapping: a file that says which column of a table is what.
        prefixes: IRI by prefix, for those that a Turtle file uses without declaring them.
        known: the text of a document by its name, for those that have none in the file nor in the folder.
        repair: whether a span that is wrong, and whose right place has one answer, is put there.
        problems: the bad rows so far.
        ignored: keys of the file that mean nothing to us.
        notes: what was decided while reading, for the report.
        audit: per document, how many spans were of which kind (`verifier.corpus.audit`).
        repaired: the spans that were put right, each with its line, what it was and what it is.
        layout: the file says more than a study keeps of it (tokens, columns): it is kept as it is, to be
            written again with what changed in it.
    """

    path: Path
    language: str
    texts: Path | None = None
    encoding: str = "utf-8-sig"
    mapping: Path | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)
    repair: bool = False
    known: Callable[[str], str | None] | None = None
    problems: list[Problem] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    audit: dict[str, Counter[str]] = field(default_factory=dict)
    repaired: list[Problem] = field(default_factory=list)
    layout: bool = False

    def bad(self, line: int, error: BadRowError, through: int = 0) -> None:
        """Keep the fault of a row with its place; a row of many lines is told with its last."""
        fault = error.problem
        where = f"{self.path}:{error.line or line}"
        lines = f" (lines {line} to {through})" if through > line and not error.line else ""
        self.problems.append(Problem(fault.what + lines, where, fault.got, fault.expected, fault.remedy))


def read_bytes(path: Path) -> bytes:
    """The file's bytes as they are.

    Raises:
        InputError: it is not there or cannot be read.
    """
    try:
        if stat.S_ISCHR(path.stat().st_mode):
            raise InputError("not an ordinary file", where=str(path), remedy="Check the path.")
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            "file not found" if isinstance(error, FileNotFoundError) else "file cannot be read",
            where=str(path),
            got="" if isinstance(error, FileNotFoundError) else (error.strerror or str(error)),
            remedy="Check the path.",
        ) from None


def _known(encoding: str) -> str:
    """The encoding's own name, if files can be of it: not all that Python can decode is."""
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding or found.name in _NO_ENCODINGS:  # noqa: SLF001 - the only sign of it
        raise InputError("unknown encoding", got=ascii(encoding), expected="utf-8, latin-1, ...")
    return encoding


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
    for mark, what, remedy in _NO_TEXT:
        if content.startswith(mark):
            raise InputError(f"no text, but {what}", where=str(path), remedy=remedy)
    try:
        return _declared(content) or content.decode(_known(encoding))
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, offset = before.count(b"\n") + 1, error.start - before.rfind(b"\n") - 1
        raise InputError(
            f"not {encoding} text",
            where=f"{path}:{line}",
            got=f"byte 0x{content[error.start]:02x} at byte {offset} of the line",
            remedy=next(
                (
                    f"It looks like {name}: --encoding {name}."
                    for mark, name in _WIDE
                    if content.startswith(mark)
                ),
                "Name the file's encoding with --encoding.",
            ),
        ) from None


def _declared(content: bytes) -> str:
    """The text of XML that is what it declares itself to be; empty for all else.

    So that the texts beside it can be in another encoding, which is then named for them.
    """
    match = _XML.match(content.removeprefix(BOM_UTF8))
    if match is None:
        return ""
    try:
        return content.removeprefix(BOM_UTF8).decode((match[1] or b"utf-8").decode("ascii"))
    except (LookupError, UnicodeError):
        return ""


def check_line(line: str) -> None:
    """Refuse a line that holds a carriage return: another may begin there.

    Raises:
        BadRowError: it does.
    """
    if "\r" in line:
        raise BadRowError(
            "a carriage return inside the line",
            got=shown(line),
            expected="lines that end with a line feed, or with both",
            remedy="Lines of old Macintosh files end with it alone: convert them.",
        )


def objects(text: str, rows: Rows) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a file that has one a line, with their lines; what is none is a bad row."""
    # Only line feeds part lines: a JSON string may hold all else that Unicode calls a line break.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=no_constant, object_pairs_hook=once)
        except BadRowError as error:
            rows.bad(number, error)
        except json.JSONDecodeError as error:
            if not rows.problems:
                _whole(text, rows)
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


def _whole(text: str, rows: Rows) -> None:
    """Say so if the file is one JSON value over many lines, in place of a fault in each.

    Raises:
        InputError: it is.
    """
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return
    raise InputError(
        "the file is one JSON value over several lines",
        where=f"{rows.path}:1",
        expected="an object a line",
        remedy="Write each document in one line of its own.",
    )


def no_constant(name: str) -> None:
    """Refuse NaN and the infinities, which are no JSON."""
    raise BadRowError("not JSON", got=name, expected="a number or null")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, if no key is there twice: which of its values is meant cannot be known."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]
        raise BadRowError(f"{shown(twice[0])} is there twice in one object", expected="each key once")
    return made


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


def numbers_value(start: Any, end: Any, label: str = "span") -> tuple[int, int]:
    """Start and end as whole numbers, not yet known to lie in a text."""
    if type(start) is not int or type(end) is not int:
        got = f"{shown(start)}, {shown(end)}"
        raise BadRowError(f"{label} is not two whole numbers", got=got, expected="start, end")
    return start, end


def span_value(start: Any, end: Any, text: str, label: str = "span") -> Span:
    """The span, if it is one of `text`."""
    start, end = numbers_value(start, end, label)
    if not 0 <= start < end <= len(text):
        raise BadRowError(
            f"{label} outside the text" if start < end else f"{label} is empty or backwards",
            got=f"{start} to {end}",
            expected=f"0 <= start < end <= {len(text)}, in code points",
            remedy="Offsets count Unicode code points: no bytes, no UTF-16 units.",
        )
    return Span(start, end)


def whole_value(value: str | None, label: str) -> int:
    """The whole number that a field of a file of text holds."""
    text = (value or "").strip()
    if not _WHOLE.fullmatch(text):
        raise BadRowError(f"{label} is not a whole number", got=shown(value), expected="digits")
    return int(text)


def number_value(value: Any, label: str) -> float | None:
    """The number that JSON holds; None if it is null or not there."""
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        raise BadRowError(f"{label!r} is not a number", got=shown(value))
    return number


def confidence_value(value: str | None, label: str) -> float | None:
    """The number that a field of a file of text holds; None if it is empty or not there."""
    text = (value or "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadRowError(f"{label} is not a number", got=shown(value))
    return number


def pair_value(row: dict[str, Any], key: str, text: str) -> Span | None:
    """The span written as a list of two under `key`; None if it is not there or null."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - start and end
        raise BadRowError(f"{key!r} is not a span", got=shown(value), expected="[start, end]")
    return span_value(value[0], value[1], text, key)


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


def each(items: list[Any], line: int, rows: Rows, read: Callable[[dict[str, Any], int], T]) -> list[T]:
    """What `read` makes of each object of a list and its number in it; the bad are noted and left out."""
    made = []
    for ordinal, item in enumerate(items, start=1):
        try:
            made.append(read(_object(item), ordinal))
        except BadRowError as error:
            rows.bad(line, error.numbered(ordinal))
    return made


def _object(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise BadRowError("not an annotation", got=shown(item), expected="a JSON object")
    return item


def shown(value: Any) -> str:
    """`value` for a message, cut where it is long: text in quotes, so that white space is seen, else JSON."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def shown_if(row: dict[str, Any], key: str) -> str:
    """The value under `key` for a message; nothing if it is not there."""
    return shown(row[key]) if key in row else ""
