"""Crowds with known answers, through the real server: what they do is what the analysis finds."""

from __future__ import annotations

import json
import math
import random
import shutil
from pathlib import Path

import pytest
from sqlalchemy import func, select

import analysis
from tests.support import kills, tiny
from tests.support.crowds import planned
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.exporting import bundle_of
from verifier.kb.build import build
from verifier.simulate.habits import CROWDS, crowd
from verifier.store.models import AssignmentRow, AssignmentTask, ControlAnswer, Credit, Event, JudgmentRow
from verifier.study import Study

# One test kills servers, and has processes of its own; README's and KORE50's crowds have theirs too.
pytestmark = pytest.mark.usefixtures("served_here")


@pytest.fixture(scope="module")
def planned_tiny(tiny_blank, tmp_path_factory):
    """The folder of the tiny study, planned."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path_factory.mktemp("crowds") / "tiny"))
    with Study.open(folder) as study:
        planned(study)
    return folder


@pytest.fixture
def tiny_planned(planned_tiny, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(planned_tiny, tmp_path / "tiny"))


def rates(folder, metrics, **choices):
    """Estimates by source and metric."""
    with bundle_of(folder) as bundle:
        frame = analysis.evaluate(
            analysis.load(bundle), metrics, policy="recommended", replicates=20, overrides=choices
        )
    frame = frame[frame["dataset"] == "small"]
    return {(row.source, row.metric): row for row in frame.itertuples()}


def test_a_crowd_that_is_right_gives_the_numbers_of_the_truth(tiny_planned, posthoc):
    said = posthoc("simulate", tiny_planned, "--workers", 20, "--crowd", "right", "--truth", "GT")
    assert said.status == 0, said.err
    found = rates(tiny_planned, ["verification_rate", "posthoc_precision", "posthoc_recall"])
    truth = {(d, m, key) for d, marks in tiny.GT.items() for m, key in marks.items() if key}
    for source, documents in tiny.SOURCES.items():
        links = {(d, m, key) for d, marks in documents.items() for m, key in marks.items() if key}
        precision = len(links & truth) / len(links)
        assert found[source, "verification_rate"].estimate == pytest.approx(precision)
        assert found[source, "posthoc_precision"].estimate == pytest.approx(precision)
        assert found[source, "posthoc_recall"].estimate == pytest.approx(len(links & truth) / len(truth))
    assert found["GT", "verification_rate"].estimate == 1


def test_a_crowd_that_verifies_everything_is_not_counted(tiny_planned, posthoc):
    said = posthoc("simulate", tiny_planned, "--workers", 6, "--crowd", "verify-all", "--json")
    assert json.loads(said.out)["outcomes"] == {"submitted": 6}
    for row in rates(tiny_planned, ["verification_rate"]).values():
        assert math.isnan(row.estimate) or row.estimate is None
        assert row.reason
    without_gate = rates(tiny_planned, ["verification_rate"], gate="none")
    assert {row.estimate for row in without_gate.values()} == {1}


@pytest.fixture
def with_decoys(tiny_blank, tmp_path):
    """The tiny study, planned with a decoy on each place."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path / "decoys"))
    text = (
        (folder / "study.yaml")
        .read_text(encoding="utf-8")
        .replace("tasks: 3, controls: 1", "tasks: 4, controls: 2")
    )
    (folder / "study.yaml").write_text(text + "controls: {decoys: 1}\n", encoding="utf-8")
    with Study.open(folder) as study:
        planned(study)
    return folder


@pytest.mark.parametrize(("crowd_named", "accepted"), [("verify-all", 1), ("right", 0)])
def test_decoys_tell_who_accepts_what_is_shown(with_decoys, posthoc, crowd_named, accepted):
    assert (
        posthoc("simulate", with_decoys, "--workers", 4, "--crowd", crowd_named, "--truth", "GT").status == 0
    )
    found = rates(
        with_decoys, ["decoy_acceptance", "decoyed_link_acceptance", "verification_rate"], gate="none"
    )
    assert found["", "decoy_acceptance"].estimate == accepted
    assert found["", "decoy_acceptance"].n > 0
    assert found["", "decoyed_link_acceptance"].estimate == 1
    with Study.open(with_decoys) as study, study.read() as session:
        arms = dict(
            session.execute(select(AssignmentTask.arm, func.count()).group_by(AssignmentTask.arm)).all()
        )
        credited = select(Credit.display_id).join(
            ControlAnswer, ControlAnswer.display_id == Credit.display_id
        )
        assert session.execute(credited).all() == []
    assert arms["shown"] > arms["decoy"] > 0
    with bundle_of(with_decoys) as bundle:
        tables = analysis.load(bundle)
    assert set(tables["assignments"]["consent"].dropna()) == {"consent-v1"}


