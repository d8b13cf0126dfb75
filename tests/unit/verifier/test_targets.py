"""Where results may be written, and what is never lost by it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from analysis.errors import InputError, StateError
from verifier import targets

OURS = targets.csv_of(["a", "b"])


def write(path: Path, text: str = "a,b\n1,2\n") -> None:
    with targets.new_file(path, OURS) as file:
        file.write(text)


def test_a_missing_folder_is_made_and_nothing_else_lies_about(tmp_path: Path) -> None:
    write(tmp_path / "x" / "y" / "out.csv")
    assert [path.name for path in (tmp_path / "x" / "y").iterdir()] == ["out.csv"]


def test_an_earlier_result_is_replaced(tmp_path: Path) -> None:
    write(tmp_path / "out.csv")
    write(tmp_path / "out.csv", "a,b\n3,4\n")
    assert (tmp_path / "out.csv").read_text() == "a,b\n3,4\n"


@pytest.mark.parametrize("content", [b"a;b\n", b"\xff\x00", b"thesis", b"\n", b"a,b,c\n"])
def test_anything_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match="no earlier result of this kind"):
        write(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "name",
    ["study.yaml", "study.db", "study.db-wal", "kb.db", "secrets.env", ".gitignore", "templates/x.csv"],
)
def test_what_belongs_to_a_study_is_left_alone(study_folder: Path, name: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(study_folder)
    for folder in (study_folder, tmp_path / "link", study_folder / "templates" / ".."):
        with pytest.raises(InputError, match=r"belongs to a study|no earlier result"):
            write(folder / name)


def test_a_study_may_hold_its_exports(study_folder: Path) -> None:
    write(study_folder / "exports" / "out.csv")
    write(study_folder / "out.csv")


def test_a_result_that_is_given_up_leaves_the_old_one(tmp_path: Path) -> None:
    write(tmp_path / "out.csv")
    with pytest.raises(RuntimeError), targets.new_file(tmp_path / "out.csv", OURS):
        raise RuntimeError
    assert (tmp_path / "out.csv").read_text() == "a,b\n1,2\n"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_and_a_file_on_the_way_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="a folder, where a file"):
        write(tmp_path / "folder")
    with pytest.raises(InputError, match="is a file, not a folder"):
        write(tmp_path / "file" / "sub.csv")


def test_a_device_is_no_place(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="ordinary kind"):
        write(tmp_path / "pipe")


def test_two_results_need_two_files(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "out.csv")
    with pytest.raises(InputError, match="one file"):
        targets.check([tmp_path / "out.csv", tmp_path / "link.csv"], OURS)


def test_a_closed_place_names_the_file_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StateError, match=r"out\.csv: cannot be written; got .* is read-only"):
        write(tmp_path / "out.csv")


def test_what_the_system_refuses_is_said_of_the_file_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StateError, match=r"out\.csv: cannot be written; got No space left"):
        write(tmp_path / "out.csv")


def test_posthoc_lines_are_told_from_controls_and_from_anything_else() -> None:
    assert targets.posthoc_line('{"id": "a", "text": "b", "annotations": []}')
    assert not targets.posthoc_line('{"id": "a", "annotations": [{"expected": "verify"}]}')
    assert not any(map(targets.posthoc_line, ["", "[]", "{", '{"id": "a"}', "[" * 100_000]))
