"""The lock: what it holds, what its hash is of, and that it comes before the first judgment."""

import json

import pytest

from analysis.errors import StateError
from tests.support.crowds import work_through
from tests.support.planned import NOW
from verifier.exporting import write_bundle
from verifier.plan import planning
from verifier.plan.lock import current, digest
from verifier.study import Study


def locked(study):
    return planning.plan(study, lock=True, now=NOW).lock


def test_the_terms_are_kept_with_their_hash_and_leave_with_the_bundle(tiny_study, tmp_path):
    lock = locked(tiny_study)
    assert lock.sha256 == digest(lock.terms)
    assert lock.terms["choices"]["recommended"]["pooling"] == "item"
    assert (lock.terms["gate"]["rule"], lock.terms["margin"]) == ("all", None)
    folder = write_bundle(tiny_study, tmp_path / "bundle")
    told = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["lock"]
    assert (told["sha256"], told["terms"]["plan"]) == (lock.sha256, lock.terms["plan"])


def test_the_same_terms_are_the_same_lock_and_others_replace_it_until_somebody_judges(tiny_study):
    first = locked(tiny_study)
    assert locked(tiny_study) == first
    with _with(tiny_study, "analysis: {margin: 0.02}") as study:
        assert locked(study).sha256 != first.sha256


def test_it_is_refused_after_the_first_judgment(tiny_study):
    planning.plan(tiny_study, now=NOW)
    work_through(tiny_study, "ann")
    with pytest.raises(StateError, match="before the first judgment"):
        locked(tiny_study)


def test_what_study_yaml_says_otherwise_later_is_told(tiny_study):
    locked(tiny_study)
    with _with(tiny_study, "controls: {rule: 2 of 3}") as study:
        assert any("Locked was gate" in note for note in planning.plan(study, now=NOW).warnings)


def test_a_lock_that_study_yaml_names_must_be_the_one(tiny_study):
    name = locked(tiny_study).sha256
    with _with(tiny_study, f"analysis: {{lock: {name}}}") as study:
        assert not any("names the lock" in note for note in planning.plan(study, now=NOW).warnings)
    with _with(tiny_study, f"analysis: {{lock: {'f' * 64}}}") as study:
        assert any("names the lock" in note for note in planning.plan(study, now=NOW).warnings)
        with pytest.raises(StateError, match="names another lock"):
            locked(study)
        with study.read() as session:
            assert current(session).sha256 == name


def _with(study, line):
    path = study.path / "study.yaml"
    sections = [
        row for row in path.read_text(encoding="utf-8").splitlines() if not row.startswith("analysis:")
    ]
    path.write_text("\n".join([*sections, line]) + "\n", encoding="utf-8")
    return Study.open(study.path)


def test_a_rehearsal_of_planning_anew_says_that_the_lock_would_go_and_leaves_it(tiny_study):
    held = locked(tiny_study)
    told = planning.plan(tiny_study, dry_run=True, afresh=True, now=NOW).warnings
    assert "takes that lock away" in told[-1]
    plain = planning.plan(tiny_study, dry_run=True, now=NOW).warnings
    assert not any("takes that lock away" in warning for warning in plain)
    with tiny_study.read() as session:
        assert current(session) == held


def test_planning_anew_says_that_the_lock_went_with_the_plan(tiny_study):
    locked(tiny_study)
    report = planning.plan(tiny_study, afresh=True, now=NOW)
    assert report.lock is None
    assert "The lock of" in " ".join(report.warnings)
    assert "The lock of" not in " ".join(planning.plan(tiny_study, afresh=True, now=NOW).warnings)
