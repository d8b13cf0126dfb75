"""Joins that many queries have in common."""

from __future__ import annotations

from typing import TypeVarTuple

from sqlalchemy import Select

from verifier.store.models import Dataset, DocumentRow, SegmentRow, TaskRow

Columns = TypeVarTuple("Columns")


def placed(query: Select[*Columns]) -> Select[*Columns]:
    """A query that has tasks, with the segment, document and dataset that each stands in."""
    return (
        query.join(SegmentRow, SegmentRow.id == TaskRow.segment_id)
        .join(DocumentRow, DocumentRow.id == SegmentRow.document_id)
        .join(Dataset, Dataset.id == DocumentRow.dataset_id)
    )
