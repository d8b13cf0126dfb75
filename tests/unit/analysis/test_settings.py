"""What an analysis was asked for is checked, and kept so that it can be done again."""

import json

import pytest

from analysis.errors import ConfigError, InputError
from analysis.settings import Settings


def test_settings_survive_the_manifest():
    settings = Settings(("paper", "recommended"), {"gate": "none"}, 0.9, seed=7, gt="gold")
    assert Settings.from_json(json.loads(json.dumps(settings.to_json())), "m") == settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"policies": ()},
        {"policies": ("paper", "paper")},
        {"replicates": 1},
        {"seed": -1},
        {"level": 95},
        {"figures": "png"},
    ],
    ids=str,
)
def test_what_cannot_be_computed_is_refused(wrong):
    with pytest.raises(ConfigError):
        Settings(**wrong).check()


def test_an_unknown_choice_is_refused():
    with pytest.raises(ConfigError, match="no such choice"):
        Settings(overrides={"flavour": "plum"}).resolved()


@pytest.mark.parametrize("wrong", [{"seed": "x"}, {"policies": 3}, {"overrides": 1}, {"level": [1]}], ids=str)
def test_settings_of_a_wrong_kind_are_refused(wrong):
    with pytest.raises(InputError, match="wrong kind"):
        Settings.from_json({**Settings().to_json(), **wrong}, "out/manifest.json")


@pytest.mark.parametrize("kept", [None, [], {}, {"seed": 1}], ids=str)
def test_what_is_no_settings_is_refused(kept):
    with pytest.raises(InputError, match="settings"):
        Settings.from_json(kept, "out/manifest.json")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("replicates", 10.5),
        ("seed", True),
        ("overrides", {"gate": ["x"]}),
        ("policies", "paper"),
        ("level", "a"),
    ],
)
def test_kept_settings_of_a_wrong_kind_are_refused(name, value):
    kept = Settings().to_json() | {name: value}
    with pytest.raises(InputError, match="of a wrong kind"):
        Settings.from_json(kept, "manifest.json")
