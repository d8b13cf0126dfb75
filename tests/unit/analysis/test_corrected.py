"""Corrected rates and recall: what the formulas print, what controls they use, and when they refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analysis.corrected import corrected_rows, read_controls
from analysis.engine.errors_in_judging import (
    Share,
    audited_rate,
    chao2,
    chapman,
    equal_specificity,
    lang_reiczigel,
    rogan_gladen,
)
from analysis.outcomes import measure
from analysis.study import Study
from tests.support.controlled_studies import study as _study


def test_the_printed_example_of_the_corrected_rate():
    assert rogan_gladen(0.88, 0.95, 0.8) == pytest.approx(0.9067, abs=5e-5)
    got = lang_reiczigel(Share(0.88, 1000), Share(0.95, 200), Share(0.8, 200))
    assert [round(limit, 3) for limit in got] == [0.864, 0.958]
    assert equal_specificity(0.88, 0.95) == pytest.approx(0.6333, abs=5e-5)
    curve = [round(rogan_gladen(0.88, 0.95, sp), 4) for sp in (0.9, 0.7, 0.5)]
    assert curve == [0.9176, 0.8923, 0.8444]


def test_the_printed_examples_of_audit_and_capture():
    rate, error = audited_rate(Share(0.88, 1000), Share(0.95, 100), Share(0.5, 100))
    assert (round(rate, 4), round(error, 4)) == (0.896, 0.0206)
    assert [round(one, 1) for one in chapman(400, 350, 300)] == [466.6, 456.7, 476.6]
    assert [round(one, 1) for one in chao2(180, 60, 60, 3)] == [200.0, 190.0, 220.0]


def _rows(study, policy="recommended"):
    rows, sensitivity, warnings = corrected_rows(measure(study, policy), 0.95)
    return {row["metric"]: row for row in rows if row["dataset"] == "d"}, sensitivity, warnings


def test_the_corrected_rate_is_near_the_truth_where_the_raw_one_is_not():
    study, truth = _study(documents=120, controls=90)
    rows, _, _ = _rows(study)
    rate = rows["corrected_verification_rate"]
    assert rate["raw"] == pytest.approx(truth * 0.95 + (1 - truth) * 0.3, abs=0.03)
    assert rate["low"] < truth < rate["high"]


def test_recall_of_the_only_source_is_one_whatever_people_accept():
    rows, _, _ = _rows(_study()[0])
    assert rows["corrected_recall"]["estimate"] == 1.0


def test_controls_that_decide_nothing_are_of_those_who_count_and_others_of_everyone():
    measured = measure(_study(use="measure")[0])
    assert (read_controls(measured).gate, read_controls(measured).who[:7]) == ("assignment", "workers")
    everyone = read_controls(measure(_study(use="gate")[0]))
    assert (everyone.gate, everyone.who[:8]) == ("none", "everyone")


def test_right_controls_alone_that_decide_nothing_leave_all_controls_to_everyone():
    study = _study(use="gate")[0]
    answers = study["control_answers"]
    some = answers["use"].mask(answers["expected"] == "verify", "measure")
    tables = {**study.tables, "control_answers": answers.assign(use=some)}
    found = read_controls(measure(replace(study, tables=tables)))
    assert (found.gate, found.reason) == ("none", "")


def test_few_wrong_controls_are_warned_of_and_the_assumption_is_said():
    _, _, warnings = _rows(_study(controls=15)[0])
    assert any("10 distinct wrong controls" in warning for warning in warnings)
    assert any("as hard to see as real errors" in warning for warning in warnings)


def test_people_who_accept_everything_are_not_corrected():
    rows, sensitivity, _ = _rows(_study(bias=0.95)[0])
    assert "do not tell right from wrong" in rows["corrected_verification_rate"]["reason"]
    assert "estimate" not in rows["corrected_verification_rate"]
    assert sensitivity.empty


def test_without_controls_the_reason_is_said():
    study = _study()[0]
    bare = Study({**study.tables, "control_answers": study["control_answers"].iloc[:0]}, study.manifest)
    rows, _, warnings = _rows(bare)
    assert "no control with a right link" in rows["corrected_recall"]["reason"]
    assert not warnings


def test_the_curve_holds_the_sp_at_which_corrected_equals_raw():
    rows, sensitivity, _ = _rows(_study(documents=80)[0])
    equal = sensitivity[sensitivity["what"] == "corrected equals raw"].iloc[0]
    assert equal["corrected"] == pytest.approx(rows["corrected_verification_rate"]["raw"])
    assert {0.5, 0.9} <= set(sensitivity["sp"])
