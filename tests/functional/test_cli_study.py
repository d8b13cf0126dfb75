"""The commands on a study's files: exit status, what is said where, nothing half-written."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import text

from tests.support import tiny
from verifier.study import Study

Posthoc = Callable[..., object]


def test_a_new_version_of_everything_is_said(posthoc: Posthoc) -> None:
    ran = posthoc("--version")
    assert (ran.status, ran.out.split()[0]) == (0, "posthoc")


def test_help_is_quick() -> None:
    """It loads nothing that is slow to load."""
    program = "from verifier.cli.app import main; main(['--help']); import sys; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert not {"pandas", "sqlalchemy", "flask", "matplotlib", "boto3"} & set(loaded.split())


def test_servers_and_looks_at_a_study_start_without_what_is_slow_to_load() -> None:
    """Statistics and optimizers are loaded by what needs them, when it does."""
    program = "import verifier.web.app, verifier.crowd.status, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"scipy.stats", "scipy.optimize", "matplotlib", "boto3"} & set(loaded.stdout.split())


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["import"], ["export", "x", "--to", "pdf", "--out", "y"]]
)
def test_wrong_usage_ends_with_two(posthoc: Posthoc, arguments: list[str]) -> None:
    assert posthoc(*arguments).status == 2


def test_from_nothing_to_a_bundle(posthoc: Posthoc, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    assert posthoc("init", folder).status == 0
    for source, path in tiny.write_sources(tmp_path).items():
        ran = posthoc("import", folder, path, "--dataset", "small", "--source", source)
        assert (ran.status, "posthoc" in ran.err) == (0, False)
        assert "jsonl (its lines have 'annotations')" in ran.out
    assert posthoc("export", folder, "--to", "bundle", "--out", tmp_path / "b").status == 0
    sources = pd.read_parquet(tmp_path / "b" / "sources.parquet")
    assert sorted(sources["source"]) == ["Alpha", "Beta", "GT"]


def test_json_stands_alone_on_standard_output(posthoc: Posthoc, study_folder: Path, tmp_path: Path) -> None:
    path = tiny.write_sources(tmp_path)["GT"]
    ran = posthoc("import", study_folder, path, "--dataset", "small", "--source", "GT", "--json")
    assert json.loads(ran.out)["files"][0]["kinds"] == {"link": 13, "nil": 1}


def test_bad_rows_are_all_told_and_the_study_stays_as_it_was(
    posthoc: Posthoc, study_folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": 1, "text": "x", "annotations": [{"start": 0, "end": 5}]}\n{\n{"id": 2, "text": "y"}\n'
    )
    arguments = ("import", study_folder, path, "--dataset", "d", "--source", "GT")
    ran = posthoc(*arguments)
    assert (ran.status, ran.out, "Traceback" in ran.err) == (1, "", False)
    assert [line for line in ran.err.splitlines() if line.startswith("error: ")][1].startswith(
        f"error: {path}:2: not JSON"
    )
    assert "2 problems found." in ran.err
    dropped = posthoc(*arguments, "--on-bad", "drop")
    assert (dropped.status, "2 bad rows were left out." in dropped.out) == (0, True)


def test_a_missing_file_and_an_unknown_format_are_told(
    posthoc: Posthoc, study_folder: Path, tmp_path: Path
) -> None:
    rest = ("--dataset", "d", "--source", "GT")
    assert "file not found" in posthoc("import", study_folder, tmp_path / "no", *rest).err
    path = tiny.write_sources(tmp_path)["GT"]
    ran = posthoc("import", study_folder, path, *rest, "--format", "conll")
    assert (ran.status, "unknown format; got conll; expected auto" in ran.err) == (1, True)


def test_replace_and_as_exclude_each_other(posthoc: Posthoc, study_folder: Path, tmp_path: Path) -> None:
    path = tiny.write_sources(tmp_path)["GT"]
    arguments = ("import", study_folder, path, "--dataset", "d", "--source", "GT", "--as", "X")
    assert posthoc(*arguments, "--replace").status == 2
    assert "X in d" in posthoc(*arguments).out


def test_an_unknown_key_in_the_configuration_is_told_with_its_line(
    posthoc: Posthoc, study_folder: Path
) -> None:
    path = study_folder / "study.yaml"
    path.write_text(path.read_text() + "plam: {}\n")
    ran = posthoc("config", "check", study_folder)
    assert (
        ran.status,
        f"study.yaml:{len(path.read_text().splitlines())}: unknown key 'plam'" in ran.err,
    ) == (1, True)


def test_a_right_configuration_is_shown(posthoc: Posthoc, study_folder: Path) -> None:
    assert "is in order" in posthoc("config", "check", study_folder).out
    assert json.loads(posthoc("config", "check", study_folder, "--json").out)["place"]["pay"] == "3.00"


def test_a_database_of_a_newer_version_is_told_by_every_command(posthoc: Posthoc, study_folder: Path) -> None:
    with Study.open(study_folder) as study, study.write() as session:
        session.execute(text("update alembic_version set version_num = '9999'"))
    ran = posthoc("export", study_folder, "--to", "corpus", "--out", "x")
    assert (
        ran.status,
        "made by a newer version of posthoc; got revision 9999" in ran.err.replace("\n", " "),
    ) == (1, True)
    assert "FAULT" in posthoc("doctor", study_folder).out


def test_real_corpora_have_their_known_counts(
    posthoc: Posthoc, study_folder: Path, shared_data: Path
) -> None:
    known = {
        "kore50/gt.elevant.jsonl": 143,
        "kore50/predictions/rel.elevant.jsonl": 146,
        "wiki-fair-v2/gt.elevant.jsonl": 1918,
    }
    for name, links in known.items():
        dataset, source = name.split("/")[0], name.split("/")[-1].split(".")[0]
        ran = posthoc(
            "import", study_folder, shared_data / name, "--dataset", dataset, "--source", source, "--json"
        )
        assert json.loads(ran.out)["files"][0]["kinds"]["link"] == links
