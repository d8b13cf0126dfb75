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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("controls: {rule: 4 of 3}", "2: 'controls.rule'.*m from 1 to n"),
        ("controls: {rule: 0 of 3}", "m from 1 to n"),
        ("place: {minutes: .inf}", "a number that is finite"),
        ("place: {minutes: 1441}", "1440 or less"),
        ("place: {minutes: 0.5}", "1 or more"),
        ("plan: {repeat_share: .nan}", "a number that is finite"),
        ("place: {tasks: true}", "got true; expected a whole number"),
        ("place: {pay: yes}", "an amount"),
        ("pages: {require_open: 1}", "true or false"),
        ("place: {currency: eur}", "three capital letters such as EUR"),
        ("sources: {GT: {version: 2014}}", "put it into quotes"),
        ("sources: {GT: {version: 1.10}}", '1.10, which YAML reads as 1.1; .*put it into quotes: "1.10"'),
        ("sources: {GT: {version: 2014-05-01}}", "2014-05-01, which YAML reads as a date"),
        ("datasets: {a: {language: no}}", 'got no, which YAML reads as false; .*put it into quotes: "no"'),
        (
            "datasets: {no: {}}",
            '2: a key that is no text: YAML reads it as yes or no; got no; .*quotes: "no"',
        ),
        ("datasets: {2020-01-01: {}}", "YAML reads it as a date"),
        ("plan: {k: 010}", '2: a number that YAML reads in another way .*got 010; .*"010"'),
        ("place: {minutes: 1:30}", "in another way than people do; got 1:30"),
        ("plan: {min_chars: 1_0}", "in another way than people do; got 1_0"),
        ("server: {public_url: example.org}", "an address such as"),
        ("server: {public_url: 'https://'}", "an address such as"),
        ("server: {public_url: 'https://a.org?x=1'}", "without"),
        ("platform: {complete_url: 'javascript:alert(1)'}", "an address such as"),
        ("platform: {complete_url: 'https://a.org/{cod}'}", "no braces"),
        ("platform: {participant_parameter: preview}", "another name"),
        ("analysis: {policies: [paper, paper]}", "each once"),
        ("analysis: {policies: []}", "at least one"),
        ("pages: {language: English!}", "a language code"),
        ("datasets: {a: {licence: 2020-13-45}}", "2: a value cannot be read"),
        ("plan: {k: " + 5000 * "9" + "}", "2: a value cannot be read"),
        ("plan: {k: " + 400 * "9" + "}", "50 or less"),
        ("plan: " + 5000 * "[", "2: nested more than 20 levels"),
        ("plan: &x {k: 1, show: *x}", "'source' or 'pooled'"),
        ("place: {tasks: 3}\nplace: {tasks: 4}", "3: the key 'place' stands twice; got line 2 too"),
        ("pages: {order: backwards}", "'text' or 'random'"),
        ("pages: {hidden_links_share: 2}", "1 or less"),
        ("pages: {video: ../film.mp4}", "."),
    ],
)
def test_a_wrong_value_is_refused_in_our_own_words_with_its_line(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message) as caught:
        load_config(write(tmp_path, f"study: {{name: s}}\n{text}\n"))
    assert "Input should" not in str(caught.value)


def test_what_keys_have_to_do_with_each_other_is_told_beside_every_other_fault(tmp_path):
    text = "study: {name: s}\nplace:\n  tasks: 2\n  controls: 2\n  minutes: 0\nplan: {k: 0}\nplan: {k: 1}\n"
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text))
    assert [problem.where.rpartition(":")[2] for problem in caught.value] == ["4", "5", "7"]


def test_a_file_that_is_not_utf_8_names_the_line(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_bytes(b"study: {name: s}\n# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"study\.yaml:2: not UTF-8 text; got byte 0xe9"):
        load_config(path)


@pytest.mark.parametrize(
    "text",
    [
        "controls: {rule: 2 of 3}",
        "place: {minutes: 30, pay: 2}",
        "platform: {complete_url: 'https://a.org/done?cc={code}&p={participant}'}",
        "server: {public_url: 'https://a.org:8443/study'}",
    ],
)
def test_what_is_right_is_taken(tmp_path, text):
    assert load_config(write(tmp_path, f"\ufeffstudy: {{name: s}}\n{text}\n")).study.name == "s"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plan: {sample: {unit: segment}}", "one of 'share' and 'n'"),
        ("plan: {sample: {share: 0.5, n: 3}}", "one of 'share' and 'n'"),
        ("plan: {sample: {share: 0}}", "more than 0"),
        ("plan: {sample: {share: 0.5, method: stratified}}", "'strata'"),
        ("plan: {sample: {share: 0.5, strata: [dataset]}}", "'strata'"),
        ("plan: {sample: {share: 0.5, unit: task, method: size}}", "would weigh differently"),
        ("plan: {sample: {share: 0.5, method: stratified, strata: [source]}}", "no stratum 'source'"),
        ("plan: {show: pooled, sample: {share: 0.5, unit: task}}", "segment or document"),
        ("plan: {sample: {shares: 0.5}}", "unknown key 'plan.sample.shares'"),
        ("plan: {max_annotations: 99999999999999999999}", "1000000000 or less"),
        ("plan: {sample: {n: 99999999999999999999}}", "1000000000 or less"),
        ("controls: {rule: guess below 1}", "guess below p"),
        ("analysis: {margin: 2}", "less than 1"),
        ("analysis: {lock: yes-please}", "64 digits"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        load_config(write(tmp_path, f"study: {{name: s}}\n{text}\n"))
