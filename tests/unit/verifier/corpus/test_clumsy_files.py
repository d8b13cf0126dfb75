"""Files that people hand over by mistake are refused in words that say what they are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from analysis.errors import InputError
from verifier.corpus import read_corpus, read_file
from verifier.corpus.redirects import read_redirects

DIALOGUES = [{"dialogue_id": "d", "turns": [{"turn_number": 0, "utterance": "a", "el_annotations": []}]}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PK\x03\x04\x14\x00", "no text, but a zip archive or an Excel workbook.*save as CSV UTF-8"),
        (gzip.compress(b"PK\x03\x04\x14\x00", mtime=0), "a zip archive"),
        (b"%PDF-1.7", "no text, but a PDF"),
        (b"SQLite format 3\x00", "an SQLite database"),
        ("document,start\n".encode("utf-16"), "not utf-8-sig text.*looks like utf-16: --encoding utf-16"),
        ("document,start\n".encode("utf-32"), "looks like utf-32: --encoding utf-32"),
        (b"document,start,end,entity\n\xe9,0,1,A\n", "Name the file's encoding with --encoding"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_corpus(tmp_path / "x")


@pytest.mark.parametrize("form", ["jsonl", "aida", "neleval", "nif"])
@pytest.mark.parametrize("content", ["", " \n\t\n"])
def test_a_file_without_a_document_is_refused_also_where_its_format_is_named(tmp_path, form, content) -> None:
    (tmp_path / "x").write_text(content)
    with pytest.raises(InputError, match="x:1: the file holds no document; got nothing"):
        read_corpus(tmp_path / "x", format=form)


@pytest.mark.parametrize(
    ("form", "content"),
    [("aida", "-DOCSTART- (a)\rAnn\tB\tAnn\tAnn\r"), ("neleval", "d\t0\t2\tAnn\rd\t4\t6\tBob\r")],
)
def test_lines_that_end_in_carriage_returns_alone_are_not_read_as_one(tmp_path, form, content) -> None:
    """Nothing of the second line becomes part of the first."""
    (tmp_path / "x").write_text(content, newline="")
    with pytest.raises(InputError, match=r"x:1: a carriage return inside the line.*old Macintosh"):
        read_corpus(tmp_path / "x", format=form)


def test_a_table_of_such_lines_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("document,start,end,entity,text\rd,0,3,Ann,Ann met\r", newline="")
    (document,) = read_file(tmp_path / "x.csv").documents
    assert (document.name, len(document.annotations)) == ("d", 1)


def test_a_page_that_is_no_wned_is_refused_beside_texts(tmp_path: Path) -> None:
    """Else every text would count as one where nothing was found."""
    (tmp_path / "RawText").mkdir()
    (tmp_path / "RawText" / "d").write_text("Ann")
    (tmp_path / "x.xml").write_text("<html><body>404</body></html>")
    with pytest.raises(InputError, match=r"x\.xml:1: no WNED XML; got '<html>'"):
        read_corpus(tmp_path / "x.xml", format="wned")


def test_a_second_list_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(f"{json.dumps(DIALOGUES)}\n{json.dumps(DIALOGUES)}")
    with pytest.raises(InputError, match=r"x\.json:2: something follows the list"):
        read_corpus(tmp_path / "x.json", format="conel")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Rome\tRoma\rParis\tParigi\r", "r.tsv:1: a carriage return inside the line"),
        ("Rome    Roma\nParis    Parigi\n", "r.tsv:1: the file holds no redirect"),
        ("key\ttarget\nRoma\tRome\nParigi\n", "r.tsv:3: 1 columns; got 'Parigi'; expected key and target"),
        ("key\ttarget\na\tb\tc\n", "r.tsv:2: 3 columns"),
    ],
)
def test_redirects_that_would_be_passed_over_are_told(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "r.tsv").write_text(content, newline="")
    assert said in "\n".join(map(str, read_redirects(tmp_path / "r.tsv").problems))
