"""How simulated workers decide."""

from __future__ import annotations

import pytest

from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError
from analysis.keys import read_entity
from verifier.simulate.deciding import Mind
from verifier.simulate.habits import CROWDS, Chance, Habits, crowd
from verifier.simulate.truth import Right, Truth
from verifier.simulate.worker import points

TEXT = "Paris 🗼 is not in Texas. Bob lives there."
LINKS = (
    Annotation(Span(0, 5), read_entity("Paris", "en")),
    Annotation(Span(19, 24), read_entity("Texas", "en")),
    Annotation(Span(26, 29), read_entity("NIL", "en")),
)
TRUTH = Truth([Document("other", "Nothing here."), Document("doc", TEXT, LINKS)])


@pytest.mark.parametrize(
    ("span", "key", "right"),
    [
        (Span(0, 5), "w:en:Paris", Right("verify")),
        (Span(0, 5), "w:en:Paris, Texas", Right("edit", "w:en:Paris")),
        (Span(26, 29), "w:en:Bob", Right("edit", "NIL")),
        (Span(16, 24), "w:en:Texas", Right("remove")),
        (Span(8, 10), "w:en:Is", Right("remove")),
    ],
)
def test_what_is_right_follows_from_span_and_key(span, key, right):
    assert TRUTH.right(TEXT, span, key) == right


def test_a_stretch_of_a_text_is_found_in_it():
    assert TRUTH.right(TEXT[16:], Span(3, 8), "w:en:Texas") == Right("verify")


def test_redirects_are_followed_in_the_truth():
    moved = Truth([Document("doc", TEXT, LINKS)], {"w:en:Paris": "w:en:City of Paris"}.get)
    assert moved.right(TEXT, Span(0, 5), "w:en:City of Paris") == Right("verify")


def test_a_text_that_the_truth_does_not_know_is_an_error():
    with pytest.raises(InputError, match="does not know"):
        TRUTH.right("Another text", Span(0, 7), "w:en:Paris")


def test_the_right_crowd_decides_rightly_and_the_others_as_they_are_called():
    shown = (TEXT, Span(0, 5), "w:en:Paris, Texas")
    decided = {name: Mind(habits, TRUTH, 1, 2).decide(*shown).decision for name, habits in CROWDS.items()}
    assert decided["right"] == decided["alias"] == decided["edit-all"] == "edit"
    assert decided["verify-all"] == "verify"


def test_rates_of_decisions_are_those_of_the_habits():
    habits = Habits(accuracy_right=0.9, accuracy_wrong=0.7, bias=0.2, spammers=0, dropouts=0)
    minds = [Mind(habits, TRUTH, 5, worker) for worker in range(4000)]
    right = sum(mind.decide(TEXT, Span(0, 5), "w:en:Paris").decision == "verify" for mind in minds)
    wrong = sum(mind.decide(TEXT, Span(0, 5), "w:en:Lyon").decision == "verify" for mind in minds)
    assert right / 4000 == pytest.approx(0.2 + 0.8 * 0.9, abs=0.02)
    assert wrong / 4000 == pytest.approx(0.2 + 0.8 * 0.3, abs=0.02)


def test_chance_depends_on_what_it_is_about_and_not_on_when():
    one, two = Chance(7, 3), Chance(7, 3)
    two.uniform("something else")
    assert one.uniform("a", 1) == two.uniform("a", 1)
    assert one.uniform("a", 1) != Chance(7, 4).uniform("a", 1)


def test_what_is_certain_always_happens_and_what_is_impossible_never():
    chances = [Chance(seed, 0) for seed in range(200)]
    assert all(chance.happens(1.0, "x") for chance in chances)
    assert not any(chance.happens(0.0, "x") for chance in chances)


def test_spammers_are_fast_and_verify():
    mind = Mind(Habits(spammers=1), TRUTH, 0, 0)
    assert mind.decide(TEXT, Span(0, 5), "w:en:Lyon").decision == "verify"
    assert mind.seconds(TEXT, Span(0, 5), "w:en:Lyon") < 3


def test_an_unknown_crowd_and_a_number_that_is_no_probability_are_refused():
    with pytest.raises(InputError, match="no such crowd"):
        crowd("lazy")
    with pytest.raises(InputError, match="not a probability"):
        crowd("mixed", bias=1.5)


def test_units_of_a_browser_become_code_points():
    assert points("a🗼b", 3) == 2
