"""The formats that can be written, and the one way to write a file: whole, or not at all."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis.documents import Document
from analysis.errors import InputError, plain
from verifier.corpus.writers import elevant, nif, rows, wned
from verifier.corpus.writers.common import Draft, write_texts
from verifier.corpus.writing import write_jsonl
from verifier.targets import replacing

TEXTS: Final = "RawText"


@dataclass(frozen=True)
class Writer:
    """A format that can be written.

    Attributes:
        name: of the format.
        suffix: of its files.
        lines: the file's text, piece by piece; notes and refusals go to the draft.
        texts: the texts stand apart, in a folder beside the file.
        needs_text: the format cannot do without the texts.
    """

    name: str
    suffix: str
    lines: Callable[[Sequence[Document], Draft], Iterable[str]]
    texts: bool = False
    needs_text: bool = False


def _jsonl(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    file = io.StringIO()
    write_jsonl(documents, file, text=draft.text)
    yield file.getvalue()


FORMATS: Final[dict[str, Writer]] = {
    writer.name: writer
    for writer in (
        Writer("jsonl", ".jsonl", _jsonl),
        Writer("elevant", ".elevant.jsonl", elevant.write),
        Writer("elevant-simple", ".simple.jsonl", elevant.write_simple),
        Writer("wned", ".xml", wned.write, texts=True, needs_text=True),
        Writer("nif", ".ttl", nif.write, needs_text=True),
        Writer("neleval", ".tsv", rows.write_neleval, texts=True),
        Writer("csv", ".csv", rows.write_csv),
    )
}


def format_of(name: str) -> Writer:
    """The writer of a format.

    Raises:
        InputError: the format cannot be written.
    """
    if name not in FORMATS:
        raise InputError("a format that cannot be written", got=plain(name), expected=", ".join(FORMATS))
    return FORMATS[name]


def write(
    documents: Iterable[Document],
    path: Path,
    *,
    form: str = "jsonl",
    name: str = "corpus",
    language: str = "en",
    text: bool = True,
) -> list[str]:
    """Write one source's documents to a file; where texts stand apart, to a folder `RawText` beside it too.

    Args:
        documents: what to write.
        path: the file; an old one is replaced.
        form: one of `FORMATS`.
        name: of the corpus, where the format has a place for it.
        language: of bare titles.
        text: with the texts, or without them where they may not be passed on.

    Returns:
        What the format has no place for and is therefore not in the file, in words.

    Raises:
        InputError: the format cannot be written, or not without texts, or cannot hold the documents; all that
            it cannot hold is listed, and nothing is written.
    """
    writer = format_of(form)
    if writer.needs_text and not text:
        raise InputError(f"{writer.name} cannot be written without the texts", remedy="Leave --no-text out.")
    found = list(documents)
    draft = Draft(path, name, language, text)
    content = "".join(writer.lines(found, draft))
    draft.check()
    if writer.texts and text:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_texts(found, path.parent / TEXTS, draft)
    with replacing(path) as file:
        file.write(content)
    return draft.notes()
