"""A plan in the database: whole or not at all, frozen, and only growing."""

import json
from collections import defaultdict
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from analysis.errors import InputError, StateError
from tests.support import planned, tiny
from tests.support.planned import NOW, plan
from verifier.kb.build import build
from verifier.plan import draw, listing, planning
from verifier.store import plans
from verifier.store.models import DisplayRow, TaskRow
from verifier.study import Study


@pytest.fixture
def small(study_folder):
    """Twelve documents, three sources, not planned."""
    planned.configure(study_folder)
    with Study.open(study_folder) as study:
        planned.fill(study, 12)
        yield study


def again(study, **changes):
    """The same study, configured otherwise."""
    planned.configure(study.path, **changes)
    return Study.open(study.path)


def test_on_both_databases_the_plan_is_the_same(any_tiny_study):
    report = plan(any_tiny_study, now=NOW)
    assert (report.budget.tasks, report.budget.annotations, report.controls["tasks"]) == (12, 37, 4)
    assert planned.snapshot(any_tiny_study)
    assert report.plan_sha256 == plan(any_tiny_study, now=NOW).plan_sha256


def test_every_annotation_is_shown_or_has_a_reason(tiny_study):
    plan(tiny_study, now=NOW)
    found = planned.reasons(tiny_study).values()
    assert all(shown or reason for shown, reason in found)
    assert [reason for shown, reason in found if not shown] == ["nil"]


def test_the_cards_of_the_knowledge_base_are_kept(tiny_study):
    report = plan(tiny_study, now=NOW)
    assert report.added.cards >= 12
    assert report.controls["wrong"]["hard"] == 3


def test_a_rehearsal_stores_nothing(small):
    report = plan(small, dry_run=True, now=NOW)
    assert (report.dry_run, report.budget.tasks) == (True, 36)
    assert planned.snapshot(small) == []


def test_a_second_plan_does_nothing_and_says_so(small):
    plan(small, now=NOW)
    before = planned.snapshot(small)
    assert plan(small, now=NOW).nothing_new
    assert planned.snapshot(small) == before


def test_a_later_source_adds_only_its_own(small):
    plan(small, now=NOW)
    before = planned.snapshot(small)
    planned.add_source(small, "Late", range(12))
    report = plan(small, now=NOW)
    assert (report.added.tasks, report.added.segments, report.added.controls) == (12, 0, 0)
    assert set(before) < set(planned.snapshot(small))


def test_a_source_added_while_people_work_moves_nothing_that_was_drawn(small):
    plan(small, now=NOW)
    planned.crowd(small, 3)
    for number in (1, 2):
        draw.claim(small, place_id=number, worker_id=number, now=NOW)
    before = [(s.id, s.position, s.state, s.assignment_id) for s in planned.slots(small)]
    drawn = [planned.drawn(small, number) for number in (1, 2)]
    planned.add_source(small, "Late", range(12))
    assert plan(small, now=NOW).added.slots == 12
    after = [(s.id, s.position, s.state, s.assignment_id) for s in planned.slots(small)]
    assert after[: len(before)] == before
    assert [planned.drawn(small, number) for number in (1, 2)] == drawn
    third = planned.drawn(small, draw.claim(small, place_id=3, worker_id=3, now=NOW))
    assert "Late" in {task.source for task in third}


