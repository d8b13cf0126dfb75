"""Datasets, documents, sources and annotations in the database: what an import reads and writes, in bulk."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import delete, exists, func, insert, select, update
from sqlalchemy.orm import Session

from analysis.documents import Annotation, Document, Span
from analysis.errors import StateError
from analysis.keys import LINK, scheme
from verifier.store.models import (
    AnnotationRow,
    AssignmentRow,
    ControlAnswer,
    ControlRow,
    Credit,
    Dataset,
    DisplayRow,
    DocumentRow,
    Event,
    ImportFile,
    ImportLayout,
    SegmentRow,
    SourceDocument,
    SourceRow,
    Splitter,
    StratumRow,
    StudyFact,
    TaskRow,
    TaskSlot,
)

DUPLICATE: Final = "duplicate"
_NAMES: Final = 1000  # asked for at once; databases bound the values of a statement


@dataclass(frozen=True)
class Stored:
    """A document in the database.

    Attributes:
        id: its row.
        text: as imported.
        evaluation: what part of it is judged and scored.
        ran: the source that is being imported has run on it.
        cut: the grid of segments is laid on it.
    """

    id: int
    text: str
    evaluation: Span
    ran: bool
    cut: bool


@dataclass(frozen=True)
class Origin:
    """Where documents come from.

    Attributes:
        file: the file's name.
        sha256: of its bytes.
        format: what it was read as.
        importer: name and version of the reader.
    """

    file: str
    sha256: str
    format: str
    importer: str


def ensure_dataset(session: Session, name: str, language: str, licence: str | None) -> int:
    """The dataset's row, made if need be.

    Raises:
        StateError: it is there with another language, in which its titles were read.
    """
    row = session.scalars(select(Dataset).where(Dataset.name == name)).first()
    if row is None:
        row = Dataset(name=name, language=language, licence=licence)
        session.add(row)
        session.flush()
    if row.language != language:
        raise StateError(
            f"the dataset {name} was imported with another language",
            where=f"study.yaml, datasets.{name}.language",
            got=language,
            expected=row.language,
            remedy="Put the language back, or give the other texts a dataset of their own.",
        )
    row.licence = licence
    return row.id


def ensure_source(session: Session, name: str, role: str, version: str | None) -> int:
    """The source's row, made if need be; role and version are those of the configuration."""
    row = session.scalars(select(SourceRow).where(SourceRow.name == name)).first()
    if row is None:
        row = SourceRow(name=name, role=role, version=version)
        session.add(row)
    row.role, row.version = role, version
    session.flush()
    return row.id


def imported(session: Session, dataset: int, source: int) -> list[str]:
    """The hashes of the files that were imported for a source in a dataset."""
    query = select(ImportFile.sha256).where(ImportFile.dataset_id == dataset, ImportFile.source_id == source)
    return list(session.scalars(query))


def files(session: Session) -> set[str]:
    """The hashes of all files that were imported."""
    return set(session.scalars(select(ImportFile.sha256)))


def stored_documents(session: Session, dataset: int, source: int, names: Sequence[str]) -> dict[str, Stored]:
    """Those of the named documents that the dataset has, by name."""
    ran = exists().where(SourceDocument.document_id == DocumentRow.id, SourceDocument.source_id == source)
    cut = exists().where(SegmentRow.document_id == DocumentRow.id)
    start, end = DocumentRow.evaluation_start, DocumentRow.evaluation_end
    query = select(DocumentRow.name, DocumentRow.id, DocumentRow.text, start, end, ran, cut).where(
        DocumentRow.dataset_id == dataset
    )
    return {
        name: Stored(row_id, text, Span(first, last), ran=has_run, cut=is_cut)
        for place in range(0, len(names), _NAMES)
        for name, row_id, text, first, last, has_run, is_cut in session.execute(
            query.where(DocumentRow.name.in_(names[place : place + _NAMES]))
        )
    }


def texts_of(session: Session, dataset: str) -> dict[str, str]:
    """The texts of a dataset, by document; none if it is not there."""
    query = select(DocumentRow.name, DocumentRow.text).join(Dataset).where(Dataset.name == dataset)
    return dict(session.execute(query).all())


