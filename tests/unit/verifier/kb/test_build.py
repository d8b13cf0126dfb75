"""Building a knowledge base: every bad row is told, nothing half-built is left."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path

import pytest

from analysis.errors import InputError, StateError
from tests.support.wikipedia import PNG
from verifier.kb.build import build
from verifier.kb.images import Images, name_of
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
    assert "Nothing in it has a description" in ran.err
    ran = posthoc("kb", "build", study_folder, write(tmp_path, "key\tdescription\nQ1\ta thing\n"))
    assert "description" not in ran.err
    ran = posthoc("kb", "build", study_folder, tmp_path / "none.tsv")
    assert (ran.status, "no such file" in ran.err) == (1, True)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    table = tmp_path / "kb.tsv"
    table.write_text("key\nQ1\n", encoding="utf-8")
    (tmp_path / "kb.db").mkdir()
    with pytest.raises(StateError, match=r"kb\.db: the knowledge base cannot be written"):
        build(table, tmp_path / "kb.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kb.db", "kb.tsv"]


def test_images_are_kept_by_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "earth.png").write_bytes(PNG)
    build(write(tmp_path, "key\timage\nQ2\tearth.png\nQ5\t\n"), tmp_path / "kb.db")
    kb = LocalKb(tmp_path / "kb.db")
    name = kb.card("wd:Q2").image
    assert Images(kb.path).find(name) == (PNG, "image/png")
    assert kb.search("Q2")[0].image == name
    assert kb.card("wd:Q5").image is None
    kb.close()


def test_what_is_no_image_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text("<svg/>")
    (tmp_path / "b.png").write_bytes(PNG + b" " * 200_000)
    rows = "key\timage\nQ1\ta.svg\nQ2\tb.png\nQ3\tnone.png\nQ4\thttps://x.example/a.png\n"
    with pytest.raises(InputError) as caught:
        build(write(tmp_path, rows), tmp_path / "kb.db")
    assert [problem.where[-1] for problem in caught.value.problems] == ["2", "3", "4", "5"]
    assert not (tmp_path / "images").exists()


def test_a_knowledge_base_from_before_images_is_read(tmp_path: Path) -> None:
    build(write(tmp_path, "key\nQ2\n"), tmp_path / "kb.db")
    with sqlite3.connect(tmp_path / "kb.db") as connection:
        connection.execute("alter table entity drop column image")
    connection.close()
    kb = LocalKb(tmp_path / "kb.db")
    assert (kb.card("wd:Q2").image, kb.search("Q2")[0].image) == (None, None)
    kb.close()


def test_only_names_of_images_lead_to_files(tmp_path: Path) -> None:
    images = Images(tmp_path / "kb.db")
    assert images.find("../kb.db") is None
    assert images.find(f"{'0' * 64}.png") is None


def test_pixels_are_counted_in_every_format() -> None:
    """What is too large for a card is refused, whatever its format; so is what breaks off before its size."""
    jpg = bytes.fromhex("ffd8ffe000040000ffc0000b08") + struct.pack(">HH", 40, 30) + b"\x01"
    gif = b"GIF89a" + struct.pack("<HH", 30, 40)
    lossy = b"RIFF0000WEBPVP8 " + bytes(10) + struct.pack("<HH", 30, 40)
    large = b"RIFF0000WEBPVP8X" + bytes(8) + bytes.fromhex("1d00002700 00")
    exact = b"RIFF0000WEBPVP8L" + bytes(5) + (29 | 39 << 14).to_bytes(4, "little")
    for body in (PNG, jpg, gif, lossy, large, exact):
        assert name_of(body)
    wide = struct.pack(">I", 1025)
    for body in (PNG[:16] + wide + PNG[20:], PNG[:20], jpg[:8], gif[:6] + b"\x01\x04\x01\x00", gif[:8]):
        with pytest.raises(InputError):
            name_of(body)


def test_a_credit_comes_with_its_image(tmp_path: Path) -> None:
    (tmp_path / "earth.png").write_bytes(PNG)
    build(
        write(tmp_path, "key\timage\timage_credit\nQ2\tearth.png\tNASA, public domain\n"), tmp_path / "kb.db"
    )
    kb = LocalKb(tmp_path / "kb.db")
    assert kb.card("wd:Q2").image_credit == "NASA, public domain"
    kb.close()


def test_what_a_killed_build_left_goes_and_that_of_one_at_work_stays(tmp_path: Path) -> None:
    (tmp_path / "kb.tsv").write_text("key\nQ1\n", encoding="utf-8")
    # No process has the first number: it is beyond what systems give.
    for left in (f"{2**31 - 2}.stage", f"{2**31 - 2}.stage-journal", "1.stage"):
        (tmp_path / f".kb.db.{left}").write_bytes(b"x")
    build(tmp_path / "kb.tsv", tmp_path / "kb.db")
    assert sorted(path.name for path in tmp_path.glob(".*")) == [".kb.db.1.stage"]
