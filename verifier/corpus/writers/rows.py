"""Writes neleval (TAC) TSV, the texts apart, and CSV: a row an annotation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from analysis.csv_lines import line
from analysis.documents import Annotation, Document
from verifier.corpus.writers.common import Draft, cell, entities, spelled

COLUMNS: Final = ("document", "start", "end", "mention", "entity", "confidence")
_NOTHING: Final = ("",) * 5
_PARTS: Final = "\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def write_neleval(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    """Document, start, last character, entity and, where known, the score; tabs between.

    A document without annotations has no row; its text in the folder says that it is there.
    """
    draft.no_place(documents)
    for document in documents:
        name = cell(document, document.name, "document's name", draft, _PARTS)
        if name.startswith("#"):
            draft.refuse(document, "the document's name begins with #, as a remark does", repr(name))
        held = list(entities(document, draft))
        if not held and not draft.text:
            draft.lost["documents without annotations have no row, and no text to say they are there"] += 1
        for annotation in held:
            entity = cell(document, spelled(annotation.entity, draft.language), "entity", draft, _PARTS)
            start, end = annotation.span
            cells = [name, str(start), str(end - 1), entity]
            if annotation.confidence is not None:
                cells.append(repr(annotation.confidence))
            yield "\t".join(cells) + "\n"


def write_csv(documents: Sequence[Document], draft: Draft) -> Iterator[str]:
    """A header and a row an annotation; a document's first row has its text, even if it has nothing else."""
    draft.no_place(documents)
    columns = (*COLUMNS, "text") if draft.text else COLUMNS
    yield line(columns)
    for document in documents:
        cell(document, document.name, "document's name", draft)
        if draft.text and not document.text:
            draft.refuse(document, "the text is empty, as one that is not given")
        rows = [_cells(document, a, draft) for a in entities(document, draft)] or [_NOTHING]
        for number, row in enumerate(rows):
            text = [document.text if number == 0 else ""] if draft.text else []
            yield line([document.name, *row, *text])


def _cells(document: Document, annotation: Annotation, draft: Draft) -> tuple[Any, ...]:
    start, end = annotation.span
    mention = document.text[start:end] if draft.text else ""
    score = "" if annotation.confidence is None else repr(annotation.confidence)
    return (start, end, mention, spelled(annotation.entity, draft.language), score)
