"""Reading AIDA-YAGO2 TSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.corpus import read_corpus, read_file


def write(folder: Path, *lines: str, start: str = "-DOCSTART- (1 X)") -> Path:
    path = folder / "a.tsv"
    path.write_text("\n".join([start, *lines]) + "\n", encoding="utf-8")
    return path


def marks(path: Path, **options: object) -> list[tuple[str, str | None]]:
    return [
        (d.text[slice(*a.span)], a.entity.key or a.entity.kind)
        for d in read_corpus(path, **options)
        for a in d.annotations
    ]


def test_all_numbers_of_columns_are_read(tmp_path):
    path = write(
        tmp_path,
        "in",
        "Rome\tB",
        "US\tB\tUS Open\tU\\u002eS\\u002e_Open",
        "Open\tI\tUS Open\tU\\u002eS\\u002e_Open",
        "Bo\tB\tBo\tBo_Dee\thttp://en.wikipedia.org/wiki/Bo_D\t77",
        "Al\tB\tAl\tAl_Lee\thttp://en.wikipedia.org/wiki/Al_L\t78\t/m/0a",
        "Xy\tB\tXy\t--NME--",
    )
    assert marks(path) == [
        ("Rome", "none"),
        ("US Open", "w:en:U.S. Open"),
        ("Bo", "w:en:Bo D"),
        ("Al", "w:en:Al L"),
        ("Xy", "NIL"),
    ]


def test_the_join_rule_is_said(tmp_path):
    reading = read_file(write(tmp_path, "A", "b", "", "", "C", "."))
    assert reading.documents[0].text == "A b\nC ."
    assert reading.notes == (
        "The texts of 1 documents: tokens joined by one space, sentences by a line feed.",
    )


def test_tokens_are_found_in_a_given_text(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1 X.txt").write_text("Ann, Bob.\n", encoding="utf-8")
    path = write(tmp_path, "Ann", ",", "Bob\tB\tBob\tBob", ".")
    reading = read_file(path, texts=tmp_path / "texts")
    assert reading.documents[0].text == "Ann, Bob.\n"
    assert reading.documents[0].annotations[0].span == (5, 8)
    assert "tokens found in the given texts" in reading.notes[0]


def test_only_b_parts_mentions_that_touch(tmp_path):
    path = write(tmp_path, "A\tB\tA\tX", "B\tB\tB C\tY", "C\tI\tB C\tY", "", "D\tB\tD\tZ")
    assert [mention for mention, _ in marks(path)] == ["A", "B C", "D"]


def test_documents_without_mentions_and_windows_line_ends_are_read(tmp_path):
    path = write(tmp_path, "a\r", "-DOCSTART- (2 Y)\r", "\r", "b\tB\tb\tB\r")
    assert [(d.name, d.text, len(d.annotations)) for d in read_corpus(path)] == [
        ("1 X", "a", 0),
        ("2 Y", "b", 1),
    ]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["A\tI\tA\tX"], "a.tsv:2: I without a B before it; got 'A'; expected B on the first token"),
        (["A\tB\tA B\tX", "B\tI\tA B\tY"], "a.tsv:2: the mention goes on in line 3 as another"),
        (["A\tB\tA B\tX", "c"], "a.tsv:2: the mention is not that of its tokens; got 'A B'; expected 'A'"),
        (["A\tX"], "a.tsv:2: the tag is neither B nor I; got 'X'"),
        (["A\tB\tA\tX\t1\t2\t3\t4"], "a.tsv:2: 8 columns"),
        (["A\tB\tA\ta|b"], "a.tsv:2: not an entity"),
        (["\tB\tA\tA"], "a.tsv:2: the token is empty"),
        (["-DOCSTART- (1 X)"], "a.tsv:2: the document stands in the file twice"),
    ],
)
def test_a_bad_line_is_told(tmp_path, lines, said):
    with pytest.raises(InputError) as caught:
        read_corpus(write(tmp_path, *lines))
    assert said in str(caught.value)


def test_tokens_before_the_first_document_are_told_once(tmp_path):
    reading = read_file(write(tmp_path, "b", start="a"), format="aida")
    (told,) = map(str, reading.problems)
    assert "a.tsv:1: a token before the first document; got 'a'; expected -DOCSTART- (name)" in told


def test_a_text_that_has_other_tokens_is_told(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1 X.txt").write_text("Ann and Eve", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"the token of line 3 is not in the document's text.*expected 'Bob'"
    ):
        read_corpus(write(tmp_path, "Ann", "Bob"), texts=tmp_path / "texts")