def add_file(session: Session, dataset: int, source: int, origin: Origin, now: datetime) -> int:
    """Put down that a file was imported."""
    row = ImportFile(
        dataset_id=dataset,
        source_id=source,
        file=origin.file,
        sha256=origin.sha256,
        format=origin.format,
        importer=origin.importer,
        imported=now,
    )
    session.add(row)
    session.flush()
    return row.id


def keep_layout(session: Session, file: int, layout: str) -> bool:
    """Keep all that stands in an imported file; whether that was not done before."""
    if session.get(ImportLayout, file) is not None:
        return False
    session.add(ImportLayout(import_id=file, content=zlib.compress(layout.encode())))
    return True


def file_of(session: Session, dataset: int, source: int, sha256: str) -> int:
    """The row of a file that was imported for a source in a dataset."""
    query = select(ImportFile.id).where(
        ImportFile.dataset_id == dataset, ImportFile.source_id == source, ImportFile.sha256 == sha256
    )
    return session.scalars(query).one()


class KeptFile(NamedTuple):
    """An imported file: its name and format, what was noted of it, all that stands in it if that was kept."""

    name: str
    format: str
    notes: list[str]
    layout: str | None


def kept_files(session: Session, dataset: str, source: str) -> list[KeptFile]:
    """The files of a source in a dataset, as they were imported."""
    query = (
        select(ImportFile.id, ImportFile.file, ImportFile.format, ImportLayout.content)
        .join(Dataset, Dataset.id == ImportFile.dataset_id)
        .join(SourceRow, SourceRow.id == ImportFile.source_id)
        .outerjoin(ImportLayout, ImportLayout.import_id == ImportFile.id)
        .where(Dataset.name == dataset, SourceRow.name == source)
        .order_by(ImportFile.id)
    )
    events = session.scalars(select(Event.data).where(Event.kind == "import"))
    notes = {data["import"]: data.get("notes", []) for data in events}
    return [
        KeptFile(name, form, notes.get(row, []), None if kept is None else zlib.decompress(kept).decode())
        for row, name, form, kept in session.execute(query)
    ]


def note_import(session: Session, file: int, decided: dict[str, Any], now: datetime) -> None:
    """Put down, for good, what was decided while a file was read: rules taken, spans put right."""
    session.add(Event(assignment_id=None, kind="import", data={"import": file, **decided}, at=now))


def add_documents(session: Session, dataset: int, file: int, documents: Iterable[Document]) -> dict[str, int]:
    """Put new documents in; their rows by name."""
    rows = [
        {
            "dataset_id": dataset,
            "name": document.name,
            "text": document.text,
            "sha256": hashlib.sha256(document.text.encode()).hexdigest(),
            "evaluation_start": document.evaluation.start if document.evaluation else 0,
            "evaluation_end": document.evaluation.end if document.evaluation else len(document.text),
            "import_id": file,
        }
        for document in documents
    ]
    if rows:
        session.execute(insert(DocumentRow), rows)
    query = select(DocumentRow.name, DocumentRow.id).where(DocumentRow.import_id == file)
    return dict(session.execute(query).all())


def set_evaluation(session: Session, document: int, span: Span) -> None:
    """State which part of a document, not yet cut into segments, is judged and scored."""
    session.execute(
        update(DocumentRow)
        .where(DocumentRow.id == document)
        .values(evaluation_start=span.start, evaluation_end=span.end)
    )


def add_annotations(session: Session, source: int, documents: Iterable[tuple[int, Document]]) -> int:
    """Put in what a source made of documents; how many were the same as one before in their document."""
    annotations: list[dict[str, Any]] = []
    ran: list[dict[str, Any]] = []
    duplicates = 0
    for row_id, document in documents:
        ran.append({"source_id": source, "document_id": row_id, "ran": True, "n": len(document.annotations)})
        seen: set[tuple[Any, ...]] = set()
        for annotation in document.annotations:
            identity = _identity(annotation)
            again = identity in seen
            seen.add(identity)
            duplicates += again
            annotations.append(_row(annotation, source, row_id, document.text, again=again))
    if ran:
        session.execute(insert(SourceDocument), ran)
    if annotations:
        session.execute(insert(AnnotationRow), annotations)
    return duplicates


