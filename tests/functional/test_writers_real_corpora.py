"""Real corpora, written in every format and read again: the same, or what is missing was said."""

from __future__ import annotations

import pytest

from analysis.keys import OTHER, UNMAPPED
from tests.support.written import held, side_by_side
from verifier.corpus import read_corpus, writers
from verifier.corpus.reading import read_file

CORPORA = {
    "kore50": "kore50/gt.elevant.jsonl",
    "wiki-fair-v2": "wiki-fair-v2/gt.elevant.jsonl",
    "hirmeos": "hirmeos/hirmeos.xml",
    "istex": "nif/opentapioca-istex_test.ttl",
}
WHOLE = ("jsonl", "elevant", "elevant-simple")
TEXTS_APART = [form for form, writer in writers.FORMATS.items() if writer.texts]


@pytest.mark.parametrize("corpus", CORPORA)
def test_a_real_corpus_reads_back_from_every_format(corpus, shared_data, tmp_path) -> None:
    """ISTEX names its documents by addresses, which cannot name files: there texts cannot stand apart."""
    pytest.importorskip("rdflib")
    documents = read_file(shared_data / CORPORA[corpus]).documents
    for form in writers.FORMATS:
        if corpus == "istex" and form in TEXTS_APART:
            continue
        given = documents if form != "aida" else side_by_side(documents)
        path = tmp_path / form / f"c{writers.format_of(form).suffix}"
        notes = writers.write(given, path, form=form, name=corpus)
        lost = {"nif": {OTHER, UNMAPPED}}.get(form, set() if form in WHOLE else {OTHER})
        wanted = held(given, evaluation=form in WHOLE, confidence=False, without=lost)
        found = held(read_corpus(path), evaluation=form in WHOLE, confidence=False)
        assert found == wanted, form
        missing = sum(a.entity.kind in lost for d in given for a in d.annotations)
        assert any(f" {missing} annotations are left out" in note for note in notes) == bool(missing)