def test_a_crowd_that_edits_everything_is_recorded_so(tiny_planned, posthoc):
    assert posthoc("simulate", tiny_planned, "--workers", 4, "--crowd", "edit-all").status == 0
    with Study.open(tiny_planned) as study, study.read() as session:
        decisions = session.execute(
            select(JudgmentRow.decision, func.count()).group_by(JudgmentRow.decision)
        ).all()
        missing = session.scalar(select(func.count()).where(JudgmentRow.key.is_(None)))
    assert [decision for decision, _ in decisions] == ["edit"]
    assert missing == 0


def test_a_crowd_that_finds_entities_by_alias_is_recorded_so(tiny_planned, posthoc):
    assert posthoc("simulate", tiny_planned, "--workers", 20, "--crowd", "alias").status == 0
    with Study.open(tiny_planned) as study, study.read() as session:
        edits = session.scalars(select(JudgmentRow).where(JudgmentRow.decision == "edit")).all()
        searches = session.scalars(select(Event.data).where(Event.kind == "search")).all()
    assert edits
    offered = {key for search in searches for key in search["candidates"]}
    assert {edit.key for edit in edits} - {"NIL"} <= offered
    assert all(edit.raw == edit.key for edit in edits)


def test_the_same_seed_gives_the_same_judgments(planned_tiny, tmp_path, posthoc):
    contents = []
    for name, seed in (("one", 3), ("two", 3)):
        folder = Path(shutil.copytree(planned_tiny, tmp_path / name))
        posthoc("simulate", folder, "--workers", 12, "--seed", seed, "--dropouts", 0.3)
        contents.append(judgments(folder))
    assert contents[0] == contents[1]
    assert contents[0]


def judgments(folder):
    columns = ("assignment_id", "sequence", "display_id", "decision", "key", "raw", "seconds", "opened")
    with Study.open(folder) as study, study.read() as session:
        rows = session.execute(
            select(*(getattr(JudgmentRow, name) for name in columns)).order_by(
                JudgmentRow.assignment_id, JudgmentRow.sequence
            )
        )
        return [tuple(row) for row in rows]


def test_abandoned_and_returned_work_goes_to_others(tiny_planned, posthoc):
    said = posthoc(
        *("simulate", tiny_planned, "--workers", 40, "--crowd", "right", "--dropouts", 0.5),
        *("--together", 2, "--seed", 3, "--json"),
    )
    done = json.loads(said.out)
    assert done["outcomes"]["returned"] > 0
    assert done["outcomes"]["abandoned"] > 0
    assert done["places_left"] == 0
    with Study.open(tiny_planned) as study, study.read() as session:
        states = set(session.scalars(select(AssignmentRow.state)))
        origins = set(session.scalars(select(AssignmentRow.origin)))
    assert states == {"submitted", "returned", "expired"}
    assert origins == {"simulated"}


def test_a_server_killed_and_started_again_loses_nothing_and_doubles_nothing(tiny_planned, posthoc):
    habits = crowd("right", dropouts=0.1)
    found = kills.simulate(tiny_planned, habits, truth="GT", workers=8, kills=2, seed=1)
    assert found.kills >= 1
    assert found.acknowledged == found.stored
    assert found.acknowledgements == found.judgments == len(found.stored)
    assert found.done_twice == []
    assert posthoc("doctor", tiny_planned).status == 0


