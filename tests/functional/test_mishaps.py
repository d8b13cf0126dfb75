"""What goes wrong around a study is said in plain words, and leaves nothing half-written."""

from __future__ import annotations

import errno
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from analysis.errors import InputError, StateError
from analysis.folder import Kind, written_whole
from tests.support import tiny
from verifier.cli.app import main
from verifier.corpus import read_corpus
from verifier.founding import found
from verifier.study import Study

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def full(*_: object, **__: object) -> None:
    raise FULL


def test_corpora_are_written_all_or_none(tiny_folder: Path, tmp_path: Path, posthoc: Callable) -> None:
    """The last of four sources has what a file of tokens cannot hold."""
    overlapping = tiny.lines({**tiny.GT, "d1": {"Paris is": "Q90", "is the": "Q1"}})
    (tmp_path / "z.jsonl").write_text(overlapping, encoding="utf-8")
    assert (
        posthoc("import", tiny_folder, tmp_path / "z.jsonl", "--dataset", "small", "--source", "Z").status
        == 0
    )
    ran = posthoc("export", tiny_folder, "--to", "corpus", "--format", "aida", "--out", tmp_path / "o")
    assert (ran.status, "it overlaps another mention" in ran.err) == (1, True)
    assert not (tmp_path / "o").exists()


def test_texts_without_their_file_are_taken_away(tiny_folder: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("verifier.corpus.writers.registry.replacing", full)
    out = tmp_path / "gt.xml"
    arguments = ["export", str(tiny_folder), "--to", "corpus", "--format", "wned", "--source", "GT"]
    assert main([*arguments, "--out", str(out)]) == 1
    assert list(tmp_path.glob("RawText*")) == []


def test_nothing_is_left_of_a_backup_that_does_not_get_whole(
    tiny_folder, tmp_path, monkeypatch, posthoc
) -> None:
    monkeypatch.setattr(tarfile.TarFile, "add", full)
    ran = posthoc("backup", tiny_folder, tmp_path / "b.tgz")
    assert (ran.status, ran.err.strip()) == (
        1,
        f"error: {tmp_path / 'b.tgz'}: the backup cannot be written; got No space left on device",
    )
    assert not (tmp_path / "b.tgz").exists()


def test_a_folder_of_results_on_a_full_disk_is_named(tmp_path: Path) -> None:
    kind = Kind("a bundle", "tables", lambda _: ())
    with (
        pytest.raises(StateError, match="o: cannot be written; got No space left"),
        written_whole(tmp_path / "o", kind),
    ):
        raise FULL
    (tmp_path / "file").write_text("x")
    with (
        pytest.raises(StateError, match="file/o: cannot be written"),
        written_whole(tmp_path / "file/o", kind),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_study_that_cannot_be_copied_there_is_told_with_the_system_s_reason_alone(
    tmp_path, monkeypatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise shutil.Error([("a", "b", "[Errno 28] No space left on device: 'a' -> 'b'")])

    monkeypatch.setattr("shutil.copytree", fail)
    with pytest.raises(
        StateError, match=r"the study cannot be made there; got No space left on device. Name"
    ):
        found(tmp_path / "s", "link")


def test_an_interruption_is_told(monkeypatch, tiny_folder: Path, posthoc: Callable) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "open", stop)
    ran = posthoc("status", tiny_folder)
    assert (ran.status, ran.err) == (130, "interrupted\n")


def test_a_file_in_place_of_a_study_s_folder_is_told(tiny_folder: Path, posthoc: Callable) -> None:
    ran = posthoc("status", tiny_folder / "study.yaml")
    assert "study.yaml: a file, where a study's folder is to be named. Name its folder." in ran.err


def test_a_file_in_place_of_a_folder_of_corpora_is_told(tiny_folder: Path, posthoc: Callable) -> None:
    ran = posthoc("export", tiny_folder, "--to", "corpus", "--out", tiny_folder / "gt.jsonl")
    assert "gt.jsonl: no folder, and there are 3 files to write. Name a new folder." in ran.err


def test_a_device_without_an_end_is_not_read() -> None:
    with pytest.raises(InputError, match="/dev/zero: not an ordinary file"):
        read_corpus(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("database is locked", "another command is at work on the study.*Wait until"),
        ("database disk image is malformed", "the database is damaged.*posthoc restore"),
        ("no such table: judgment", "the database is damaged.*posthoc restore"),
        ("database or disk is full", "the disk is full.*Make room"),
        ("disk I/O error", "the disk is full or fails"),
        ("anything", "the database cannot be used; got anything"),
    ],
)
def test_what_a_database_says_of_itself_comes_with_what_to_do(
    tiny_study: Study, reason: str, said: str
) -> None:
    with pytest.raises(StateError, match=said), tiny_study.read():
        raise OperationalError("select", {}, Exception(reason))
