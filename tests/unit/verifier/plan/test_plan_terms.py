"""What a study was planned under is kept, and told wherever study.yaml says otherwise later."""

import pytest

from analysis.errors import StateError
from tests.support import planned
from verifier.plan import terms
from verifier.study import Study


@pytest.fixture
def folder(study_folder):
    """A study with twelve documents, planned."""
    planned.configure(study_folder)
    with Study.open(study_folder) as study:
        planned.fill(study, 12)
        planned.plan(study)
    return study_folder


def told(folder):
    with Study.open(folder) as study, study.read() as session:
        return {found.key: (found.planned, found.now) for found in terms.departures(session, study.config)}


def test_what_was_not_changed_is_not_told(folder):
    assert told(folder) == {}


def test_each_change_is_told_with_what_it_was_and_is(folder):
    planned.configure(folder, plan="k: 3, repeat_share: 0", tasks=9, controls=2)
    assert told(folder) == {"plan.k": (1, 3), "place.tasks": (20, 9), "place.controls": (1, 2)}


@pytest.mark.parametrize(("key", "more"), [("study.seed", {"seed": 4}), ("study.name", {})])
def test_another_seed_or_name_is_refused_wherever_the_study_is_opened(folder, posthoc, key, more):
    planned.configure(folder, **more)
    if not more:
        text = (folder / "study.yaml").read_text(encoding="utf-8")
        (folder / "study.yaml").write_text(text.replace("name: planned", "name: other"), encoding="utf-8")
    with pytest.raises(StateError, match=f"{key} was changed after planning"):
        Study.open(folder)
    assert f"{key} was changed after planning" in posthoc("config", "check", folder).err


def test_before_planning_name_and_seed_are_free(study_folder):
    planned.configure(study_folder, seed=9)
    Study.open(study_folder).close()


def test_commands_tell_what_departs_and_what_happens(folder, posthoc):
    planned.configure(folder, plan="k: 3, repeat_share: 0")
    sentence = "study.yaml has plan.k 3; it was 1 when the study was planned: what is planned already keeps"
    assert sentence in posthoc("plan", folder).out
    assert sentence in posthoc("status", folder).out
    assert sentence in posthoc("config", "check", folder).err
    assert "--afresh" in posthoc("status", folder).out


def test_a_later_plan_takes_over_what_is_not_fixed_by_the_first(folder):
    planned.configure(folder, plan="k: 3, repeat_share: 0, min_chars: 50", answers=4)
    with Study.open(folder) as study:
        planned.add_source(study, "Late", range(12))
        planned.plan(study)
    assert set(told(folder)) == {"plan.min_chars", "controls.answers_per_task"}
