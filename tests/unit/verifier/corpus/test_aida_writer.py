"""Writing AIDA-YAGO2 TSV: lines that nothing changes stay as they were."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError
from analysis.keys import NIL, Entity
from verifier.corpus import read_corpus, writers
from verifier.corpus.reading import read_file
from verifier.corpus.writers.aida import misfits
from verifier.corpus.writers.common import Draft
from verifier.corpus.writers.sheet import Layout, originals

# Windows line ends, an O, blanks at an end, tokens with a space, two empty lines, no line feed at the end.
LINES = (
    "-DOCSTART- (1 ROME)",
    "Rome\tB\tRome\tRome\thttp://en.wikipedia.org/wiki/Rome\t25458\t/m/06c62",
    "met\tO",
    "Zoë Lund\tB\tZoë Lund\t--NME--  ",
    ".\t",
    "",
    "",
    "U.S.\tB\tU.S. Open\tU\\u002eS\\u002e_Open\thttp://en.wikipedia.org/wiki/U.S._Open\t7\r",
    "Open\tI\tU.S. Open\tU\\u002eS\\u002e_Open\thttp://en.wikipedia.org/wiki/U.S._Open\t7\r",
    "near\tB\r",
    "Berlin\tB\tBerlin\tBerlin\thttp://en.wikipedia.org/wiki/Berlin\t3354\t/m/0156q",
    "-DOCSTART- (2 x)",
    "",
    "-DOCSTART- (3 y)",
    "end",
)
BERLIN = "Berlin\thttp://en.wikipedia.org/wiki/Berlin\t3354\t/m/0156q"


def imported(folder: Path, lines: Iterable[str] = LINES) -> tuple[tuple[Document, ...], Layout]:
    path = folder / "given.tsv"
    path.write_bytes("\n".join(lines).encode())
    reading = read_file(path, format="aida")
    before = {document.name: document.annotations for document in reading.documents}
    return reading.documents, Layout(originals([("given.tsv", reading.layout or "")]), before)


def written(folder: Path, made: Iterable[Document], layout: Layout | None) -> list[str]:
    path = folder / "out" / "w.aida.tsv"
    writers.write(made, path, form="aida", layout=layout)
    return path.read_bytes().decode().split("\n")


def changed(document: Document, *annotations: Annotation, without: Iterable[Span] = ()) -> Document:
    spans = {a.span for a in annotations} | set(without)
    kept = [a for a in document.annotations if a.span not in spans]
    return replace(document, annotations=(*kept, *annotations))


def link(key: str, start: int, end: int) -> Annotation:
    return Annotation(Span(start, end), Entity("nil" if key == NIL else "link", key, None))


def test_what_is_not_changed_comes_back_byte_for_byte(tmp_path: Path) -> None:
    assert written(tmp_path, *imported(tmp_path)) == list(LINES)


def test_a_mark_of_byte_order_comes_back_too(tmp_path: Path) -> None:
    lines = ["\ufeff" + LINES[0], *LINES[1:]]
    assert written(tmp_path, *imported(tmp_path, lines)) == lines


def test_a_new_target_has_the_columns_that_the_file_has_for_it(tmp_path: Path) -> None:
    (first, *rest), layout = imported(tmp_path)
    found = written(tmp_path, [changed(first, link("w:en:Berlin", 0, 4)), *rest], layout)
    assert found == [LINES[0], f"Rome\tB\tRome\t{BERLIN}", *LINES[2:]]


def test_of_a_target_that_the_file_has_not_the_page_id_is_empty(tmp_path: Path) -> None:
    (first, *rest), layout = imported(tmp_path)
    found = written(tmp_path, [changed(first, link("w:en:São Tomé (city)", 0, 4)), *rest], layout)
    columns = (
        "S\\u00e3o_Tom\\u00e9_\\u0028city\\u0029\thttp://en.wikipedia.org/wiki/S%C3%A3o_Tom%C3%A9_(city)\t"
    )
    assert found == [LINES[0], f"Rome\tB\tRome\t{columns}", *LINES[2:]]


def test_a_mention_goes_and_another_comes_with_its_line_ends(tmp_path: Path) -> None:
    """`Open near` takes the place of `U.S. Open`, and NIL is --NME--."""
    (first, *rest), layout = imported(tmp_path)
    text = first.text
    gone = Span(text.index("U.S."), text.index("U.S.") + 9)
    near = Span(text.index("near"), text.index("near") + 4)
    new = link(NIL, text.index("Open"), near.end)
    found = written(tmp_path, [changed(first, new, without=(gone, near)), *rest], layout)
    assert found[7:10] == ["U.S.\r", "Open\tB\tOpen near\t--NME--\r", "near\tI\tOpen near\t--NME--\r"]
    assert found[:7] + found[10:] == [*LINES[:7], *LINES[10:]]


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        (link("w:en:R", 1, 4), "it cuts a token (given.tsv:2)"),
        (link("w:en:R", 0, 5), "its ends are not those of tokens"),
        (link("w:en:R", 5, 17), "it overlaps another mention (given.tsv:4)"),
        (link("w:en:R", 5, 24), "it overlaps another mention (given.tsv:4)"),
        (link("id:a\tb", 5, 8), "the entity cannot be written in a column"),
    ],
)
def test_what_tokens_cannot_hold_is_told_with_its_line(
    tmp_path: Path, annotation: Annotation, why: str
) -> None:
    (first, *_), layout = imported(tmp_path)
    made = replace(first, annotations=(*first.annotations, annotation))
    (found,) = misfits([made], Draft(Path("w"), "", "en", layout=layout))
    assert (found.annotation, found.why.problem.what) == (annotation, why)
    with pytest.raises(InputError, match="a mention cannot be written"):
        written(tmp_path, [made], layout)


def test_a_mention_does_not_go_on_beyond_its_sentence(tmp_path: Path) -> None:
    (first, *_), layout = imported(tmp_path)
    dot = first.text.index(".")
    spans = [a.span for a in first.annotations if a.span.start > dot]
    made = changed(first, link("w:en:R", dot, dot + 6), without=spans)
    (found,) = misfits([made], Draft(Path("w"), "", "en", layout=layout))
    assert found.why.problem.what == "it goes on beyond its sentence (given.tsv:5)"


def test_rows_that_were_left_out_of_the_import_stay_as_they_are(tmp_path: Path) -> None:
    lines = ["-DOCSTART- (1)", "a\tI\ta\tA", "b\tB\tother\tB", "c\tB\tc\ta|b", "d\tB\td\tD"]
    documents, layout = imported(tmp_path, lines)
    assert [len(document.annotations) for document in documents] == [1]
    assert written(tmp_path, documents, layout) == lines


def test_tokens_of_a_given_text_come_back_with_the_text_beside_them(tmp_path: Path) -> None:
    (tmp_path / "RawText").mkdir()
    (tmp_path / "RawText" / "1 X").write_text("Ann, Bob.\n", encoding="utf-8")
    lines = ["-DOCSTART- (1 X)", "Ann\tB\tAnn\tAnn", ",", "Bob", ".", ""]
    documents, layout = imported(tmp_path, lines)
    assert written(tmp_path, documents, layout) == lines
    assert (tmp_path / "out" / "RawText" / "1 X").read_text(encoding="utf-8") == "Ann, Bob.\n"
    assert read_corpus(tmp_path / "out" / "w.aida.tsv") == list(documents)


def test_a_file_whose_lines_were_not_kept_is_written_by_the_join_rule(tmp_path: Path) -> None:
    """Page id and Freebase id are not known then; a token with a space in it cannot be told from two."""
    lines = ["-DOCSTART- (1)", "Rome\tB\tRome\tRome", "and", "U.S.\tB\tU.S. Open\tU\\u002eS\\u002e_Open"]
    lines += ["Open\tI\tU.S. Open\tU\\u002eS\\u002e_Open", "", ".", "", ""]
    documents, layout = imported(tmp_path, lines)
    assert written(tmp_path, documents, replace(layout, originals={}, lost=True)) == lines


@pytest.mark.parametrize("joined", [True, False])
def test_tokens_that_are_not_known_are_refused_with_what_to_do(tmp_path, joined) -> None:
    made = [Document("1 X", "Ann, Bob.\n", (link("w:en:Ann", 0, 3),))]
    with pytest.raises(InputError, match=r"its tokens are not known.*Import the same file again"):
        written(tmp_path, made, Layout(lost=True, joined=joined))


def test_another_corpus_is_cut_into_words_and_marks_and_where_mentions_end(tmp_path: Path) -> None:
    made = [Document("d", "Ann's\nNew Yorkers.", (link("wd:Q60", 6, 14), link("w:fr:É", 0, 3)))]
    assert written(tmp_path, made, None) == [
        *("-DOCSTART- (d)", "Ann\tB\tAnn\t\\u00c9\thttp://fr.wikipedia.org/wiki/%C3%89\t", "'", "s", ""),
        *("New\tB\tNew York\tQ60", "York\tI\tNew York\tQ60", "ers", ".", "", ""),
    ]
    assert read_corpus(tmp_path / "out" / "w.aida.tsv")[0].text == made[0].text


def test_a_name_that_cannot_stand_after_docstart_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot stand after -DOCSTART-"):
        written(tmp_path, [Document(" a", "b")], None)
