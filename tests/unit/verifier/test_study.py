"""Studies: made whole, opened only where there is one, secrets kept."""

from __future__ import annotations

import os
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from analysis.errors import ConfigError, InputError, StateError
from analysis.schema import SCHEMA_VERSION
from verifier import founding, resources
from verifier.config import load_config
from verifier.secrets import Secrets, read_secrets, write_secrets
from verifier.store import engine, facts
from verifier.study import Study, study_name, templates


def test_a_new_study_has_its_name_facts_and_closed_secrets(any_study: Study) -> None:
    with any_study.read() as session:
        assert facts.get(session, "name") == any_study.config.study.name == "any"
        assert (facts.get(session, "seed"), facts.get(session, "origin"), facts.get(session, "schema")) == (
            "1",
            "",
            str(SCHEMA_VERSION),
        )
        assert len(facts.get(session, "nonce")) > 16
    assert stat.S_IMODE((any_study.path / "secrets.env").stat().st_mode) == 0o600
    assert "secrets.env" in (any_study.path / ".gitignore").read_text()


def test_no_two_studies_share_a_secret(study: Study, tmp_path: Path) -> None:
    with Study.create(tmp_path / "other") as other:
        assert not set(vars(study.secrets).values()) & set(vars(other.secrets).values())
    assert study.secrets.signing not in repr(study.secrets)


@pytest.mark.parametrize("template", templates())
def test_every_template_is_a_study(template: str, tmp_path: Path) -> None:
    with Study.create(tmp_path / template, template) as made:
        assert made.config.study.name == template


def test_a_study_is_not_made_on_top_of_something(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="the folder is not empty"):
        Study.create(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_an_unknown_template_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such template; got x; expected .*link or .*paper"):
        Study.create(tmp_path / "s", "x")
    assert not list(tmp_path.iterdir())


def test_a_study_can_be_made_in_the_folder_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Study.create(Path()) as made:
        assert made.config.study.name == tmp_path.name


def test_a_database_holds_one_study(tmp_path: Path, database_url: str) -> None:
    Study.create(tmp_path / "a", database=database_url).close()
    with pytest.raises(StateError, match="holds a study already; got a"):
        Study.create(tmp_path / "b", database=database_url)
    assert not (tmp_path / "b").exists()


def test_a_folder_name_becomes_a_name() -> None:
    assert study_name(Path("/x/My study (é)")) == "My-study"
    assert study_name(Path("/x/...")) == "study"


def test_opening_makes_nothing(tmp_path: Path, study_folder: Path) -> None:
    with pytest.raises(ConfigError, match="no study here"):
        Study.open(tmp_path / "none")
    (study_folder / "study.db").unlink()
    with pytest.raises(StateError, match="the study has no database"):
        Study.open(study_folder)
    assert not (study_folder / "study.db").exists()


def test_the_environment_names_another_database(study_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTHOC_DATABASE", "sqlite:///elsewhere.db")
    with pytest.raises(StateError, match=r"elsewhere\.db: the study has no database"):
        Study.open(study_folder)


def test_a_missing_kb_is_said_with_the_command(study: Study) -> None:
    with pytest.raises(StateError, match="posthoc kb build"):
        study.kb()


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    written = Secrets.random()
    write_secrets(tmp_path, written)
    assert read_secrets(tmp_path, {}) == written
    assert read_secrets(tmp_path, {"POSTHOC_ADMIN_SECRET": "x" * 16}).admin == "x" * 16


def test_missing_and_short_secrets_are_all_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_secrets(tmp_path, {"POSTHOC_ADMIN_SECRET": "short"})
    assert [problem.what.split(" ")[-1] for problem in caught.value] == ["missing", "missing", "short"]


def test_the_shipped_configurations_are_right() -> None:
    for path in resources.folder("configs").glob("*/study.yaml"):
        load_config(path)


def test_of_many_who_make_one_study_at_once_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Alembic serves one thread at a time; processes, which is what people start, do not share it.
    lay_out, turn = founding._lay_out, threading.Lock()

    def in_turn(folder: Path) -> None:
        with turn:
            lay_out(folder)

    monkeypatch.setattr(founding, "_lay_out", in_turn)

    def make(_number: int) -> str:
        try:
            Study.create(tmp_path / "s").close()
        except InputError as error:
            return error.problems[0].what
        return "made"

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(make, range(4)))
    assert sorted(said) == ["made", *3 * ["the folder is not empty"]]
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_a_study_that_could_not_be_finished_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(founding, "_lay_out", full)
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "new"):
        with pytest.raises(StateError, match="cannot be made there; got No space"):
            Study.create(folder)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["empty"]


def test_drafts_that_were_broken_off_are_swept_away_after_an_hour(tmp_path: Path) -> None:
    for name, hours in (("old", 2), ("new", 0)):
        (tmp_path / f"{founding.DRAFT}-{name}").mkdir()
        when = time.time() - 3600 * hours
        os.utime(tmp_path / f"{founding.DRAFT}-{name}", (when, when))
    Study.create(tmp_path / "s").close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{founding.DRAFT}-new", "s"]


def test_a_folder_in_which_a_study_is_being_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / founding.DRAFT).mkdir()
    with pytest.raises(InputError, match="a study is being made in this folder"):
        Study.create(tmp_path)


def test_a_folder_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not UTF-8"):
        Study.create(tmp_path / os.fsdecode(b"caf\xe9"))


@pytest.mark.parametrize("name", ["2026", "yes", "1e3", "null"])
def test_a_study_may_be_called_what_yaml_takes_for_something_else(tmp_path: Path, name: str) -> None:
    with Study.create(tmp_path / name) as made:
        assert made.config.study.name == name


def test_secrets_that_are_no_text_are_refused_in_words(study_folder: Path) -> None:
    (study_folder / "secrets.env").write_bytes(b"POSTHOC_ADMIN_SECRET=\xff\n")
    with pytest.raises(ConfigError, match=r"secrets\.env:1: not UTF-8 text"):
        Study.open(study_folder)


def test_a_study_that_cannot_be_written_is_read_all_the_same(
    study_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "writable", lambda _path: False)
    with Study.open(study_folder) as opened:
        with opened.read() as session:
            assert facts.get(session, "name") == opened.config.study.name
        with pytest.raises(StateError, match="can only be read"), opened.write():
            pass
    assert not list(study_folder.glob("*.db-*"))
