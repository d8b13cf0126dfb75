"""Experts decide what the crowd left in doubt: the queue, the table, and what decisions change."""

from __future__ import annotations

import csv

import pytest

from analysis import evaluate, load
from analysis.audited import expert_rows
from analysis.ballots import Rule
from analysis.corrections import correct
from analysis.errors import InputError
from analysis.outcomes import measure
from tests.support.crowds import NOON, planned, work_through
from verifier.adjudication import lists
from verifier.adjudication.deciding import Choice, decide
from verifier.adjudication.queue import ALL, CLASSES, RANDOM, queue
from verifier.crowd import counting
from verifier.crowd.status import status
from verifier.crowd.tally import Tally
from verifier.crowd.workers import workers
from verifier.exporting import write_bundle, write_judgments
from verifier.store import check, experts, progress
from verifier.study import Study


def understood(raw: str, _language: str) -> str:
    return raw if raw.startswith("wd:") or raw == "NIL" else f"wd:{raw}"


def verdict(study: Study, display: int, action: str, entity: str | None = None, expert: str = "kb") -> bool:
    choice = Choice(display, action, entity)
    return decide(study, expert, choice, understand=understood, now=NOON)


@pytest.fixture
def judged(tiny_study):
    """A study in which the crowd has judged everything once."""
    return by_the_crowd(tiny_study)


def by_the_crowd(study: Study) -> Study:
    planned(study)
    for number in range(12):
        work_through(study, f"w{number}")
    return study


def found(study: Study):
    return queue(study, Tally(study).refresh())


def mention(study: Study, display: int) -> tuple[str, str]:
    with study.read() as session:
        case = experts.case(session, display)
    return case.mention, case.key


def test_edited_items_come_first_and_none_comes_twice(judged):
    everything = list(found(judged).of(ALL))
    assert ("Paris", "wd:Q830149") in [mention(judged, one) for one in found(judged).of("edited")]
    assert len(everything) == len(set(everything))
    assert everything[0] in found(judged).display["edited"]
    assert sorted(everything) == sorted(found(judged).of(RANDOM))
    assert sum(len(found(judged).display[kind]) for kind in CLASSES) == len(everything)


def test_what_the_ground_truth_does_not_mark_is_of_class_e(judged):
    """The tiny crowd removes what the ground truth has not; whoever accepts it makes it an item of E."""
    tally = Tally(judged).refresh()
    outside = tally.displays.display[tally.displays.first[tally.displays.outside]]
    assert not outside.size or set(found(judged).of("E")) <= set(outside.tolist())


def test_a_decision_is_kept_on_every_display_of_the_item_and_once(any_tiny_study):
    judged = by_the_crowd(any_tiny_study)
    display = next(found(judged).of(ALL))
    assert verdict(judged, display, "verify")
    assert not verdict(judged, display, "verify")
    with judged.read() as session:
        alike = experts.alike(session, display)
        kept = experts.standing(session)
    assert {one.display for one in kept} == set(alike)
    assert next(found(judged).left(ALL, "kb")) != display
    assert next(found(judged).left(ALL, "other")) == display


def test_an_edit_to_what_is_shown_is_a_verification_and_what_is_not_understood_is_refused(judged):
    display = next(found(judged).of(ALL))
    verdict(judged, display, "edit", mention(judged, display)[1])
    with judged.read() as session:
        assert {one.decision for one in experts.standing(session)} == {"verify"}
    with pytest.raises(InputError):
        verdict(judged, display, "eat")
    with pytest.raises(InputError):
        verdict(judged, 10**9, "verify")
    with pytest.raises(InputError):
        verdict(judged, display, "verify", expert="<b>")


