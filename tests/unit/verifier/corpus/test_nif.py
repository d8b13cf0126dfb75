"""Reading NIF in Turtle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from analysis.errors import InputError, MissingExtraError
from verifier.corpus import read_corpus, read_file

pytest.importorskip("rdflib")

HEAD = """@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .
@prefix dbr: <http://dbpedia.org/resource/> .
"""
CONTEXT = '<http://x.org/1#char=0,11> a nif:Context ; nif:isString "Ann met Bob" .\n'


def phrase(*more: str, iri: str = "http://x.org/1#char=0,3", kind: str = "nif:Phrase") -> str:
    given = more or ('nif:anchorOf "Ann"', "itsrdf:taIdentRef dbr:Ann")
    return (
        f"<{iri}> a {kind} ;\n  "
        + " ;\n  ".join(["nif:referenceContext <http://x.org/1#char=0,11>", *given])
        + " .\n"
    )


def write(folder: Path, *parts: str, head: str = HEAD) -> Path:
    path = folder / "a.ttl"
    path.write_text(head + "".join(parts), encoding="utf-8", newline="")
    return path


def marks(path: Path, **options: object) -> list[tuple[int, int, str | None]]:
    return [(*a.span, a.entity.key) for d in read_corpus(path, **options) for a in d.annotations]


def test_offsets_can_stand_in_the_iri_alone(tmp_path):
    path = write(
        tmp_path, CONTEXT, phrase(), phrase("itsrdf:taIdentRef dbr:Bob", iri="http://x.org/1#offset_8_11")
    )
    assert marks(path) == [(0, 3, "dbp:en:Ann"), (8, 11, "dbp:en:Bob")]


def test_properties_count_before_the_iri(tmp_path):
    path = write(tmp_path, CONTEXT, phrase("nif:beginIndex 8 ; nif:endIndex 11", "itsrdf:taIdentRef dbr:Bob"))
    assert marks(path) == [(8, 11, "dbp:en:Bob")]


def test_several_contexts_are_several_documents_called_by_their_iris(tmp_path):
    other = '<http://x.org/2> a nif:Context ; nif:isString "Eve"@en-GB .\n'
    found = read_corpus(write(tmp_path, CONTEXT, phrase(), other))
    assert [(d.name, d.text, d.language, len(d.annotations)) for d in found] == [
        ("http://x.org/1", "Ann met Bob", None, 1),
        ("http://x.org/2", "Eve", "en", 0),
    ]


def test_two_contexts_of_one_document_keep_their_whole_iris(tmp_path):
    other = '<http://x.org/1#char=11,14> a nif:Context ; nif:isString "Eve" .\n'
    assert [d.name for d in read_corpus(write(tmp_path, CONTEXT, other))] == [
        "http://x.org/1#char=0,11",
        "http://x.org/1#char=11,14",
    ]


@pytest.mark.parametrize(
    ("links", "keys"),
    [
        ("itsrdf:taIdentRef dbr:Ann, <http://www.wikidata.org/entity/Q5>", ["wd:Q5"]),
        ("itsrdf:taIdentRef dbr:Ann, <http://en.wikipedia.org/wiki/Ann_Lee>", ["w:en:Ann Lee"]),
        ("itsrdf:taIdentRef dbr:Ann, dbr:Bob", ["dbp:en:Ann", "dbp:en:Bob"]),
        ("itsrdf:taIdentRef dbr:Ann, <http://dbpedia.org/page/Ann>", ["dbp:en:Ann"]),
        ("itsrdf:taIdentRef <http://x.org/e/Ann>", ["dbp:en:Ann"]),
        ("itsrdf:taIdentRef <http://x.org/e/Bob>", ["id:http://x.org/e/Bob"]),
        ("itsrdf:taIdentRef <http://aksw.org/notInWiki/Ann>", ["NIL"]),
        ("nif:annotationUnit [ itsrdf:taIdentRef dbr:Ann ; itsrdf:taConfidence 0.5 ]", ["dbp:en:Ann"]),
        ('nif:anchorOf "Ann"', [None]),
    ],
)
def test_which_link_counts(tmp_path, links, keys):
    same = "<http://x.org/e/Ann> <http://www.w3.org/2002/07/owl#sameAs> dbr:Ann .\n"
    path = write(tmp_path, CONTEXT, phrase(links), same)
    assert [key for *_, key in marks(path)] == keys


def test_several_links_of_one_scheme_are_said(tmp_path):
    reading = read_file(write(tmp_path, CONTEXT, phrase("itsrdf:taIdentRef dbr:Ann, dbr:Bob")))
    assert "1 phrases have several links of one scheme, the first in line 5" in reading.notes[0]


def test_sentences_are_no_annotations(tmp_path):
    sentence = phrase('nif:anchorOf "Ann met"', iri="http://x.org/1#char=0,7", kind="nif:Sentence")
    reading = read_file(write(tmp_path, CONTEXT, sentence))
    assert (reading.documents[0].annotations, len(reading.notes)) == ((), 1)


def test_a_mention_that_is_the_whole_text_shares_its_iri(tmp_path):
    iri = "<http://x.org/1#char=0,3>"
    both = f'{iri} a nif:Context, nif:Phrase ; nif:isString "Ann" ; itsrdf:taIdentRef dbr:Ann'
    assert marks(write(tmp_path, f"{both} ; nif:referenceContext {iri} .\n")) == [(0, 3, "dbp:en:Ann")]


def test_texts_are_as_they_are_with_every_line_end(tmp_path):
    path = write(
        tmp_path, '<http://x.org/1> a nif:Context ; nif:isString """a\r\nb\rc &amp; \\u00e9 🙂\n""" .\n'
    )
    assert read_corpus(path)[0].text == "a\r\nb\rc &amp; é 🙂\n"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            [CONTEXT, phrase("itsrdf:taIdentRef el:Ann")],
            "a.ttl:7: the prefix el: is used and not declared; expected one of those declared: nif: (line 1)",
        ),
        (
            [CONTEXT, phrase('nif:anchorOf "Bob"')],
            "a.ttl:5: the mention is not the text at its span; got 'Bob' for 0 to 3; expected 'Ann'. It",
        ),
        (
            [CONTEXT, phrase('nif:beginIndex "x"', "nif:endIndex 3")],
            "a.ttl:7: beginIndex is not a whole number; got 'x'",
        ),
        (
            [CONTEXT, phrase("nif:beginIndex 0, 1", "nif:endIndex 3")],
            "a.ttl:5: several offsets for one phrase",
        ),
        (
            [CONTEXT, phrase("itsrdf:taIdentRef dbr:A", iri="http://x.org/p")],
            "a.ttl:5: the phrase has no offsets",
        ),
        (
            [CONTEXT, phrase("itsrdf:taIdentRef dbr:A", iri="http://x.org/1#char=3,99")],
            "a.ttl:5: span outside the text; got 3 to 99",
        ),
        ([phrase()], "the context has no text"),
        ([CONTEXT, CONTEXT.replace("Bob", "Eve")], "a.ttl:4: 2 texts for one context"),
        ([CONTEXT[:60]], "a.ttl:4: not Turtle"),
        ([CONTEXT, phrase()[:-20]], "not Turtle"),
        (
            [CONTEXT, phrase("itsrdf:taIdentRef <http://en.wikipedia.org/x>")],
            "a.ttl:7: address not understood",
        ),
        (['<http://x.org/1> a nif:Context ; nif:isString "a\\u0000" .'], "'isString' holds a NUL"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, parts, said):
    with pytest.raises(InputError) as caught:
        read_corpus(write(tmp_path, *parts), format="nif")
    assert said in str(caught.value)


def test_all_prefixes_that_are_missing_are_told_at_once_and_can_be_given(tmp_path):
    path = write(tmp_path, CONTEXT, phrase("itsrdf:taIdentRef el:Ann", "itsrdf:taSource zz:b"))
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert [p.remedy.split("--prefix ")[1] for p in caught.value] == ["el=IRI", "zz=IRI"]
    given = {"el": "http://dbpedia.org/resource/", "zz": "http://x.org/"}
    assert marks(path, prefixes=given) == [(0, 3, "dbp:en:Ann")]


def test_without_the_extra_the_install_line_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "verifier.corpus.parsing", None)
    with pytest.raises(MissingExtraError, match=r'NIF needs .*pip install "posthoc\[nif\]"'):
        read_corpus(write(tmp_path, CONTEXT))
