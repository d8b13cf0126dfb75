"""The commands: what is refused and how it is said, the choices of policies, the resolver."""

from contextlib import contextmanager

import pandas as pd
import pytest
import typer

from analysis.cli import register, run
from tests.support.small_study import write_csv


@pytest.fixture(scope="module")
def judgments(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("csv") / "j.csv", documents=3)


def call(*arguments, resolve=None):
    """Run a command as the shell would; give its exit status."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    register(app, resolve)
    return run(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (("--policy", "strict"), "no such policy"),
        (("--policy", "paper", "--policy", "paper"), "each once"),
        (("--set", "gate"), "CHOICE=VALUE"),
        (("--set", "gate=tower"), "no such value of gate"),
        (("--level", "95"), "0.5 to 0.9999"),
        (("--cluster", "galaxy"), "no such clusters"),
        (("--interval", "wish"), "no such interval"),
        (("--replicates", "1"), "replicates"),
        (("--annotations", "nowhere.csv"), "no such file"),
        (("--margin", "2"), "not a margin"),
        (("--by", "moon"), "entity_type, document, mention_length"),
        (("--texts", "nowhere"), "knows no hash of its texts"),
        (("--set", "resolution=weighted"), "how good workers are"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_option_is_refused_and_nothing_is_written(judgments, tmp_path, capsys, extra, said):
    assert call("analyze", judgments, "--out", tmp_path / "out", *extra) == 1
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("analyze", "j.csv"),
        ("analyze", "--out", "o"),
        ("verify-bundle", "b"),
        ("analyze", "j", "--out", "o", "--seed", "x"),
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_two(arguments):
    assert call(*arguments) == 2


def test_a_missing_file_is_named_and_its_table_is_not_half_written(tmp_path, capsys):
    assert call("analyze", tmp_path / "nowhere.csv", "--out", tmp_path / "out") == 1
    printed = capsys.readouterr()
    assert "nowhere.csv" in printed.err
    assert not printed.out
    assert not list(tmp_path.iterdir())


def test_policies_stand_side_by_side_under_changed_choices(judgments, tmp_path, capsys):
    policies = ("--policy", "recommended", "--policy", "paper", "--set", "gate=none", "--figures", "none")
    assert call("analyze", judgments, "--out", tmp_path / "out", "--replicates", 20, *policies) == 0
    names = pd.read_csv(tmp_path / "out" / "metrics.csv")["policy"].unique().tolist()
    assert names == ["recommended+gate=none", "paper+gate=none"]
    table = capsys.readouterr().out.splitlines()
    assert [table[1].split()[:2], table[-1]] == [["n", "verified"], str(tmp_path / "out" / "report.html")]
    assert "paper+gate=none" in (tmp_path / "out" / "tables" / "policies.md").read_text(encoding="utf-8")
    assert not (tmp_path / "out" / "figures").exists()


def test_clusters_go_to_the_metrics_that_allow_them(judgments, tmp_path):
    clusters = ("--cluster", "annotation", "--figures", "none", "--replicates", 0)
    assert call("analyze", judgments, "--out", tmp_path / "out", *clusters) == 0
    methods = (
        pd.read_csv(tmp_path / "out" / "metrics.csv")
        .query("dataset == 'news'")
        .set_index(["metric", "source"])
    )
    assert "annotations" in methods.method["verification_rate", "GT"]
    assert "annotations" not in methods.method["posthoc_recall", "GT"]


def test_the_resolver_says_what_is_read_and_cleans_up(judgments, tmp_path):
    """A program that mounts the commands turns a study folder into what can be read."""
    steps = []

    @contextmanager
    def resolve(path):
        steps.append(path.name)
        yield judgments
        steps.append("closed")

    arguments = ("--out", tmp_path / "out", "--figures", "none", "--replicates", 0)
    assert call("analyze", tmp_path / "my-study", *arguments, resolve=resolve) == 0
    assert call("verify-bundle", tmp_path / "my-study", tmp_path / "out", resolve=resolve) == 0
    assert steps == ["my-study", "closed", "my-study", "closed"]


def test_columns_of_other_names_are_said_once_and_kept(judgments, tmp_path, capsys):
    """The output names them, so that it is checked without saying them again; a pair is a pair."""
    text = judgments.read_text(encoding="utf-8").replace("decision", "Verdict", 1)
    (tmp_path / "j.csv").write_text(text, encoding="utf-8")
    asked = ("analyze", tmp_path / "j.csv", "--out", tmp_path / "out", "--replicates", 0, "--figures", "none")
    assert call(*asked, "--column", "decision=Verdict") == 0
    assert call("verify-bundle", tmp_path / "j.csv", tmp_path / "out") == 0
    assert "the same to the byte" in capsys.readouterr().out
    assert call(*asked, "--column", "decision") == 1
    assert "OURS=THEIRS" in capsys.readouterr().err
