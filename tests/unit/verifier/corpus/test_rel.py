"""Reading what REL answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.corpus import read_corpus, read_file

TEXT = "Ann met Bob"
RESPONSE = [[0, 3, "Ann", "Ann_Lee", 0.5, 0.9, "PER"], [8, 3, "Bob", "NIL", 0.1, 0.2, "PER"]]
FOUND = [(0, 3, "w:en:Ann Lee", 0.5), (8, 11, "NIL", 0.1)]


def write(folder: Path, *rows: object, name: str = "d.json") -> Path:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def marks(path: Path, **options: object) -> list[tuple[object, ...]]:
    return [
        (*a.span, a.entity.key, a.confidence) for d in read_corpus(path, **options) for a in d.annotations
    ]


def test_lines_of_request_and_response(tmp_path):
    path = write(
        tmp_path,
        {"id": "d", "request": {"text": TEXT}, "response": RESPONSE},
        {"id": "e", "text": "x", "response": []},
    )
    assert marks(path) == FOUND
    assert [d.name for d in read_corpus(path)] == ["d", "e"]


@pytest.mark.parametrize("name", ["d.json", "d.response.json"])
def test_one_response_with_its_request_beside_it(tmp_path, name):
    write(tmp_path, {"text": TEXT, "spans": []}, name="d.request.json")
    path = write(tmp_path, RESPONSE, name=name)
    assert marks(path) == FOUND
    assert read_file(path).documents[0].name == "d"


def test_a_batch_with_a_folder_of_texts(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "d").write_text(TEXT, encoding="utf-8")
    reading = read_file(write(tmp_path, {"d": RESPONSE}), texts=tmp_path / "texts")
    assert (reading.format, reading.why) == ("rel", "it is one object, document -> REL's mentions")
    assert len(reading.documents[0].annotations) == 2


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "d", "text": TEXT, "response": [[0, 3, "Ann"]]}, "d.json:1: annotation 1: not a mention"),
        (
            {"id": "d", "text": TEXT, "response": [[0, 4, "Ann", "A"]]},
            "annotation 1: the mention is not the text at its span",
        ),
        (
            {"id": "d", "text": TEXT, "response": [[0, 3, "Ann", "A", "x"]]},
            "annotation 1: 'confidence' is not a number",
        ),
        ({"id": "d", "text": TEXT, "response": {}}, "d.json:1: the response is not a list; got {}"),
        ({"id": "d", "response": RESPONSE}, "d.json:1: the document has no text; got 'd'. Name the folder"),
        (RESPONSE, "d.json:1: the document has no text"),
    ],
)
def test_a_fault_is_told(tmp_path, row, said):
    with pytest.raises(InputError) as caught:
        read_corpus(write(tmp_path, row))
    assert said in str(caught.value)


def test_a_mention_that_is_empty_is_no_mention_at_its_span(tmp_path):
    path = tmp_path / "d.json"
    path.write_text('[\n [\n  0,\n  3,\n  "",\n  "Q1"\n ]\n]', encoding="utf-8")
    (tmp_path / "d.request.json").write_text('{"text": "Ann met Bob"}', encoding="utf-8")
    [problem] = read_file(path, format="rel").problems
    assert f"{path}:2: annotation 1: the mention is not the text at its span" in str(problem)
    assert "Look at lines 2 to 5." in str(problem)


def test_a_response_over_many_lines_that_is_damaged_is_told_where(tmp_path):
    path = tmp_path / "r.json"
    path.write_text('{\n "d": [\n  [0, 3, "Ann", "Q1"]\n  [8, 3, "Bob", "Q2"]\n ]\n}', encoding="utf-8")
    with pytest.raises(
        InputError, match=r"r\.json:4: not JSON.*after line 3, in the list that begins in line 2"
    ):
        read_file(path, format="rel")


def test_a_document_twice_in_one_object_is_a_bad_row(tmp_path):
    path = tmp_path / "r.json"
    path.write_text('{"d": [],\n "d": []}', encoding="utf-8")
    (tmp_path / "d").write_text("Ann", encoding="utf-8")
    [problem] = read_file(path, format="rel", texts=tmp_path).problems
    assert f"{path}:2: the document stands in the file twice" in str(problem)
