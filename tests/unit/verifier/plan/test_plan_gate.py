"""What the rule for controls asks, and how likely workers pass it."""

import pytest

from verifier.plan.gate import gate, pass_chance, questions_needed


def test_the_chance_is_the_binomials_upper_tail():
    """.95^3; 3 (.95^2)(.05) + .95^3; 1 - (2/3)^3."""
    assert pass_chance(3, 3, 0.95) == pytest.approx(0.857375)
    assert pass_chance(3, 2, 0.95) == pytest.approx(0.99275)
    assert pass_chance(3, 1, 1 / 3) == pytest.approx(19 / 27)


def test_of_no_answers_everybody_passes():
    assert pass_chance(0, 0, 0.5) == 1


def test_two_of_three_keeps_the_careful_and_two_controls_keep_guessers_out():
    strict, one, two = gate("all", 3), gate("2 of 3", 3), gate("2 of 3", 6)
    assert (round(strict.careful, 2), round(one.careful, 2), round(two.careful, 3)) == (0.86, 0.99, 0.998)
    assert two.guessing == pytest.approx(73 / 729)
    assert two.guessing < 0.5 * one.guessing


@pytest.mark.parametrize(("questions", "needed"), [(3, 3), (6, 5), (9, 6), (30, 15)])
def test_a_guesser_passes_with_less_than_the_chance_that_is_set(questions, needed):
    found = gate("guess below 0.05", questions)
    assert found.needed == needed
    assert found.guessing < 0.05 <= pass_chance(questions, needed - 1, 1 / 3)


def test_a_rule_that_so_few_questions_cannot_meet_says_how_many_would():
    assert (questions_needed("guess below 0.01", 3), questions_needed("all", 3)) == (5, 3)
    assert gate("guess below 0.01", 3).needed == 3
