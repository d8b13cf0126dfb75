"""What is written in any format reads back as the same corpus, by our readers and by independent ones."""

from __future__ import annotations

import csv
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from defusedxml import ElementTree as SafeTree
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError
from analysis.keys import Entity, read_entity
from tests.support.examples import examples
from tests.support.written import LINKS, MARKS, OTHERS, documents, held, side_by_side
from verifier.corpus import read_corpus, writers

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "writers.json"
QUICK = examples(40)


def written(made: list[Document], form: str, folder: Path) -> Path:
    path = folder / f"c{writers.format_of(form).suffix}"
    writers.write(made, path, form=form, name="corpus 1", language="en")
    return path


def back(made: list[Document], form: str) -> list[Document]:
    """Written and read again, as the format that it was written in and as the one that is recognised."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(made, form, Path(folder))
        found = read_corpus(path, format=form.partition("-")[0])
        if any(document.annotations for document in made):
            assert read_corpus(path) == found
    return sorted(found, key=lambda document: document.name)


@pytest.mark.parametrize("form", ["elevant", "elevant-simple"])
@given(documents([*LINKS, *OTHERS]), st.integers(0, 1))
@QUICK
def test_elevant(form: str, made: list[Document], first: int) -> None:
    if first:
        made = [Document(d.name, d.text, d.annotations, Span(0, len(d.text))) for d in made]
    wanted = held(made, confidence=False, evaluation=True)
    assert held(back(made, form), confidence=False, evaluation=True) == wanted


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_wned(made: list[Document]) -> None:
    assert held(back(made, "wned")) == held(made)


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_csv(made: list[Document]) -> None:
    assert held(back(made, "csv")) == held(made)


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_neleval(made: list[Document]) -> None:
    assume(any(document.annotations for document in made))
    assert held(back(made, "neleval")) == held(made)


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_aida(made: list[Document]) -> None:
    made = side_by_side(made)
    assert held(back(made, "aida"), confidence=False) == held(made, confidence=False)


@given(documents([*LINKS, OTHERS[1]]))
@QUICK
def test_nif(made: list[Document]) -> None:
    pytest.importorskip("rdflib")
    assert held(back(made, "nif")) == held(made)


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_posthoc_jsonl(made: list[Document]) -> None:
    assert held(back(made, "jsonl")) == held(made)


@pytest.mark.prove
def test_a_thousand_corpora_of_each_format_read_back() -> None:
    corpora = 1000
    for form in writers.FORMATS:
        entities = [*LINKS, OTHERS[1]] if form == "nif" else [*LINKS, *OTHERS]

        @given(documents(entities), st.just(form))
        @settings(max_examples=corpora, deadline=None)
        def read_back(made: list[Document], form: str) -> None:
            made = side_by_side(made) if form == "aida" else made
            scores = not form.startswith(("elevant", "aida"))
            assume(any(document.annotations for document in made))
            assert held(back(made, form), confidence=scores) == held(made, confidence=scores)

        read_back()
    proof = {
        "corpora written and read back as they were, of each format": dict.fromkeys(writers.FORMATS, corpora)
    }
    PROOF.write_text(json.dumps(proof, indent=2) + "\n", encoding="utf-8")


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_texts_that_stand_apart_keep_every_byte(made: list[Document]) -> None:
    """Also a mark of byte order at the start, which readers of files take away once."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(made, "neleval", Path(folder))
        for document in made:
            assert (path.parent / "RawText" / document.name).read_bytes().decode(
                "utf-8-sig" if document.text.startswith("\ufeff") else "utf-8"
            ) == document.text