def test_no_number_of_the_crowds_changes(judged, tmp_path):
    def numbers():
        now = status(judged)
        with judged.read() as session:
            rows = len(progress.people(session)), progress.spending(session), len(progress.labels(session))
        return now.cells, now.people, now.money, now.alpha, now.controls, workers(judged), rows

    write_judgments(judged, tmp_path / "before.csv")
    write_bundle(judged, tmp_path / "before")
    before = numbers()
    for display in found(judged).of(ALL):
        verdict(judged, display, "remove")
    assert numbers() == before
    counting.regrade(judged, NOON)
    assert numbers() == before
    write_judgments(judged, tmp_path / "after.csv")
    assert (tmp_path / "after.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()
    rates = [
        evaluate(load(bundle), ["verification_rate"])
        for bundle in (tmp_path / "before", write_bundle(judged, tmp_path / "after"))
    ]
    assert rates[0].equals(rates[1])
    with judged.read() as session:
        assert not [fault for one in check.CHECKS for fault in one.faults(session)]


def test_decisions_go_first_in_the_corrected_benchmark_and_feed_the_audit(judged, tmp_path):
    for display in found(judged).of(RANDOM):
        verdict(judged, display, "remove")
    tables = load(write_bundle(judged, tmp_path / "bundle"))
    roles = tables["judgments"]["role"].value_counts()
    assert roles["expert"] >= roles["worker"] / 2
    changes = correct(tables, Rule()).changes
    assert {change.action for change in changes} == {"remove"}
    rows, _ = expert_rows(measure(tables), 0.95)
    assert {row.get("estimate") for row in rows if row["source"] == "GT"} == {0.0}


def test_a_table_goes_out_without_votes_and_comes_back_once(judged, tmp_path):
    file = tmp_path / "queue.csv"
    number = lists.write(judged, file, ALL, "kb")
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == number
    assert not {"worker", "votes", "source"} & set(rows[0])
    rows[0]["decision"] = "verify"
    rows[1] |= {"decision": "edit", "new_entity": "Q90"}
    _write(file, rows)
    taken = lists.read(judged, file, "kb", understand=understood, now=NOON)
    assert (taken.new, taken.same, taken.empty) == (2, 0, number - 2)
    assert lists.read(judged, file, "kb", understand=understood, now=NOON).same == 2
    assert lists.write(judged, file, ALL, "kb", limit=3) == 3


def test_a_table_with_faults_is_refused_whole_with_their_lines(judged, tmp_path):
    file = tmp_path / "queue.csv"
    lists.write(judged, file, ALL, "kb")
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    rows[0]["decision"] = "verify"
    rows[1]["decision"] = "perhaps"
    rows[2] |= {"decision": "edit", "new_entity": ""}
    rows[3] |= {"decision": "verify", "item": "x"}
    _write(file, [*rows[:4], rows[0]])
    with pytest.raises(InputError) as refused:
        lists.read(judged, file, "kb", understand=understood, now=NOON)
    assert len(refused.value.problems) == 4
    assert all(f"{file}:" in one.where for one in refused.value.problems)
    with judged.read() as session:
        assert not experts.standing(session)


def test_a_table_of_another_study_decides_nothing(judged, tmp_path):
    file = tmp_path / "queue.csv"
    lists.write(judged, file, ALL, "kb")
    with file.open(encoding="utf-8", newline="") as opened:
        rows = [row | {"decision": "verify", "entity": "wd:Q1"} for row in csv.DictReader(opened)]
    _write(file, rows)
    with pytest.raises(InputError, match="another one"):
        lists.read(judged, file, "kb", understand=understood, now=NOON)


def test_a_study_without_judgments_has_an_empty_queue(tiny_study):
    assert not list(found(planned(tiny_study)).of(ALL))


def _write(file, rows):
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_the_command_tells_writes_and_reads(posthoc, judged, tmp_path):
    folder, file = judged.path, tmp_path / "queue.csv"
    told = posthoc("adjudicate", folder)
    assert "somebody chose another entity" in told.out
    assert "nobody yet" in told.out
    assert posthoc("adjudicate", folder, "--out", file, "--queue", "random", "--limit", "2").status == 0
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    rows[0] |= {"decision": "edit", "new_entity": "https://www.wikidata.org/wiki/Q90"}
    _write(file, rows)
    assert "1 decisions are new" in posthoc("adjudicate", folder, "--in", file, "--expert", "kb").err
    assert '"kb": 1' in posthoc("adjudicate", folder, "--json").out
    assert "decisions, in none of these numbers" in posthoc("status", folder).out
    assert posthoc("adjudicate", folder, "--limit", "2").status == 2


def test_a_table_that_a_spreadsheet_saved_is_taken(judged, tmp_path):
    """Semicolons between columns, a mark before the text, decisions in capitals."""
    lists.write(judged, tmp_path / "a.csv", ALL, "kb", limit=2)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (tmp_path / "b.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=";")
        writer.writeheader()
        writer.writerows({**row, "decision": "VERIFY"} for row in rows)
    assert lists.read(judged, tmp_path / "b.csv", "kb", understand=understood, now=NOON).new == 2