def _identity(annotation: Annotation) -> tuple[Any, ...]:
    entity = annotation.entity
    return (*annotation.span, entity.kind, entity.key or entity.raw)


def _row(annotation: Annotation, source: int, document: int, text: str, *, again: bool) -> dict[str, Any]:
    span, entity = annotation.span, annotation.entity
    return {
        "source_id": source,
        "document_id": document,
        "start": span.start,
        "end": span.end,
        "mention": text[span.start : span.end],
        "raw": entity.raw,
        "key": entity.key,
        "kind": entity.kind,
        "confidence": annotation.confidence,
        "shown": False if again else None,
        "reason": DUPLICATE if again else None,
    }


def shared_items(
    session: Session, source: int, documents: Sequence[tuple[int, Document]], targets: Mapping[str, str]
) -> tuple[dict[str, int], dict[str, set[str]]]:
    """How many items other sources share with what is being imported, and the schemes of their keys.

    Args:
        session: the database.
        source: who the annotations are of.
        documents: rows of documents and what the source made of them.
        targets: the redirects in force.
    """
    ours = {
        row_id: {
            (*a.span, targets.get(a.entity.key or "", a.entity.key))
            for a in document.annotations
            if a.entity.kind == LINK
        }
        for row_id, document in documents
    }
    annotation = AnnotationRow
    query = (
        select(SourceRow.name, annotation.document_id, annotation.start, annotation.end, annotation.key)
        .join(SourceRow, SourceRow.id == annotation.source_id)
        .where(annotation.source_id != source, annotation.kind == LINK)
        .distinct()
    )
    shared: dict[str, int] = {}
    schemes: dict[str, set[str]] = {}
    rows = list(ours)
    for place in range(0, len(rows), _NAMES):
        for name, document, start, end, key in session.execute(
            query.where(annotation.document_id.in_(rows[place : place + _NAMES]))
        ):
            stands = targets.get(key or "", key or "")
            shared[name] = shared.get(name, 0) + ((start, end, stands) in ours[document])
            schemes.setdefault(name, set()).add(scheme(stands))
    return dict(sorted(shared.items())), schemes


def is_drawn(session: Session) -> bool:
    """Whether any worker has been given tasks."""
    return bool(session.scalar(select(func.count(AssignmentRow.id))))


def is_planned(session: Session) -> bool:
    """Whether the grid is laid and tasks are drawn up."""
    return bool(session.scalar(select(func.count(SegmentRow.id))))


def drop_plan(session: Session) -> None:
    """Take away a plan that nothing was drawn from; every annotation is unplanned again."""
    for table in (
        ControlAnswer,
        ControlRow,
        Credit,
        DisplayRow,
        TaskSlot,
        StratumRow,
        TaskRow,
        SegmentRow,
        Splitter,
    ):
        session.execute(delete(table))
    session.execute(
        delete(StudyFact).where(StudyFact.name.in_(("plan_sha256", "planned", "sampling", "lock")))
    )
    # Planning finds more duplicates, after redirects; those that the import found stay: never the first.
    annotation = AnnotationRow
    same = annotation.source_id, annotation.document_id, annotation.start, annotation.end, annotation.kind
    first = select(func.min(annotation.id)).group_by(*same, func.coalesce(annotation.key, annotation.raw))
    session.execute(
        update(annotation)
        .where(annotation.reason.is_(None) | (annotation.reason != DUPLICATE) | annotation.id.in_(first))
        .values(shown=None, reason=None)
        .execution_options(synchronize_session=False)
    )


