"""Controls from a file: read, and refused with every fault at its line."""

import json

import pytest

from analysis.documents import Span
from analysis.errors import InputError
from verifier.plan.given import Place, read_controls

TEXT = "Paris and Rome. Then Oslo."
PLACES = {"d1": [Place(4, "news", "en", TEXT, [Span(0, 16), Span(16, 26)])]}


def write(tmp_path, *rows):
    path = tmp_path / "controls.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(**changes):
    return {"start": 0, "end": 5, "entity": "Q90", "expected": "verify"} | changes


def test_one_control_a_segment(tmp_path):
    path = write(
        tmp_path,
        {
            "id": "d1",
            "annotations": [row(), row(start=21, end=25, entity="Q585", expected="edit", acceptable=["Q1"])],
        },
    )
    first, second = read_controls(path, PLACES)
    assert (first.document, first.segment, first.known[0].shown) == (4, 0, (0, 5, "wd:Q90"))
    assert (second.segment, second.known[0].acceptable, second.known[0].use) == (1, ("wd:Q1",), "gate")


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"id": "d9", "annotations": [row()]}, "no such document"),
        ({"id": "d1", "text": "other", "annotations": [row()]}, "not the document's"),
        ({"id": "d1", "annotations": []}, "'annotations' is missing"),
        ({"id": "d1", "annotations": [row(end=99)]}, "outside the text"),
        ({"id": "d1", "annotations": [row(expected="maybe")]}, "no decision"),
        ({"id": "d1", "annotations": [row(expected="edit")]}, "needs 'acceptable'"),
        ({"id": "d1", "annotations": [row(entity=None)]}, "entity is missing"),
        ({"id": "d1", "annotations": [row(entity="NIL")]}, "NIL cannot be shown"),
        ({"id": "d1", "annotations": [row(use="other")]}, "'use' is not known"),
        ({"id": "d1", "annotations": [row(start=10, end=20)]}, "crosses segments"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, document, fault):
    path = write(tmp_path, {"id": "d1", "annotations": [row()]}, document)
    with pytest.raises(InputError, match=rf"controls\.jsonl:2: .*{fault}"):
        read_controls(path, PLACES)


def test_all_faults_are_told_at_once(tmp_path):
    path = write(
        tmp_path,
        {"id": "d9", "annotations": [row()]},
        {"id": "d1", "annotations": [row(expected="x"), row(end=77)]},
    )
    with pytest.raises(InputError) as caught:
        read_controls(path, PLACES)
    assert len(caught.value.problems) == 3
