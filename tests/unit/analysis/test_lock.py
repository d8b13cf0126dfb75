"""The locked plan: what an analysis departs from."""

from __future__ import annotations

import hashlib
import json

import pandas as pd
import pytest

from analysis.errors import InputError
from analysis.lock import departures, margin_notes, margin_of, read_lock
from analysis.output import analyze
from analysis.settings import Settings
from analysis.study import Study
from tests.support.small_study import write_csv
from tests.unit.analysis.test_every_choice import GATE

TERMS = {
    "policies": ["recommended", "paper"],
    "choices": {"recommended": {"gate": "assignment", "pooling": "item"}, "paper": {"gate": "assignment"}},
    "interval": {"recommended": "jackknife", "paper": "percentile"},
    "level": {"recommended": 0.95, "paper": 0.95},
    "margin": 0.02,
    "gate": {"rule": "all", "per": "assignment", "controls": 1},
    "stopping": {"k": 1, "cap": "500.00"},
    "sampling": None,
}
CONFIG = {
    "controls": {"rule": "all", "per": "assignment"},
    "place": {"controls": 1},
    "plan": {"k": 1},
    "budget": {"cap": "500.00"},
    "analysis": {"margin": 0.02},
}


def _study(terms=None, config=None, **manifest):
    terms = TERMS if terms is None else terms
    text = json.dumps(terms, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lock = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "at": "2026-01-01T00:00:00+00:00"}
    held = {"lock": {**lock, "terms": terms}, "config": config or CONFIG, **manifest}
    return Study(GATE.tables, {**GATE.manifest, **held})


def _said(study, policies=("recommended", "paper"), **wanted):
    settings = Settings(policies=policies, **wanted)
    return departures(study, settings.resolved(), settings)


def test_an_analysis_as_locked_departs_from_nothing():
    assert _said(_study()) == []


def test_without_a_lock_there_is_nothing_to_depart_from():
    assert _said(GATE) == []
    assert read_lock(GATE) is None


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"policies": ("recommended",)}, "The policy paper was locked and is not reported."),
        (
            {"policies": ("recommended", "paper", "original")},
            "The policy original was not locked; locked was recommended, paper.",
        ),
        ({"policies": ("paper", "recommended")}, "The policy paper leads; locked was recommended."),
        ({"overrides": {"gate": "none"}}, "recommended: gate is none; locked was assignment."),
        ({"level": 0.9}, "paper: the level is 0.9; locked was 0.95."),
        ({"interval": "bca"}, "recommended: the interval is bca; locked was jackknife."),
        ({"margin": 0.05}, "The margin is 0.05; locked was 0.02."),
        (
            {"cluster": "document"},
            "paper: intervals by document were asked for; the lock leaves them to the policy.",
        ),
    ],
)
def test_every_setting_that_is_not_as_locked_is_a_sentence(wanted, sentence):
    assert sentence in _said(_study(), **wanted)


@pytest.mark.parametrize(
    ("section", "key", "value", "sentence"),
    [
        ("controls", "rule", "2 of 3", "controls.rule is 2 of 3; locked was all."),
        ("plan", "k", 3, "plan.k is 3; locked was 1."),
        ("budget", "cap", None, "budget.cap is none; locked was 500.00."),
    ],
)
def test_a_study_that_ran_otherwise_than_locked_is_told(section, key, value, sentence):
    changed = {**CONFIG, section: {**CONFIG[section], key: value}}
    assert _said(_study(config=changed)) == [sentence]


def test_another_sample_changed_terms_and_early_judgments_are_told():
    assert _said(_study(sampling={"unit": "segment", "method": "simple"})) == [
        "The sample is not the one that was locked."
    ]
    study = _study()
    study.manifest["lock"]["terms"] = {**TERMS, "seed": 3}
    assert _said(study) == ["The terms in the bundle are not those whose hash was locked."]
    early = GATE["assignments"].assign(submitted=pd.Timestamp("2025-12-31", tz="UTC"))
    tables = {**GATE.tables, "assignments": early}
    assert _said(Study(tables, _study().manifest)) == ["3 assignments were handed in before the lock."]


def test_what_was_planned_or_retired_after_the_lock_is_told():
    assert _said(_study({**TERMS, "plan": "ab"}, plan_sha256="ab")) == []
    [sentence] = _said(_study({**TERMS, "plan": "ab"}, plan_sha256="cd"))
    assert sentence.startswith("The plan is not the one that was locked")


def test_the_margin_is_what_is_asked_for_else_what_was_locked():
    assert margin_of(_study(), None) == 0.02
    assert margin_of(_study(), 0.1) == 0.1
    assert margin_notes(_study(), 0.02) == []
    assert "was not locked" in margin_notes(GATE, 0.02)[0]


def test_what_is_no_lock_is_refused():
    with pytest.raises(InputError, match="not a lock"):
        read_lock(Study(GATE.tables, {**GATE.manifest, "lock": "yes"}))


def test_the_output_keeps_lock_margin_and_departures(tmp_path):
    analyze(_study(), tmp_path / "out", policies=["recommended"], replicates=0, figures="none")
    kept = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert kept["margin"] == 0.02
    assert kept["lock"]["terms"]["margin"] == 0.02
    assert kept["departures"] == ["The policy paper was locked and is not reported."]
    write_csv(tmp_path / "j.csv", documents=2)
    analyze(tmp_path / "j.csv", tmp_path / "out", replicates=0, figures="none")
    kept = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert (kept["lock"], kept["margin"], kept["departures"]) == (None, None, [])
