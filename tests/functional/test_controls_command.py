"""`posthoc controls`: a person looks them through; what good workers contradict is found, and retired."""

import csv
import json
from collections import Counter

import pytest

from analysis import bundle
from analysis.errors import InputError
from tests.support import planned as made
from tests.support.crowds import NOON, planned, work_through
from verifier.crowd import control_audit, counting
from verifier.exporting import write_bundle
from verifier.plan import confirming, planning
from verifier.store import controls, crowd, pilot, plans
from verifier.study import Study


@pytest.fixture
def folder(tiny_folder):
    """The tiny study, planned: four controls, which nobody has looked at."""
    with Study.open(tiny_folder) as study:
        planned(study)
    return tiny_folder


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def answer(path, listed, keep):
    """The list with what a person says about each control."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, listed[0])
        writer.writeheader()
        writer.writerows(row | {"keep": keep.get(row["control"], "")} for row in listed)


def test_generated_controls_wait_for_a_person(posthoc, folder):
    assert "4 generated); 4 unconfirmed" in posthoc("controls", folder).out
    assert "Confirmed now: 4" in posthoc("controls", folder, "--confirm-all").out
    with Study.open(folder) as study:
        assert confirming.unconfirmed(study.store) == 0


def test_they_are_listed_with_what_is_shown_and_expected(posthoc, folder, tmp_path):
    posthoc("controls", folder, "--out", tmp_path / "controls.csv")
    listed = rows(tmp_path / "controls.csv")
    assert all(row["mention"] in row["text"] for row in listed)
    assert Counter(row["expected"] for row in listed)["edit"] == 4


def test_the_list_given_back_confirms_what_has_yes_and_retires_what_has_no(posthoc, folder, tmp_path):
    file = tmp_path / "controls.csv"
    posthoc("controls", folder, "--out", file)
    first, second, third, _ = sorted({row["control"] for row in rows(file)}, key=int)
    answer(file, rows(file), {first: "yes", second: "no", third: "yes"})
    told = json.loads(posthoc("controls", folder, "--confirm", file, "--json").out)
    assert told["states"] == {"confirmed": 2, "retired": 1, "unconfirmed": 1}


def test_faults_in_the_list_are_told_with_their_lines_and_nothing_is_done(folder, tmp_path):
    file = tmp_path / "controls.csv"
    file.write_text("control,keep\n99999,yes\nx,no\n", encoding="utf-8")
    with Study.open(folder) as study:
        with pytest.raises(InputError) as caught:
            confirming.confirm_listed(study, file, NOON)
        assert len(caught.value.problems) == 2
        assert confirming.unconfirmed(study.store) == 4


def test_a_list_of_another_plan_confirms_nothing(folder, tmp_path):
    file = tmp_path / "controls.csv"
    with Study.open(folder) as study:
        confirming.write(study, file)
        listed = [row | {"entity": "wd:Q1"} for row in rows(file)]
        answer(file, listed, dict.fromkeys((row["control"] for row in listed), "yes"))
        with pytest.raises(InputError, match="another one"):
            confirming.confirm_listed(study, file, NOON)
        assert confirming.unconfirmed(study.store) == 4


def test_a_plan_with_too_few_controls_left_is_refused(posthoc, folder, tmp_path):
    file = tmp_path / "controls.csv"
    posthoc("controls", folder, "--out", file)
    answer(file, rows(file), {row["control"]: "no" for row in rows(file)})
    ran = posthoc("controls", folder, "--confirm", file)
    assert (ran.status, "too few controls" in ran.err) == (1, True)
    assert "4 unconfirmed" in posthoc("controls", folder).out


def test_given_controls_are_confirmed_by_who_gave_them(posthoc, folder, tmp_path):
    posthoc("plan", folder, "--controls", tmp_path / "given.jsonl")
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    more = f"controls: {{file: {tmp_path / 'given.jsonl'}, generate: false}}\n"
    (folder / "study.yaml").write_text(text + more, encoding="utf-8")
    assert posthoc("plan", folder, "--afresh").status == 0
    assert "4 given); 4 confirmed" in posthoc("controls", folder).out


def _against(wrong):
    """A good worker, who knows better than one control: he verifies what it takes for wrong."""

    def decide(text, span, key):
        mention = text[slice(*span)]
        if (wrong.text, wrong.start, wrong.end, wrong.key) == (text, *span, key):
            return "verify", None
        if mention.islower():
            return "remove", None
        return ("verify", None) if key == f"w:en:{mention}" else ("edit", f"w:en:{mention}")

    return decide


def test_what_good_workers_contradict_is_found_retired_and_everyone_graded_again(study_folder, tmp_path):
    made.configure(study_folder, plan="k: 4, repeat_share: 0", tasks=5, controls=2)
    with Study.open(study_folder) as study:
        made.fill(study, 12)
        planned(study)
        with study.read() as session:
            asked = plans.control_displays(session)
        suspect = next(display for display in asked if display.expected == "edit")
        for number in range(9):
            for _ in range(2):
                work_through(study, f"w{number}", _against(suspect))
        [flagged] = [one for one in control_audit.audit(study) if one.flag]
        assert (flagged.control, flagged.flag) == (suspect.task, "agreed otherwise")
        before = _counted(study)
        found = confirming.retire(study, [suspect.task], "the right entity", NOON)
        again = counting.regrade(study, NOON, of=found.affected)
        assert (again.now_counted, again.graded) == (len(found.affected), len(found.affected))
        assert _counted(study) == before + len(found.affected)
        told = write_bundle(study, tmp_path / "bundle")
    read = bundle.read(told)
    graded = read["displays"].set_index("display")["task"][read["control_answers"]["display"]]
    assert suspect.task not in set(graded)


def test_a_retired_control_is_drawn_no_more(folder):
    with Study.open(folder) as study:
        with study.read() as session:
            first = controls.states(session)[0].task
        confirming.retire(study, [first], "", NOON)
        for number in range(3):
            work_through(study, f"w{number}")
        with study.read() as session:
            assert not plans.assignments_with(session, [first])


def test_both_databases_can_do_all_of_it(any_tiny_study):
    study = any_tiny_study
    planned(study)
    work_through(study, "ann")
    assert confirming.confirm_all(study, NOON).confirmed == 4
    with study.read() as session:
        first = controls.states(session)[0].task
        assert plans.deciding_controls(session) >= {first}
    found = confirming.retire(study, [first], "for a try", NOON)
    counting.regrade(study, NOON, of=found.affected)
    assert control_audit.audit(study) is not None
    report = planning.plan(study, dry_run=True, now=NOON)
    assert (report.controls["tasks"], report.controls["deciding"]) == (3, 3)
    with study.read() as session:
        assert pilot.judged(session)


def _counted(study):
    with study.read() as session:
        return sum(bool(row.counted) for row in crowd.submitted(session))