def test_of_a_places_controls_as_many_only_measure_as_are_wanted(study_folder):
    planned.configure(study_folder, tasks=5, controls=3)
    text = (study_folder / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("answers_per_task: 3", "answers_per_task: 3, measure: 1")
    (study_folder / "study.yaml").write_text(text, encoding="utf-8")
    with Study.open(study_folder) as study:
        planned.fill(study, 24)
        report = plan(study, now=NOW)
        assert (report.controls["tasks"], report.controls["deciding"]) == (24, 16)
        assert report.gate.questions == 6
        planned.crowd(study, 6)
        with study.read() as session:
            deciding = plans.deciding_controls(session)
            tasks = dict(plans.controls(session))
        by_segment = {segment: task in deciding for task, segment in tasks.items()}
        for number in range(1, 7):
            found = planned.drawn(study, draw.claim(study, place_id=number, worker_id=number, now=NOW))
            kinds = [by_segment[task.segment] for task in found if task.kind == "control"]
            assert sorted(kinds) == [False, True, True]


def test_controls_that_were_made_without_measuring_ones_all_decide(small):
    plan(small, now=NOW)
    with again(small, tasks=5, controls=2) as study:
        text = (study.path / "study.yaml").read_text(encoding="utf-8")
        text = text.replace("answers_per_task: 3", "answers_per_task: 3, measure: 1")
        (study.path / "study.yaml").write_text(text, encoding="utf-8")
    with Study.open(small.path) as study:
        planned.crowd(study, 1)
        found = planned.drawn(study, draw.claim(study, place_id=1, worker_id=1, now=NOW))
    assert [task.kind for task in found].count("control") == 2


def test_later_documents_are_cut_as_the_first_were(small):
    first = plan(small, now=NOW)
    with again(small, plan="repeat_share: 0, min_chars: 30") as study:
        planned.add_source(study, "GT", range(12, 15))
        report = plan(study, now=NOW)
    assert report.splitter == first.splitter
    assert report.added.documents == 3
    assert any("frozen at 300" in warning for warning in report.warnings)


def test_a_later_mention_across_segments_says_so(study_folder):
    planned.configure(study_folder, plan="repeat_share: 0, min_chars: 10", controls=0)
    text = "Paris is far away. Rome is near by."
    with Study.open(study_folder) as study:
        for source, end in (("GT", 5), ("Late", 23)):
            row = {"id": "d", "text": text, "annotations": [{"start": 0, "end": end, "entity": "Q90"}]}
            (study.path / "in.jsonl").write_text(json.dumps(row), encoding="utf-8")
            planned.import_files(study, planned.Request((study.path / "in.jsonl",), "news", source), now=NOW)
            plan(study, now=NOW)
        assert planned.reasons(study) == {1: (True, None), 2: (False, "crosses_segments")}


def test_pooled_shows_each_item_once_and_credits_a_later_source(study_folder):
    planned.configure(study_folder, plan="show: pooled, repeat_share: 0")
    with Study.open(study_folder) as study:
        planned.fill(study, 12)
        first = plan(study, now=NOW)
        planned.add_source(study, "Late", range(12))
        second = plan(study, now=NOW)
    assert (first.added.tasks, first.added.displays) == (12, 36)
    assert (second.added.tasks, second.budget.annotations) == (0, 36 + 36 + 24 + 36)


def test_what_is_shown_cannot_change_half_way(small):
    plan(small, now=NOW)
    with again(small, plan="show: pooled") as study, pytest.raises(StateError, match="cannot change"):
        plan(study, now=NOW)


def test_k_and_repeats_make_slots(small):
    with again(small, plan="k: 2, repeat_share: 0.25") as study:
        report = plan(study, now=NOW)
    assert (report.added.slots, report.added.repeated) == (36 * 2 + 9, 9)


def test_too_few_controls_are_refused_before_anything_is_stored(small):
    with again(small, answers=9) as study:
        with pytest.raises(
            StateError, match=r"needs at least 2 control tasks, could make 0 because 12 segments: few"
        ):
            plan(study, now=NOW)
        assert planned.snapshot(study) == []


def test_a_plan_over_the_cap_is_refused_with_the_numbers(small):
    with again(small, more='budget: {cap: "1.00"}') as study:
        with pytest.raises(StateError, match=r"costs 7\.00 USD more .* got 4 places, 8\.00 USD"):
            plan(study, now=NOW)
        assert plan(study, dry_run=True, now=NOW).budget.over_cap == 7
        assert planned.snapshot(study) == []


def test_given_controls_stand_beside_the_generated_ones(small):
    row = {"start": 3, "end": 7, "entity": "Q1", "expected": "edit", "acceptable": ["Rome"], "use": "measure"}
    (small.path / "controls.jsonl").write_text(
        json.dumps({"id": "doc0", "annotations": [row]}), encoding="utf-8"
    )
    config = small.config.model_copy(
        update={"controls": small.config.controls.model_copy(update={"file": "controls.jsonl"})}
    )
    report = plan(replace(small, config=config), now=NOW)
    assert report.controls["tasks"] == 12
    assert [answer.use for answer in planned.answers(small)].count("measure") == 1


def test_faults_in_given_controls_store_nothing(small):
    (small.path / "controls.jsonl").write_text('{"id": "nowhere", "annotations": [{}]}', encoding="utf-8")
    config = small.config.model_copy(
        update={"controls": small.config.controls.model_copy(update={"file": "controls.jsonl"})}
    )
    with pytest.raises(InputError, match="no such document"):
        plan(replace(small, config=config), now=NOW)
    assert planned.snapshot(small) == []


def test_an_empty_study_is_refused(study):
    with pytest.raises(StateError, match="nothing is imported"):
        plan(study, now=NOW)


def test_the_report_reads_well(small):
    text = "\n".join(plan(small, now=NOW).lines())
    assert "Real tasks: 36, judged 36 times in all." in text
    assert "Places: 4 of 11 real tasks and 1 control; 4 still open. At least 3 different workers." in text
    assert "Gate: 3 of 3 answers right (rule: all). A careful worker (each right with .95) passes" in text
    assert "where 10 % fail about 10.00 USD (5 places), where 30 % fail about 12.00 USD (6 places)" in text
    assert (
        "there are 12 different texts, a worker may see each once, and 1 control must lie on others" in text
    )
    assert "The knowledge base is not built" in text
    assert "distinct wrong links of the 50 wanted" in text
    assert "Shown each distinct item once for all: 36 links, 12 tasks" in text
    assert "Time on a place (reckoned): " in text


def test_places_that_take_longer_than_is_paid_for_are_told(small):
    place = small.config.place.model_copy(update={"minutes": 1})
    study = replace(small, config=small.config.model_copy(update={"place": place}))
    said = [line for line in planning.plan(study, now=NOW).lines() if "Half of the workers" in line]
    assert ["more than the 1 minutes that are paid: set place." in line for line in said] == [True]


def test_without_a_knowledge_base_it_plans_and_says_what_is_lost_and_what_to_do(small):
    report = planning.plan(small, now=NOW)
    assert report.added.controls
    assert "posthoc plan STUDY --afresh" in "\n".join(report.lines())


def test_without_controls_no_knowledge_base_is_needed(small):
    with again(small, controls=0) as study:
        assert planning.plan(study, now=NOW).gate is None


def test_a_knowledge_base_built_later_is_told_and_can_be_used_by_planning_anew(small):
    plan(small, now=NOW)
    build(tiny.write_kb(small.path / "kb.tsv"), small.file(small.config.kb.file))
    assert any("before the knowledge base was built" in note for note in plan(small, now=NOW).warnings)
    assert not any("before the know" in note for note in plan(small, afresh=True, now=NOW).warnings)


def test_a_plan_is_made_anew_as_long_as_nobody_drew(small):
    plan(small, now=NOW)
    with again(small, plan="k: 2, repeat_share: 0") as study:
        report = plan(study, afresh=True, now=NOW)
        assert (report.added.slots, [note for note in report.warnings if "study.yaml" in note]) == (72, [])
        planned.crowd(study, 1)
        draw.claim(study, place_id=1, worker_id=1, now=NOW)
        with pytest.raises(StateError, match="workers have drawn"):
            plan(study, afresh=True, now=NOW)


def test_a_control_has_as_many_links_as_real_tasks_on_its_segment(small):
    """Its own: the links of one source there, and one word that names no entity where none makes room."""
    plan(small, now=NOW)
    with small.read() as session:
        rows = session.execute(
            select(TaskRow.kind, TaskRow.segment_id, func.count(DisplayRow.id))
            .join(DisplayRow, DisplayRow.task_id == TaskRow.id)
            .group_by(TaskRow.id)
        ).all()
    real, controls = defaultdict(set), []
    for kind, segment, links in rows:
        controls.append((segment, links)) if kind == "control" else real[segment].add(links)
    assert controls
    assert all(links - 1 in real[segment] for segment, links in controls)


def test_the_controls_are_listed_and_can_be_given_back(small):
    plan(small, now=NOW)
    count = listing.write_controls(small, small.path / "controls.jsonl")
    before = [(a.expected, a.acceptable, a.use) for a in planned.answers(small)]
    given = small.config.controls.model_copy(update={"file": "controls.jsonl", "generate": False})
    study = replace(small, config=small.config.model_copy(update={"controls": given}))
    assert plan(study, afresh=True, now=NOW).controls["tasks"] == count == 12
    after = [(a.expected, a.acceptable, a.use) for a in planned.answers(small)]
    assert sorted(map(str, after)) == sorted(map(str, before))


def test_the_same_seed_gives_the_same_plan(small):
    other = plan(small, dry_run=True, now=NOW)
    assert plan(small, now=NOW).plan_sha256 == other.plan_sha256
