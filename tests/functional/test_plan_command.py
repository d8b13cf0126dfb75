"""`posthoc plan`: the report, the JSON, and KORE50's plan."""

import json

import pytest
import yaml

from tests.support import planned
from tests.support.crowds import work_through
from tests.support.planned import plan
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.plan import draw
from verifier.study import Study

FILES = {"GT": "gt", "REL": "predictions/rel", "ReFinED": "predictions/refined"}


def test_it_reports_and_stores(posthoc, tiny_folder):
    ran = posthoc("plan", tiny_folder)
    assert (ran.status, ran.out.splitlines()[0]) == (0, "Planned and stored.")
    assert posthoc("plan", tiny_folder).out.startswith("Nothing new to plan")


def test_json_is_one_document_without_what_is_not_defined(posthoc, tiny_folder):
    found = json.loads(posthoc("plan", tiny_folder, "--dry-run", "--json").out)
    assert (found["dry_run"], found["budget"]["tasks"], found["budget"]["pay"]) == (True, 12, "6.00")
    rates = [row for row in found["foresight"]["precision"] if row["metric"] == "verification_rate"]
    assert {row["source"]: row["n"] for row in rates} == {"GT": 13, "Alpha": 13, "Beta": 11}


def test_what_cannot_be_met_is_refused_with_status_1(posthoc, tiny_folder):
    text = (tiny_folder / "study.yaml").read_text(encoding="utf-8")
    (tiny_folder / "study.yaml").write_text(text + "controls: {answers_per_task: 9}\n", encoding="utf-8")
    ran = posthoc("plan", tiny_folder)
    assert (ran.status, ran.out) == (1, "")
    assert "too few controls: needs at least 2 control tasks, could make 0 because 4 segments" in ran.err


@pytest.mark.parametrize(
    ("plan", "controls", "message"),
    [
        ("k: 3, workers: 1", "", "3 judgments by different workers, and there are 1: 2 too few"),
        ("k: 1", "rule: guess below 0.001", "the rule takes 7, 4 more"),
        ("k: 1", "measure: 1", "1 would only measure, and none decide"),
        ("k: 1", "answers_per_task: 9", "too few controls: needs at least 2"),
    ],
)
def test_a_plan_that_cannot_be_met_says_which_constraint_and_by_how_much(
    posthoc, study_folder, plan, controls, message
):
    planned.configure(study_folder, plan=f"{plan}, repeat_share: 0")
    path = study_folder / "study.yaml"
    text = path.read_text(encoding="utf-8").replace(
        "controls: {answers_per_task: 3}", f"controls: {{{controls}}}"
    )
    path.write_text(text, encoding="utf-8")
    with Study.open(study_folder) as study:
        # One source alone: a segment is one task.
        planned.add_source(study, "GT", range(12))
    ran = posthoc("plan", study_folder)
    assert (ran.status, ran.out) == (1, "")
    assert message in ran.err
    with Study.open(study_folder) as study:
        assert planned.snapshot(study) == []


