"""What all writers share: how an entity is spelled, what a format cannot hold, texts that stand apart."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from analysis.documents import Annotation, Document
from analysis.errors import InputError, Problem, StateError
from analysis.keys import LINK, NIL_KIND, NONE, OTHER, UNMAPPED, Entity, read_entity
from verifier.corpus.writers.sheet import Layout

NIL_SPELLING: Final = "NIL"
NO_WORD: Final = "annotations are left out that name no entity: the format has no word for them"
UNMAPPED_SPELLING: Final = "<NO_MAPPING>"
_TYPED = re.compile(r"(wd|w|dbp|id):(?:([a-z][a-z0-9-]{1,15}):)?(.+)\Z", re.DOTALL)


@dataclass
class Draft:
    """One file being written.

    Attributes:
        path: where it will stand, for messages.
        name: of the corpus.
        language: of bare titles.
        text: with the texts, or without.
        lost: what the format has no place for -> how often.
        problems: what cannot be written at all.
        layout: how the documents stood in the files that they came in, for formats that keep it.
        apart: the documents whose texts the file does without; None: all.
    """

    path: Path
    name: str
    language: str
    text: bool = True
    lost: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    layout: Layout = field(default_factory=Layout)
    apart: set[str] | None = None

    def refuse(self, document: Document, what: str, got: str = "", remedy: str = "") -> None:
        """Note what cannot be written; nothing is, then."""
        remedy = remedy or "Write posthoc JSONL (--format jsonl), which holds everything."
        self.problems.append(Problem(what, f"document {document.name!r}", got, remedy=remedy))

    def check(self) -> None:
        """Raise what was refused.

        Raises:
            InputError: anything was.
        """
        if self.problems:
            raise InputError.of(self.problems)

    def notes(self) -> list[str]:
        """What is not in the file, in words."""
        return [f"{self.path}: {count} {what}" for what, count in sorted(self.lost.items())]

    def no_place(self, documents: Sequence[Document], *, confidence: bool = False, span: bool = True) -> None:
        """Count what a format that holds neither must leave out."""
        for document in documents:
            self.lost["evaluation spans are left out: the format has no place for them"] += (
                span and document.evaluation is not None
            )
            scores = sum(a.confidence is not None for a in document.annotations)
            self.lost["confidences are left out: the format has no place for them"] += confidence * scores
        self.lost += Counter()  # without zeros


@lru_cache(maxsize=200_000)
def _reads_as(spelled: str, language: str) -> Entity | None:
    try:
        return read_entity(spelled, language)
    except InputError:
        return None


def spelled(entity: Entity, language: str, *, nil: str = NIL_SPELLING) -> str:
    """The entity as text that reads back as the same: as given if that does, else its key in plain words.

    Empty where no link was given. What is unmapped or no entity keeps its own label if it has one.
    """
    raw = entity.raw
    if entity.kind == NONE:
        return ""
    if (
        raw is not None
        and (read := _reads_as(raw, language))
        and (read.kind, read.key) == (entity.kind, entity.key)
    ):
        return raw.strip()
    if entity.kind == NIL_KIND:
        return nil
    if entity.kind == UNMAPPED:
        return UNMAPPED_SPELLING
    if entity.kind == LINK and entity.key is not None:
        return _plain(entity.key, language)
    return raw or ""


def _plain(key: str, language: str) -> str:
    """A key without its prefix, where it reads back as the same without."""
    _, edition, rest = split_key(key)
    if edition in (None, language) and (read := _reads_as(rest, language)) and read.key == key:
        return rest
    return key


def split_key(key: str) -> tuple[str, str | None, str]:
    """The parts of a key: its type, its language edition if it has one, and the rest."""
    match = _TYPED.match(key)
    if match is None:
        return "", None, key
    if match[1] in ("wd", "id"):
        return match[1], None, key.split(":", 1)[1]
    return match[1], match[2], match[3]


def entities(document: Document, draft: Draft) -> Iterator[Annotation]:
    """The annotations, but for quantities and dates: most formats would take their labels for titles."""
    for annotation in document.annotations:
        if annotation.entity.kind == OTHER:
            draft.lost[NO_WORD] += 1
        else:
            yield annotation


def cell(document: Document, value: str, what: str, draft: Draft, forbidden: str = "") -> str:
    """`value`, if it can stand in a cell: no mark in it that parts cells, no space that would be trimmed."""
    if found := next((mark for mark in value if mark in forbidden), None):
        draft.refuse(document, f"the {what} holds {found!r}, which parts cells and lines", repr(value))
    elif value != value.strip():
        draft.refuse(document, f"the {what} begins or ends with a space", repr(value))
    return value


def write_texts(documents: Sequence[Document], folder: Path, draft: Draft) -> None:
    """The texts, a file each, byte for byte; a mark of byte order at a text's start is kept by a second one.

    Raises:
        InputError: a document's name is no file name, or the folder is there and holds something.
        StateError: they cannot be written; nothing is left of them.
    """
    for document in documents:
        name = document.name
        if name.startswith(".") or len(name.encode()) > 200 or re.search(r'[/\\:*?"<>|\x00-\x1f]', name):  # noqa: PLR2004 - 255 bytes less an ending
            draft.refuse(document, "the document's name cannot be the name of a file", repr(name))
    draft.check()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "the folder of texts is there already", where=str(folder), remedy="Name a new folder."
        )
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        for document in documents:
            kept = "\ufeff" + document.text if document.text.startswith("\ufeff") else document.text
            (part / document.name).write_bytes(kept.encode())
        part.replace(folder)
    except OSError as error:
        got = error.strerror or str(error)
        raise StateError("the texts cannot be written", where=str(folder), got=got) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
