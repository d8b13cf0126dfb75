"""The published study's way of cutting texts, which may cut mentions; nothing is lost without a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from analysis.documents import Span
from verifier.plan.lengths import Lengths
from verifier.plan.sentences import sentences

NAME: Final = "paper"
VERSION: Final = "2"


@dataclass(frozen=True)
class Paper(Lengths):
    """The published rule.

    Sentences are gathered; a segment closes when they first reach `min_chars` characters. A sentence over
    `min_chars` is first wrapped at white space into pieces of at most that, each of which closes a segment
    but for the last. A last segment under `min_tail` characters joins the one before. The published study
    lost documents under 100 characters and mentions across boundaries; here such a document is one segment,
    and such a mention is kept with the reason that it crosses segments.

    Segments tile the text: the white space between two belongs to the first.

    Attributes:
        min_chars: where a segment closes, and where a sentence is wrapped.
        min_tail: least length of a last segment that stands alone; a third of `min_chars` unless given.
    """

    name: ClassVar[str] = NAME
    version: ClassVar[str] = VERSION

    def split(self, text: str, mentions: Iterable[Span]) -> list[Span]:
        """The segments of `text`, in order.

        Args:
            text: the document.
            mentions: of every source; this way of cutting does not look at them.
        """
        del mentions
        closed: list[Span] = []
        start: int | None = None
        end = 0
        for piece, wrapped in self._pieces(text):
            start, end = piece.start if start is None else start, piece.end
            if wrapped or end - start >= self.min_chars:
                closed.append(Span(start, end))
                start = None
        if start is not None:
            closed.append(Span(start, end))
        if len(closed) > 1 and closed[-1].end - closed[-1].start < self.min_tail:
            closed.pop()
        begins = [0, *(span.start for span in closed[1:])]
        return [Span(a, b) for a, b in zip(begins, [*begins[1:], len(text)], strict=True)]

    def _pieces(self, text: str) -> Iterator[tuple[Span, bool]]:
        """Sentences, long ones in pieces; each with whether it was cut off by the wrapping."""
        for sentence in sentences(text):
            start = sentence.start
            while sentence.end - start > self.min_chars:
                cut = _last_space(text, start, start + self.min_chars)
                yield Span(start, cut), True
                start = cut
                while text[start].isspace():
                    start += 1
            yield Span(start, sentence.end), False


def _last_space(text: str, start: int, most: int) -> int:
    """The end of the last word that ends by `most`; `most` itself within a longer word."""
    cut = most
    while cut > start and not text[cut].isspace():
        cut -= 1
    while cut > start and text[cut - 1].isspace():
        cut -= 1
    return cut if cut > start else most
