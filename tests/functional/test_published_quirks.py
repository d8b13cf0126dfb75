"""What published corpora get wrong: each is told with its line and what to do, and then it can be read."""

from __future__ import annotations

import json

import pytest

NIF = "@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .\n"
ITS = "@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .\n"
CONTEXT = '<http://x.org/1#char=0,11> a nif:Context ; nif:isString "Ann met Bob" .\n'
PHRASE = "<http://x.org/1#char=0,3> nif:referenceContext <http://x.org/1#char=0,11> ;\n"


@pytest.fixture
def put(posthoc, study_folder, tmp_path):
    """Imports files with these contents; gives how it ended and, if well, the report."""

    def run(name, content, *options, texts=()):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        for document, text in dict(texts).items():
            (tmp_path / "RawText").mkdir(exist_ok=True)
            (tmp_path / "RawText" / document).write_bytes(text)
        given = ("--dataset", "d", "--source", "GT", "--dry-run", "--json", *options)
        ran = posthoc("import", study_folder, path, *given)
        return ran.status, ran.err, json.loads(ran.out)["files"][0] if ran.status == 0 else None

    return run


def wned(*annotations: str, encoding: str = "UTF-8") -> str:
    inside = "".join(f"<annotation>\n{annotation}\n</annotation>\n" for annotation in annotations)
    head = f'<?xml version="1.0" encoding="{encoding}"?>\n<x.entityAnnotation>\n'
    return f'{head}<document docName="a">\n{inside}</document></x.entityAnnotation>'


def mark(mention: str, offset: int, length: int) -> str:
    parts = f"<offset>{offset}</offset><length>{length}</length>"
    return f"<mention>{mention}</mention><wikiName>Ann Lee</wikiName>{parts}"


def test_prefixes_that_nobody_declared(put):
    pytest.importorskip("rdflib")
    content = NIF + ITS + CONTEXT + PHRASE + "  itsrdf:taIdentRef el:Ann ; nif:anchorOf zz:no .\n"
    status, told, _ = put("a.ttl", content)
    assert (status, "a.ttl:5: the prefix el: is used and not declared" in told) == (1, True)
    assert "--prefix el=IRI" in told
    assert "a.ttl:5: the prefix zz:" in told
    content = content.replace(" ; nif:anchorOf zz:no", "")
    status, _, report = put("a.ttl", content, "--prefix", "el=http://dbpedia.org/resource/")
    assert (status, report["schemes"]) == (0, {"dbp:en": 1})


def test_several_links_of_one_phrase(put):
    pytest.importorskip("rdflib")
    links = "<http://dbpedia.org/resource/Ann>, <http://www.wikidata.org/entity/Q1>"
    status, _, report = put("a.ttl", f"{NIF}{ITS}{CONTEXT}{PHRASE}  itsrdf:taIdentRef {links} .\n")
    assert (status, report["schemes"], report["annotations"]) == (0, {"wd": 1}, 1)
    links = "<http://dbpedia.org/resource/Ann>, <http://dbpedia.org/resource/Ann_Lee>"
    status, told, report = put("a.ttl", f"{NIF}{ITS}{CONTEXT}{PHRASE}  itsrdf:taIdentRef {links} .\n")
    assert (status, report["annotations"]) == (0, 2)
    assert "1 phrases have several links of one scheme, the first in line 4" in told


@pytest.mark.parametrize("text", [b"R&amp;D met Bob", b"R&D met Bob"])
def test_offsets_that_count_escaped_ampersands(put, text):
    marks = [mark("R&amp;D", 0, 7), mark("Bob", 12, 3)]
    status, told, report = put("a.xml", wned(*marks), "--repair", texts={"a": text})
    assert (status, report["annotations"]) == (0, 2)
    exact = report["audit"].get("exact", 0)
    assert report["audit"]["escaped text"] + exact == 2
    if b"amp" not in text:
        status, told, _ = put("a.xml", wned(*marks), texts={"a": text})
        assert status == 1
        assert "a.xml:7: the mention is not the text at its span" in told
        assert "(escaped text): --repair takes that" in told


def test_an_encoding_that_is_another_than_that_of_the_texts(put):
    status, told, _ = put("a.xml", wned(mark("José", 4, 4)), texts={"a": "von\nJosé".encode("latin-1")})
    assert (status, "RawText/a:2: not utf-8-sig text; got byte 0xe9" in told) == (1, True)
    assert "--encoding" in told
    given = ("--encoding", "latin-1")
    status, _, report = put(
        "a.xml", wned(mark("José", 4, 4)), *given, texts={"a": "von\nJosé".encode("latin-1")}
    )
    assert (status, report["audit"]) == (0, {"exact": 1})


def test_byte_order_marks_that_the_offsets_count_and_that_they_do_not(put):
    bom = b"\xef\xbb\xbf"
    marks = [mark("Ann", 1, 3), mark("Bob", 9, 3)]
    status, _, report = put(
        "a.xml", bom + wned(*marks).encode(), "--repair", texts={"a": bom + b"Ann met Bob"}
    )
    assert (status, report["audit"]) == (0, {"shifted by -1": 2})
    status, _, report = put(
        "a.xml", bom + wned(mark("Ann", 0, 3)).encode(), texts={"a": bom + b"Ann met Bob"}
    )
    assert (status, report["audit"]) == (0, {"exact": 1})


def test_spans_with_a_space_at_their_end(put):
    row = {"id": "a", "text": "Ann met Bob", "annotations": [{"start": 0, "end": 4, "entity": "Q1"}]}
    status, _, report = put("a.jsonl", json.dumps(row))
    assert (status, report["spaces"]) == (0, 1)
    row["annotations"][0]["mention"] = "Ann"
    status, told, _ = put("a.jsonl", json.dumps(row))
    assert "It stands at 0 to 3 (wrong length): --repair takes that." in told
    _, _, report = put("a.jsonl", json.dumps(row), "--repair")
    assert (report["spaces"], report["audit"]) == (0, {"wrong length": 1})
