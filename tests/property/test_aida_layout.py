"""A file of tokens comes back byte for byte; with changes all other lines do, and it says what changed."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.documents import Annotation, Document, Span
from tests.support.written import LINKS, OTHERS
from verifier.corpus.reading import Reading, read_file
from verifier.corpus.writers import write
from verifier.corpus.writers.sheet import Layout, originals

QUICK = settings(max_examples=60, deadline=None)
WORDS = [
    "Rome",
    "a",
    "U.S.",
    "two words",
    "é",
    "e\u0301",
    "👩‍🚀",
    "\u202eabc",
    '"',
    "100%",
    "(x)",
    "--NME--",
    "O'N",
    "\\u0041",
]
ENDS = ["\n", "\r\n", "\t\n", " \n"]
ENTITIES = [
    "--NME--",
    "Rome",
    "U\\u002eS\\u002e_Open\thttp://en.wikipedia.org/wiki/U.S._Open\t25458\t/m/06c62",
    "\\u00c9t\\u00e9\thttp://fr.wikipedia.org/wiki/%C3%89t%C3%A9\t7",
    "<NO_MAPPING>",
]


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file as hands and programs make them: any line ends, empty lines, documents without tokens."""
    end = st.sampled_from(ENDS)
    pieces = []
    for number in range(draw(st.integers(1, 3))):
        pieces.append(
            f"-DOCSTART- ({number} {draw(st.sampled_from(WORDS))}){draw(st.sampled_from(ENDS[:2]))}"
        )
        for _ in range(draw(st.integers(0, 5))):
            words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
            entity = draw(st.none() | st.sampled_from(ENTITIES))
            for place, word in enumerate(words):
                tags = f"\t{'I' if place else 'B'}\t{' '.join(words)}\t{entity}" if entity else ""
                pieces.append(word + tags + draw(end))
            pieces += draw(st.lists(st.sampled_from(["\n", "\r\n", " \n"]), max_size=2))
    return "".join(pieces).removesuffix(draw(st.sampled_from(["", "\n"])))


def read(path: Path) -> Reading:
    reading = read_file(path, format="aida")
    assert not reading.problems
    return reading


def said(documents: list[Document] | tuple[Document, ...]) -> list[tuple[object, ...]]:
    return [
        (d.name, d.text, sorted((*a.span, a.entity.kind, str(a.entity.key)) for a in d.annotations))
        for d in documents
    ]


@given(files(), st.data())
@QUICK
def test_what_is_written_says_what_was_changed_and_keeps_all_other_lines(
    content: str, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "a.tsv"), Path(folder, "o.tsv")
        path.write_bytes(content.encode())
        reading = read(path)
        layout = Layout(originals([("a.tsv", reading.layout or "")]))
        write(reading.documents, out, form="aida", layout=layout)
        assert out.read_bytes() == path.read_bytes()
        changed = [data.draw(revised(document, layout)) for document in reading.documents]
        write(changed, out, form="aida", layout=layout)
        assert said(read(out).documents) == said(changed)
        before, after = (file.read_text(encoding="utf-8").split("\n") for file in (path, out))
        assert [line.split("\t")[0].strip() for line in after] == [
            line.split("\t")[0].strip() for line in before
        ]


@st.composite
def revised(draw: st.DrawFn, document: Document, layout: Layout) -> Document:
    """Some mentions go, some get other entities, and some come where there are tokens left."""
    kept = [a for a in document.annotations if draw(st.integers(0, 3))]
    entity = st.sampled_from([*LINKS, *OTHERS])
    kept = [replace(a, entity=draw(entity)) if draw(st.booleans()) else a for a in kept]
    tokens = layout.originals[document.name].noted.tokens
    place, free = 0, []
    for token in tokens:
        place = document.text.index(token.text, place)
        span = Span(place, place + len(token.text))
        if not any(span.overlaps(a.span) for a in kept):
            free.append(span)
        place = span.end
    new = draw(st.lists(st.sampled_from(free), unique=True, max_size=2)) if free else []
    return replace(document, annotations=(*kept, *(Annotation(span, draw(entity)) for span in new)))
