"""Reading ConEL: dialogues, and runs that have no offsets."""

from __future__ import annotations

import json

import pytest

from analysis.errors import InputError
from verifier.corpus import read_corpus, read_file

TURNS = [
    {"turn_number": 0, "utterance": "I love ice hockey", "el_annotations": [
        {"mention": "ice hockey", "entity": "Ice_hockey", "span": [7, 17]}]},
    {"turn_number": 1, "utterance": "Hockey? Hockeys! cats, cats"},
]  # fmt: skip
TEXT = "I love ice hockey\nHockey? Hockeys! cats, cats"


def write(folder, value):
    path = folder / "a.json"
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def test_a_dialogue_is_a_document_with_a_line_for_each_turn(tmp_path):
    reading = read_file(write(tmp_path, [{"dialogue_id": "9", "turns": TURNS}]))
    (document,) = reading.documents
    assert (reading.format, document.name, document.text) == ("conel", "9", TEXT)
    assert [a.span for a in document.annotations] == [(7, 17)]


def run(tmp_path, *rows, **options):
    return read_file(write(tmp_path, list(rows)), known={"9": TEXT}.get, **options)


def test_mentions_of_a_run_are_placed_where_they_stand(tmp_path):
    cats = ["9", 1, "cats", "Cat"]
    reading = run(tmp_path, ["9", 1, "Hockey", "Hockey"], cats, cats, ["9", 0, "ice", None])
    spans = [a.span for a in reading.documents[0].annotations]
    assert spans == [(18, 24), (35, 39), (41, 45), (7, 10)]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["9", 1, "cats", "Cat"], "a.json:2: the mention stands 2 times in its turn; got 'cats' in turn 1"),
        (["9", 1, "dogs", "Dog"], "the mention is not in its turn"),
        (["9", 7, "cats", "Cat"], "no such turn; got 7; expected 0 to 1"),
        (["8", 0, "cats", "Cat"], "a.json:3: the document has no text; got '8'"),
    ],
)
def test_a_mention_without_one_place_is_a_bad_row(tmp_path, row, said):
    (problem,) = run(tmp_path, row).problems
    assert said in str(problem)


@pytest.mark.parametrize("cut", [3, 40, 120])
def test_a_file_that_is_cut_off_is_refused_whole(tmp_path, cut):
    path = write(tmp_path, [{"dialogue_id": "9", "turns": TURNS}])
    path.write_text(path.read_text()[:cut], encoding="utf-8")
    with pytest.raises(InputError, match=r"a.json:\d+: not JSON.*the item that begins in line \d+, complete"):
        read_corpus(path, format="conel")


def test_a_bad_annotation_is_told_with_its_number(tmp_path):
    turn = {"turn_number": 0, "utterance": "ab", "el_annotations": [{"mention": "a", "span": [0, 9]}, 5]}
    told = [str(p) for p in read_file(write(tmp_path, [{"dialogue_id": 9, "turns": [turn]}])).problems]
    assert "annotation 1: span outside the text" in told[0]
    assert "annotation 2: not an annotation; got 5" in told[1]
