"""Reads tables (CSV, TSV) with a row an annotation; a mapping says which column is what."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any, Final

from analysis.csv_lines import cells_of_any_length
from analysis.dialect import separator_of
from analysis.documents import Document
from analysis.errors import ConfigError, InputError
from verifier import settings
from verifier.corpus.audit import Draft, settle
from verifier.corpus.rows import (
    BadRowError,
    Rows,
    confidence_value,
    entity_value,
    read_bytes,
    shown,
    storable,
    whole_value,
)
from verifier.corpus.texts import look_beside, lost_text, without_annotations

NAME: Final = "csv"

COLUMNS: Final = ("document", "start", "end", "length", "entity", "mention", "confidence", "text")
_NEEDED: Final = ("document", "start", "entity")
_SETTINGS: Final = ("delimiter", "first", "inclusive")
_ALONE: Final = ("dataset", "source")


@dataclass(frozen=True)
class ColumnMap:
    """Which column of the file is what, and how it counts.

    Attributes:
        columns: our word -> the name of the file's column.
        delimiter: between columns; None is told from the header.
        first: the offset of the first character, 0 or 1.
        inclusive: whether the end is the last character of the mention, and not the one after it.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    first: int = 0
    inclusive: bool = False


@dataclass
class _Noted:
    """A document as far as it is read."""

    line: int
    last: int = 0
    text: str | None = None
    text_line: int = 0
    after: str = ""
    drafts: list[Draft] = field(default_factory=list)


def read(text: str, rows: Rows) -> Iterator[Document]:
    """The documents that the table names, and those of the folder of texts that it does not."""
    mapping = read_map(rows.mapping) if rows.mapping else ColumnMap()
    documents: dict[str, _Noted] = {}
    look_beside(rows)
    others: dict[str, str] = {}
    for line, row in _rows(text, rows, mapping):
        try:
            _alone(row, others)
            _note(row, line, documents, rows, mapping)
        except BadRowError as error:
            rows.bad(line, error)
    for name, noted in documents.items():
        try:
            found = lost_text(name, rows) if noted.text is None else noted.text
        except BadRowError as error:
            rows.bad(noted.line, _without_text(error, noted, rows))
            continue
        yield Document(
            name, found, settle(name, found, noted.drafts, rows, noted.text_line), None, None, noted.line
        )
    yield from without_annotations(documents, rows)


def _without_text(error: BadRowError, noted: _Noted, rows: Rows) -> BadRowError:
    """The fault of a document without a text, with where in the table one could be."""
    column = (
        rows.ignored
        and f" Or name the column that has it text, in line 1: {', '.join(sorted(rows.ignored))}."
    )
    fault = error.problem
    error.problem = replace(fault, got=fault.got + noted.after, remedy=fault.remedy + (column or ""))
    return error


def read_map(path: Path) -> ColumnMap:
    """The mapping in a YAML file: our words to the file's columns, and how it counts.

    Raises:
        InputError: it is no such file.
    """
    read_bytes(path)
    try:
        file = settings.read(path, "a mapping of columns", "start: begin")
    except ConfigError as error:
        raise InputError.of(error.problems) from None
    if file.problems:
        raise InputError.of(file.problems)
    value = dict(file.values)
    expected = f"a line each, like `start: begin`; known: {', '.join((*COLUMNS, *_SETTINGS))}"
    if unknown := [str(key) for key in value if key not in (*COLUMNS, *_SETTINGS)]:
        raise InputError("unknown word in the mapping", where=str(path), got=unknown[0], expected=expected)
    given = {key: value.pop(key) for key in _SETTINGS if key in value}
    if bad := [key for key, column in value.items() if not isinstance(column, str)]:
        raise InputError("not the name of a column", where=f"{path}: {bad[0]}", got=shown(value[bad[0]]))
    return ColumnMap(value, **_settings(given, path))


def _settings(given: dict[str, Any], path: Path) -> dict[str, Any]:
    allowed = {
        "delimiter": lambda v: isinstance(v, str) and len(v) == 1,
        "first": lambda v: type(v) is int and v in (0, 1),
        "inclusive": lambda v: isinstance(v, bool),
    }
    said = {"delimiter": "one character", "first": "0 or 1", "inclusive": "true or false"}
    for key, value in given.items():
        if not allowed[key](value):
            raise InputError("not allowed", where=f"{path}: {key}", got=shown(value), expected=said[key])
    return given


def header_of(text: str, delimiter: str | None = None) -> list[str]:
    """The names of the columns; none if the first line is none of a table."""
    first = text.split("\n", 1)[0].rstrip("\r")
    try:
        return next(csv.reader([first], delimiter=delimiter or separator_of(first)), [])
    except csv.Error:
        return []