def test_three_sources_of_equal_quality_come_out_equal(tmp_path, posthoc):
    folder = equal_sources(tmp_path / "equal")
    truth = folder / "truth.jsonl"
    said = posthoc(
        *("simulate", folder, "--workers", 40, "--truth", truth, "--crowd", "right"),
        *("--accuracy", 0.9, "--seed", 2),
    )
    assert said.status == 0, said.err
    found = rates(folder, ["verification_rate", "posthoc_recall"])
    expected = QUALITY * 0.9 + (1 - QUALITY) * 0.1
    for source in MEMBERSHIP:
        row = found[source, "verification_rate"]
        assert abs(row.estimate - expected) < 3.5 * math.sqrt(expected * (1 - expected) / row.n)
        assert found[source, "posthoc_recall"].estimate <= 1


QUALITY = 0.85
# Share of all items that each source has, as on wiki-fair-v2.
MEMBERSHIP = {"GT": 0.76, "REL": 0.5, "ReFinED": 0.52}


def equal_sources(folder, documents=16, spans=8):
    """A planned study of invented texts: each item is right with one chance, whichever sources have it."""
    chance = random.Random(8)
    files = {name: [] for name in (*MEMBERSHIP, "truth")}
    for number in range(documents):
        words = [f"Name{number}x{span}" for span in range(spans)]
        text = " and then ".join(words) + "."
        marks = {name: [] for name in files}
        for span, word in enumerate(words):
            start = text.index(word)
            place = {"start": start, "end": start + len(word)}
            right = f"Q{1000 + number * spans + span}"
            marks["truth"].append(place | {"entity": right})
            shown = right if chance.random() < QUALITY else f"Q{9000 + number * spans + span}"
            for source, share in MEMBERSHIP.items():
                if chance.random() < share:
                    marks[source].append(place | {"entity": shown})
        for name, found in marks.items():
            files[name].append(json.dumps({"id": f"d{number}", "text": text, "annotations": found}))
    Study.create(folder, "link").close()
    (folder / "study.yaml").write_text(EQUAL, encoding="utf-8")
    with Study.open(folder) as study:
        for name, lines in files.items():
            path = folder / f"{name}.jsonl"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            if name != "truth":
                import_files(study, Request((path,), "small", name), now=clock.now())
        build(tiny.write_kb(folder / "kb.tsv"), study.file(study.config.kb.file))
        planned(study)
    return folder


EQUAL = """\
study: {name: equal, seed: 3}
datasets: {small: {language: en}}
sources: {GT: {role: ground_truth}, REL: {}, ReFinED: {}}
plan: {k: 1, repeat_share: 0}
place: {tasks: 6, controls: 0, minutes: 5, pay: "1.00"}
"""


def test_every_named_crowd_is_offered_by_the_command(posthoc):
    said = posthoc("simulate", "--help").out
    assert all(name in said for name in CROWDS)


@pytest.mark.prove
def test_twenty_kills_of_the_server_lose_nothing(tmp_path, posthoc):
    """The sample study, its mixed crowd, and twenty kills at random moments."""
    folder = sample_study(tmp_path / "sample")
    truth = str(folder / "corpus" / "truth.jsonl")
    found = kills.simulate(folder, CROWDS["mixed"], truth=truth, workers=140, kills=20, seed=20)
    content = posthoc("doctor", folder).status == 0
    proof = {
        "what": "SIGKILL of the task server at random moments of a simulation, restarted each time",
        "kills": found.kills,
        "judgments acknowledged": len(found.acknowledged),
        "judgments stored": found.judgments,
        "acknowledged but not stored": len(found.acknowledged - found.stored),
        "stored but not acknowledged": len(found.stored - found.acknowledged),
        "slots done twice": len(found.done_twice),
        "workers": found.outcomes,
        "doctor is content": content,
    }
    path = Path(__file__).parents[2] / "docs" / "proofs" / "kills.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(proof, indent=2) + "\n", encoding="utf-8")
    assert found.kills == 20
    assert found.acknowledged == found.stored
    assert found.judgments == len(found.stored)
    assert found.done_twice == []
    assert content


def sample_study(folder):
    """The bundled sample study, planned."""
    with Study.create(folder, "demo", name="demo") as study:
        for source, name in (("GT", "gt"), ("Alpha", "alpha-linker"), ("Beta", "beta-linker")):
            path = folder / "corpus" / f"{name}.jsonl"
            import_files(study, Request((path,), "news", source), now=clock.now())
        build(folder / "kb.tsv", study.file(study.config.kb.file))
        planned(study)
    return folder
