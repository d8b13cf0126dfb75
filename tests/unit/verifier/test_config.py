"""study.yaml: read into types, every fault named with its line."""

from decimal import Decimal

import pytest

from analysis.errors import ConfigError
from verifier.config import load_config


def write(folder, text):
    path = folder / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_smallest_study_has_all_the_defaults(tmp_path):
    config = load_config(write(tmp_path, "study: {name: s}\n"))
    assert config.place.pay == Decimal("3.00")
    assert (config.place.tasks, config.place.controls, config.plan.k) == (20, 1, 1)


def test_every_fault_is_listed_with_its_line(tmp_path):
    path = write(tmp_path, "study: {name: s}\nplan:\n  kk: 3\n  k: x\ndatasets: {m: {lang: en}}\nfoo: 1\n")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    lines = sorted(str(problem).split("study.yaml:")[1].split(": ")[0] for problem in caught.value)
    assert lines == ["3", "4", "5", "6"]


def test_an_unknown_key_names_the_ones_allowed_there(tmp_path):
    with pytest.raises(ConfigError, match="expected language, licence"):
        load_config(write(tmp_path, "study: {name: s}\ndatasets: {m: {lang: en}}\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("study: [\n", "not valid YAML"),
        ("- a\n", "not a mapping"),
        ("", "not a mapping"),
        ("study: {seed: 1}\n", "'study.name' is missing"),
        ("study: {name: s}\nplace: {tasks: 2, controls: 2}\n", "must be fewer"),
    ],
)
def test_a_file_that_is_no_study_says_why(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        load_config(write(tmp_path, text))


def test_a_missing_study_says_how_to_make_one(tmp_path):
    with pytest.raises(ConfigError, match="posthoc init"):
        load_config(tmp_path / "study.yaml")
