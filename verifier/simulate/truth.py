"""What is true, as the simulated crowd knows it: the right thing to do on any span of any text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.decisions import EDIT, REMOVE, VERIFY, Decision
from analysis.documents import Document, Span
from analysis.errors import InputError, plain
from analysis.keys import LINK, NIL_KIND


@dataclass(frozen=True)
class Right:
    """The right decision on a display, and for an edit the right key (`NIL`: not in the knowledge base)."""

    decision: Decision
    key: str | None = None


_VERIFY: Final = Right(VERIFY)
_REMOVE: Final = Right(REMOVE)


class Truth:
    """True links by text and span. Links and NIL are known; a mention whose entity has no known key is not.

    A worker sees a stretch of a text, not its document's name, so a stretch is looked up by what it says; of
    equal stretches the first, in the documents' order, is taken.
    """

    def __init__(self, documents: Sequence[Document], resolve: Callable[[str], str] = str) -> None:
        """Take `documents` as true; `resolve` follows redirects."""
        self._texts = [document.text for document in documents]
        self._links: list[dict[Span, set[str]]] = [_links(document, resolve) for document in documents]
        self._found: dict[str, tuple[int, int]] = {}

    def right(self, text: str, span: Span, key: str) -> Right:
        """What a worker who knows the truth does with `key` shown at `span` of the stretch `text`.

        The link is true: verify. Another entity is true at that very span: edit to it (of several, the first
        by key). Nothing is true at that span: remove, even where a true mention overlaps, because an edit
        changes the entity and never the span.

        Raises:
            InputError: no document of the truth contains `text`.
        """
        number, offset = self._locate(text)
        keys = self._links[number].get(Span(span.start + offset, span.end + offset))
        if not keys:
            return _REMOVE
        return _VERIFY if key in keys else Right(EDIT, min(keys))

    def _locate(self, text: str) -> tuple[int, int]:
        if text not in self._found:
            for number, whole in enumerate(self._texts):
                offset = whole.find(text)
                if offset >= 0:
                    self._found[text] = (number, offset)
                    break
            else:
                raise InputError(
                    "the truth does not know a text of this study",
                    where="--truth",
                    got=plain(text[:60]),
                    expected="a source or a file that covers every document of the study",
                )
        return self._found[text]


def _links(document: Document, resolve: Callable[[str], str]) -> dict[Span, set[str]]:
    links: dict[Span, set[str]] = {}
    for annotation in document.annotations:
        key = annotation.entity.key
        if annotation.entity.kind in (LINK, NIL_KIND) and key is not None:
            links.setdefault(annotation.span, set()).add(resolve(key))
    return links
