"""What a corpus reader yields: documents and annotations, before anything is computed from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from analysis.keys import Entity


class Span(NamedTuple):
    """A half-open stretch [start, end) of a text, in Unicode code points."""

    start: int
    end: int

    def overlaps(self, other: Span) -> bool:
        """Whether the two share at least one code point."""
        return self.start < other.end and other.start < self.end

    def within(self, other: Span) -> bool:
        """Whether this lies wholly inside `other`."""
        return other.start <= self.start and self.end <= other.end


class Label(NamedTuple):
    """How a benchmark says that one of its labels is to be scored.

    Attributes:
        id: of the label in its document, by which others name it their parent.
        parent: the id of the label that this one is an alternative to, or a part of; None if there is none.
        parts: the ids of the labels that it says are such of its own.
        optional: whether nobody has to find it.
    """

    id: int | None
    parent: int | None = None
    parts: tuple[int, ...] = ()
    optional: bool = False


@dataclass(frozen=True)
class Annotation:
    """One source's mention span in one document with one entity.

    Attributes:
        span: where it is.
        entity: what was given, with its kind and key.
        confidence: the source's own score, if it gave one.
        line: line of the file it was read from, 1-based; 0 if not from a file.
        label: what its benchmark says of scoring it, if it says so; not part of what the annotation is.
    """

    span: Span
    entity: Entity
    confidence: float | None = None
    line: int = 0
    label: Label | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Document:
    """One text with the annotations of one source.

    Attributes:
        name: the document's id within its dataset.
        text: as decoded, never changed.
        annotations: of one source, in file order. Empty: the source ran and found nothing.
        evaluation: what part of the text is judged and scored; the whole text if None.
        language: of the text, if the file says so.
        line: line of the file it was read from, 1-based.
    """

    name: str
    text: str
    annotations: tuple[Annotation, ...] = field(default=())
    evaluation: Span | None = None
    language: str | None = None
    line: int = 0
