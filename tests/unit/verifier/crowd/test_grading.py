"""Grading of control questions."""

from __future__ import annotations

import pytest

from analysis.errors import ConfigError
from verifier.crowd.grading import Answer, Given, grade, is_right, needed

RIGHT = Answer("verify")
WRONG = Answer("edit", frozenset({"w:en:Paris"}))
NOTHING = Answer("remove")
GIVEN = [Given("verify"), Given("edit", "w:en:Paris"), Given("remove")]


def test_all_right_passes():
    verdict = grade([RIGHT, WRONG, NOTHING], GIVEN, "all")
    assert verdict.passed
    assert (verdict.right, verdict.total, verdict.reason) == (3, 3, "")


def test_one_wrong_fails_under_all_and_the_reason_is_in_words():
    verdict = grade([RIGHT, WRONG, NOTHING], [*GIVEN[:2], Given("verify")], "all")
    assert not verdict.passed
    assert verdict.reason == "failed the controls: 2 of 3 right, 3 needed"


def test_one_wrong_passes_under_two_of_three():
    assert grade([RIGHT, WRONG, NOTHING], [*GIVEN[:2], Given("verify")], "2 of 3").passed


@pytest.mark.parametrize(
    ("rule", "total", "wanted"), [("all", 6, 6), ("2 of 3", 6, 4), ("2 of 3", 4, 3), ("0 of 3", 9, 0)]
)
def test_a_rule_is_a_proportion_rounded_up(rule, total, wanted):
    assert needed(rule, total) == wanted


def test_a_rule_that_asks_for_more_than_there_are_is_refused():
    with pytest.raises(ConfigError, match="not a rule"):
        needed("4 of 3", 3)


def test_an_edit_to_another_entity_is_wrong():
    assert not is_right(WRONG, Given("edit", "w:en:London"))


def test_any_edit_is_right_where_no_key_is_named():
    assert is_right(Answer("edit"), Given("edit", "w:en:London"))


def test_an_unanswered_question_is_wrong():
    assert not is_right(RIGHT, None)


def test_questions_that_only_measure_decide_nothing():
    verdict = grade([Answer("verify", use="measure")], [Given("remove")], "all")
    assert verdict.passed
    assert verdict.total == 0
