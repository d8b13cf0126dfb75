"""The doctor is content with a sound study, and finds each thing that can be amiss."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.support import tiny, worked
from verifier.doctor import Finding, examine
from verifier.founding import DRAFT
from verifier.plan.planning import plan
from verifier.store import forgetting
from verifier.study import Study


@pytest.fixture
def busy(any_tiny_study: Study) -> Study:
    """The tiny study in full swing: work handed in, failed, begun and still open."""
    plan(any_tiny_study, now=worked.START)
    worked.work_off(any_tiny_study, worked.verify, workers=1)
    worked.begin(any_tiny_study, "another", tiny.truly)
    worked.begin(any_tiny_study, "third", tiny.truly)
    return any_tiny_study


def faults(study: Study) -> list[Finding]:
    return [finding for finding in examine(study.path) if not finding.ok]


def test_a_study_in_full_swing_is_in_order(busy: Study) -> None:
    assert faults(busy) == []


def test_codes_that_were_forgotten_are_no_fault(busy: Study) -> None:
    with busy.write() as session:
        forgetting.forget(session, "2026-12-01")
    assert faults(busy) == []


def test_a_fresh_study_lacks_only_its_knowledge_base(
    posthoc: Callable[..., object], study_folder: Path
) -> None:
    ran = posthoc("doctor", study_folder)
    lines = [line for line in ran.out.splitlines() if line.startswith("FAULT")]
    assert (ran.status, lines) == (1, ["FAULT  the knowledge base is built"])
    assert "posthoc kb build" in ran.out


def test_findings_come_as_json(posthoc: Callable[..., object], tiny_folder: Path) -> None:
    ran = posthoc("doctor", tiny_folder, "--json")
    assert (ran.status, all(record["ok"] for record in json.loads(ran.out)["records"])) == (0, True)


def test_no_study_is_a_fault(posthoc: Callable[..., object], tmp_path: Path) -> None:
    ran = posthoc("doctor", tmp_path)
    assert (ran.status, "no study here" in ran.out) == (1, True)


def test_open_secrets_are_found(tiny_study: Study) -> None:
    (tiny_study.path / "secrets.env").chmod(0o644)
    (found,) = faults(tiny_study)
    assert ("(mode 0644)" in found.faults[0], found.remedy.startswith("Run: chmod 600")) == (True, True)


def test_a_seed_changed_after_planning_is_found(tiny_study: Study) -> None:
    plan(tiny_study, now=worked.START)
    path = tiny_study.path / "study.yaml"
    path.write_text(path.read_text().replace("seed: 5", "seed: 6"))
    (found,) = faults(tiny_study)
    assert "study.seed was changed after planning; got 6; expected 5" in found.faults[0]


def test_a_name_changed_before_planning_is_the_study_s_from_then_on(tiny_study: Study) -> None:
    path = tiny_study.path / "study.yaml"
    path.write_text(path.read_text().replace("name: tiny", "name: other"))
    assert faults(tiny_study) == []
    with Study.open(tiny_study.path) as renamed:
        plan(renamed, now=worked.START)
    assert faults(tiny_study) == []
    path.write_text(path.read_text().replace("name: other", "name: tiny"))
    (found,) = faults(tiny_study)
    assert "study.name was changed after planning" in found.faults[0]


def test_drafts_that_were_broken_off_are_found(tiny_study: Study) -> None:
    left = tiny_study.path / f"{DRAFT}-x"
    left.mkdir()
    os.utime(left, (0, 0))
    (found,) = faults(tiny_study)
    assert found.faults == (str(left),)


def test_work_that_could_not_be_graded_is_found(busy: Study) -> None:
    with busy.write() as session:
        session.execute(text("update assignment set counted = null where state = 'submitted'"))
    (found,) = faults(busy)
    assert "were never graded" in found.faults[0]
    assert "--regrade" in found.remedy


LEASED = "select max(assignment_id) from task_slot where state = 'leased'"
DAMAGES = {
    "every text is the one imported": "update document set text = text || 'x' where id = 1",
    "every mention is the text at its span": "update annotation set mention = 'x' where id = 1",
    "every display is an annotation's or a control's": (
        "delete from credit where display_id = (select min(display_id) from credit)"
    ),
    "every slot is open, leased or done as its assignment says": (
        "update task_slot set state = 'done' where state = 'leased'"
    ),
    "every slot is held by the assignment it was drawn for": (
        f"delete from assignment_task where slot_id is not null and assignment_id = ({LEASED})"
    ),
    "no worker was given a segment twice": "update assignment set worker_id = 1",
    "the counts of open slots are right": "update stratum set open = open + 1",
    "every judgment has its own sequence number and its display": (
        "update judgment set display_id = (select max(id) from display)"
    ),
    "every submitted assignment is complete": (
        "update assignment set state = 'submitted' where state = 'claimed'"
    ),
    "every submitted assignment has its completion code": "update assignment set completion_code = null",
    "simulated and live judgments are apart": "update assignment set origin = 'simulated'",
}


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_is_found(tiny_study: Study, name: str) -> None:
    plan(tiny_study, now=worked.START)
    worked.work_off(tiny_study, worked.verify, workers=1)
    for person in ("a", "b"):
        worked.begin(tiny_study, person, tiny.truly)
    with tiny_study.write() as session:
        session.execute(text("delete from judgment where id = (select max(id) from judgment)"))
        session.execute(text(DAMAGES[name]))
    assert name in [finding.name for finding in faults(tiny_study)]


def test_a_reference_that_leads_nowhere_is_found(tiny_study: Study) -> None:
    with tiny_study.store._engine.connect() as connection:
        connection.exec_driver_sql("commit")
        connection.exec_driver_sql("pragma foreign_keys = off")
        connection.exec_driver_sql("update annotation set document_id = 99 where id = 1")
    assert "the database is sound" in [finding.name for finding in faults(tiny_study)]


def test_redirects_that_do_not_end_are_found(tiny_study: Study) -> None:
    with tiny_study.write() as session:
        session.execute(text("insert into redirect_snapshot values (1, 'r', 'h', '2026-01-01')"))
        session.execute(text("insert into redirect values (1, 'a', 'b'), (1, 'b', 'c')"))
    assert [finding.name for finding in faults(tiny_study)] == ["redirects lead to their end"]
