"""Says which format a corpus file is in, and why; refuses what it cannot tell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from analysis.documents import Document
from analysis.errors import InputError, plain
from verifier.corpus import aida, conel, elevant, jsonl, neleval, nif, rel, table, wned
from verifier.corpus.rows import Rows, shown

Reader = Callable[[str, Rows], Iterator[Document]]


class Recognised(NamedTuple):
    """A format, the reader for it, and what it was recognised by."""

    name: str
    reader: Reader
    why: str


FORMATS: Final = ("auto", "jsonl", "elevant", "wned", "aida", "nif", "rel", "csv", "neleval", "conel")
_READERS: Final[dict[str, Reader]] = {
    "jsonl": jsonl.read,
    "wned": wned.read,
    "aida": aida.read,
    "nif": nif.read,
    "rel": rel.read,
    "csv": table.read,
    "neleval": neleval.read,
    "conel": conel.read,
}
_LINKED_NAME: Final = "linked_articles"
_WNED: Final = re.compile(r"<(?:document\s[^>]*docName|[\w.-]*entityAnnotation\b)")
_NIF: Final = re.compile(r"nlp2rdf/ontologies/nif-core#|\bnif:(?:isString|Context|referenceContext)\b")
_TURTLE: Final = re.compile(
    r"(?:\s|#[^\n]*\n)*(?:@?prefix\b|@?base\b|<[^>\s]*>\s+(?:a|<|\w*:))", re.IGNORECASE
)
_WHOLE: Final = re.compile(r"-?\d+\Z")
# Enough of a file to tell by; formats that need more look for themselves.
_HEAD = 20_000
_EXPECTED: Final = (
    "JSON objects with 'annotations' (posthoc JSONL), 'labels' or 'entity_mentions' or 'predictions' "
    "(ELEVANT) or 'response' (REL), WNED XML, NIF in Turtle, AIDA TSV beginning with -DOCSTART-, "
    "neleval TSV, or a table with columns document, start, end, entity (named otherwise: --map FILE)"
)


def recognise(text: str, path: Path, wanted: str = "auto", *, mapped: bool = False) -> Recognised:
    """The format of a file.

    Args:
        text: its content.
        path: its name, which can decide where the content does not.
        wanted: one of `FORMATS`; a name in place of `auto` must fit the content.
        mapped: whether it was said which column is what.

    Raises:
        InputError: `wanted` is no format, or the content is of none that is known.
    """
    if wanted not in FORMATS:
        raise InputError("unknown format", got=plain(wanted), expected=", ".join(FORMATS))
    if mapped and wanted not in ("auto", "csv"):
        raise InputError("only tables have a mapping", got=f"--format {wanted} with --map", expected="csv")
    if wanted in _READERS:
        return Recognised(wanted, _READERS[wanted], "it was asked for")
    if mapped:
        return Recognised(table.NAME, table.read, "a mapping of its columns was given")
    first = next((line for line in text.split("\n") if line.strip()), "")
    if not first:
        raise InputError("the file is empty", where=f"{path}:1", expected="documents with annotations")
    if wanted == "elevant":
        return _elevant(_keys(text), path)
    heading = next(line for line in first.split("\r") if line.strip())
    if found := _by_layout(text, first) or _by_json(text, path) or _by_columns(heading):
        return found
    raise InputError(
        "format not recognised",
        where=f"{path}:1",
        got=shown(first),
        expected=_EXPECTED,
        remedy="Name the format with --format if the file is one of these.",
    )


def _by_layout(text: str, first: str) -> Recognised | None:
    """What has marks of its own."""
    head = text[:_HEAD]
    if first.lstrip().startswith("<") and (match := _WNED.search(head)):
        return Recognised(wned.NAME, wned.read, f"it is XML with {match[0].split()[0]}>")
    if first.startswith("-DOCSTART-"):
        return Recognised(aida.NAME, aida.read, "it begins with -DOCSTART-")
    if _TURTLE.match(head) and (match := _NIF.search(text)):
        return Recognised(nif.NAME, nif.read, f"it is Turtle with {match[0]}")
    return None


def _by_json(text: str, path: Path) -> Recognised | None:
    start = text.lstrip()[:1]
    keys = _keys(text) if start == "{" else set()
    if start == "{" and (keys & {"labels", "entity_mentions", "predictions"} or _LINKED_NAME in path.name):
        return _elevant(keys, path)
    if "response" not in keys and ("annotations" in keys or {"id", "text"} <= keys):
        why = "its lines have 'annotations'" if "annotations" in keys else "its lines have 'id' and 'text'"
        return Recognised(jsonl.NAME, jsonl.read, why)
    if start == "[" and (found := _conel(text)):
        return found
    if start and start in "{[" and (why := _rel(text, keys)):
        return Recognised(rel.NAME, rel.read, why)
    return None


def _conel(text: str) -> Recognised | None:
    first = next(iter(value), None) if isinstance(value := rel.whole(text), list) else None
    if conel.is_dialogue(first):
        return Recognised(conel.NAME, conel.read, "it is a list of dialogues with turns")
    if conel.is_run(first):
        return Recognised(conel.NAME, conel.read, "it is a list of dialogue, turn, mention, entity")
    return None


def _rel(text: str, keys: set[str]) -> str:
    """Why it looks like what REL answers; empty if it does not."""
    if "response" in keys:
        return "its lines have 'response'"
    value = rel.whole(text)
    if rel.is_mentions(value):
        return "it is a list of REL's mentions"
    if isinstance(value, dict) and "response" in value:
        return "it has 'response'"
    if isinstance(value, dict) and value and all(map(rel.is_mentions, value.values())):
        return "it is one object, document -> REL's mentions"
    return ""


def _by_columns(first: str) -> Recognised | None:
    columns = first.rstrip("\r").split("\t")
    if len(columns) > 3 and neleval.TAC_PLACE.match(columns[3]):  # noqa: PLR2004 - the fourth
        return Recognised(neleval.NAME, neleval.read, "its fourth column is a document:start-end")
    if len(columns) > 2 and all(_WHOLE.match(value.strip()) for value in columns[1:3]):  # noqa: PLR2004 - the third
        return Recognised(neleval.NAME, neleval.read, "its second and third columns are offsets")
    names = set(table.header_of(first))
    if {"document", "start", "entity"} <= names:
        return Recognised(table.NAME, table.read, "its first line names document, start and entity")
    return None


def _elevant(keys: set[str], path: Path) -> Recognised:
    if "entity_mentions" in keys:
        why = "its lines have 'entity_mentions': the labels beside them are not the linker's"
        return Recognised(elevant.MENTIONS, elevant.read_mentions, why)
    if _LINKED_NAME in path.name:
        why = f"its name says {_LINKED_NAME}; no line has 'entity_mentions', so nothing was found"
        return Recognised(elevant.MENTIONS, elevant.read_mentions, why)
    if "predictions" in keys:
        return Recognised(elevant.SIMPLE, elevant.read_simple, "its lines have 'predictions'")
    if "labels" in keys and keys & {"entity_reference", "start_char"}:
        return Recognised(elevant.SIMPLE, elevant.read_simple, "its labels have 'entity_reference'")
    if "labels" in keys:
        return Recognised(elevant.LABELS, elevant.read_labels, "its lines have 'labels'")
    raise InputError(
        "neither an ELEVANT benchmark nor its linked articles",
        where=f"{path}:1",
        got=f"lines with {', '.join(sorted(keys)) or 'no keys'}",
        expected="'labels', 'entity_mentions' or 'predictions' in at least one line",
    )


def _keys(text: str) -> set[str]:
    """The keys that the objects of the file have, all together, those of their labels too."""
    keys: set[str] = set()
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue  # told as a bad row by the reader
        if isinstance(value, dict):
            keys.update(value)
            labels = value.get("labels")
            if isinstance(labels, list) and labels and isinstance(labels[0], dict):
                keys.update(labels[0].keys() & {"entity_reference", "start_char"})
        if "entity_mentions" in keys or "annotations" in keys:
            break  # nothing that follows can change what it is
    return keys
