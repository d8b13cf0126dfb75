"""Articles of a Wikipedia's search index become entities."""

from __future__ import annotations

import json

import pytest

from analysis.errors import InputError
from verifier.kb.build import build
from verifier.kb.dump import read_dump

HEADING = json.dumps({"index": {"_type": "page", "_id": "7"}})
PAGE = {
    "namespace": 0,
    "title": "Munich",
    "opening_text": "Munich is the capital\nof Bavaria.",
    "redirect": [{"namespace": 0, "title": "Muenchen"}, {"namespace": 4, "title": "M"}, 7],
    "popularity_score": 0.25,
    "descriptions": {"en": ["city in Germany"]},
}


def write(tmp_path, *pages):
    path = tmp_path / "dump.json"
    path.write_text("".join(f"{HEADING}\n{json.dumps(page)}\n" for page in pages), encoding="utf-8")
    return path


def read(tmp_path, *pages):
    return [row for _, row in read_dump(write(tmp_path, *pages), "en")]


def test_an_article_with_its_redirects_and_first_sentences(tmp_path):
    (row,) = read(tmp_path, PAGE, PAGE | {"namespace": 10, "title": "Template:Munich"})
    assert (row.key, row.aliases, row.popularity) == ("w:en:Munich", ("Muenchen",), 0.25)
    assert row.extract == "Munich is the capital of Bavaria."
    assert row.description == "city in Germany"


def test_an_article_may_have_nothing_but_a_title(tmp_path):
    (row,) = read(tmp_path, {"namespace": 0, "title": "Munich"})
    assert (row.extract, row.aliases, row.popularity) == (None, (), 0.0)


def test_bad_lines_are_told_with_their_numbers(tmp_path):
    pages = PAGE | {"title": " "}, PAGE, PAGE, PAGE | {"title": "A", "popularity_score": "x"}
    with pytest.raises(InputError) as caught:
        build(write(tmp_path, *pages), tmp_path / "kb.db")
    assert [problem.where.rpartition(":")[2] for problem in caught.value.problems] == ["2", "6", "8"]
