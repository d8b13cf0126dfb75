"""Which choice moved which number."""

from __future__ import annotations

import pytest

from analysis.moves import moves
from analysis.outcomes import measure
from analysis.points import points
from analysis.policy import get_policy
from tests.unit.analysis.test_every_choice import CASES, GATE, POOLING, UNION


def _moves(study, *policies):
    return moves(study, [measure(study, policy) for policy in policies])


def test_one_policy_as_it_stands_moves_nothing():
    assert _moves(UNION, "recommended").empty


def test_an_overridden_choice_is_held_against_the_policy_itself():
    """Of the one judgment of GT's link and the one of A's, own pooling takes GT's: 1/2 becomes 1."""
    got = _moves(POOLING, get_policy("recommended", {"pooling": "own"}))
    row = got[(got["dataset"] == "d") & (got["source"] == "GT") & (got["metric"] == "verification_rate")]
    assert row[["policy", "other", "choice", "value", "becomes"]].to_numpy().tolist() == [
        ["recommended", "recommended+pooling=own", "pooling", "item", "own"]
    ]
    assert row[["before", "after", "change", "alone"]].to_numpy().tolist() == [[0.5, 1.0, 0.5, 0.5]]


def test_steps_between_two_policies_add_up_and_name_the_choice():
    """GT's recall goes from 3 of 5 distinct items to 2 of 3 thinned ones, by recall_union alone."""
    got = _moves(UNION, "recommended", "paper")
    rows = got[(got["dataset"] == "d") & (got["source"] == "GT") & (got["metric"] == "posthoc_recall")]
    assert rows["choice"].tolist() == ["recall_union"]
    assert rows["change"].sum() == pytest.approx(2 / 3 - 3 / 5)


@pytest.mark.parametrize("other", ["paper", "original"])
def test_changes_add_up_to_the_whole_difference(other):
    one, two = (points(measure(GATE, name)) for name in ("recommended", other))
    got = _moves(GATE, "recommended", other)
    for place in one:
        names = ("dataset", "source", "metric")
        rows = got[(got[list(names)] == list(place)).all(axis=1)]
        if two[place] == two[place]:
            assert rows["change"].sum() == pytest.approx(two[place] - one[place], abs=1e-12)


@pytest.mark.parametrize("choice", [c for c in CASES if get_policy("recommended").choices[c[0]] != c[1]])
def test_every_choice_is_found_where_it_moves_a_number(choice):
    study, numbers = CASES[choice]
    got = _moves(study, get_policy("recommended", dict([choice])))
    for metric, source in numbers:
        here = got[(got["metric"] == metric) & (got["source"] == source) & (got["dataset"] == "d")]
        assert here["choice"].tolist() == [choice[0]]
