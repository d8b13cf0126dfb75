"""Sampled plans: what is drawn, what it weighs, what is said about the rest; the limit on a task; reuse."""

import json
from collections import Counter

import pytest
from sqlalchemy import select

from analysis.errors import StateError
from tests.support import planned
from tests.support.planned import NOW, plan
from verifier.exporting import write_bundle
from verifier.plan import draw
from verifier.plan.sampling import Sampling, Unit, audit_sizes, points
from verifier.plan.sampling import draw as draw_units
from verifier.store.models import Credit, DisplayRow, SegmentRow, TaskRow
from verifier.study import Study


@pytest.fixture
def small(study_folder):
    """Twenty documents of one segment each, three sources, not planned."""
    planned.configure(study_folder, controls=0)
    with Study.open(study_folder) as opened:
        planned.fill(opened, 20)
        yield opened


def again(study, how):
    """The same study with another `plan`."""
    planned.configure(study.path, plan=f"repeat_share: 0, {how}", controls=0)
    return Study.open(study.path)


def weights(study):
    with study.read() as session:
        return list(session.scalars(select(SegmentRow.weight).order_by(SegmentRow.id)))


def why(study):
    return Counter(reason for _, reason in planned.reasons(study).values())


def test_a_share_of_the_segments_is_drawn_with_all_its_sources(small):
    with again(small, "sample: {share: 0.3}") as study:
        report = plan(study, now=NOW)
        assert Counter(weights(study)) == {0.0: 14, 20 / 6: 6}
        assert (report.budget.tasks, report.sampling.drawn) == (18, 6)
        assert why(study) == {None: 6 * 8, "not_sampled": 14 * 8}


def test_the_manifest_says_how(small, tmp_path):
    with again(small, "sample: {unit: document, n: 5}") as study:
        plan(study, now=NOW)
        folder = write_bundle(study, tmp_path / "bundle")
    told = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["sampling"]
    assert (told["unit"], told["method"], told["share"], told["strata"]) == ("document", "simple", 0.25, [])


def test_without_a_sample_every_segment_weighs_one(small):
    assert plan(small, now=NOW).sampling is None
    assert set(weights(small)) == {1.0}


def test_of_each_stratum_its_share(small):
    planned.add_source(small, "Late", range(20, 30))
    with again(small, "sample: {method: stratified, strata: [document], share: 0.5}") as study:
        plan(study, now=NOW)
        assert set(weights(study)) == {1.0}  # of each document's one segment at least one


def test_tasks_can_be_drawn_and_the_plan_says_what_that_breaks(small):
    with again(small, "sample: {unit: task, method: stratified, strata: [source], share: 0.3}") as study:
        report = plan(study, now=NOW)
        assert [row.tasks for row in report.sources] == [6, 6, 6]
        assert set(weights(study)) == {1.0}
        assert any("the analysis refuses" in line for line in report.lines())
        recalls = [row for row in report.foresight.precision if row.metric == "posthoc_recall"]
        assert {row.reason for row in recalls} == {"refused: tasks are drawn"}


def test_what_is_added_later_is_drawn_as_at_first_and_nothing_drawn_moves(small):
    with again(small, "sample: {share: 0.5}") as study:
        plan(study, now=NOW)
        before, drawn = planned.snapshot(study), weights(study)
        planned.add_source(study, "Late", range(24))
    with again(small, "k: 1") as study:
        report = plan(study, now=NOW)
        assert set(before) < set(planned.snapshot(study))
        assert (weights(study)[:20], sorted(weights(study)[20:])) == (drawn, [0, 0, 2, 2])
        assert report.added.tasks == 10 + 2
        assert any("drawn as at first" in note for note in report.warnings)


def test_planning_anew_draws_by_the_new_plan(small):
    with again(small, "sample: {share: 0.5}") as study:
        plan(study, now=NOW)
    with again(small, "k: 1") as study:
        assert plan(study, afresh=True, now=NOW).sampling is None
        assert set(weights(study)) == {1.0}


