"""A corrected benchmark with its patch, and the audit, from a study and from its bundle alone."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.ballots import Rule
from analysis.errors import StateError
from tests.support import tiny, worked
from verifier import correcting, exporting
from verifier.corpus import read_corpus
from verifier.plan.planning import plan
from verifier.study import Study


@pytest.fixture(scope="module")
def judged(tiny_blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny study, judged by workers who know the truth; one vote an annotation."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path_factory.mktemp("judged") / "tiny"))
    with Study.open(folder) as study:
        plan(study, now=worked.START)
        worked.work_off(study, tiny.truly)
    return folder


ONE = Rule(min_votes=1)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_right_ground_truth_is_written_as_it_was_imported(judged: Path, tmp_path: Path) -> None:
    done = correcting.write_corrected(judged, tmp_path / "gt.jsonl", ONE)
    assert done.files == (tmp_path / "gt.jsonl", tmp_path / "gt.patch.jsonl")
    given = read_corpus(tiny.write_sources(tmp_path)["GT"])
    assert [d.annotations for d in read_corpus(done.files[0])] == [
        tuple(sorted(d.annotations, key=lambda a: a.span)) for d in given
    ]
    (header,) = lines(done.files[1])
    assert (header["changes"], header["rule"]["min_votes"]) == ({"relink": 0, "remove": 0, "add": 0}, 1)


def test_a_model_can_be_corrected_as_the_ground_truth_can(judged: Path, tmp_path: Path) -> None:
    done = correcting.write_corrected(judged, tmp_path / "alpha.jsonl", ONE, source="Alpha")
    found = {d.name: {a.entity.key for a in d.annotations} for d in read_corpus(done.files[0])}
    assert done.changes == {"relink": 2, "remove": 1, "add": 1}
    assert "wd:Q90" in found["d1"]
    assert "wd:Q312" in found["d4"]


def test_every_change_has_its_votes(judged: Path, tmp_path: Path) -> None:
    done = correcting.write_corrected(judged, tmp_path / "alpha.jsonl", ONE, source="Alpha")
    first, *changes = lines(done.files[1])
    assert sum(first["changes"].values()) == len(changes)
    assert all(change["judgments"] and change["votes"]["for"] for change in changes)
    paris = next(c for c in changes if c["document"] == "d1")
    assert (paris["before"]["entity"], paris["after"]["entity"]) == ("wd:Q830149", "wd:Q90")


def test_a_bundle_alone_gives_the_same(judged: Path, tmp_path: Path) -> None:
    with Study.open(judged) as study:
        bundle = exporting.write_bundle(study, tmp_path / "bundle")
    done = [
        correcting.write_corrected(path, tmp_path / name / "a.jsonl", ONE, source="Alpha")
        for path, name in ((judged, "x"), (bundle, "y"))
    ]
    assert done[0].files[1].read_bytes() == done[1].files[1].read_bytes()
    texts = [[(d.name, d.annotations) for d in read_corpus(each.files[0])] for each in done]
    assert texts[0] == texts[1]


def test_it_is_written_in_the_format_it_came_in(tiny_folder: Path, tmp_path: Path, posthoc) -> None:
    labels = {"id": 7, "text": "Rome and Paris.", "labels": [{"span": [0, 4], "entity_id": "Q220"}]}
    (tmp_path / "b.jsonl").write_text(json.dumps(labels) + "\n")
    into = ("--dataset", "other", "--source", "GT")
    assert posthoc("import", tiny_folder, tmp_path / "b.jsonl", *into).status == 0
    ran = posthoc("export", tiny_folder, "--to", "corrected", "--dataset", "other", "--out", tmp_path / "o")
    assert (ran.status, Path(ran.out.split("\n")[0]).name) == (0, "other.GT.corrected.elevant.jsonl")
    (row,) = lines(tmp_path / "o" / "other.GT.corrected.elevant.jsonl")
    assert (row["id"], row["labels"][0]["entity_id"]) == (7, "Q220")


def test_an_unknown_dataset_is_told_with_those_there_are(judged: Path, tmp_path: Path) -> None:
    with pytest.raises(StateError, match="small"):
        correcting.write_corrected(judged, tmp_path / "o.jsonl", ONE, dataset="large")


def test_the_audit_names_every_finding_with_its_votes(
    judged: Path, tmp_path: Path, posthoc: Callable
) -> None:
    ran = posthoc("export", judged, "--to", "audit", "--source", "Alpha", "--out", tmp_path / "a.csv")
    assert ran.status == 0, ran.err
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    paris = next(row for row in rows if row["document"] == "d1" and row["finding"] == "not verified")
    assert (paris["key"], paris["answer"]) == ("wd:Q830149", "edit wd:Q90")
    assert paris["votes"].endswith(":edit wd:Q90")


@pytest.mark.parametrize("what", ["audit", "corrected"])
def test_without_judgments_it_is_said_that_nothing_is_known(posthoc, tiny_folder, tmp_path, what) -> None:
    ran = posthoc("export", tiny_folder, "--to", what, "--out", tmp_path / "out")
    assert ran.status == 0, ran.err
    assert "no judgments yet" in ran.err


@pytest.mark.parametrize(
    "options",
    [
        ("--to", "bundle", "--format", "csv"),
        ("--to", "audit", "--dataset", "small"),
        ("--to", "corrected", "--no-text"),
        ("--to", "corrected", "--annotations", "x.csv"),
    ],
)
def test_options_that_mean_nothing_are_refused(posthoc, judged: Path, tmp_path: Path, options) -> None:
    assert posthoc("export", judged, *options, "--out", tmp_path / "o").status == 2


def test_a_share_that_two_answers_could_exceed_is_refused(posthoc, judged: Path, tmp_path: Path) -> None:
    ran = posthoc("export", judged, "--to", "corrected", "--min-share", "0.3", "--out", tmp_path / "o")
    assert (ran.status, "--min-share" in ran.err) == (1, True)


def test_too_few_votes_to_decide_are_told(judged: Path, tmp_path: Path) -> None:
    """With one judgment each nothing changes by the usual rule, and the remedy is named."""
    said = correcting.write_corrected(judged, tmp_path / "gt.jsonl", Rule()).notes
    assert any("have fewer than 2 votes and change nothing: --min-votes 1" in note for note in said)
    assert not any("votes" in note for note in correcting.write_corrected(judged, tmp_path / "b", ONE).notes)
