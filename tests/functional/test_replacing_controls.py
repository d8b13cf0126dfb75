"""Retired controls: the next best takes their place, the same from the same seed, and it is told."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import select

from analysis.errors import InputError
from tests.support import planned as made
from tests.support.crowds import NOON, come, planned
from verifier.plan import confirming, planning, replacing
from verifier.plan import lock as locking
from verifier.store import controls, facts, plans
from verifier.store.models import DisplayRow, Event
from verifier.study import Study
from verifier.web.app import create_app


@pytest.fixture(scope="module")
def with_room(blank_study, tmp_path_factory):
    """Sixty texts, planned: fifty controls, so that ten texts have none."""
    folder = Path(shutil.copytree(blank_study, tmp_path_factory.mktemp("room") / "study"))
    made.configure(folder, plan="k: 1, repeat_share: 0", tasks=5, controls=1)
    with Study.open(folder) as study:
        made.fill(study, 60)
        planned(study)
    return folder


@pytest.fixture
def study(with_room, tmp_path):
    """A copy of it, open."""
    with Study.open(Path(shutil.copytree(with_room, tmp_path / "copy"))) as opened:
        yield opened


def first(study):
    """The control that is planned first."""
    with study.read() as session:
        return controls.states(session)[0].task


def asked(study, task):
    """What a control asks: words, entity, right decision."""
    with study.read() as session:
        displays = [one for one in plans.control_displays(session) if one.task == task and one.expected]
    return {(one.text[one.start : one.end].casefold(), one.key, one.expected) for one in displays}


def in_use(study):
    """The controls that may be drawn, with their passages."""
    with study.read() as session:
        return dict(plans.controls(session))


def test_the_next_best_takes_the_place_and_asks_the_same_decisions_about_other_things(study):
    old, before = first(study), in_use(study)
    [new] = confirming.retire(study, [old], "ambiguous", NOON).replaced_by.values()
    after = in_use(study)
    assert (len(after), old in after, after[new] in before.values()) == (50, False, False)
    assert sorted(one[2] for one in asked(study, new)) == sorted(one[2] for one in asked(study, old))
    assert not asked(study, new) & asked(study, old)


def test_the_same_seed_makes_the_same_replacement(with_room, tmp_path):
    found = []
    for name in ("one", "other"):
        with Study.open(Path(shutil.copytree(with_room, tmp_path / name))) as study:
            told = confirming.retire(study, [first(study)], "", NOON)
            [new] = told.replaced_by.values()
            found.append((new, in_use(study)[new], asked(study, new)))
    assert found[0] == found[1]


def test_in_the_place_of_a_confirmed_one_nobody_is_given_it_before_it_is_confirmed(study):
    confirming.confirm_all(study, NOON)
    told = confirming.retire(study, [first(study)], "", NOON)
    [new] = told.waiting
    assert new not in in_use(study)
    assert confirming.unconfirmed(study.store) == 1
    confirming.confirm_all(study, NOON)
    assert new in in_use(study)


def test_two_who_retire_at_once_get_a_control_each_for_every_one_that_went(study, monkeypatch):
    with study.read() as session:
        one, both, other = [state.task for state in controls.states(session)][:3]
    find, told = replacing.find, []

    def overtaken(opened, dropped):
        found = find(opened, dropped)
        monkeypatch.setattr(replacing, "find", find)
        told.append(confirming.retire(opened, [one, both], "first", NOON))
        return found

    monkeypatch.setattr(replacing, "find", overtaken)
    told.append(confirming.retire(study, [both, other], "second", NOON))
    assert [list(each.replaced_by) for each in told] == [[one, both], [other]]
    passages = in_use(study)
    assert len(passages) == len(set(passages.values())) == 50


def test_who_has_drawn_the_old_one_keeps_it(study):
    made.crowd(study, 1)
    assert come(study, "ann").outcome == "working"
    [drawn] = [task for task in in_use(study) if _has(study, task)]
    [affected] = confirming.retire(study, [drawn], "", NOON).affected
    assert (affected, _has(study, drawn)) == (1, True)


def _has(study, task):
    with study.read() as session:
        return bool(plans.assignments_with(session, [task]))


def test_a_retired_one_that_the_list_says_yes_to_stays_retired_and_is_named(study, posthoc, tmp_path):
    old = first(study)
    confirming.retire(study, [old], "ambiguous", NOON)
    confirming.write(study, tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        rows = [row | {"keep": "yes"} for row in csv.DictReader(file)]
    with (tmp_path / "all.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    ran = posthoc("controls", study.path, "--confirm", tmp_path / "all.csv")
    assert f"Control {old} has yes in the list, and was retired on 2026-05-04 (ambiguous)" in ran.out
    assert "50 confirmed, 1 retired" in ran.out


def test_it_is_logged_and_is_another_plan_which_a_lock_tells(study, posthoc):
    with study.write() as session:
        locking.put(session, study.config, NOON)
        before = facts.get(session, "plan_sha256")
    old = first(study)
    assert "reports list that as a departure" in posthoc("controls", study.path, "--retire", old).out
    with study.read() as session:
        [event] = session.scalars(select(Event.data).where(Event.kind == replacing.EVENT))
        assert facts.get(session, "plan_sha256") == event["plan_sha256"] != before
    assert (event["retired"], list(event["replaced_by"])) == ([old], [str(old)])
    assert "Locked was plan" in " ".join(planning.plan(study, dry_run=True, now=NOON).warnings)


def test_the_dashboard_takes_a_reason_within_bounds_and_shows_what_took_the_place(study):
    client = create_app(study, dashboard_key="once").test_client()
    client.get("/admin/enter?key=once")
    with study.read() as session:
        display = session.scalars(select(DisplayRow.id).where(DisplayRow.task_id == first(study))).first()
    item = f"/admin/adjudicate/{display}"
    client.post(item, data={"decision": "remove"})
    answer = client.post(f"{item}/retire", data={"reason": "x" * 201})
    assert (
        answer.status_code,
        "too long a reason (201 characters; expected 200 at most)" in answer.text,
    ) == (400, True)
    assert f'value="{"x" * 201}"' in answer.text
    assert client.post(f"{item}/retire", data={"reason": " two   <rivers> "}).status_code == 303
    page = client.get(item).text
    assert "two &lt;rivers&gt;" in page
    new = max(in_use(study))
    assert f'<a href="/admin/tasks/{new}">control {new}</a>' in page
    assert f"{item}/retire" not in page


@pytest.mark.parametrize("reason", ["x" * 201, "two\nlines", "\0"])
def test_a_reason_that_no_list_could_hold_is_refused(study, reason):
    with pytest.raises(InputError, match="reason"):
        confirming.retire(study, [first(study)], reason, NOON)
    assert len(in_use(study)) == 50


def test_where_nothing_can_take_the_place_the_reason_is_said(study, posthoc):
    text = (study.path / "study.yaml").read_text(encoding="utf-8")
    more = text.replace("{answers_per_task: 3}", "{answers_per_task: 3, generate: false}")
    (study.path / "study.yaml").write_text(more, encoding="utf-8")
    said = posthoc("controls", study.path, "--retire", first(study)).out
    assert "Nothing takes the place of 181 (1 times: controls.generate is off)" in said


def test_more_than_there_is_room_for_are_replaced_as_far_as_it_goes(study):
    with study.read() as session:
        half = [state.task for state in controls.states(session)][:25]
    told = confirming.retire(study, half, "", NOON)
    assert len(told.replaced_by) + len(told.not_replaced) == 25
    assert len(told.not_replaced) > 0
    assert told.failures
    passages = in_use(study)
    assert len(passages) == len(set(passages.values())) == 25 + len(told.replaced_by)


@pytest.mark.parametrize(("key", "use"), [("measure", "measure"), ("decoys", "decoy")])
def test_one_that_measures_or_is_a_decoy_is_replaced_by_its_like(study_folder, key, use):
    made.configure(study_folder, plan="k: 1, repeat_share: 0", tasks=5, controls=2)
    text = (study_folder / "study.yaml").read_text(encoding="utf-8")
    more = text.replace("{answers_per_task: 3}", f"{{answers_per_task: 3, {key}: 1}}")
    (study_folder / "study.yaml").write_text(more, encoding="utf-8")
    with Study.open(study_folder) as study:
        made.fill(study, 110)
        planned(study)
        with study.read() as session:
            shown = [one for one in plans.control_displays(session) if one.expected == "edit"]
            old = next(one.task for one in shown if one.use == use)
        [new] = confirming.retire(study, [old], "", NOON).replaced_by.values()
        with study.read() as session:
            uses = {one.use for one in plans.control_displays(session) if one.task == new and one.expected}
            assert (use in uses, new in plans.deciding_controls(session)) == (True, False)


def test_both_databases_replace_alike(database_url, tmp_path):
    Study.create(tmp_path / "study", "link", database=database_url).close()
    made.configure(tmp_path / "study", plan="k: 1, repeat_share: 0", tasks=5, controls=1)
    with Study.open(tmp_path / "study") as study:
        made.fill(study, 56)
        planned(study)
        confirming.confirm_all(study, NOON)
        told = confirming.retire(study, [first(study)], "", NOON)
        assert (told.replaced_by, told.waiting) == ({169: 219}, [219])
        assert len(in_use(study)) == 49
        assert json.loads(json.dumps(dict(told.failures))) == {}


def test_planning_anew_says_that_what_was_retired_may_come_up_again(study):
    confirming.retire(study, [first(study)], "", NOON)
    assert "those too that were retired (1)" in planning.plan(study, afresh=True, now=NOON).warnings[-1]
