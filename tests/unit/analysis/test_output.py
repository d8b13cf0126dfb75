"""The output folder for studies of every awkward kind: written whole, every gap said."""

import html
import json
import re

import pandas as pd
import pytest

from analysis.load import load
from analysis.output import analyze, declared_policies, input_hash
from analysis.study import Study
from tests.support.small_study import write_csv

COLUMNS = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision"]


def study(*rows):
    return pd.DataFrame([dict(zip(COLUMNS, row, strict=True)) for row in rows])


LINK = ("d", "doc", "GT", 0, 5, "Q1")
AWKWARD = {
    "nothing judged": study((*LINK, "", "")),
    "one judgment": study((*LINK, "w", "verify")),
    "no ground truth": study(("d", "doc", "A", 0, 5, "Q1", "w", "verify")),
    "one worker": study(
        *((*("d", f"doc{i}", s, 0, 5, "Q1"), "w", "verify") for i in range(4) for s in ("GT", "A"))
    ),
    "all removed": study(*((*LINK, f"w{i}", "remove") for i in range(3))),
    "nobody counted": study((*LINK, "w", "verify")).assign(counted=0),
    "anonymous": study((*LINK, "", "verify"), ("d", "doc", "A", 0, 5, "Q2", "", "edit")),
    "odd names": study(
        ("<d>_$x$ 🙂", "a|b\n", "GT", 0, 5, "Q1", "w%", "verify"),
        ("שלום", "c", "M&M", 0, 5, "Q2", "&", "edit"),
    ),
}


@pytest.mark.parametrize("kind", AWKWARD)
def test_an_awkward_study_gives_a_whole_folder(tmp_path, kind):
    path = tmp_path / "j.csv"
    AWKWARD[kind].to_csv(path, index=False)
    analyze(path, tmp_path / "out", replicates=20)
    table = pd.read_csv(tmp_path / "out" / "metrics.csv", keep_default_na=False)
    assert (table.loc[table["estimate"] == "", "reason"] != "").all()
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "nan" not in page.split("<main>")[1].split("What people decided</h2>")[0].lower().split()
    assert "NaN" not in (tmp_path / "out" / "metrics.json").read_text(encoding="utf-8")


def test_when_nobody_counts_the_report_says_so(tmp_path):
    AWKWARD["nobody counted"].to_csv(tmp_path / "j.csv", index=False)
    analyze(tmp_path / "j.csv", tmp_path / "out", replicates=0, figures="none")
    assert "is undefined: no assignment counts" in (tmp_path / "out" / "report.html").read_text(
        encoding="utf-8"
    )


def test_a_ground_truth_alone_is_compared_with_nothing(tmp_path):
    """Its recall and coverage are 1 because nothing else was shown: nothing prints them with intervals."""
    study(*((*LINK, f"w{i}", "verify") for i in range(3))).to_csv(tmp_path / "j.csv", index=False)
    analyze(tmp_path / "j.csv", tmp_path / "out", replicates=0)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "what it lacks cannot be told" in page
    made = {path.stem for path in (tmp_path / "out").glob("*/*")}
    assert "rates" in made
    assert not made & {"scores", "coverage", "before_and_after"}


def test_tables_have_n_and_posthoc_precision_once(tmp_path):
    write_csv(tmp_path / "j.csv", documents=2)
    analyze(tmp_path / "j.csv", tmp_path / "out", replicates=0, figures="none")
    for name in ("scores", "rates", "agreement"):
        text = (tmp_path / "out" / "tables" / f"{name}.md").read_text(encoding="utf-8")
        assert "| n |" in text
        assert "| Posthoc precision |" not in text


def test_every_number_of_the_report_stands_in_metrics_csv(tmp_path):
    """Each number of a sentence or table names its cell; that cell holds the value to the last digit."""
    write_csv(tmp_path / "j.csv", documents=4)
    analyze(tmp_path / "j.csv", tmp_path / "out", replicates=20, figures="none")
    table = pd.read_csv(tmp_path / "out" / "metrics.csv", keep_default_na=False, dtype=str)
    rows = table.set_index(["policy", "dataset", "source", "metric"])
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    found = re.findall(r'<data value="([^"]*)" data-cell="([^"]*)">', page)
    for value, cell in found:
        *key, column = html.unescape(cell).split("|")
        assert float(rows.loc[tuple(key), column]) == float(value)
    assert len(found) > 180


def test_the_manifest_holds_every_file_and_setting(tmp_path):
    write_csv(tmp_path / "j.csv", documents=2)
    analyze(
        tmp_path / "j.csv", tmp_path / "out", replicates=0, seed=7, overrides={"gate": "none"}, figures="none"
    )
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    files = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert set(manifest["files"]) == files - {"manifest.json"}
    assert (manifest["settings"]["seed"], manifest["settings"]["overrides"]) == (7, {"gate": "none"})
    assert "gate=none" in manifest["policies"]["recommended+gate=none"]["signature"]


def test_the_input_hash_is_that_of_the_bytes_not_of_the_name(tmp_path):
    one, two = write_csv(tmp_path / "a.csv", documents=2), write_csv(tmp_path / "b.csv", documents=2)
    assert input_hash(one) == input_hash(two)
    assert input_hash(one) != input_hash(write_csv(two, documents=3))
    assert input_hash(one, annotations=two) != input_hash(one)


def test_a_study_may_declare_its_policies(tmp_path):
    plain = load(write_csv(tmp_path / "a.csv", documents=2))
    named = Study(plain.tables, {"config": {"analysis": {"policies": ["paper", "original"]}}})
    assert declared_policies(plain) == ("recommended",)
    assert declared_policies(named) == ("paper", "original")


def test_a_loaded_study_can_be_analysed(tmp_path):
    plain = load(write_csv(tmp_path / "a.csv", documents=2))
    results = analyze(plain, tmp_path / "out", replicates=0, figures="none")
    assert len(results.metrics) == len(pd.read_csv(tmp_path / "out" / "metrics.csv"))
