"""A pooled study end to end: each item shown once, credited to every source that has it, in every file."""

import json

import pytest

from analysis.evaluate import evaluate
from analysis.load import load
from tests.support.crowds import planned, work_through
from verifier import exporting
from verifier.study import Study

METRICS = ["verification_rate", "posthoc_recall", "unique_verified"]


@pytest.fixture
def judged(tiny_folder):
    """The tiny study with its sources pooled, all of it judged by people who know."""
    text = (tiny_folder / "study.yaml").read_text(encoding="utf-8")
    (tiny_folder / "study.yaml").write_text(
        text.replace("{k: 1, repeat_share: 0}", "{show: pooled, k: 1, repeat_share: 0}"), encoding="utf-8"
    )
    with Study.open(tiny_folder) as study:
        planned(study)
        for number in range(4):
            work_through(study, f"w{number}")
        yield study


def numbers(study):
    found = evaluate(study, METRICS, by=["source"], replicates=0)
    return found.set_index(["metric", "source"])["estimate"].to_dict()


def test_every_item_has_one_display_and_each_of_its_annotations_a_credit(judged, tmp_path):
    study = load(exporting.write_bundle(judged, tmp_path / "bundle"))
    shown = study["annotations"].query("shown").merge(study["credits"], on="annotation")
    real = study["tasks"].query("kind == 'real'")
    assert real["source"].isna().all()
    items = shown.groupby(["document", "start", "end", "key"])["display"].nunique()
    assert (items == 1).all()
    assert len(shown) == study["annotations"]["shown"].sum() == 37


def test_rates_by_hand(judged, tmp_path):
    """GT is right; Alpha errs on Paris (d1) and Apple, Beta on Texas; "the Boss" and "Merkel" are none."""
    found = numbers(load(exporting.write_bundle(judged, tmp_path / "bundle")))
    assert found["verification_rate", "GT"] == 1
    assert found["verification_rate", "Alpha"] == pytest.approx(10 / 13)
    assert found["verification_rate", "Beta"] == pytest.approx(9 / 11)
    assert found["posthoc_recall", "Beta"] == pytest.approx(9 / 13)


def test_the_judgments_csv_gives_the_same_numbers(judged, tmp_path):
    bundle = numbers(load(exporting.write_bundle(judged, tmp_path / "bundle")))
    exporting.write_judgments(judged, tmp_path / "j.csv", tmp_path / "a.csv")
    again = numbers(load(tmp_path / "j.csv", annotations=tmp_path / "a.csv"))
    assert again == pytest.approx(bundle)


def test_a_later_source_is_judged_by_what_there_is(judged, tmp_path, posthoc):
    row = {"id": "d1", "text": "Paris is the capital of France. The river there is called the Seine."}
    row["annotations"] = [{"start": 0, "end": 5, "entity": "Q90"}, {"start": 24, "end": 30, "entity": "Q142"}]
    (tmp_path / "late.jsonl").write_text(json.dumps(row), encoding="utf-8")
    posthoc("import", judged.path, tmp_path / "late.jsonl", "--dataset", "small", "--source", "Late")
    told = json.loads(posthoc("plan", judged.path, "--json").out)
    assert (told["added"]["tasks"], told["added"]["slots"]) == (0, 0)
    found = numbers(load(exporting.write_bundle(judged, tmp_path / "bundle")))
    assert found["verification_rate", "Late"] == 1
