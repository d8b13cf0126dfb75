"""Texts that stand in a folder of their own, apart from the annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from analysis.documents import Document
from analysis.errors import InputError
from verifier.corpus.rows import BadRowError, Rows, decode, read_bytes, shown, storable

RAW_TEXT: Final = "RawText"


def lost_text(name: str, rows: Rows) -> str:
    """The text of a document that came without one: from the folder of texts, as decoded, or as known."""
    found = None if rows.known is None or has_text(name, rows) else rows.known(name)
    if found is not None:
        return found
    if rows.texts is None:
        raise BadRowError(
            "the document has no text", got=shown(name), remedy="Name the folder of texts with --texts."
        )
    for candidate in (rows.texts / name, rows.texts / f"{name}.txt"):
        if _inside(candidate, rows.texts):
            return _read(candidate, rows)
    raise BadRowError("no text for the document", got=shown(name), expected=f"{rows.texts}/{name}.txt")


def look_beside(rows: Rows) -> None:
    """Take the folder RawText beside the file for that of the texts, where no other was named; note it."""
    if rows.texts is None and (beside := rows.path.parent / RAW_TEXT).is_dir():
        rows.texts = beside
        rows.notes.append(f"The texts were taken from {beside}.")


def has_text(name: str, rows: Rows) -> bool:
    """Whether the folder of texts holds a text of that name."""
    return rows.texts is not None and any(
        _inside(rows.texts / file, rows.texts) for file in (name, f"{name}.txt")
    )


def without_annotations(named: Iterable[str], rows: Rows) -> Iterator[Document]:
    """The documents that exist only in the folder of texts: the source ran there and found nothing.

    Args:
        named: the documents that the file itself names.
        rows: what is known of the reading; the note of how many there were goes there.
    """
    if rows.texts is None:
        return
    if not rows.texts.is_dir():
        raise InputError("no such folder of texts", where=str(rows.texts), remedy="Check --texts.")
    names = set(named)
    known = {spelling for name in names for spelling in (name, f"{name}.txt")}
    # Where the names in the file have an ending, these keep theirs.
    whole = any(_inside(rows.texts / name, rows.texts) for name in names)
    count = 0
    for path in sorted(rows.texts.iterdir()):
        if path.name in known or path.name.startswith(".") or not path.is_file():
            continue
        try:
            text = _read(path, rows)
        except BadRowError as error:
            rows.bad(1, error)
            continue
        count += 1
        yield Document(path.name if whole or path.suffix != ".txt" else path.stem, text)
    if count:
        rows.notes.append(f"{count} documents stand only in {rows.texts}: nothing was annotated there.")


def _inside(path: Path, folder: Path) -> bool:
    try:
        return path.is_file() and path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False


def _read(path: Path, rows: Rows) -> str:
    try:
        text = decode(read_bytes(path), path, rows.encoding)
    except InputError as error:
        fault = error.problems[0]
        raise BadRowError(f"{fault.where}: {fault.what}", got=fault.got, remedy=fault.remedy) from None
    return storable(text, str(path))
