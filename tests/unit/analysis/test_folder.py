"""A folder is written whole or not at all, and only ours is replaced."""

import pytest

from analysis.errors import StateError
from analysis.folder import Kind, sha256, written_whole

OURS = Kind("a test folder", "files", lambda files: files)
ONE = '{"files": {"old.txt": "", "new.txt": ""}}'


def test_a_new_folder_appears_when_all_is_written(tmp_path):
    with written_whole(tmp_path / "out", OURS) as draft:
        (draft / "manifest.json").write_text(ONE)
        assert not (tmp_path / "out").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_an_old_folder_of_ours_is_replaced_wholly(tmp_path):
    for name in ("old.txt", "new.txt"):
        with written_whole(tmp_path / "out", OURS) as draft:
            (draft / "manifest.json").write_text(ONE)
            (draft / name).write_text(name)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["manifest.json", "new.txt"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_failure_leaves_the_old_folder_and_no_rest(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text(ONE)
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "out", OURS) as draft:
        (draft / "half").rename(draft / "no-such-folder" / "half")
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "manifest.json").read_text() == ONE


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_not_ours_is_refused_and_kept(tmp_path, kind):
    target = tmp_path / "out"
    inside = target if kind == "file" else target / "thesis.tex"
    inside.parent.mkdir(exist_ok=True)
    inside.write_text("mine")
    with pytest.raises(StateError, match="not replaced"), written_whole(target, OURS):
        pass
    assert inside.read_text() == "mine"


@pytest.mark.parametrize("manifest", ["{}", "[]", "no JSON", '{"tables": {}}'])
def test_another_kind_of_folder_is_refused_though_it_has_a_manifest(tmp_path, manifest):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text(manifest)
    with pytest.raises(StateError, match="not replaced"), written_whole(tmp_path / "out", OURS):
        pass


def test_a_folder_of_ours_with_something_else_in_it_is_refused(tmp_path):
    with written_whole(tmp_path / "out", OURS) as draft:
        (draft / "manifest.json").write_text(ONE)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(StateError, match="other files"), written_whole(tmp_path / "out", OURS):
        pass


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "out").mkdir()
    with written_whole(tmp_path / "out", OURS) as draft:
        (draft / "manifest.json").write_text(ONE)
    assert (tmp_path / "out" / "manifest.json").is_file()


def test_the_hash_is_that_of_the_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256(tmp_path / "a").startswith("ba7816bf8f01cfea")
