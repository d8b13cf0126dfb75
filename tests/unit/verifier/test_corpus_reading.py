"""Reading corpora: what is recognised, what is kept, and that every bad row is told with its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from analysis.documents import Span
from analysis.errors import InputError
from verifier.corpus import read_corpus, read_file
from verifier.corpus.reading import difference


def write(folder: Path, *rows: object, name: str = "a.jsonl") -> Path:
    path = folder / name
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def one(text: str = "Ann met Bob.", **annotation: object) -> dict[str, object]:
    return {"id": "d", "text": text, "annotations": [{"start": 0, "end": 3, **annotation}]}


def faults(path: Path, **options: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_corpus(path, **options)
    return [str(problem) for problem in caught.value]


@pytest.mark.parametrize(
    ("given", "kind", "key"),
    [
        ({"entity": "Q42"}, "link", "wd:Q42"),
        ({"entity": "ann"}, "link", "w:en:Ann"),
        ({"entity": None}, "nil", "NIL"),
        ({"entity": "<NIL>"}, "nil", "NIL"),
        ({}, "none", None),
        ({"entity_raw": "dbr:Thing?"}, "unmapped", None),
        ({"entity_raw": "QUANTITY"}, "other", None),
    ],
)
def test_the_kinds_of_entity_are_told_apart(tmp_path: Path, given: dict, kind: str, key: str | None) -> None:
    (document,) = read_corpus(write(tmp_path, one(**given)))
    assert (document.annotations[0].entity.kind, document.annotations[0].entity.key) == (kind, key)


def test_a_line_without_annotations_ran_and_found_nothing(tmp_path: Path) -> None:
    (document,) = read_corpus(write(tmp_path, {"id": 7, "text": "x"}))
    assert (document.name, document.annotations, document.line) == ("7", (), 1)


def test_spans_count_code_points_beyond_emoji_and_combining_marks(tmp_path: Path) -> None:
    text = "🙂e\u0301 Ann"
    row = {"id": "d", "text": text, "annotations": [{"start": 4, "end": 7, "mention": "Ann", "entity": "Q1"}]}
    (document,) = read_corpus(write(tmp_path, row))
    assert text[slice(*document.annotations[0].span)] == "Ann"


def test_a_document_in_its_own_language_has_titles_of_it(tmp_path: Path) -> None:
    (document,) = read_corpus(write(tmp_path, {**one(entity="Anne"), "language": "fr"}))
    assert document.annotations[0].entity.key == "w:fr:Anne"


def test_gzip_and_byte_order_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(one()).encode()))
    assert len(read_corpus(path)) == 1


def test_line_separators_inside_a_text_do_not_part_lines(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps(one("Ann\u2028Bob\u0085"), ensure_ascii=False))
    assert read_corpus(path)[0].text == "Ann\u2028Bob\u0085"


def test_a_text_can_stand_in_its_own_file(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "d.txt").write_text("Ann met Bob.", encoding="utf-8")
    path = write(tmp_path, {"id": "d", "annotations": []})
    assert read_corpus(path, texts=texts)[0].text == "Ann met Bob."
    assert "Name the folder of texts with --texts" in faults(path)[0]


def test_a_text_is_looked_for_in_its_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("no", encoding="utf-8")
    (tmp_path / "texts").mkdir()
    path = write(tmp_path, {"id": "../secret.txt", "annotations": []})
    assert "no text for the document" in faults(path, texts=tmp_path / "texts")[0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (one(end=99), "a.jsonl:1: annotation 1: span outside the text; got 0 to 99"),
        (one(start=-1), "span outside the text"),
        (one(start=3), "span is empty or backwards"),
        (one(start=0.5), "span is not two whole numbers"),
        (one(start=True), "span is not two whole numbers"),
        (
            one(mention="Bob"),
            "got 'Bob' for 0 to 3; expected 'Ann'. It stands at 8 to 11 (shifted by +8): --repair",
        ),
        (one(entity="a|b"), "not an entity"),
        (one(entity=5), "the entity is not text"),
        (one(entity="x\x00"), "'entity' holds a NUL"),
        (one(entity_raw=5), "'entity_raw' is not text"),
        (one(confidence="high"), "'confidence' is not a number"),
        ({"id": "d", "text": "x", "annotations": [5]}, "not an annotation"),
        ({"id": "d", "text": "x", "annotations": {}}, "'annotations' is not a list"),
        ({"id": "d", "text": "x", "evaluation_span": [0]}, "'evaluation_span' is not a span"),
        ({"id": "d", "text": "x", "evaluation_span": [0, 9]}, "evaluation_span outside the text"),
        ({"id": "d", "text": 5, "annotations": []}, "'text' is not text; got 5"),
        ({"id": " ", "text": "x", "annotations": []}, "'id' is empty"),
        ({"text": "x", "annotations": []}, "'id' is missing"),
        ({"id": "d", "text": "a\x00b", "annotations": []}, "a.jsonl:1: 'text' holds a NUL; got offset 1"),
        ('{"id": "d", "text": "ab\\ud800", "annotations": []}', "the lone surrogate U+D800; got offset 2"),
        ('{"id": "d", "text": "a", "annotations": [{"confidence": NaN}]}', "not JSON; got NaN"),
        ('{"annotations": ', "not JSON: Expecting value"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not a document; got [1]"),
    ],
)  # fmt: skip
def test_a_bad_row_is_told_with_place_and_reason(tmp_path: Path, row: object, said: str) -> None:
    assert said in faults(write(tmp_path, row), format="jsonl")[0]


def test_all_bad_rows_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, one(end=99), "{", {**one(), "id": "e"}, {**one(mention="no"), "id": "f"}, one())
    assert [fault.split(": ")[0] for fault in faults(path, format="jsonl")] == [
        f"{path}:{n}" for n in (1, 2, 4, 5)
    ]


def test_good_rows_stand_beside_the_bad(tmp_path: Path) -> None:
    reading = read_file(write(tmp_path, one(end=99), {**one(), "id": "e"}))
    assert [(d.name, len(d.annotations)) for d in reading.documents] == [("d", 0), ("e", 1)]


def test_two_texts_of_one_document_are_shown_where_they_part(tmp_path: Path) -> None:
    (fault,) = faults(write(tmp_path, one("Ann met Bob."), one("Ann met Rob.")))
    assert "a.jsonl:2: two texts for the document 'd', the other in line 1" in fault
    assert "first difference at offset 8: 'Ann met Bob.' against 'Ann met Rob.'" in fault


def test_a_text_that_goes_on_differs_at_the_end_of_the_shorter() -> None:
    assert difference("abc", "abcd").startswith("first difference at offset 3")


def test_keys_that_mean_nothing_are_named(tmp_path: Path) -> None:
    assert read_file(write(tmp_path, {**one(entitty="Q1"), "note": 1})).ignored == ("entitty", "note")


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    assert faults(tmp_path / "none.jsonl") == [f"{tmp_path}/none.jsonl: file not found. Check the path."]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "file cannot be read" in faults(tmp_path)[0]


def test_bytes_of_another_encoding_are_told_with_line_and_offset(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1, "text": "x"}\n{"id": 2, "text": "caf\xe9"}\n')
    assert "a.jsonl:2: not utf-8-sig text; got byte 0xe9 at byte 22" in faults(path)[0]
    assert read_corpus(path, encoding="latin-1")[1].text == "café"
    assert "unknown encoding" in faults(path, encoding="klingon")[0]


def test_a_damaged_gzip_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"x" * 1000)[:20])
    assert "the gzip file is damaged" in faults(path)[0]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("a,b\n1,2\n", {}, "format not recognised; got 'a,b'"),
        ("\n", {}, "the file is empty"),
        ('{"id": 1, "text": "x"}', {"format": "xml"}, "unknown format; got xml; expected auto, jsonl"),
        ('{"id": 1, "text": "x"}', {"format": "elevant"}, "neither an ELEVANT benchmark nor"),
    ],
)  # fmt: skip
def test_what_is_of_no_known_format_is_refused(
    tmp_path: Path, content: str, options: dict, said: str
) -> None:
    assert said in faults(write(tmp_path, content), **options)[0]


LABELS = [
    {"id": 0, "span": [0, 3], "entity_id": "Q1"},
    {"id": 1, "span": [0, 3], "entity_id": "<NIL>"},
    {"id": 2, "span": [0, 3], "entity_id": "<NO_MAPPING>"},
    {"id": 3, "span": [0, 3], "entity_id": "QUANTITY"},
    {"id": 4, "span": [0, 3], "entity_id": "DATETIME"},
    {"id": 5, "span": [0, 3]},
]
ELEVANT = {"id": 3, "title": "t", "text": "Ann met Bob.", "evaluation_span": [0, 7], "labels": LABELS}


def test_elevant_labels_keep_their_kinds(tmp_path: Path) -> None:
    reading = read_file(write(tmp_path, ELEVANT))
    kinds = [annotation.entity.kind for annotation in reading.documents[0].annotations]
    assert kinds == ["link", "nil", "unmapped", "other", "other", "none"]
    assert (reading.format, reading.documents[0].evaluation) == ("elevant benchmark", Span(0, 7))


def test_of_linked_articles_the_mentions_are_read_not_the_labels(tmp_path: Path) -> None:
    mentions = [{"span": [8, 11], "id": "Q2", "linked_by": "x"}, {"span": [8, 11]}]
    path = write(tmp_path, ELEVANT, {**ELEVANT, "id": 4, "entity_mentions": mentions})
    reading = read_file(path)
    assert reading.format == "elevant linked articles"
    assert [[a.entity.key for a in d.annotations] for d in reading.documents] == [[], ["wd:Q2", None]]


def test_linked_articles_in_which_nothing_was_found_are_known_by_their_name(tmp_path: Path) -> None:
    reading = read_file(write(tmp_path, ELEVANT, name="x.linked_articles.jsonl"))
    assert (reading.format, reading.documents[0].annotations) == ("elevant linked articles", ())


def test_an_elevant_label_without_a_span_is_bad(tmp_path: Path) -> None:
    path = write(
        tmp_path, {**ELEVANT, "labels": [{"entity_id": ["Q1"], "span": [0, 3]}, {"entity_id": "Q1"}]}
    )
    first, second = faults(path)
    assert "annotation 1: the entity is not text" in first
    assert "annotation 2: 'span' is missing" in second


@pytest.mark.parametrize(
    "encoding", ["undefined", "punycode", "idna", "hex", "rot13", "x\0y", "nothing", "é"]
)
def test_what_no_file_can_be_encoded_in_is_refused_in_words(tmp_path, encoding):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "b", "annotations": []}\n', encoding="utf-8")
    with pytest.raises(InputError, match="unknown encoding"):
        read_corpus(path, encoding=encoding)


@pytest.mark.parametrize("language", ["", "English", "en us", "e", "en-", "../x"])
def test_what_is_no_language_is_refused(tmp_path, language):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "b", "annotations": []}\n', encoding="utf-8")
    with pytest.raises(InputError, match="not a language"):
        read_corpus(path, language=language)


def test_unknown_is_nil_in_elevant_s_benchmarks_alone(tmp_path: Path) -> None:
    label = {"span": [0, 3], "entity_id": "Unknown7"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "Ann", "labels": [label]}), encoding="utf-8")
    assert read_corpus(path)[0].annotations[0].entity.kind == "nil"
    row = {"id": "a", "text": "Ann", "annotations": [{"start": 0, "end": 3, "entity": "Unknown"}]}
    path.write_text(json.dumps(row), encoding="utf-8")
    assert read_corpus(path)[0].annotations[0].entity.key == "w:en:Unknown"


def test_a_key_that_is_there_twice_is_a_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": "a", "text": "Ann"}\n{"id": "b", "text": "Ann", "text": "Bob"}\n', encoding="utf-8"
    )
    [problem] = read_file(path, format="jsonl").problems
    assert f"{path}:2: 'text' is there twice in one object" in str(problem)


def test_a_document_of_another_format_is_no_document_without_annotations(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "text": "Ann", "labels": []}', encoding="utf-8")
    assert "a document of another format; got labels" in str(read_file(path, format="jsonl").problems[0])


def test_texts_that_look_the_same_are_shown_as_they_are() -> None:
    assert difference("Zo\u00eb", "Zoe\u0308").endswith(r"'Zo\xeb' against 'Zoe\u0308'")


def test_one_value_over_many_lines_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "Ann", "annotations": []}, indent=1), encoding="utf-8")
    with pytest.raises(InputError, match="one JSON value over several lines; expected an object a line"):
        read_file(path, format="jsonl")
