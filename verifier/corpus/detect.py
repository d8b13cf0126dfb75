"""Says which format a corpus file is in, and why; refuses what it cannot tell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from analysis.documents import Document
from analysis.errors import InputError
from verifier.corpus import elevant, jsonl
from verifier.corpus.rows import Rows, shown

Reader = Callable[[str, Rows], Iterator[Document]]


class Recognised(NamedTuple):
    """A format, the reader for it, and what it was recognised by."""

    name: str
    reader: Reader
    why: str


FORMATS: Final = ("auto", "jsonl", "elevant")
_LINKED_NAME: Final = "linked_articles"


def recognise(text: str, path: Path, wanted: str = "auto") -> Recognised:
    """The format of a file.

    Args:
        text: its content.
        path: its name, which can decide where the content does not.
        wanted: one of `FORMATS`; a name in place of `auto` must fit the content.

    Raises:
        InputError: `wanted` is no format, or the content is of none that is known.
    """
    if wanted not in FORMATS:
        raise InputError("unknown format", got=repr(wanted), expected=", ".join(FORMATS))
    if wanted == "jsonl":
        return Recognised(jsonl.NAME, jsonl.read, "it was asked for")
    keys, first = _keys(text)
    if not first:
        raise InputError("the file is empty", where=str(path), expected="a document a line")
    if wanted == "elevant" or keys & {"labels", "entity_mentions"} or _LINKED_NAME in path.name:
        return _elevant(keys, path)
    if "annotations" in keys or {"id", "text"} <= keys:
        why = "its lines have 'annotations'" if "annotations" in keys else "its lines have 'id' and 'text'"
        return Recognised(jsonl.NAME, jsonl.read, why)
    raise InputError(
        "format not recognised",
        where=f"{path}:1",
        got=shown(first),
        expected="JSON objects with 'annotations' (posthoc JSONL), 'labels' or 'entity_mentions' (ELEVANT)",
        remedy="Name the format with --format if the file is one of these.",
    )


def _elevant(keys: set[str], path: Path) -> Recognised:
    if "entity_mentions" in keys:
        why = "its lines have 'entity_mentions': the labels beside them are not the linker's"
        return Recognised(elevant.MENTIONS, elevant.read_mentions, why)
    if _LINKED_NAME in path.name:
        why = f"its name says {_LINKED_NAME}; no line has 'entity_mentions', so nothing was found"
        return Recognised(elevant.MENTIONS, elevant.read_mentions, why)
    if "labels" in keys:
        return Recognised(elevant.LABELS, elevant.read_labels, "its lines have 'labels'")
    raise InputError(
        "neither an ELEVANT benchmark nor its linked articles",
        where=str(path),
        got=f"lines with {', '.join(sorted(keys)) or 'no keys'}",
        expected="'labels' or 'entity_mentions' in at least one line",
    )


def _keys(text: str) -> tuple[set[str], str]:
    """The keys that the objects of the file have, all together, and its first line that is not empty."""
    keys: set[str] = set()
    first = ""
    for line in text.split("\n"):
        if not line.strip():
            continue
        first = first or line
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue  # told as a bad row by the reader
        if isinstance(value, dict):
            keys.update(value)
        if "entity_mentions" in keys or "annotations" in keys:
            break  # nothing that follows can change what it is
    return keys, first
