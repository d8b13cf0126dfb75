"""Sources that name entities in different schemes are told apart from bad models."""

import pandas as pd

from analysis.schemes import counted, differences, scheme


def test_a_scheme_is_the_type_and_the_language():
    keys = ("wd:Q42", "w:en:A:B", "dbp:de:Berlin", "id:77")
    assert [scheme(key) for key in keys] == ["wd", "w:en", "dbp:de", "id"]


def test_a_source_with_a_scheme_that_the_ground_truth_lacks_is_named():
    keys = {"GT": ["wd:Q1"] * 9, "Mine": ["wd:Q1"] * 8 + ["w:en:One"] * 2}
    (said,) = differences(keys, "GT")
    assert "Mine" in said
    assert "2 Wikipedia titles (en)" in said


def test_a_link_or_two_of_another_scheme_are_no_difference():
    assert not differences({"GT": ["wd:Q1"], "Mine": ["wd:Q1"] * 99 + ["id:7"]}, "GT")


def test_without_links_in_the_ground_truth_nothing_is_said():
    assert not differences({"GT": [], "Mine": ["wd:Q1"]}, "GT")


def test_schemes_of_a_column_are_counted_as_those_of_a_list():
    keys = ["wd:Q42", "w:en:A:B", "w:en:C\nD", "dbp:de:Berlin", "id:77", "odd"]
    assert counted(pd.Series(keys, dtype="str")) == dict(counted(keys))
