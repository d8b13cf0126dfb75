"""Which corrections the format that a benchmark is written in can hold: one that it cannot is not made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from analysis.changes import GIVES_WAY, Change
from analysis.corrections import Corrections
from analysis.documents import Document
from verifier.corpus.writers import Writer
from verifier.corpus.writers.common import Draft
from verifier.corpus.writers.sheet import Layout

STAYS: Final = "what it gives way to cannot be written"

# The ground truth of one dataset with corrections.
Make = Callable[[Corrections], Sequence[Document]]


@dataclass(frozen=True)
class Refusal:
    """A correction that is not made, and why."""

    change: Change
    why: str

    def __str__(self) -> str:
        """In words."""
        change = self.change
        place = f"document {change.document!r}, {change.span.start} to {change.span.end}"
        return f"not made: {change.action} in {place}: {self.why}"


@dataclass(frozen=True)
class Fitting:
    """The corrections of one dataset that can be written.

    Attributes:
        documents: the ground truth with them.
        corrections: those that are made.
        refused: those that are not.
        layout: how the documents stood before.
    """

    documents: Sequence[Document]
    corrections: Corrections
    refused: tuple[Refusal, ...] = ()
    layout: Layout | None = None


def fit(make: Make, corrections: Corrections, writer: Writer, layout: Layout) -> Fitting:
    """Make the corrections of a dataset, but for those that the format cannot hold where they belong.

    What was to give way to one that is not made stays, unless it gives way to another.

    Args:
        make: makes corrections.
        corrections: of one dataset.
        writer: of the format.
        layout: how the documents stood in the files that they came in.
    """
    documents = make(corrections)
    if writer.misfits is None or not documents:
        return Fitting(documents, corrections)
    before = make(replace(corrections, changes=()))
    layout = replace(layout, before={document.name: document.annotations for document in before})
    refused: list[Refusal] = []
    while new := _refused(documents, corrections, writer, layout):
        refused += new
        gone = [refusal.change for refusal in new]
        kept = [change for change in corrections.changes if not any(change is other for other in gone)]
        stays = [change for change in kept if _stays(change, gone, kept)]
        refused += [Refusal(change, STAYS) for change in stays]
        kept = [change for change in kept if not any(change is other for other in stays)]
        corrections = replace(corrections, changes=tuple(kept))
        documents = make(corrections)
    return Fitting(documents, corrections, tuple(refused), layout)


def _refused(
    documents: Sequence[Document], corrections: Corrections, writer: Writer, layout: Layout
) -> list[Refusal]:
    """The corrections behind what does not fit."""
    if writer.misfits is None:
        return []
    behind = {(c.document, c.span): c for c in corrections.changes if c.after is not None}
    language = documents[0].language or "en"
    draft = Draft(Path(), corrections.changes[0].dataset if behind else "", language, layout=layout)
    found = (
        (behind.get((document.name, annotation.span)), why)
        for document, annotation, why in writer.misfits(documents, draft)
    )
    return [Refusal(change, why.problem.what) for change, why in found if change is not None]


def _stays(change: Change, gone: Sequence[Change], kept: Sequence[Change]) -> bool:
    """Whether a mention gave way to what is not made, and to nothing else."""

    def takes_place(other: Change) -> bool:
        return (
            other.after is not None and other.document == change.document and other.span.overlaps(change.span)
        )

    if change.after is not None or change.reason != GIVES_WAY:
        return False
    return any(map(takes_place, gone)) and not any(map(takes_place, kept))