@given(documents([*LINKS, *OTHERS]))
@QUICK
def test_csv_as_the_standard_library_reads_it(made: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder, written(made, "csv", Path(folder)).open(newline="") as file:
        rows = list(csv.DictReader(file))
    texts = {document.name: document.text for document in made}
    assert all(
        row["mention"] == texts[row["document"]][int(row["start"]) : int(row["end"])]
        for row in rows
        if row["start"]
    )
    assert sum(bool(row["start"]) for row in rows) == sum(len(d.annotations) for d in made)
    assert {row["document"] for row in rows} == set(texts)


@given(documents(LINKS))
@QUICK
def test_wned_as_an_xml_parser_reads_it(made: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = SafeTree.parse(written(made, "wned", Path(folder))).getroot()
    assert [node.get("docName") for node in root] == [d.name for d in made]
    for node, document in zip(root, made, strict=True):
        found = [_annotation(child, document.text) for child in node]
        assert found == [(*a.span, a.entity.kind, a.entity.key, a.confidence) for a in document.annotations]


def _annotation(node: Any, text: str) -> tuple[object, ...]:
    start = int(node.findtext("offset"))
    end = start + int(node.findtext("length"))
    assert node.findtext("mention") == text[start:end]
    wikidata, name = node.findtext("wikidataId"), node.findtext("wikiName")
    entity = read_entity(wikidata or name or "NIL", "en")
    score = node.findtext("prob")
    return (start, end, entity.kind, entity.key, None if score is None else float(score))


@given(documents(LINKS))
@QUICK
def test_nif_as_rdflib_reads_it(made: list[Document]) -> None:
    rdflib = pytest.importorskip("rdflib")
    nif = rdflib.Namespace("http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#")
    its = rdflib.Namespace("http://www.w3.org/2005/11/its/rdf#")
    graph = rdflib.Graph()
    with tempfile.TemporaryDirectory() as folder:
        graph.parse(written(made, "nif", Path(folder)), format="turtle")
    texts = {str(node): str(text) for node, text in graph.subject_objects(nif.isString)}
    assert sorted(texts.values()) == sorted(d.text for d in made)
    found = []
    for phrase, context in graph.subject_objects(nif.referenceContext):
        start, end = (int(graph.value(phrase, name)) for name in (nif.beginIndex, nif.endIndex))
        assert str(graph.value(phrase, nif.anchorOf)) == texts[str(context)][start:end]
        (link,) = graph.objects(phrase, its.taIdentRef)
        nil = str(link).startswith("http://aksw.org/notInWiki/")
        found.append((start, end, "NIL" if nil else read_entity(str(link), "en").key))
    wanted = [(*a.span, a.entity.key) for d in made for a in d.annotations]
    assert sorted(found) == sorted(wanted)


@given(documents(LINKS, empty=False))
@QUICK
def test_neleval_rows_end_at_the_last_character(made: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = written(made, "neleval", Path(folder)).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    found = [(row[0], int(row[1]), int(row[2]) + 1, read_entity(row[3], "en").key) for row in rows]
    assert found == [(d.name, *a.span, a.entity.key) for d in made for a in d.annotations]


def one(text: str = "Ann met Bob.", name: str = "d", entity: Entity = LINKS[0]) -> list[Document]:
    return [Document(name, text, (Annotation(Span(0, 3), entity, 0.5),))]


@pytest.mark.parametrize(
    ("form", "made", "fault"),
    [
        ("csv", one(name=" a"), "begins or ends with a space"),
        ("neleval", one(name="#1"), "as a remark does"),
        ("wned", one("A\x0bn"), "U+000B, which XML cannot hold"),
        ("neleval", one(name="a\tb"), "parts cells and lines"),
        ("wned", one(name="a/b"), "cannot be the name of a file"),
        ("nif", one(entity=Entity("link", "id:a b", "id:a b")), "cannot be written as an IRI"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_nothing_is_written(tmp_path, form, made, fault) -> None:
    with pytest.raises(InputError, match=fault.replace("+", r"\+")):
        written(made, form, tmp_path / "o")
    assert not list(tmp_path.rglob("*.*"))


@pytest.mark.parametrize("form", ["elevant", "wned", "nif", "neleval"])
def test_what_a_format_has_no_place_for_is_said(tmp_path, form) -> None:
    made = [
        Document(
            "d",
            "Ann met Bob.",
            (Annotation(Span(0, 3), Entity("unmapped", None, "yago:X"), 0.5),),
            Span(0, 5),
        )
    ]
    made += one(name="e", entity=Entity("none", None, None))
    said = "\n".join(writers.write(made, tmp_path / "x", form=form))
    words = {"elevant": "1 unmapped", "nif": "name no entity"}
    assert words.get(form, "") in said
    assert ("evaluation spans" in said) == (form != "elevant")


def test_a_format_that_is_not_written_is_told_with_those_that_are(tmp_path) -> None:
    with pytest.raises(InputError, match="jsonl, elevant, elevant-simple, wned, aida, nif, neleval, csv"):
        writers.write(one(), tmp_path / "x", form="docx")


@pytest.mark.parametrize("form", ["wned", "nif", "neleval", "csv"])
def test_a_date_never_becomes_a_title(tmp_path, form) -> None:
    """Labels that are no entities are left out, and counted, where they would read back as links."""
    made = one() + one(name="e", entity=Entity("other", None, "DATETIME"))
    (note,) = [n for n in writers.write(made, tmp_path / "x", form=form) if "name no entity" in n]
    assert ": 1 annotations" in note
    found = read_corpus(tmp_path / "x", format=form)
    assert [len(document.annotations) for document in found] == [1, 0]


@pytest.mark.parametrize("form", ["nif", "wned"])
def test_formats_that_hold_mentions_cannot_do_without_the_texts(tmp_path, form) -> None:
    with pytest.raises(InputError, match="without the texts"):
        writers.write(one(), tmp_path / "x", form=form, text=False)


@pytest.mark.parametrize("form", ["jsonl", "elevant", "elevant-simple", "neleval", "csv"])
def test_without_the_texts_no_word_of_them_is_written(tmp_path, form) -> None:
    writers.write(one("Ann met Bob."), tmp_path / "x", form=form, text=False)
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert "Ann" not in (tmp_path / "x").read_text()


def test_elevant_numbers_stay_numbers(tmp_path) -> None:
    writers.write(one(name="7"), tmp_path / "x", form="elevant")
    assert json.loads((tmp_path / "x").read_text())["id"] == 7


def test_the_marks_of_the_property_tests_hold_what_formats_stumble_over() -> None:
    assert {"<", "&", '"', "\r\n", "\ufeff", "🙂"} <= set(MARKS)
