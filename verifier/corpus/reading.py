"""Reads a corpus file of any known format into documents, or says everything that is wrong with it."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Unpack, cast

from analysis.corpora import FileOptions, Options
from analysis.documents import Annotation, Document
from analysis.errors import InputError, Problem
from analysis.keys import LINK, check_language
from verifier.corpus.detect import recognise
from verifier.corpus.redirects import read_redirects
from verifier.corpus.rows import Rows, decode, read_bytes, shown

_AROUND = 20


@dataclass(frozen=True)
class Reading:
    """What a file holds.

    Attributes:
        path: the file.
        sha256: of its bytes as they are.
        format: what it was read as.
        why: what it was recognised by.
        documents: the good ones, in file order, each without its bad annotations.
        problems: the bad rows.
        ignored: keys of the file that mean nothing to us, sorted.
        notes: what was decided while reading.
        audit: per document, how many spans were of which kind (`verifier.corpus.audit`).
        repaired: the spans that were put right, with their lines.
        layout: all that stands in the file, where more than a study keeps is needed to write it again.
    """

    path: Path
    sha256: str
    format: str
    why: str
    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    audit: Mapping[str, Counter[str]] = field(default_factory=dict)
    repaired: tuple[Problem, ...] = ()
    layout: str | None = None


def read_corpus(path: Path, **options: Unpack[Options]) -> list[Document]:
    """The documents of one corpus file, in file order, each with the annotations of the file's source.

    Args:
        path: the file, gzipped or not.
        options: see `analysis.corpora.Options`; the format is one of `detect.FORMATS`.

    Raises:
        InputError: the file cannot be read; every bad row is listed with its line.
    """
    redirects = tuple(options.pop("redirects", ()))
    reading = read_file(path, **cast("FileOptions", options))
    if reading.problems:
        raise InputError.of(reading.problems)
    language, encoding = options.get("language", "en"), options.get("encoding", "utf-8-sig")
    return redirected(reading.documents, _targets(redirects, language, encoding))


def redirected(documents: Iterable[Document], targets: Mapping[str, str]) -> list[Document]:
    """The documents with the keys of their links after redirects; what was given stays beside them."""

    def led(annotation: Annotation) -> Annotation:
        entity = annotation.entity
        target = targets.get(entity.key or "") if entity.kind == LINK else None
        return replace(annotation, entity=replace(entity, key=target)) if target else annotation

    if not targets:
        return list(documents)
    return [replace(document, annotations=tuple(map(led, document.annotations))) for document in documents]


@lru_cache(maxsize=8)
def _targets(paths: tuple[Path, ...], language: str, encoding: str) -> Mapping[str, str]:
    """What files of redirects say.

    Raises:
        InputError: they cannot be read, or have bad rows.
    """
    if not paths:
        return {}
    found = read_redirects(paths, language=language, encoding=encoding)
    if found.problems:
        raise InputError.of(found.problems)
    return found.targets


def read_file(path: Path, **options: Unpack[FileOptions]) -> Reading:
    """A corpus file with its bad rows beside the good ones; parameters as for `read_corpus`.

    Raises:
        InputError: the file is not there, is of no known format, or cannot be decoded; or the language is no
            language.
    """
    wanted, language = options.pop("format", "auto"), options.pop("language", "en")
    rows = Rows(path, language, **cast("dict[str, Any]", options))
    check_language(language)
    content = read_bytes(path)
    text = decode(content, path, rows.encoding)
    recognised = recognise(text, path, wanted, mapped=rows.mapping is not None)
    documents = _once(recognised.reader(text, rows), rows)
    if not documents and not rows.problems:
        raise InputError(
            "the file holds no document",
            where=f"{path}:1",
            got=shown(text) if text.strip() else "nothing",
            expected=f"documents in the format {recognised.name}",
            remedy="Where a source ran and found nothing, its documents are named without annotations.",
        )
    sha256 = hashlib.sha256(content).hexdigest()
    found = sorted(rows.problems, key=_line)
    return Reading(
        path,
        sha256,
        recognised.name,
        recognised.why,
        tuple(documents),
        tuple(found),
        tuple(sorted(rows.ignored)),
        tuple(rows.notes),
        rows.audit,
        tuple(rows.repaired),
        _as_it_is(content, text, path) if rows.layout else None,
    )


def _as_it_is(content: bytes, text: str, path: Path) -> str:
    """The file's text with its mark of byte order, where it has one that the encoding takes away."""
    try:
        whole = decode(content, path, "utf-8")
    except InputError:
        return text
    return whole if whole == f"\ufeff{text}" else text


def difference(first: str, second: str) -> str:
    """Where two texts first differ, with what stands around it in each."""
    place = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), -1)
    if place < 0:
        place = min(len(first), len(second))
    window = slice(max(0, place - _AROUND), place + _AROUND)
    here, there = first[window], second[window]
    # What only looks the same (a letter and its accent in one character or two) is written out.
    alike = unicodedata.normalize("NFC", here[:_AROUND]) == unicodedata.normalize("NFC", there[:_AROUND])
    show = ascii if alike else repr
    return f"first difference at offset {place}: {show(here)} against {show(there)}"


def _once(documents: Iterable[Document], rows: Rows) -> list[Document]:
    """Each document once; one that comes again is a bad row."""
    seen: dict[str, Document] = {}
    for document in documents:
        if (other := seen.get(document.name)) is None:
            seen[document.name] = document
            continue
        where = f"{rows.path}:{document.line}"
        if other.text == document.text:
            what, got = (
                "the document stands in the file twice",
                f"{shown(document.name)}, first in line {other.line}",
            )
        else:
            what = f"two texts for the document {shown(document.name)}, the other in line {other.line}"
            got = difference(other.text, document.text)
        rows.problems.append(
            Problem(what, where, got, remedy="Give each document once, with all annotations.")
        )
    return list(seen.values())


def _line(problem: Problem) -> int:
    return int(problem.where.rpartition(":")[2])
