"""How the corpora of a study stood in the files that they came in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from verifier.corpus import aida
from verifier.corpus.writers.sheet import Layout, originals
from verifier.store import corpora

if TYPE_CHECKING:
    from analysis.documents import Document
    from verifier.store import Session


def layout_of(
    session: Session, dataset: str, source: str, documents: Iterable[Document], form: str
) -> Layout:
    """What is known of the lines of documents, for a writer that keeps them.

    Args:
        session: the study.
        dataset: where.
        source: whose.
        documents: the source's, as they were imported.
        form: the format to be written; none but AIDA's needs lines.
    """
    if form != aida.NAME:
        return Layout()
    files = [file for file in corpora.kept_files(session, dataset, source) if file.format == aida.NAME]
    lost = [file for file in files if file.layout is None]
    return Layout(
        originals((file.name, file.layout) for file in files if file.layout is not None),
        {document.name: document.annotations for document in documents},
        lost=bool(lost),
        joined=not any(aida.ALIGNED in note for file in lost for note in file.notes),
    )
