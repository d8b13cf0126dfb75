"""The recipes for linkers' output do what they say: their code is run on objects of the linkers' shapes."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace as Thing
from typing import Any

import pytest

from verifier.corpus import read_file

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "linker-output.md"
TEXT = "🙂 Ann met Bob"


@pytest.fixture
def recipe() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)  # noqa: S102 - the page's own code
    return names


def marks(recipe, annotations, tmp_path) -> list[tuple[object, ...]]:
    path = tmp_path / "mine.jsonl"
    path.write_text(recipe["line"]("d", TEXT, annotations) + recipe["line"]("e", "x", []), encoding="utf-8")
    reading = read_file(path)
    assert (reading.problems, len(reading.documents)) == ((), 2)
    found = reading.documents[0].annotations
    assert reading.audit["d"]["exact"] == len(found)
    return [(*a.span, a.entity.key or a.entity.kind, a.confidence) for a in found]


def test_refined(recipe, tmp_path):
    def span(start, text, item, kind="MENTION"):
        entity = Thing(wikidata_entity_id=item)
        return Thing(
            start=start,
            ln=len(text),
            text=text,
            predicted_entity=entity,
            entity_linking_model_confidence_score=0.5,
            coarse_type=kind,
        )

    spans = [span(2, "Ann", "Q1"), span(10, "Bob", None), span(6, "met", None, "DATE")]
    found = marks(recipe, recipe["from_refined"](spans), tmp_path)
    assert found == [(2, 5, "wd:Q1", 0.5), (10, 13, "NIL", 0.5)]


def test_genre(recipe, tmp_path):
    found = marks(recipe, recipe["from_genre"]([(2, 3, "Ann_Lee")], TEXT), tmp_path)
    assert found == [(2, 5, "w:en:Ann Lee", None)]


def test_blink(recipe, tmp_path):
    made = recipe["from_blink"]([(2, 5), (10, 13)], TEXT, [["Ann Lee", "Ann"], []], [[3.5, 1.0], []])
    assert marks(recipe, made, tmp_path) == [(2, 5, "w:en:Ann Lee", 3.5), (10, 13, "NIL", None)]


def test_spacy(recipe, tmp_path):
    ents = [
        Thing(start_char=2, end_char=5, text="Ann", kb_id_="Q1"),
        Thing(start_char=10, end_char=13, text="Bob", kb_id_=""),
    ]
    found = marks(recipe, recipe["from_spacy"](Thing(ents=ents)), tmp_path)
    assert found == [(2, 5, "wd:Q1", None), (10, 13, "none", None)]
