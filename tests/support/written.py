"""Documents that put every format to the test, and what of them a format holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from hypothesis import strategies as st

from analysis.documents import Annotation, Document, Span
from analysis.keys import NIL, Entity

# Marks with a meaning in some format, line ends of every kind, what is not one unit or not one code point.
MARKS: Final = [
    *"<>&\"'\\,;#|%\t \u00a0",
    "\r\n",
    "\n",
    "\r",
    "\ufeff",
    "🙂",
    "👩‍🚀",
    "🇫🇷",
    "e\u0301",
    "Å",
    "\u2028",
    "]]>",
]
TEXT: Final = st.lists(
    st.sampled_from(MARKS) | st.text("abZ é", min_size=1, max_size=3), min_size=1, max_size=12
).map("".join)
LINKS: Final = [
    Entity("link", "wd:Q42", "Q42"),
    Entity("link", "w:en:AC/DC", "AC/DC"),
    Entity("link", "w:en:100 %", "100_%"),
    Entity("link", "w:en:Who Wants to Be a Millionaire?", None),
    Entity("link", 'w:en:Rock & Roll, "Live"', 'Rock & Roll, "Live"'),
    Entity("link", "w:fr:Été à Paris", "https://fr.wikipedia.org/wiki/%C3%89t%C3%A9_%C3%A0_Paris"),
    Entity("link", "dbp:en:Berlin", "http://dbpedia.org/resource/Berlin"),
    Entity("link", "w:en:Q42", None),
    Entity("link", "w:en:NIL", None),
    Entity("link", "w:en:Null", "null"),
    Entity("link", "id:w:en:8091", "https://en.wikipedia.org/?curid=8091"),
    Entity("nil", NIL, None),
    Entity("nil", NIL, "--NME--"),
]
OTHERS: Final = [Entity("unmapped", None, "<NO_MAPPING>"), Entity("none", None, None)]


@st.composite
def documents(draw: st.DrawFn, entities: list[Entity], *, empty: bool = True) -> list[Document]:
    """Documents with mentions of every kind: nested, adjacent, twice at one span; in text order."""
    made = []
    for number, text in enumerate(draw(st.lists(TEXT, min_size=1, max_size=3))):
        cut = st.integers(0, len(text))
        span = st.sets(cut, min_size=2, max_size=2).map(lambda cut: Span(min(cut), max(cut)))
        score = st.none() | st.floats(0, 1)
        annotation = st.builds(Annotation, span, st.sampled_from(entities), score)
        found = draw(st.lists(annotation, min_size=0 if empty else 1, max_size=4))
        name = draw(st.sampled_from(["d", "a b", "é", "x.txt", "1"])) + f"-{number}"
        made.append(Document(name, text, tuple(sorted(found, key=lambda a: (a.span, str(a.entity.key))))))
    return made


def side_by_side(made: Sequence[Document]) -> list[Document]:
    """The documents with those of their mentions that tokens can hold: none overlap, none end in space."""

    def fitting(document: Document) -> Document:
        kept: list[Annotation] = []
        for annotation in document.annotations:
            words = document.text[slice(*annotation.span)]
            apart = not any(annotation.span.overlaps(other.span) for other in kept)
            # What goes on in another line is in another sentence.
            if words and words == words.strip() and "\n" not in words and apart:
                kept.append(annotation)
        return replace(document, annotations=tuple(kept))

    return [fitting(document) for document in made]


def held(
    given: Sequence[Document],
    *,
    confidence: bool = True,
    evaluation: bool = False,
    without: Collection[str] = (),
) -> list[tuple[object, ...]]:
    """What must come back: names, texts, spans, kinds and keys; scores where the format holds them.

    Args:
        given: documents.
        confidence: with the scores.
        evaluation: with the evaluation spans.
        without: kinds that the format has no word for.
    """
    return [
        (
            document.name,
            document.text,
            document.evaluation if evaluation else None,
            sorted(
                (
                    (*a.span, a.entity.kind, a.entity.key, a.confidence if confidence else None)
                    for a in document.annotations
                    if a.entity.kind not in without
                ),
                key=str,
            ),
        )
        for document in sorted(given, key=lambda document: document.name)
    ]