def test_a_plan_that_leaves_no_task_says_why(posthoc, study_folder):
    planned.configure(study_folder)
    row = {"id": "d", "text": "Nobody is here.", "annotations": [{"start": 0, "end": 6, "entity": None}]}
    (study_folder / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with Study.open(study_folder) as study:
        import_files(study, Request((study_folder / "in.jsonl",), "news", "GT"), now=clock.now())
    planned.configure(study_folder, controls=0)
    ran = posthoc("plan", study_folder)
    assert (ran.status, "no annotation can be shown" in ran.err, "1 nil" in ran.err) == (1, True, True)


def test_a_running_study_is_forecast_from_what_was_measured(posthoc, tiny_folder):
    assert "reckoned" in posthoc("plan", tiny_folder).out
    with Study.open(tiny_folder) as study:
        for number in range(6):
            work_through(study, f"w{number}")
    told = json.loads(posthoc("plan", tiny_folder, "--dry-run", "--json").out)
    assert told["timing"]["places"] >= 5
    assert "measured on" in posthoc("plan", tiny_folder, "--dry-run").out


def test_controls_are_written_to_be_looked_through(posthoc, tiny_folder, tmp_path):
    ran = posthoc("plan", tiny_folder, "--controls", tmp_path / "controls.jsonl")
    rows = [
        json.loads(line) for line in (tmp_path / "controls.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert (ran.status, len(rows)) == (0, 4)
    assert "4 controls are written" in ran.err
    assert all(mark["mention"] in row["shown"] for row in rows for mark in row["annotations"])


@pytest.mark.parametrize("given", [("--lock",), ("--controls", "c.jsonl")])
def test_a_dry_run_changes_nothing_so_it_is_not_given_what_would(posthoc, tiny_folder, given):
    assert posthoc("plan", tiny_folder, "--dry-run", *given).status == 2


def test_a_changed_sample_is_costed_afresh_while_the_plan_stays(posthoc, tiny_folder):
    posthoc("plan", tiny_folder)
    stored = posthoc("plan", tiny_folder, "--json").out
    settings = yaml.safe_load((tiny_folder / "study.yaml").read_text())
    settings.setdefault("plan", {})["sample"] = {"unit": "segment", "n": 3}
    (tiny_folder / "study.yaml").write_text(yaml.safe_dump(settings))
    found = json.loads(posthoc("plan", tiny_folder, "--dry-run", "--afresh", "--json").out)
    assert (found["dry_run"], found["sampling"] is None) == (True, False)
    assert found["budget"]["tasks"] < json.loads(stored)["budget"]["tasks"]
    kept = json.loads(posthoc("plan", tiny_folder, "--json").out)
    assert (kept["plan_sha256"], kept["sampling"]) == (json.loads(stored)["plan_sha256"], None)


def test_a_changed_sample_is_told_as_study_yaml_writes_it(posthoc, tiny_folder):
    posthoc("plan", tiny_folder)
    settings = yaml.safe_load((tiny_folder / "study.yaml").read_text())
    settings.setdefault("plan", {})["sample"] = {"unit": "segment", "n": 3}
    (tiny_folder / "study.yaml").write_text(yaml.safe_dump(settings))
    told = posthoc("plan", tiny_folder)
    assert "plan.sample {unit: segment, method: simple, n: 3, strata: []}; it was null" in told.out + told.err


def test_without_a_knowledge_base_the_remedy_is_told(posthoc, tiny_folder):
    (tiny_folder / "kb.db").unlink()
    ran = posthoc("plan", tiny_folder)
    assert ran.status == 0
    assert "posthoc kb build STUDY FILE" in ran.out
    assert "--afresh" in posthoc("kb", "build", tiny_folder, tiny_folder / "kb.tsv").err


@pytest.fixture
def kore50(study_folder, shared_data):
    """KORE50 with GT, REL and ReFinED, planned without repeats."""
    planned.configure(study_folder)
    with Study.open(study_folder) as study:
        for source, name in FILES.items():
            path = shared_data / "kore50" / f"{name}.elevant.jsonl"
            import_files(study, Request((path,), "kore50", source), now=clock.now())
        yield study


def test_kore50_is_149_tasks_in_8_places_none_of_them_nearly_empty(kore50):
    report = plan(kore50, now=planned.NOW)
    assert (report.budget.tasks, report.budget.annotations) == (149, 411)
    assert (report.budget.places, report.budget.real_tasks) == (8, 19)
    planned.crowd(kore50, 8)
    drawn = [
        planned.drawn(kore50, draw.claim(kore50, place_id=n, worker_id=n, now=planned.NOW))
        for n in range(1, 9)
    ]
    assert [sum(task.kind == "real" for task in tasks) for tasks in drawn] == [19, 19, 19, 19, 19, 18, 18, 18]
    assert draw.open_places(kore50) == 0


def test_wiki_fair_is_planned_within_its_evaluation_spans(study_folder, shared_data):
    planned.configure(study_folder)
    with Study.open(study_folder) as study:
        for source, name in FILES.items():
            [path] = (shared_data / "wiki-fair-v2").glob(f"{name}.elevant.jsonl*")
            import_files(study, Request((path,), "wiki", source), now=clock.now())
        report = plan(study, now=planned.NOW)
    shown = {row.source: row.shown for row in report.sources}
    assert shown == {"GT": 1918, "REL": 1261, "ReFinED": 1322}
    assert report.controls["tasks"] == 50