def test_points_are_disagreements_and_more_where_truth_is_suspect():
    items = {
        "all agree": frozenset({1, 2, 3}),
        "truth alone": frozenset({1}),
        "two models against it": frozenset({2, 3}),
        "one model alone": frozenset({2}),
        "truth and a model": frozenset({1, 2}),
    }
    ran, truth = frozenset({1, 2, 3}), frozenset({1})
    assert [points({name: given}, ran, truth) for name, given in items.items()] == [0, 2, 2, 1, 1]
    assert audit_sizes({"a": 0, "b": 4}) == {"a": 0.25, "b": 0.25 + 0.75 * 2}


def test_an_audit_draws_where_sources_disagree_and_every_segment_keeps_a_chance(small):
    planned.add_source(small, "Late", range(10), skip=2)
    with again(small, "sample: {share: 0.3}") as study:
        report = plan(study, audit=True, now=NOW)
        found = weights(study)
    assert (report.sampling.method, report.sampling.drawn) == ("size", 6)
    assert all(weight <= 1 / (0.25 * 0.3) for weight in found)
    assert sum(weight > 0 for weight in found[:10]) > 3
    assert "likelier" in "\n".join(report.lines())


def test_an_audit_is_chosen_at_the_first_plan(small):
    plan(small, now=NOW)
    with pytest.raises(StateError, match="at the first plan"):
        plan(small, audit=True, now=NOW)


def test_an_audit_of_single_tasks_is_refused(small):
    with again(small, "sample: {unit: task, share: 0.3}") as study:
        with pytest.raises(StateError, match="draws segments or documents"):
            plan(study, audit=True, now=NOW)
        assert planned.snapshot(study) == []


def test_a_task_shows_no_more_annotations_than_the_limit(small):
    with again(small, "max_annotations: 2") as study:
        plan(study, now=NOW)
        with study.read() as session:
            segments = session.scalars(select(TaskRow.segment_id).where(TaskRow.source_id == 1))
            assert set(Counter(segments).values()) == {2}
        assert {len(row) for row in _displays(study).values()} <= {1, 2}


def test_no_worker_gets_two_parts_of_a_segment(small):
    with again(small, "max_annotations: 1") as study:
        plan(study, now=NOW)
        planned.crowd(study, 1)
        drawn = planned.drawn(study, draw.claim(study, place_id=1, worker_id=1, now=NOW))
    assert len({task.segment for task in drawn}) == len(drawn) == 20


def test_where_chosen_old_judgments_stand_for_what_a_later_source_gives_identically(small):
    plan(small, now=NOW)
    before = planned.snapshot(small)
    planned.add_source(small, "Late", range(20), skip=1)
    with again(small, "reuse: true") as study:
        report = plan(study, now=NOW)
        assert (report.added.tasks, why(study)) == (0, {None: 20 * 10})
        assert set(before) < set(planned.snapshot(study))
        with study.read() as session:
            # GT, Alpha and Beta each show the first two names: their judgments count for Late too.
            credited = Counter(session.scalars(select(Credit.annotation_id)))
        assert sorted(set(credited.values())) == [1, 3]
    with again(small, "k: 1") as study:
        assert plan(study, now=NOW).nothing_new


def _displays(study):
    found = {}
    with study.read() as session:
        for task, display in session.execute(select(DisplayRow.task_id, DisplayRow.id)):
            found.setdefault(task, []).append(display)
    return found


@pytest.mark.parametrize("method", ["simple", "size"])
def test_over_many_seeds_every_unit_is_drawn_as_often_as_its_weight_says(method):
    """And weighted sums are right on average: that of the sizes in each draw, where it goes by size."""
    units = [Unit(number, "", 1 + number % 4) for number in range(20)]
    often, sums, chance = Counter(), [], {}
    for seed in range(1500):
        found = draw_units(units, Sampling("segment", method, 0.3), seed)
        drawn = {name: weight for name, weight in found.items() if weight}
        often.update(drawn.keys())
        chance |= {name: 1 / weight for name, weight in drawn.items()}
        sums.append(sum(weight * units[name].size for name, weight in drawn.items()))
    assert all(often[name] == pytest.approx(1500 * chance[name], abs=90) for name in chance)
    assert sum(sums) / len(sums) == pytest.approx(sum(unit.size for unit in units), rel=0.02)
    if method == "size":
        assert max(sums) - min(sums) < 1e-9
