"""The formats that can be written, and the one way to write a file: whole, or not at all."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis.documents import Document
from analysis.errors import InputError, plain
from verifier.corpus.writers import aida, elevant, nif, rows, wned
from verifier.corpus.writers.common import Draft, write_texts
from verifier.corpus.writers.sheet import Layout
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
        misfits: what of documents the format cannot hold, one annotation at a time; None: it can hold any.
    """

    name: str
    suffix: str
    lines: Callable[[Sequence[Document], Draft], Iterable[str]]
    texts: bool = False
    needs_text: bool = False
    misfits: Callable[[Sequence[Document], Draft], Iterator[aida.Misfit]] | None = None


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
        Writer("aida", ".aida.tsv", aida.write, texts=True, needs_text=True, misfits=aida.misfits),
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
    layout: Layout | None = None,
) -> list[str]:
    """Write one source's documents to a file; where texts stand apart, to a folder `RawText` beside it too.

    Args:
        documents: what to write.
        path: the file; an old one is replaced.
        form: one of `FORMATS`.
        name: of the corpus, where the format has a place for it.
        language: of bare titles.
        text: with the texts, or without them where they may not be passed on.
        layout: how the documents stood in the files that they came in, where that is known.

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
    draft = Draft(path, name, language, text, layout=layout or Layout())
    content = "".join(writer.lines(found, draft))
    draft.check()
    beside = [each for each in found if draft.apart is None or each.name in draft.apart]
    if writer.texts and text and beside:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_texts(beside, path.parent / TEXTS, draft)
    try:
        with replacing(path) as file:
            file.write(content)
    except BaseException:
        # Texts without their file would stand in the way of the next try.
        if writer.texts and text and beside:
            shutil.rmtree(path.parent / TEXTS, ignore_errors=True)
        raise
    return draft.notes()


@contextmanager
def together(out: Path) -> Iterator[None]:
    """All that is to be written into a folder, or nothing: one that was not there, or empty, is so again.

    Where `out` is a file, each file stands or falls by itself.
    """
    there = out.exists()
    new = not there or (out.is_dir() and not any(out.iterdir()))
    try:
        yield
    except BaseException:
        if new and out.is_dir():
            for path in out.iterdir():
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
            if not there:
                out.rmdir()
        raise