def _rows(text: str, rows: Rows, mapping: ColumnMap) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by our words, each with its first line.

    Raises:
        InputError: the header lacks a column, or the file is damaged.
    """
    delimiter = mapping.delimiter or separator_of(text)
    line = 1
    try:
        with cells_of_any_length():
            reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
            header = next(reader, [])
            names = _columns(header, rows, mapping)
            line = reader.line_num + 1
            for cells in reader:
                if len(cells) == len(header):
                    yield line, {word: cells[place] for word, place in names.items()}
                elif any(cell.strip() for cell in cells):
                    expected = f"{len(header)}, as in the header of line 1"
                    rows.bad(line, BadRowError(f"{len(cells)} columns", got=shown(cells), expected=expected))
                line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"not a table: {error}",
            where=f"{rows.path}:{line}",
            expected='fields with quotes or line ends in double quotes, quotes inside doubled: "a ""b"""',
            remedy="Mend the row that begins there.",
        ) from None


def _columns(header: list[str], rows: Rows, mapping: ColumnMap) -> dict[str, int]:
    """Our word -> the place of its column."""
    where = f"{rows.path}:1"
    twice = [name for name in header if header.count(name) > 1 and name]
    if twice:
        raise InputError("two columns of one name", where=where, got=shown(twice[0]))
    wanted = {word: mapping.columns.get(word, word) for word in (*COLUMNS, *_ALONE)}
    if lost := [name for word, name in mapping.columns.items() if name not in header]:
        raise InputError(
            "the mapping names a column that is not there",
            where=where,
            got=", ".join(lost),
            expected=", ".join(header),
            remedy=f"Mend {rows.mapping}.",
        )
    names = {word: header.index(name) for word, name in wanted.items() if name in header}
    missing = [word for word in _NEEDED if word not in names]
    if not {"end", "length"} & names.keys():
        missing.append("end (or length)")
    if missing:
        raise InputError(
            f"no column for {', '.join(missing)}",
            where=where,
            got=shown(", ".join(header)),
            expected="document, start, end, entity",
            remedy="Say with --map FILE which column is what.",
        )
    rows.ignored.update(name for name in header if header.index(name) not in names.values())
    return names


def _alone(row: dict[str, str], others: dict[str, str]) -> None:
    """Refuse a row of another source or dataset than the first: a file is read as of one."""
    for word in _ALONE:
        if word in row and row[word] != others.setdefault(word, row[word]):
            raise BadRowError(
                f"another {word} than in the first row",
                got=shown(row[word]),
                expected=shown(others[word]),
                remedy=f"Import one file for each {word}.",
            )


def _check_length(row: dict[str, str], length: int) -> None:
    """Refuse a row whose length is not that of its span."""
    if row.get("length", "").strip() and (given := whole_value(row["length"], "length")) != length:
        raise BadRowError(
            "start, end and length disagree",
            got=f"length {given} for {row['start']} to {row['end']}",
            expected=str(length),
            remedy="Mend the row, or say how it counts with --map: first, inclusive.",
        )


def _note(
    row: dict[str, str], line: int, documents: dict[str, _Noted], rows: Rows, mapping: ColumnMap
) -> None:
    name = storable(row["document"].strip(), "document")
    if not name:
        raise BadRowError("the document has no name", expected="its name in each row")
    if name not in documents:
        last = next(reversed(documents.items()), None)
        # The text stands in a document's first row, which may be that of another by mistake.
        after = f", after {shown(last[0])} of line {last[1].last}" if last else ""
        documents[name] = _Noted(line, after=after)
    noted = documents[name]
    noted.last = line
    if row.get("text"):
        text = storable(row["text"], "text")
        if noted.text not in (None, text):
            raise BadRowError(
                f"another text for the document {shown(name)} than in line {noted.line}", got=shown(text)
            )
        noted.text, noted.text_line = text, noted.text_line or line
    ends = [row[word] for word in ("start", "end", "length", "entity") if word in row]
    if not any(value.strip() for value in ends):
        return  # the source ran there and found nothing
    start = whole_value(row["start"], "start") - mapping.first
    if row.get("end", "").strip():
        end = whole_value(row["end"], "end") - mapping.first + mapping.inclusive
        _check_length(row, end - start)
    else:
        end = start + whole_value(row.get("length"), "length")
    mention = storable(row["mention"], "mention") if row.get("mention") else None
    confidence = confidence_value(row.get("confidence"), "confidence")
    entity = entity_value(row["entity"], rows.language)
    noted.drafts.append(Draft(start, end, mention, entity, confidence, line))