def clear(session: Session, dataset: int, source: int) -> None:
    """Take away all that a source has in a dataset, and the documents that no other source ran on."""
    there = select(DocumentRow.id).where(DocumentRow.dataset_id == dataset)
    session.execute(
        delete(AnnotationRow).where(AnnotationRow.source_id == source, AnnotationRow.document_id.in_(there))
    )
    session.execute(
        delete(SourceDocument).where(
            SourceDocument.source_id == source, SourceDocument.document_id.in_(there)
        )
    )
    needed = exists().where(SourceDocument.document_id == DocumentRow.id)
    session.execute(delete(DocumentRow).where(DocumentRow.dataset_id == dataset, ~needed))
    gone = select(ImportFile.id).where(ImportFile.dataset_id == dataset, ImportFile.source_id == source)
    # What remains was confirmed by another source, whose file then stands as its origin.
    other = (
        select(func.min(ImportFile.id))
        .join(SourceDocument, SourceDocument.source_id == ImportFile.source_id)
        .where(ImportFile.dataset_id == dataset, SourceDocument.document_id == DocumentRow.id)
        .scalar_subquery()
    )
    session.execute(
        update(DocumentRow)
        .where(DocumentRow.import_id.in_(gone))
        .values(import_id=other)
        .execution_options(synchronize_session=False)
    )
    session.execute(delete(ImportLayout).where(ImportLayout.import_id.in_(gone)))
    session.execute(
        delete(ImportFile).where(ImportFile.dataset_id == dataset, ImportFile.source_id == source)
    )


def documents_of(
    session: Session, dataset: str, source: str
) -> list[tuple[DocumentRow, list[AnnotationRow]]]:
    """The documents of a dataset that a source ran on, by name, with its annotations in text order.

    Raises:
        StateError: the source ran on none of them.
    """
    query = (
        select(DocumentRow, SourceRow.id)
        .join(Dataset)
        .join(SourceDocument, SourceDocument.document_id == DocumentRow.id)
        .join(SourceRow, SourceRow.id == SourceDocument.source_id)
        .where(Dataset.name == dataset, SourceRow.name == source, SourceDocument.ran)
        .order_by(DocumentRow.id)
    )
    found = session.execute(query).all()
    if not found:
        raise StateError(
            "nothing to write", got=f"dataset {dataset}, source {source}", remedy=known_names(session)
        )
    made: dict[int, list[AnnotationRow]] = {document.id: [] for document, _ in found}
    annotations = select(AnnotationRow).where(AnnotationRow.source_id == found[0][1])
    for annotation in session.scalars(annotations.order_by(AnnotationRow.start, AnnotationRow.id)):
        if annotation.document_id in made:
            made[annotation.document_id].append(annotation)
    return [(document, made[document.id]) for document, _ in found]


def language_of(session: Session, dataset: str) -> str:
    """The language of a dataset that is there."""
    return session.scalars(select(Dataset.language).where(Dataset.name == dataset)).one()


def format_of(session: Session, dataset: str, source: str) -> str | None:
    """What the newest file of a source in a dataset was read as; None if it has none there."""
    query = (
        select(ImportFile.format)
        .join(Dataset, Dataset.id == ImportFile.dataset_id)
        .join(SourceRow, SourceRow.id == ImportFile.source_id)
        .where(Dataset.name == dataset, SourceRow.name == source)
        .order_by(ImportFile.id.desc())
    )
    return session.scalars(query).first()


def known_names(session: Session) -> str:
    """Which datasets and sources there are, as a hint."""
    datasets = ", ".join(session.scalars(select(Dataset.name).order_by(Dataset.id)))
    sources = ", ".join(session.scalars(select(SourceRow.name).order_by(SourceRow.id)))
    return f"There are the datasets {datasets or '(none)'} and the sources {sources or '(none)'}."


def pairs(session: Session, dataset: str | None = None, source: str | None = None) -> list[tuple[str, str]]:
    """The datasets and sources, by name, where a source ran on a document; those asked for alone."""
    query = (
        select(Dataset.name, SourceRow.name)
        .select_from(SourceDocument)
        .join(SourceRow)
        .join(DocumentRow)
        .join(Dataset)
        .where(SourceDocument.ran)
        .distinct()
        .order_by(Dataset.name, SourceRow.name)
    )
    if dataset is not None:
        query = query.where(Dataset.name == dataset)
    if source is not None:
        query = query.where(SourceRow.name == source)
    return [(name, maker) for name, maker in session.execute(query)]
