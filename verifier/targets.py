"""Where results may be written: whole or not at all, and never over what is not such a result already."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from analysis.errors import InputError, StateError

# Whether the first line of a file is that of a result of the kind about to be written.
Recognise = Callable[[str], bool]

_CONFIG: Final = "study.yaml"
_OWN_FILES: Final = frozenset({_CONFIG, "secrets.env", ".gitignore"})
_OWN_FOLDERS: Final = frozenset({"templates", "rehearsals"})
_OWN_ENDINGS: Final = (".db", ".db-wal", ".db-shm", ".db-journal")
_FIRST_LINE: Final = 10_000_000
_ANOTHER: Final = "Choose another name."


def csv_of(heading: Sequence[str]) -> Recognise:
    """Recognises a CSV with exactly these columns."""
    return lambda line: next(csv.reader([line]), None) == list(heading)


def json_with(*keys: str) -> Recognise:
    """Recognises lines of JSON whose objects have these keys."""

    def recognise(line: str) -> bool:
        row = _object(line)
        return row is not None and set(keys) <= set(row)

    return recognise


def posthoc_line(line: str) -> bool:
    """Whether it is a document of posthoc JSONL, without the answers that make it a control."""
    row = _object(line)
    if row is None or "id" not in row or not isinstance(row.get("annotations"), list):
        return False
    return not any(isinstance(item, dict) and "expected" in item for item in row["annotations"])


def check(paths: Sequence[Path], ours: Recognise | None = None, *, inputs: Collection[str] = ()) -> None:
    """Make sure that files can be written, and that nothing is lost by it, before any is.

    Args:
        paths: the files.
        ours: tells a result of this kind, which may be replaced; None: no file may be.
        inputs: SHA-256 of files that must stay as they are, whatever they look like.

    Raises:
        InputError: one would take the place of something else, belongs to a study, or is no place for a file.
        StateError: one cannot be written.
    """
    check_distinct(paths)
    for path in paths:
        place = _resolved(path)
        _refuse_place(path, place)
        if place.exists():
            _refuse_loss(path, place, ours, inputs)
        _refuse_closed(path, place)


def check_distinct(paths: Sequence[Path]) -> None:
    """Make sure that no two files are one.

    Raises:
        InputError: they are.
    """
    seen: set[Path] = set()
    for path in paths:
        if (place := _resolved(path)) in seen:
            raise InputError("two results would be written to one file", where=str(path), remedy=_ANOTHER)
        seen.add(place)


@contextmanager
def new_file(path: Path, ours: Recognise | None = None) -> Iterator[Any]:
    """A text file that takes the place of `path` only when it is whole; a missing folder is made.

    Raises:
        InputError: as for `check`.
        StateError: it cannot be written.
    """
    check([path], ours)
    with replacing(path) as file:
        yield file


@contextmanager
def replacing(path: Path) -> Iterator[Any]:
    """As `new_file`, where it is settled that the file may be replaced."""
    place = _resolved(path)
    with _said_of(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".posthoc-{secrets.token_hex(6)}.part")
        try:
            with draft.open("x", encoding="utf-8", newline="") as file:
                yield file
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)


def _resolved(path: Path) -> Path:
    """The file that is meant, behind links."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        raise InputError("no place for a file", where=ascii(str(path)), remedy=_ANOTHER) from None


def _refuse_place(path: Path, place: Path) -> None:
    if place.is_dir():
        raise InputError("a folder, where a file is to be written", where=str(path), remedy=_ANOTHER)
    for parent in place.parents:
        if parent.exists() and not parent.is_dir():
            raise InputError(
                "no file can lie there",
                where=str(path),
                got=f"{parent} is a file, not a folder",
                remedy=_ANOTHER,
            )
        if (parent / _CONFIG).is_file() and _belongs(place.relative_to(parent)):
            raise InputError("this file belongs to a study", where=str(path), remedy=_ANOTHER)


def _belongs(inside: Path) -> bool:
    """Whether a path inside a study's folder is kept for the study itself."""
    first = inside.parts[0]
    return first in _OWN_FILES | _OWN_FOLDERS or inside.name.endswith(_OWN_ENDINGS)


def _refuse_loss(path: Path, place: Path, ours: Recognise | None, inputs: Collection[str]) -> None:
    with _said_of(path):
        if not place.is_file():
            raise InputError("not a file of the ordinary kind", where=str(path), remedy=_ANOTHER)
        if not place.stat().st_size:
            return
        if inputs and hashlib.sha256(place.read_bytes()).hexdigest() in inputs:
            raise InputError(
                "this file was imported into the study and stays as it is", where=str(path), remedy=_ANOTHER
            )
        with place.open(encoding="utf-8", errors="replace", newline="") as file:
            line = file.readline(_FIRST_LINE).rstrip("\r\n")
    if ours is None:
        raise InputError(
            "there is such a file already; it may hold what somebody entered, so it stays",
            where=str(path),
            remedy=_ANOTHER,
        )
    if not ours(line):
        raise InputError(
            "there is a file of this name that is no earlier result of this kind",
            where=str(path),
            remedy=_ANOTHER,
        )


def _refuse_closed(path: Path, place: Path) -> None:
    """A file, or the nearest folder that is there, in which nothing may be written."""
    nearest = next(parent for parent in place.parents if parent.is_dir())
    closed = place if place.exists() and not os.access(place, os.W_OK) else nearest
    if not os.access(closed, os.W_OK):
        raise StateError("cannot be written", where=str(path), got=f"{closed} is read-only", remedy=_ANOTHER)


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    """Say of the file that was asked for what the system says of drafts and folders on the way."""
    try:
        yield
    except OSError as error:
        raise StateError("cannot be written", where=str(path), got=error.strerror or str(error)) from error


def _object(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
