"""The options of import and score that decide how corpus files are read, through the command line."""

from __future__ import annotations

import json

import pytest

TEXT = "🙂 Ann met Bob"
HEAD = "@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .\n"


def put(posthoc, study, *files, source="GT", **options):
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    return posthoc(
        "import", study, *files, "--dataset", "d", "--source", source, *(w for w in words if w is not True)
    )


@pytest.fixture
def utf16(tmp_path):
    """A file whose offsets count UTF-16 units."""
    path = tmp_path / "gt.jsonl"
    marks = [
        {"start": 3, "end": 6, "mention": "Ann", "entity": "Q1"},
        {"start": 11, "end": 14, "mention": "Bob"},
    ]
    path.write_text(json.dumps({"id": "1", "text": TEXT, "annotations": marks}), encoding="utf-8")
    return path


def test_a_dry_run_says_what_was_counted_and_ends_as_the_import_would(posthoc, study_folder, utf16):
    ran = put(posthoc, study_folder, utf16, dry_run=True)
    assert ran.status == 1
    assert "offset audit: 2 UTF-16 units" in ran.out
    assert "2 bad rows: the import would be refused" in ran.out
    assert ran.err.count("(UTF-16 units): --repair takes that.") == 2


def test_repairs_are_told_and_counted(posthoc, study_folder, utf16):
    ran = put(posthoc, study_folder, utf16, repair=True, json=True)
    (file,) = json.loads(ran.out)["files"]
    assert (ran.status, file["annotations"], len(file["repaired"])) == (0, 2, 2)
    assert file["audited"] == {"1": {"UTF-16 units": 2}}


def test_a_prefix_can_be_given(posthoc, study_folder, tmp_path):
    pytest.importorskip("rdflib")
    path = tmp_path / "gt.ttl"
    path.write_text(f'{HEAD}el:1 a nif:Context ; nif:isString "Ann" .\n', encoding="utf-8")
    refused = put(posthoc, study_folder, path)
    assert (refused.status, "gt.ttl:2: the prefix el: is used and not declared" in refused.err) == (1, True)
    ran = put(posthoc, study_folder, path, prefix="el=http://x.org/")
    assert (ran.status, "1 documents (1 new)" in ran.out) == (0, True)
    wrong = put(posthoc, study_folder, path, prefix="el")
    assert (wrong.status, "not a prefix" in wrong.err) == (1, True)


def test_columns_can_be_named_and_the_texts_be_those_of_the_ground_truth(posthoc, tmp_path, utf16):
    (tmp_path / "p.csv").write_text("d;von;bis;e\n1;2;5;Q1\n", encoding="utf-8")
    pred = f"Mine={tmp_path / 'p.csv'}"
    ran = posthoc("score", "--gt", utf16, "--pred", pred, "--repair", "--json")
    assert (ran.status, "no column for document" in ran.err or "format not recognised" in ran.err) == (
        1,
        True,
    )
    gt = tmp_path / "gt.csv"
    gt.write_text(f"d,von,bis,e,text\n1,2,5,Q1,{TEXT}\n", encoding="utf-8")
    (tmp_path / "map.yaml").write_text("document: d\nstart: von\nend: bis\nentity: e\n", encoding="utf-8")
    ran = posthoc("score", "--gt", gt, "--pred", pred, "--map", tmp_path / "map.yaml", "--json")
    (record,) = json.loads(ran.out)["records"]
    assert (record["hits"], record["predicted"], record["gold"]) == (1, 1, 1)


def test_xml_and_its_texts_can_be_in_two_encodings(posthoc, study_folder, tmp_path):
    (tmp_path / "RawText").mkdir()
    (tmp_path / "RawText" / "a").write_bytes("José".encode("latin-1"))
    path = tmp_path / "gt.xml"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?><x.entityAnnotation><document docName="a"><annotation>'
        "<mention>José</mention><wikiName>José</wikiName><offset>0</offset><length>4</length></annotation>"
        "</document></x.entityAnnotation>",
        encoding="utf-8",
    )
    refused = put(posthoc, study_folder, path)
    assert (refused.status, "RawText/a:1: not utf-8-sig text" in refused.err) == (1, True)
    ran = put(posthoc, study_folder, path, encoding="latin-1")
    assert (ran.status, "offset audit: 1 exact" in ran.out) == (0, True)


def test_titles_are_scored_against_ids_with_a_file_that_says_which_is_which(posthoc, tmp_path):
    row = {"id": "1", "text": "Ann met Bob", "annotations": [{"start": 0, "end": 3, "entity": "Q1"}]}
    (tmp_path / "gt.jsonl").write_text(json.dumps(row), encoding="utf-8")
    row["annotations"][0]["entity"] = "Ann_Lee"
    (tmp_path / "p.jsonl").write_text(json.dumps(row), encoding="utf-8")
    (tmp_path / "ids.tsv").write_text("Q1\tAnn Lee\n", encoding="utf-8")
    words = ("score", "--gt", tmp_path / "gt.jsonl", "--pred", f"M={tmp_path / 'p.jsonl'}", "--json")
    apart = posthoc(*words)
    assert json.loads(apart.out)["records"][0]["hits"] == 0
    assert "--redirects with titles and their Wikidata ids" in apart.err
    ran = posthoc(*words, "--redirects", tmp_path / "ids.tsv")
    assert (json.loads(ran.out)["records"][0]["hits"], ran.err) == (1, "")
