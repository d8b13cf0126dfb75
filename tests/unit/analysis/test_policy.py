"""Policies and their overrides."""

from __future__ import annotations

import pytest

from analysis.errors import ConfigError
from analysis.policy import CHOICES, POLICIES, get_policy, parse_overrides


def test_policies_are_those_of_the_table():
    """docs/reference/policies.md, column by column."""
    assert list(POLICIES["paper"].choices.values()) == [
        "own",
        "first",
        "no",
        "all",
        "thinned",
        "own",
        "one_to_one",
        "assignment",
        "all",
    ]
    assert list(POLICIES["original"].choices.values()) == (
        ["own", "first", "yes", "shared", "greedy", "weak", "many_to_one", "worker", "all"]
    )
    assert list(POLICIES["recommended"].choices.values()) == (
        ["item", "share", "no", "all", "distinct", "own", "one_to_one", "assignment", "all"]
    )
    assert [policy.level for policy in POLICIES.values()] == [0.95, 0.90, 0.95]


def test_an_override_is_in_the_name_and_the_signature():
    policy = get_policy("recommended", parse_overrides(["gate=none", "resolution=majority", "gate=worker"]))
    assert policy.name == "recommended+resolution=majority+gate=worker"
    assert "gate=worker" in policy.signature


def test_an_override_that_changes_nothing_is_none():
    assert get_policy("recommended", {"gate": "assignment"}) is POLICIES["recommended"]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gate", "CHOICE=VALUE"),
        ("doors=open", "pooling, resolution"),
        ("gate=open", "assignment or worker or none"),
    ],
)
def test_what_cannot_be_chosen_is_refused(word, message):
    with pytest.raises(ConfigError, match=message):
        parse_overrides([word])


def test_every_value_of_every_choice_is_taken():
    for name, choice in CHOICES.items():
        for value in choice.values:
            assert get_policy("paper", {name: value}).choices[name] == value


def test_an_unknown_policy_names_the_known():
    with pytest.raises(ConfigError, match="paper, original, recommended"):
        get_policy("mine")
