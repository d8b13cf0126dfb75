"""`python -m analysis`: a judgments CSV in, the whole folder out, the same bytes twice, and checked."""

import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from tests.support.small_study import write_csv

FILES = {
    "metrics.csv",
    "metrics.json",
    "coverage.csv",
    "agreement.csv",
    "workers.csv",
    "audit.csv",
    "report.html",
    "manifest.json",
    "figures/verification_rate.svg",
    "tables/scores.tex",
    "tables/scores.md",
}


def analysis(*arguments, status=0):
    """Run one command; give its stdout, or its stderr where it is to fail."""
    command = [sys.executable, "-m", "analysis", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert run.returncode == status, run.stderr
    return run.stderr if status else run.stdout


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A CSV and two outputs of it."""
    folder = tmp_path_factory.mktemp("analysis")
    write_csv(folder / "j.csv", documents=5)
    for name in ("one", "two"):
        analysis("analyze", folder / "j.csv", "--out", folder / name, "--replicates", 50)
    return folder


def test_the_whole_folder_is_written(root):
    assert set(contents(root / "one")) >= FILES


def test_a_study_without_annotations_is_refused_and_leaves_nothing(tmp_path, study_folder, posthoc):
    ran = posthoc("analyze", study_folder, "--out", tmp_path / "out")
    assert (ran.status, "there are no annotations" in ran.err) == (1, True), ran.err
    assert not (tmp_path / "out").exists()


def test_the_same_seed_gives_the_same_bytes(root):
    assert contents(root / "one") == contents(root / "two")


def test_nothing_in_the_folder_names_this_machine(root):
    here = str(root).encode()
    assert not [name for name, data in contents(root / "one").items() if here in data]


def test_csv_and_json_hold_the_same_rows(root):
    table = pd.read_csv(root / "one" / "metrics.csv")
    records = json.loads((root / "one" / "metrics.json").read_text(encoding="utf-8"))
    assert list(records[0]) == list(table.columns)
    assert [row["estimate"] for row in records] == [None if pd.isna(x) else x for x in table["estimate"]]


def test_every_empty_estimate_has_a_reason(root):
    table = pd.read_csv(root / "one" / "metrics.csv")
    assert table.loc[table["estimate"].isna(), "reason"].notna().all()


def test_verify_bundle_confirms_an_untouched_folder(root):
    assert "the same to the byte" in analysis("verify-bundle", root / "j.csv", root / "one")


def test_verify_bundle_names_the_file_with_a_changed_digit(root, tmp_path):
    out = shutil.copytree(root / "one", tmp_path / "out")
    text = (out / "metrics.csv").read_text(encoding="utf-8")
    (out / "metrics.csv").write_text(text.replace("0.9", "0.8", 1), encoding="utf-8")
    (out / "tables" / "scores.md").unlink()
    said = analysis("verify-bundle", root / "j.csv", out, status=1)
    assert "metrics.csv: differs from line" in said
    assert "scores.md: missing" in said


def test_help_is_quick():
    """Half a second of computing, whatever else the machine does."""
    times = []
    for _ in range(3):
        begun = os.times()
        analysis("analyze", "--help")
        ended = os.times()
        times.append(
            ended.children_user + ended.children_system - begun.children_user - begun.children_system
        )
    assert min(times) < 0.5


def test_help_imports_nothing_heavy():
    program = (
        "import sys, analysis.cli; "
        "print([m for m in ('pandas', 'numpy', 'matplotlib', 'jinja2', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
