"""Building a knowledge base: every bad row is told, nothing half-built is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.errors import InputError, StateError
from verifier.kb.build import build
from verifier.kb.local import LocalKb


def write(folder: Path, text: str) -> Path:
    path = folder / "kb.tsv"
    path.write_bytes(text.encode())
    return path


def test_labels_alone_are_enough(tmp_path: Path) -> None:
    """The plain list of identifiers and labels, with types that are not used."""
    report = build(
        write(tmp_path, "qid\tlabel\ttype_qids\nQ2\tEarth\tOTHER\r\nQ5\thuman\t\n"), tmp_path / "kb.db"
    )
    assert (report.entities, report.names) == (2, 2)


def test_a_table_of_keys_only(tmp_path: Path) -> None:
    build(write(tmp_path, "\ufeffkey\nhttps://en.wikipedia.org/wiki/Paris_(Texas)\n"), tmp_path / "kb.db")
    card = LocalKb(tmp_path / "kb.db").card("w:en:Paris (Texas)")
    assert (card.title, card.url) == ("Paris (Texas)", "https://en.wikipedia.org/wiki/Paris_(Texas)")


def test_every_bad_row_is_told_with_its_line(tmp_path: Path) -> None:
    rows = [
        "key\ttitle\tpopularity\turl",
        "Q1\tone\t1\t",
        "Q1\tagain\t1\t",
        "\tnothing\t1\t",
        "Q2\ttwo\tmany\t",
        "Q3\tthree\t1",
        "Q4\tfour\t1\tjavascript:alert(1)",
        "a|b\tfive\t1\t",
        "Q6\tsix\tnan\t",
    ]
    with pytest.raises(InputError) as caught:
        build(write(tmp_path, "\n".join(rows)), tmp_path / "kb.db")
    assert [problem.where.rsplit(":", 1)[1] for problem in caught.value] == list("3456789")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kb.tsv"]


@pytest.mark.parametrize("text", ["", "title\nA\n", "key\tkey\nQ1\tQ1\n", "key\tred\nQ1\t1\n", "key\n"])
def test_no_table_of_entities(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        build(write(tmp_path, text), tmp_path / "kb.db")


def test_not_text(tmp_path: Path) -> None:
    path = tmp_path / "kb.tsv"
    path.write_bytes(b"key\n\xff\xfe\n")
    with pytest.raises(InputError, match="not UTF-8"):
        build(path, tmp_path / "kb.db")


def test_a_failed_build_leaves_the_older_one(tmp_path: Path) -> None:
    build(write(tmp_path, "key\tlabel\nQ1\tone\n"), tmp_path / "kb.db")
    with pytest.raises(InputError):
        build(write(tmp_path, "key\tlabel\n\tone\n"), tmp_path / "kb.db")
    assert LocalKb(tmp_path / "kb.db").card("wd:Q1").title == "one"


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    table = write(tmp_path, "key\tlabel\nQ2\ttwo\nQ1\tone\n")
    for name in ("a.db", "b.db"):
        build(table, tmp_path / name)
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()


def test_the_command(tmp_path: Path, study_folder: Path, posthoc) -> None:
    """`posthoc kb build` says what it built, and refuses a missing file."""
    ran = posthoc("kb", "build", study_folder, write(tmp_path, "key\tlabel\nQ1\tone\n"))
    assert (ran.status, "1 entities" in ran.out) == (0, True)
    ran = posthoc("kb", "build", study_folder, tmp_path / "none.tsv")
    assert (ran.status, "no such file" in ran.err) == (1, True)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    table = tmp_path / "kb.tsv"
    table.write_text("key\nQ1\n", encoding="utf-8")
    (tmp_path / "kb.db").mkdir()
    with pytest.raises(StateError, match=r"kb\.db: the knowledge base cannot be written"):
        build(table, tmp_path / "kb.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kb.db", "kb.tsv"]
