"""Reading tables: neleval and TAC, and CSV with columns of any name."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.corpus import read_corpus, read_file

TEXT = "Ann met Bob"


def texts(folder: Path, **more: str) -> Path:
    made = folder / "texts"
    made.mkdir(exist_ok=True)
    for name, text in {"d": TEXT, **more}.items():
        (made / f"{name}.txt").write_bytes(text.encode())
    return made


def write(folder: Path, *lines: str, name: str = "a.tsv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def marks(path: Path, **options: object) -> list[tuple[object, ...]]:
    return [
        (d.name, *a.span, a.entity.key or a.entity.kind, a.confidence)
        for d in read_corpus(path, **options)
        for a in d.annotations
    ]


def test_neleval_ends_are_inclusive_and_the_best_candidate_counts(tmp_path):
    path = write(tmp_path, "d\t0\t2\tQ1\t0.2\tPER\tQ2\t0.7\tPER", "d\t8\t10\tNIL12", "d\t8\t10")
    assert marks(path, texts=texts(tmp_path)) == [
        ("d", 0, 3, "wd:Q2", 0.7),
        ("d", 8, 11, "NIL", None),
        ("d", 8, 11, "none", None),
    ]


def test_tac_rows_give_the_place_in_the_fourth_column(tmp_path):
    path = write(tmp_path, "run\tq1\tBob\td:8-10\tQ3\tPER\tNAM\t0.5")
    reading = read_file(path, texts=texts(tmp_path, e="x"))
    assert (reading.format, reading.audit["d"]) == ("neleval", {"exact": 1})
    assert [(d.name, len(d.annotations)) for d in reading.documents] == [("d", 1), ("e", 0)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("d\t0\t2.5\tQ1", "a.tsv:1: end is not a whole number; got '2.5'"),
        ("d\t0\t11\tQ1", "a.tsv:1: span outside the text; got 0 to 12"),
        ("d\t0", "a.tsv:1: 2 columns"),
        ("d\t0\t2\tQ1\thigh", "a.tsv:1: score is not a number; got 'high'"),
        ("x\t0\t2\tQ1", "a.tsv:1: no text for the document; got 'x'"),
        (" \t0\t2\tQ1", "a.tsv:1: the document has no name"),
        (
            "r\tq\tEve\td:0-2\tQ1\tP\tN\t1",
            "a.tsv:1: the mention is not the text at its span; got 'Eve' for 0 to 3",
        ),
    ],
)
def test_a_bad_row_of_neleval_is_told(tmp_path, line, said):
    with pytest.raises(InputError) as caught:
        read_corpus(write(tmp_path, line), format="neleval", texts=texts(tmp_path))
    assert said in str(caught.value)


def test_csv_with_our_names_needs_no_mapping(tmp_path):
    path = write(
        tmp_path, "document,start,end,entity,confidence,text", f'd,0,3,"Bo, Jr.",0.5,{TEXT}', f"e,,,,,{TEXT}"
    )
    assert marks(path) == [("d", 0, 3, "w:en:Bo, Jr.", 0.5)]
    assert [d.name for d in read_corpus(path)] == ["d", "e"]


def test_csv_with_other_names_is_read_by_a_mapping(tmp_path):
    mapping = tmp_path / "map.yaml"
    mapping.write_text(
        'document: doc\nstart: von\nend: bis\nentity: titel\ndelimiter: ";"\nfirst: 1\ninclusive: true\n',
        encoding="utf-8",
    )
    path = write(tmp_path, "doc;von;bis;titel;note", "d;9;11;Bob;x")
    reading = read_file(path, mapping=mapping, texts=texts(tmp_path), language="de")
    assert reading.documents[0].annotations[0].span == (8, 11)
    assert (reading.format, reading.why, reading.ignored) == (
        "csv",
        "a mapping of its columns was given",
        ("note",),
    )


def test_texts_in_csv_keep_line_ends_and_quotes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'document,start,end,entity,text\nd,0,1,Q1,"a\r\nb ""c"""\nd,0,9,Q1,\n')
    with pytest.raises(InputError, match=r"a.csv:4: span outside the text"):
        read_corpus(path)
    assert read_file(path).documents[0].text == 'a\r\nb "c"'


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["document,start,entity", "d,0,Q1"], "a.csv:1: no column for end (or length)"),
        (["a,b", "d,0"], "a.csv:1: no column for document, start, entity, end (or length); got 'a, b'"),
        (["document,start,end,entity", "d,0,3"], 'a.csv:2: 3 columns; got ["d", "0", "3"]; expected 4'),
        (["document,start,end,entity,mention", "d,0,3,Q1,Bob"], "a.csv:2: the mention is not the text"),
        (["document,start,end,entity", 'd,0,3,"Q1'], "a.csv:2: not a table: unexpected end of data"),
        (
            ["document,start,end,entity,source", "d,0,3,Q1,A", "d,0,3,Q1,B"],
            "a.csv:3: another source than in the first row",
        ),
        (
            ["document,start,end,entity,text", "d,0,3,Q1,Ann", "d,0,3,Q1,Bob"],
            "a.csv:3: another text for the document 'd' than in line 2",
        ),
        (["document,start,start,end,entity"], "a.csv:1: two columns of one name; got 'start'"),
    ],
)
def test_a_bad_row_of_csv_is_told(tmp_path, lines, said):
    with pytest.raises(InputError) as caught:
        read_corpus(write(tmp_path, *lines, name="a.csv"), format="csv", texts=texts(tmp_path))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("begin: x\n", "map.yaml: unknown word in the mapping; got begin"),
        ("start: [\n", "map.yaml:2: not valid YAML"),
        ("- a\n", "map.yaml:1: not a mapping of columns; expected start: begin"),
        ("start: a\nstart: b\n", "map.yaml:2: the key 'start' stands twice"),
        ("first: 1.0\n", "map.yaml: first: not allowed; got 1.0; expected 0 or 1"),
        ("start: " + 5000 * "[", "map.yaml:1: nested more than 20 levels"),
        ("start: 5\n", "map.yaml: start: not the name of a column; got 5"),
        ("first: 7\n", "map.yaml: first: not allowed; got 7; expected 0 or 1"),
        ("start: gone\n", "a.csv:1: the mapping names a column that is not there; got gone"),
    ],
)
def test_a_bad_mapping_is_told(tmp_path, content, said):
    mapping = tmp_path / "map.yaml"
    mapping.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_corpus(write(tmp_path, "document,start,end,entity", name="a.csv"), mapping=mapping)
    assert said in str(caught.value)


def test_a_mapping_is_for_tables(tmp_path):
    with pytest.raises(InputError, match="only tables have a mapping"):
        read_corpus(write(tmp_path, "x"), format="nif", mapping=tmp_path / "m")
