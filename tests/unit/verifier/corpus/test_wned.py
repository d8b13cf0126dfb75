"""Reading WNED XML."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.corpus import read_corpus, read_file

TEXT = "Ann met Bob at R&amp;D."


def write(folder: Path, inside: str, name: str = "d.txt", **texts: str) -> Path:
    raw = folder / "RawText"
    raw.mkdir()
    for file, text in {"d.txt": TEXT, **texts}.items():
        (raw / file).write_bytes(text.encode())
    path = folder / "set.xml"
    path.write_text(
        f'<?xml version="1.0"?>\n<set.entityAnnotation>\n<document docName="{name}">\n{inside}\n</document>\n'
        "</set.entityAnnotation>\n",
        encoding="utf-8",
    )
    return path


def mark(
    mention: str = "Ann", offset: object = 0, length: object = 3, more: str = "<wikiName>Ann</wikiName>"
) -> str:
    return (
        f"<annotation><mention>{mention}</mention>{more}"
        f"<offset>{offset}</offset><length>{length}</length></annotation>"
    )


def entity(path: Path) -> tuple[str, str | None]:
    (document, *_) = read_corpus(path)
    return document.annotations[0].entity.kind, document.annotations[0].entity.key


@pytest.mark.parametrize(
    ("more", "kind", "key"),
    [
        ("<wikiName>Ann_Lee</wikiName>", "link", "w:en:Ann Lee"),
        ("<wikiName>Ann Lee</wikiName><wikidataId>Q5</wikidataId>", "link", "wd:Q5"),
        ("<wikiName>AT&amp;T</wikiName><wikidataId>NIL</wikidataId>", "link", "w:en:AT&T"),
        ("<wikidataId></wikidataId><wikipediaId>77</wikipediaId>", "link", "id:w:en:77"),
        ("<wikiName/>", "nil", "NIL"),
        ("<wikiName></wikiName>", "nil", "NIL"),
        ("<wikiName>NIL</wikiName><wikidataId>NIL</wikidataId><wikipediaId>-1</wikipediaId>", "nil", "NIL"),
        ("<wikiName>null</wikiName><wikidataId>null</wikidataId><wikipediaId>-1</wikipediaId>", "nil", "NIL"),
        ("<wikiName>0</wikiName>", "link", "w:en:0"),
        ("", "none", None),
    ],
)
def test_the_entity_is_the_best_that_is_given(tmp_path, more, kind, key):
    assert entity(write(tmp_path, mark(more=more))) == (kind, key)


def test_the_two_spellings_of_an_empty_name_are_told_apart(tmp_path):
    path = write(tmp_path, mark(more="<wikiName/>") + mark("Bob", 8, 3, "<wikiName></wikiName>"))
    (document,) = read_corpus(path)
    assert [a.entity.raw for a in document.annotations] == ["<wikiName/>", "<wikiName></wikiName>"]


def test_probability_is_the_confidence_and_lines_are_those_of_the_annotations(tmp_path):
    path = write(tmp_path, "\n" + mark(more="<wikiName>A</wikiName><prob>0.25</prob>"))
    (document,) = read_corpus(path)
    assert (document.annotations[0].confidence, document.annotations[0].line, document.line) == (0.25, 5, 3)


def test_a_text_that_the_file_does_not_name_is_a_document(tmp_path):
    path = write(tmp_path, mark(), **{"e.txt": "Nobody."})
    assert [(d.name, len(d.annotations)) for d in read_corpus(path)] == [("d.txt", 1), ("e.txt", 0)]


def test_texts_are_as_they_are(tmp_path):
    path = write(tmp_path, mark(), **{"e.txt": " a &amp; b \r\n\n"})
    assert [d.text for d in read_corpus(path)] == [TEXT, " a &amp; b \r\n\n"]


def test_escaped_text_is_told_and_repaired_only_if_asked(tmp_path):
    path = write(tmp_path, mark("R&amp;D", 15, 7))
    assert "It stands at 15 to 22 (escaped text): --repair takes that." in str(read_file(path).problems[0])
    reading = read_file(path, repair=True)
    assert reading.documents[0].annotations[0].span == (15, 22)
    assert "set.xml:4: span put right: escaped text" in str(reading.repaired[0])


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (mark(offset="x"), "set.xml:4: offset is not a whole number; got 'x'; expected digits"),
        (mark(length=4), "set.xml:4: the mention is not the text at its span; got 'Ann' for 0 to 4"),
        (mark("Zoe"), "It stands nowhere in the text: mend the file"),
        (mark(more="<wikiName>a|b</wikiName>"), "set.xml:4: not an entity"),
        (
            mark(more="<wikidataId>77</wikidataId><wikipediaId>Q5</wikipediaId>"),
            "wikipediaId holds Q5: they stand swapped",
        ),
        (mark(more="<wikiName>A</wikiName><prob>x</prob>"), "set.xml:4: prob is not a number"),
        (
            "<annotation><wikiName>A</wikiName></annotation>",
            "the annotation has no mention and no offset and no length",
        ),
        (mark(more="<offset>0</offset>"), "two offset in one annotation"),
        ("</document><annotation></annotation><document>", "an annotation outside a document"),
    ],
)
def test_a_bad_annotation_is_told_with_its_line(tmp_path, inside, said):
    with pytest.raises(InputError) as caught:
        read_corpus(write(tmp_path, inside), format="wned")
    assert said in str(caught.value)


def test_a_document_without_text_says_what_to_do(tmp_path):
    with pytest.raises(InputError, match=r"set.xml:3: no text for the document; got 'gone.txt'"):
        read_corpus(write(tmp_path, mark(), name="gone.txt"))
    (tmp_path / "RawText").rename(tmp_path / "texts")
    with pytest.raises(InputError, match="Name the folder of texts with --texts"):
        read_corpus(tmp_path / "set.xml")


@pytest.mark.parametrize("cut", [60, 90, 130, 150])
def test_a_file_that_is_cut_off_is_refused_whole(tmp_path, cut):
    path = write(tmp_path, mark())
    path.write_text(path.read_text()[:cut], encoding="utf-8")
    with pytest.raises(InputError, match=r"set.xml:\d: not well-formed XML.*fetch it anew if it is cut off"):
        read_file(path, format="wned")


def test_a_bare_ampersand_is_told_with_line_and_column(tmp_path):
    with pytest.raises(
        InputError, match=r"set.xml:4: not well-formed XML.*got column .*written as &amp; and &lt;"
    ):
        read_file(write(tmp_path, mark("R&D")), format="wned")


def test_entities_are_not_expanded_nor_files_fetched(tmp_path):
    path = write(tmp_path, mark())
    body = path.read_text().replace("?>", '?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>', 1)
    path.write_text(body, encoding="utf-8")
    with pytest.raises(InputError, match="declares entities or refers to other files"):
        read_file(path)


def test_a_text_in_another_encoding_is_told_with_its_file_and_line(tmp_path):
    path = write(tmp_path, mark())
    (tmp_path / "RawText" / "d.txt").write_bytes("Ann\nJosé".encode("latin-1"))
    with pytest.raises(InputError, match=r"d.txt:2: not utf-8-sig text.*--encoding"):
        read_corpus(path)
    assert read_corpus(path, encoding="latin-1")[0].text == "Ann\nJosé"
