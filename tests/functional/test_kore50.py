"""A whole study on KORE50, by the commands a researcher types: files in, report out, the same to the byte."""

import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from verifier.cli.app import main

DATA = Path(__file__).parents[2].parent / "shared" / "data"
KORE50 = DATA / "kore50"
SOURCES = {
    "GT": KORE50 / "gt.elevant.jsonl",
    "REL": KORE50 / "predictions" / "rel.elevant.jsonl",
    "ReFinED": KORE50 / "predictions" / "refined.elevant.jsonl",
}
HITS = {"rel": (92, 146, 143), "refined": (91, 122, 143), "genre": (76, 125, 143), "baseline": (43, 121, 143)}

pytestmark = pytest.mark.skipif(not KORE50.is_dir(), reason="../shared/data/kore50 is not there")


def posthoc(*arguments):
    """Run one command in this process, and give what it printed on stdout."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main([str(argument) for argument in arguments])
    assert status == 0, err.getvalue()
    return out.getvalue()


def apart(*arguments):
    """Run one command as a researcher does, in a process of its own."""
    run = subprocess.run(
        [Path(sys.executable).parent / "posthoc", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr


def imported(folder):
    posthoc("init", folder)
    for source, file in SOURCES.items():
        posthoc("import", folder, file, "--dataset", "kore50", "--source", source)
    posthoc("kb", "build", folder, DATA / "qid_labels.tsv")
    return folder


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study of KORE50 judged by a simulated crowd of thirty, with its bundle and analysis."""
    root = tmp_path_factory.mktemp("kore50")
    study = imported(root / "study")
    posthoc("plan", study)
    posthoc("simulate", study, "--workers", 30, "--seed", 1, "--truth", "GT")
    posthoc("review", study)
    posthoc("export", study, "--to", "bundle", "--out", root / "bundle")
    posthoc("analyze", root / "bundle", "--out", root / "out", "--replicates", 200)
    return root


def test_every_judgment_wanted_was_made(finished):
    status = json.loads(posthoc("status", finished / "study", "--json"))
    assert [cell["work"]["open"] + cell["work"]["leased"] for cell in status["cells"]] == [0, 0, 0]


def test_the_same_study_and_bundle_give_the_same_bytes(finished):
    posthoc("verify-bundle", finished / "bundle", finished / "out")
    apart("analyze", finished / "study", "--out", finished / "again", "--replicates", 200)
    files = sorted(p.relative_to(finished / "out") for p in (finished / "out").rglob("*") if p.is_file())
    assert files
    assert not [
        f for f in files if (finished / "out" / f).read_bytes() != (finished / "again" / f).read_bytes()
    ]


def test_the_report_says_that_the_crowd_was_simulated(finished):
    assert "simulated" in (finished / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("system", HITS)
def test_exact_scores_are_the_known_ones(system):
    predictions = KORE50 / "predictions" / f"{system}.elevant.jsonl"
    printed = posthoc("score", "--gt", SOURCES["GT"], "--pred", f"{system}={predictions}", "--json")
    record = json.loads(printed)["records"][0]
    assert (record["hits"], record["predicted"], record["gold"]) == HITS[system]


def test_a_table_that_verifies_everything_gives_the_known_union(tmp_path):
    """Union of 222 items, of which 143 / 67 / 0 / 3 / 9 are of type A to E."""
    rows = []
    for source, file in SOURCES.items():
        for line in file.read_text(encoding="utf-8").splitlines():
            document = json.loads(line)
            marks = document["labels"] if source == "GT" else document.get("entity_mentions", [])
            for mark in marks:
                key = mark.get("entity_id", mark.get("id"))
                if key and key.startswith("Q"):
                    rows.append(["kore50", document["id"], source, *mark["span"], key, "w1", "verify"])
    columns = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "j.csv", index=False)
    posthoc("analyze", tmp_path / "j.csv", "--out", tmp_path / "out", "--replicates", 50)
    metrics = pd.read_csv(tmp_path / "out" / "metrics.csv").query("dataset == 'kore50'").set_index("metric")
    assert metrics.estimate["union_size"] == 222
    shares = [metrics.estimate[f"coverage_{letter}"] * 222 for letter in "ABCDE"]
    assert shares == pytest.approx([143, 67, 0, 3, 9])
    assert [metrics.n[f"coverage_{letter}"] for letter in "ABCDE"] == [143, 67, 0, 3, 9]
