"""Published corpora, read whole: every annotation is accounted for, and two files of one corpus agree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from verifier.corpus import read_corpus, read_file

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the published corpora are not in ../shared/data")


def totals(reading) -> Counter[str]:
    return sum(reading.audit.values(), Counter())


def test_hirmeos_is_accounted_for_annotation_by_annotation():
    """1,574 annotations: 1,562 exact, 9 with a wrong span and one answer, 3 that only a person can mend."""
    reading = read_file(DATA / "hirmeos" / "hirmeos.xml", repair=True)
    kinds = Counter(a.entity.kind for d in reading.documents for a in d.annotations)
    assert (len(reading.documents), kinds) == (10, {"link": 1386, "nil": 185})
    assert (totals(reading)["exact"], len(reading.repaired), len(reading.problems)) == (1562, 9, 3)
    assert kinds.total() + len(reading.problems) == 1574


def test_hirmeos_without_repair_refuses_what_is_not_exact():
    reading = read_file(DATA / "hirmeos" / "hirmeos.xml")
    assert sum(len(d.annotations) for d in reading.documents) == 1562
    assert [p.where.rsplit(":", 1)[1] for p in reading.problems] == (
        ["508", "556", "1004", "2742", "2814", "3696", "4056", "4352", "6100", "6484", "7414", "8435"]
    )


def test_the_spellings_of_nil_in_hirmeos_are_told_apart():
    reading = read_file(DATA / "hirmeos" / "hirmeos.xml", repair=True)
    raws = (a.entity.raw for d in reading.documents for a in d.annotations if a.entity.kind == "nil")
    assert Counter(raws) == {"NIL": 184, "null": 1}


@pytest.fixture
def kore50(tmp_path):
    """KORE50 as TSV, on the texts of ELEVANT's file, and that file: documents in pairs."""
    together = {"".join(d.text.split()): d for d in read_corpus(DATA / "kore50" / "gt.elevant.jsonl")}
    for document in read_corpus(DATA / "kore50" / "KORE50.tsv"):
        other = together["".join(document.text.split())]
        (tmp_path / f"{document.name}.txt").write_bytes(other.text.encode())
    aligned = read_corpus(DATA / "kore50" / "KORE50.tsv", texts=tmp_path)
    return [(document, together["".join(document.text.split())]) for document in aligned]


def test_kore50_has_the_same_texts_and_spans_from_both_files(kore50):
    """The TSV has four mentions more: NIL, which ELEVANT's file leaves out."""
    assert (len(kore50), all(a.text == b.text for a, b in kore50)) == (50, True)
    more = [
        (ours.text[slice(*a.span)], a.entity.raw)
        for ours, theirs in kore50
        for a in ours.annotations
        if a.span not in {b.span for b in theirs.annotations}
    ]
    assert more == [(name, "--NME--") for name in ("Brooklyn", "Romeo", "Cruz", "Harper Seven")]
    spans = [{a.span for a in d.annotations if a.entity.kind != "nil"} for pair in kore50 for d in pair]
    assert spans[::2] == spans[1::2]


def test_kore50_names_the_same_entities_in_both_files(kore50):
    """101 of 144 titles are the item's label; the others differ only in how the article was called.

    One of them, Hurricane (song), has no item in ELEVANT's file.
    """
    lines = (DATA / "qid_labels.tsv").read_text(encoding="utf-8").split("\n")
    label = dict(line.split("\t")[:2] for line in lines if "\t" in line)
    same, unmapped = 0, []
    for ours, theirs in kore50:
        known = {a.span: a.entity for a in theirs.annotations}
        for annotation in ours.annotations:
            if annotation.entity.kind == "nil":
                continue
            entity, title = known[annotation.span], annotation.entity.key.removeprefix("w:en:")
            same += entity.key is not None and label[entity.key.removeprefix("wd:")] == title
            unmapped += [title] if entity.kind == "unmapped" else []
    assert (same, unmapped) == (101, ["Hurricane (song)"])


@pytest.mark.parametrize(
    ("name", "documents", "kinds"),
    [
        ("opentapioca-istex_test", 250, {"link": 670}),
        ("pynif-example-contextHashBasedString", 1, {"link": 1}),
        ("pynif-example-maradona", 1, {"link": 1, "none": 1}),
        ("pynif-reuters-nif20", 1, {"link": 2, "nil": 1}),
        ("pynif-reuters-nif20-normalized", 1, {"link": 2, "nil": 1}),
        ("pynif-reuters-nif21", 1, {"link": 2, "nil": 1}),
    ],
)
def test_nif_of_both_versions_and_every_kind_of_iri_is_exact(name, documents, kinds):
    pytest.importorskip("rdflib")
    reading = read_file(DATA / "nif" / f"{name}.ttl")
    assert not reading.problems
    assert (len(reading.documents), set(totals(reading))) == (documents, {"exact"})
    assert Counter(a.entity.kind for d in reading.documents for a in d.annotations) == kinds


def test_conel_has_its_annotations_and_its_runs_are_placed_or_told():
    reading = read_file(DATA / "conel" / "ConEL22_EL_Val.json")
    assert (len(reading.documents), totals(reading)) == (58, {"exact": 523})
    known = {document.name: document.text for document in reading.documents}
    for name, rows in (("gold/gold_cne", 523), ("runs/REL-W2V", 172), ("runs/Tagme-W2V", 458)):
        run = read_file(DATA / "conel" / f"{name}.json", known=known.get)
        assert sum(len(d.annotations) for d in run.documents) + len(run.problems) == rows
        assert all("times in its turn" in str(problem) for problem in run.problems)
