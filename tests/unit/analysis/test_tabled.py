"""The table of metrics alone: the rows of `analyze`, of a bundle and of a CSV; nothing else is replaced."""

from __future__ import annotations

import pytest
import typer

from analysis import bundle
from analysis.cli import register, run
from analysis.load import load
from tests.support.small_study import write_csv


def call(*arguments):
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    register(app)
    return run(app, ["metrics", *map(str, arguments)])


@pytest.fixture(scope="module")
def judgments(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("csv") / "j.csv", documents=3)


def test_a_bundle_and_its_csv_give_one_table(judgments, tmp_path):
    study = load(judgments)
    bundle.write(study.tables, study.manifest, tmp_path / "b")
    wanted = ("--metric", "posthoc_f1", "--metric", "edit_rate", "--replicates", 20)
    assert call(tmp_path / "b", "--out", tmp_path / "one.csv", *wanted) == 0
    assert call(judgments, "--out", tmp_path / "other.csv", *wanted) == 0
    table = (tmp_path / "one.csv").read_bytes()
    assert table == (tmp_path / "other.csv").read_bytes()
    assert table.count(b"posthoc_f1") == 6


def test_only_a_table_of_metrics_is_replaced(judgments, tmp_path, capsys):
    out = tmp_path / "notes.csv"
    out.write_text("mine\n")
    assert call(judgments, "--out", out, "--metric", "edit_rate") == 1
    assert "not a table of metrics" in capsys.readouterr().err
    assert out.read_text() == "mine\n"
    out.unlink()
    assert call(judgments, "--out", out, "--metric", "edit_rate") == 0
    assert call(judgments, "--out", out, "--metric", "edit_rate") == 0


def test_a_wrong_option_is_refused(judgments, tmp_path, capsys):
    assert call(judgments, "--out", tmp_path / "t.csv", "--metric", "luck") == 1
    assert "no such metric" in capsys.readouterr().err
    assert call(judgments, "--out", tmp_path / "t.csv", "--jobs", 0) == 2
    assert not list(tmp_path.iterdir())
