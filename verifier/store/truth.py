"""The links of one source over all datasets: what a simulated crowd takes for true."""

from __future__ import annotations

from typing import cast

from sqlalchemy import select
from sqlalchemy.orm import Session

from analysis.documents import Annotation, Document, Span
from analysis.keys import Entity, Kind
from verifier.store.models import AnnotationRow, DocumentRow, SourceDocument, SourceRow


def source_documents(session: Session, source: str) -> list[Document]:
    """The documents that the source ran on, with its annotations; none if there is no such source."""
    ran = (
        select(DocumentRow)
        .join(SourceDocument, SourceDocument.document_id == DocumentRow.id)
        .join(SourceRow, SourceRow.id == SourceDocument.source_id)
        .where(SourceRow.name == source, SourceDocument.ran.is_(True))
        .order_by(DocumentRow.id)
    )
    found: dict[int, list[Annotation]] = {}
    links = select(AnnotationRow).join(SourceRow, SourceRow.id == AnnotationRow.source_id)
    for row in session.scalars(links.where(SourceRow.name == source).order_by(AnnotationRow.id)):
        entity = Entity(cast("Kind", row.kind), row.key, row.raw)
        found.setdefault(row.document_id, []).append(Annotation(Span(row.start, row.end), entity))
    return [
        Document(document.name, document.text, tuple(found.get(document.id, ())))
        for document in session.scalars(ran)
    ]
