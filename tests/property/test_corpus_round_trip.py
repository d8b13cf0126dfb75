"""What is written as posthoc JSONL reads back the same."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from analysis.documents import Annotation, Document, Span
from analysis.keys import NIL, Entity
from verifier.corpus import read_corpus
from verifier.corpus.writing import write_jsonl

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30)
ENTITY = st.sampled_from(
    [
        Entity("link", "wd:Q42", "Q42"),
        Entity("link", "w:fr:Été à Paris", "été_à_Paris"),
        Entity("nil", NIL, "<NIL>"),
        Entity("nil", NIL, None),
        Entity("unmapped", None, "yago:X"),
        Entity("other", None, "DATETIME"),
        Entity("none", None, None),
    ]
)


@st.composite
def documents(draw: st.DrawFn) -> list[Document]:
    made = []
    for number, text in enumerate(draw(st.lists(TEXT, min_size=1, max_size=4))):
        cuts = st.integers(0, len(text))
        spans = st.sets(cuts, min_size=2, max_size=2).map(lambda cut: Span(min(cut), max(cut)))
        scores = st.none() | st.floats(allow_nan=False, allow_infinity=False)
        annotations = draw(
            st.lists(st.builds(Annotation, spans, ENTITY, scores, st.just(number + 1)), max_size=4)
        )
        evaluation = draw(st.none() | spans)
        made.append(Document(f"d{number}", text, tuple(annotations), evaluation, "en", number + 1))
    return made


@given(documents())
def test_documents_read_back_as_they_were_written(made: list[Document]) -> None:
    file = io.StringIO()
    write_jsonl(made, file)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_text(file.getvalue(), encoding="utf-8", newline="")
        assert read_corpus(path) == made
