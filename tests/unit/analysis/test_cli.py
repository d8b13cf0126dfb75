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


def test_columns_and_words_of_other_names_are_said_once_and_kept(judgments, tmp_path, capsys):
    """The output names them, so that it is checked without saying them again; a pair is a pair."""
    text = judgments.read_text(encoding="utf-8").replace("decision", "Verdict", 1).replace("verify", "ja")
    (tmp_path / "j.csv").write_text(text, encoding="utf-8")
    asked = ("analyze", tmp_path / "j.csv", "--out", tmp_path / "out", "--replicates", 0, "--figures", "none")
    assert call(*asked, "--column", "decision=Verdict", "--value", "decision:verify=Ja") == 0
    assert call("verify-bundle", tmp_path / "j.csv", tmp_path / "out") == 0
    assert "the same to the byte" in capsys.readouterr().out
    assert call(*asked, "--column", "decision") == 1
    assert "OURS=THEIRS" in capsys.readouterr().err


def test_words_of_a_table_give_the_numbers_of_ours(judgments, tmp_path):
    """Several may stand for one value."""
    frame = pd.read_csv(judgments, dtype="str", keep_default_na=False)
    words = {"verify": "Correct", "edit": "wrong link", "remove": "not an entity", "": "skipped"}
    theirs = frame["decision"].map(words)
    theirs[theirs[theirs == "Correct"].index[0]] = "ja"
    frame.assign(decision=theirs).to_csv(tmp_path / "j.csv", index=False)
    said = [f"decision:{ours}={word.lower()}" for ours, word in (*words.items(), ("verify", "ja"))]
    asked = ("--replicates", 0, "--metric", "edit_rate", "--metric", "verification_rate")
    assert call("metrics", judgments, "--out", tmp_path / "ours", *asked) == 0
    options = [part for each in said for part in ("--value", each)]
    assert call("metrics", tmp_path / "j.csv", "--out", tmp_path / "theirs", *asked, *options) == 0
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("decision", "COLUMN:OURS=THEIRS"),
        ("decision:verify", "COLUMN:OURS=THEIRS"),
        ("decision:agree=ja", "no value of decision; got agree; expected verify, edit, remove, nothing"),
        ("verdict:verify=ja", "a column that is not there; got verdict"),
        ("source:GT=gold", "a word that no row has; got gold; expected GT ("),
    ],
)
def test_a_word_that_cannot_be_is_refused(judgments, tmp_path, capsys, value, said):
    assert call("analyze", judgments, "--out", tmp_path / "out", "--value", value) == 1
    assert said in capsys.readouterr().err


def test_a_word_has_one_meaning_and_a_bundle_none(judgments, tmp_path, capsys):
    two = ("--value", "decision:verify=ja", "--value", "decision:edit=ja")
    assert call("analyze", judgments, "--out", tmp_path / "out", *two) == 1
    assert "decision: verify or edit" in capsys.readouterr().err
    assert call("analyze", tmp_path, "--out", tmp_path / "out", *two[:2]) == 1
    assert "a bundle has our own words" in capsys.readouterr().err
    assert call("score", "--gt", judgments, "--pred", f"a={judgments}", *two[:2]) == 2


def test_labels_of_two_languages_are_put_together(tmp_path, capsys):
    """What is no category is named with how often it is there and how to say what it stands for."""
    path = tmp_path / "labels.csv"
    path.write_text("item,who,label\n1,a,yes\n1,b,ja\n2,a,no\n2,b,no\n3,a,yes\n3,b,ja\n", encoding="utf-8")
    asked = ("agreement", path, "--unit", "item", "--worker", "who", "--categories", "yes,no")
    assert call(*asked) == 1
    assert (
        'got ja (2); expected yes, no. If it stands for one of these, say which: --value "label:OURS=ja"'
        in (capsys.readouterr().err)
    )
    assert call(*asked, "--value", "label:yes=ja", "--coefficient", "observed_agreement", "--json") == 0
    assert '"estimate": 1.0' in capsys.readouterr().out
    assert call("agreement", path, "--table", "--value", "label:yes=ja") == 2
