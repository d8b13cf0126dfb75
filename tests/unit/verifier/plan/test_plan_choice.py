"""Shares of the strata, places needed, packing."""

import pytest

from verifier.plan.choice import pack, places_needed, shares
from verifier.store.claims import Slot


def test_shares_are_by_largest_remainder():
    assert shares({"a": 50, "b": 30, "c": 20}, 5) == {"a": 3, "b": 1, "c": 1}


def test_equal_remainders_go_to_the_first_named():
    assert shares({"b": 10, "a": 10, "c": 10}, 4) == {"b": 2, "a": 1, "c": 1}


def test_no_more_than_is_open_is_shared_out():
    assert shares({"a": 2, "b": 1}, 19) == {"a": 2, "b": 1}
    assert shares({"a": 0}, 19) == {"a": 0}


@pytest.mark.parametrize(
    ("segments", "capacity", "places"),
    [([3] * 49 + [2], 19, 8), ([], 19, 0), ([9, 1], 19, 9), ([1] * 38, 19, 2), ([1] * 39, 19, 3)],
)
def test_places_needed(segments, capacity, places):
    assert places_needed(segments, capacity) == places


def test_the_published_study_needs_1638_places():
    """31,105 tasks at 19 real ones a place."""
    assert places_needed([1] * 31_105, 19) == 1638


def test_of_one_stratum_the_fullest_segments_go_first_and_no_segment_twice():
    slots = [Slot(i, i, segment, "s", i) for i, segment in enumerate([1, 2, 2, 3, 3, 3])]
    assert [slot.passage for slot in pack(slots, {"s": 2}, 2, 9)] == [3, 2]


def test_among_equals_the_stratum_furthest_below_its_share_goes_first():
    slots = [Slot(1, 1, 1, "a", 5), Slot(2, 2, 1, "b", 9)]
    assert pack(slots, {"a": 0, "b": 1}, 1, 9)[0].stratum == "b"


def test_a_segment_that_every_place_left_must_take_goes_before_the_shares():
    slots = [Slot(1, 1, 1, "a", 5), Slot(2, 2, 1, "a", 6), Slot(3, 3, 2, "b", 1)]
    assert pack(slots, {"a": 2, "b": 9}, 1, 2)[0].passage == 1
