"""Arrivals, submissions, counting and review of a small study, on SQLite and on PostgreSQL."""

from __future__ import annotations

import csv
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

import analysis
from analysis.errors import InputError, StateError
from analysis.workers import workers_frame
from tests.support import tiny
from tests.support.crowds import NOON, always_verify, come, judge, planned, work_through
from verifier.crowd import counting, review
from verifier.crowd.status import status
from verifier.crowd.submission import Undecided, submit, submitted
from verifier.crowd.workers import workers
from verifier.exporting import write_bundle
from verifier.plan import chance, draw
from verifier.store import crowd, work
from verifier.store.models import AssignmentRow, Place, TaskSlot, Vault, Worker


def slots(study):
    with study.read() as session:
        return [slot.state for slot in session.scalars(select(TaskSlot).order_by(TaskSlot.id))]


def rows(study, table):
    with study.read() as session:
        return session.scalars(select(table).order_by(table.id)).all()


def changed(study, **sections):
    """The study with other values in study.yaml's sections."""
    update = {
        name: getattr(study.config, name).model_copy(update=values) for name, values in sections.items()
    }
    return type(study)(study.path, study.config.model_copy(update=update), study.secrets, study.store)


def test_the_same_person_gets_the_same_open_assignment_back(any_tiny_study):
    planned(any_tiny_study)
    first, again = come(any_tiny_study, "ann"), come(any_tiny_study, " ann ")
    assert first.outcome == again.outcome == "working"
    assert first.token == again.token
    assert len(rows(any_tiny_study, AssignmentRow)) == 1


def test_arrivals_of_one_person_at_one_moment_end_in_one_assignment(any_tiny_study):
    planned(any_tiny_study)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: come(any_tiny_study, "ann"), range(6)))
    states = [row.state for row in rows(any_tiny_study, AssignmentRow)]
    assert states.count("claimed") == 1
    assert len(rows(any_tiny_study, Worker)) == 1


def test_many_people_at_one_moment_hold_no_slot_twice(any_tiny_study):
    planned(any_tiny_study)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: come(any_tiny_study, f"p{n}"), range(12)))
    held = [row for row in rows(any_tiny_study, TaskSlot) if row.state == "leased"]
    working = [arrived for arrived in found if arrived.outcome == "working"]
    assert len({arrived.token for arrived in working}) == len(working)
    assert len(held) == len(rows(any_tiny_study, TaskSlot))


def test_what_cannot_be_graded_is_handed_in_and_told_to_the_researcher(tiny_study):
    planned(tiny_study)
    wrong = changed(tiny_study, controls={"rule": "most"})
    assert work_through(wrong, "ann", always_verify).code
    (row,) = rows(wrong, AssignmentRow)
    assert (row.state, row.counted, "not graded: controls.rule" in row.counted_reason) == (
        "submitted",
        None,
        True,
    )
    assert list(status(wrong).people.uncounted) == [row.counted_reason]
    assert [(e.category, e.proposal) for e in review.queue(wrong).entries] == [("not graded", "look")]
    counting.regrade(tiny_study, NOON)
    assert rows(tiny_study, AssignmentRow)[0].counted is not None


def test_a_preview_writes_nothing(tiny_study):
    planned(tiny_study)
    assert come(tiny_study, "", preview="1").outcome == "preview"
    assert rows(tiny_study, Worker) == []


def test_whoever_comes_when_nothing_is_open_is_not_entered(tiny_study):
    assert come(tiny_study, "ann").outcome == "nothing_left"
    assert rows(tiny_study, Worker) == []


def test_the_platform_id_stands_in_the_vault_alone(any_tiny_study):
    planned(any_tiny_study)
    token = come(any_tiny_study, "ann@example.org").token
    with any_tiny_study.read() as session:
        (kept,) = session.scalars(select(Vault)).all()
        worker = session.get(Worker, kept.worker_id)
    assert kept.platform_worker == "ann@example.org"
    assert "ann" not in worker.pseudonym + token + kept.hmac
    assert len(kept.hmac) == 64


def test_a_simulated_worker_has_the_same_pseudonym_from_the_same_seed(tiny_study):
    planned(tiny_study)
    with tiny_study.write() as session:
        crowd.mark_simulated(session)
    come(tiny_study, "simulated-1")
    wanted = chance.number(5, "worker", "simulated-1") % 256**6
    assert rows(tiny_study, Worker)[0].pseudonym == f"w{wanted:012x}"


def test_nothing_can_be_handed_in_before_all_is_decided(any_tiny_study):
    planned(any_tiny_study)
    token = come(any_tiny_study, "ann").token
    judge(any_tiny_study, token, tasks=1)
    with pytest.raises(Undecided) as caught:
        submit(any_tiny_study, token, NOON)
    assert caught.value.displays
    assert all(reference.split(".")[0] in "12" for reference in caught.value.displays)


def test_a_submission_is_done_counted_and_timed_and_its_code_stays(any_tiny_study):
    planned(any_tiny_study)
    done = work_through(any_tiny_study, "ann")
    (row,) = rows(any_tiny_study, AssignmentRow)
    assert (row.state, row.step, row.counted, row.counted_reason) == ("submitted", "thanks", True, None)
    assert row.active_seconds == 4 * sum(t.displays for t in _progress(any_tiny_study, row))
    assert submit(any_tiny_study, row.token, NOON) == submitted(any_tiny_study, row.token) == done
    assert rows(any_tiny_study, Place)[0].state == "submitted"
    assert slots(any_tiny_study).count("done") == 2
    assert come(any_tiny_study, "ann").outcome == "already_done"


def _progress(study, row):
    with study.read() as session:
        return work.progress(session, row.id)


def test_failing_the_controls_is_not_counted_opens_the_work_again_and_still_pays(any_tiny_study):
    planned(any_tiny_study)
    done = work_through(any_tiny_study, "bob", always_verify)
    (row,) = rows(any_tiny_study, AssignmentRow)
    assert done.code
    assert row.counted is False
    assert row.counted_reason == "failed the controls: 1 of 3 right, 3 needed"
    assert set(slots(any_tiny_study)) == {"open"}
    (entry,) = review.queue(any_tiny_study).entries
    assert (entry.category, entry.proposal, entry.pay) == ("failed control", "approve_flag", Decimal("1.00"))


def test_returned_work_cannot_be_handed_in_and_its_place_is_taken_by_the_next(tiny_study):
    planned(tiny_study)
    token = come(tiny_study, "ann").token
    (row,) = rows(tiny_study, AssignmentRow)
    draw.release(tiny_study, row.id, state="returned", now=NOON)
    with pytest.raises(StateError, match="not open any more"):
        submit(tiny_study, token, NOON)
    come(tiny_study, "bob")
    assert len(rows(tiny_study, Place)) == 1


def test_work_past_its_deadline_goes_to_whoever_comes_next(tiny_study):
    planned(tiny_study)
    come(tiny_study, "ann")
    come(tiny_study, "bob", NOON + timedelta(days=1))
    assert [row.state for row in rows(tiny_study, AssignmentRow)] == ["expired", "claimed"]


def test_no_place_is_made_that_would_pass_the_cap(tiny_study):
    capped = changed(planned(tiny_study), budget={"cap": Decimal("2.50")})
    outcomes = [come(capped, f"p{n}").outcome for n in range(4)]
    assert outcomes == ["working", "working", "nothing_left", "nothing_left"]


def test_an_excluded_worker_gets_no_work(tiny_study):
    planned(tiny_study)
    come(tiny_study, "bob")
    (row,) = rows(tiny_study, AssignmentRow)
    draw.release(tiny_study, row.id, state="returned", now=NOON)
    with tiny_study.write() as session:
        crowd.exclude(session, row.worker_id, "a reason")
    assert come(tiny_study, "bob").outcome == "excluded"


def test_grading_again_under_another_rule_counts_and_uncounts(any_tiny_study):
    planned(any_tiny_study)
    work_through(any_tiny_study, "bob", always_verify)
    lenient = changed(any_tiny_study, controls={"rule": "1 of 3"})
    assert counting.regrade(lenient, NOON) == counting.Regraded(1, 1, 0)
    assert slots(any_tiny_study).count("done") == 2
    assert counting.regrade(lenient, NOON) == counting.Regraded(1, 0, 0)
    assert counting.regrade(any_tiny_study, NOON) == counting.Regraded(1, 0, 1)
    assert set(slots(any_tiny_study)) == {"open"}


def second_assignment(study, worker_id, decide):
    """One more place for the same worker, as platforms that allow several submissions give it."""
    with study.write() as session:
        place = crowd.add_place(
            session, "link", reward=Decimal("1.00"), fee=Decimal(0), currency="USD", now=NOON
        )
    row_id = draw.claim(study, place_id=place.id, worker_id=worker_id, now=NOON)
    with study.read() as session:
        token = session.get(AssignmentRow, row_id).token
    judge(study, token, decide)
    submit(study, token, NOON)


@pytest.mark.parametrize(("rule", "counted"), [("2 of 3", [True, True]), ("all", [False, False])])
def test_graded_per_worker_the_verdict_holds_for_all_of_his_assignments(tiny_study, rule, counted):
    lenient = changed(tiny_study, controls={"rule": rule, "per": "worker"}, place={"tasks": 2})
    planned(lenient)
    work_through(lenient, "ann")
    second_assignment(lenient, 1, always_verify)
    assert [row.counted for row in rows(lenient, AssignmentRow)] == counted
    assert ("done" in slots(lenient)) is counted[0]


def test_an_error_of_the_database_never_repeats_a_platform_id(tiny_study):
    with tiny_study.write() as session:
        session.add(Vault(worker_id=99, platform="link", hmac="x", platform_worker="ann@example.org"))
        with pytest.raises(IntegrityError) as caught:
            session.flush()
        session.rollback()
    assert "ann" not in str(caught.value)


def test_review_changes_nothing_until_a_person_says_the_name(tiny_study):
    planned(tiny_study)
    work_through(tiny_study, "ann")
    review.queue(tiny_study)
    with pytest.raises(InputError, match="another name"):
        review.decide(tiny_study, confirm="other", now=NOON)
    assert rows(tiny_study, AssignmentRow)[0].decision is None


def test_review_records_decisions_once_and_lists_whom_to_pay(any_tiny_study, tmp_path):
    planned(any_tiny_study)
    codes = {name: work_through(any_tiny_study, name).code for name in ("ann", "=eve")}
    out = tmp_path / "pay.csv"
    decided = review.decide(any_tiny_study, confirm="tiny", now=NOON, out=out)
    assert (len(decided.waiting), decided.amount) == (2, Decimal("2.00"))
    with out.open(newline="", encoding="utf-8") as file:
        paid = {row["participant"]: row for row in csv.DictReader(file)}
    assert {name: row["completion_code"] for name, row in paid.items()} == codes
    assert paid["ann"]["pay"] == "1.00"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert review.decide(any_tiny_study, confirm="tiny", now=NOON).waiting == []
    assert review.payments(any_tiny_study, tmp_path / "all.csv") == 2


def test_nothing_is_decided_if_the_list_cannot_be_written(tiny_study, tmp_path):
    planned(tiny_study)
    work_through(tiny_study, "ann")
    out = tmp_path / "pay.csv"
    out.touch()
    with pytest.raises(InputError, match="exists"):
        review.decide(tiny_study, confirm="tiny", now=NOON, out=out)
    assert rows(tiny_study, AssignmentRow)[0].decision is None


def test_a_flagged_worker_is_paid_and_not_invited_again(tiny_study):
    planned(tiny_study)
    work_through(tiny_study, "bob", always_verify)
    review.decide(tiny_study, confirm="tiny", now=NOON)
    assert rows(tiny_study, AssignmentRow)[0].decision == "approve_flag"
    assert rows(tiny_study, Worker)[0].excluded.startswith("failed the controls")


def test_what_failed_waits_for_a_person_where_the_study_says_so(tiny_study):
    held = changed(planned(tiny_study), controls={"on_fail": "review"})
    work_through(held, "bob", always_verify)
    (entry,) = review.queue(held).entries
    assert entry.proposal == "look"
    assert review.queue(held).waiting == []
    assert len(review.decide(held, confirm="tiny", now=NOON, approve=[entry.assignment]).waiting) == 1


def test_who_is_too_fast_is_flagged_and_who_left_half_way_gets_nothing(tiny_study):
    planned(tiny_study)
    work_through(tiny_study, "fast", seconds=0.3)
    judge(tiny_study, come(tiny_study, "gone").token, tasks=1)
    draw.release(tiny_study, rows(tiny_study, AssignmentRow)[1].id, state="returned", now=NOON)
    found = {entry.category: entry.proposal for entry in review.queue(tiny_study).entries}
    assert found == {"too fast": "approve_flag", "incomplete": "leave"}


def test_status_counts_work_people_money_and_controls(any_tiny_study):
    planned(any_tiny_study)
    work_through(any_tiny_study, "ann")
    work_through(any_tiny_study, "bob", always_verify)
    come(any_tiny_study, "eve")
    found = status(any_tiny_study)
    assert sum(cell.work.done for cell in found.cells) == 2
    assert found.people.assignments == {"claimed": 1, "submitted": 2}
    assert found.people.counted == 1
    assert found.people.uncounted == {"failed the controls: 1 of 3 right, 3 needed": 1}
    assert (found.controls.passed.k, found.controls.passed.n) == (1, 2)
    assert found.controls.questions["right link"].k == 2
    assert found.controls.questions["wrong link"].k == 1
    assert (found.money.committed, found.money.approved) == (Decimal("3.00"), Decimal(0))


def test_an_empty_study_has_a_status_with_reasons_in_place_of_numbers(study, posthoc):
    assert status(study).alpha.estimate is None
    said = posthoc("status", study.path)
    assert said.status == 0
    assert "nothing is planned" in said.out
    assert "nan" not in said.out.lower()


def test_workers_stand_by_pseudonym_with_what_stands_out(tiny_study):
    planned(tiny_study)
    work_through(tiny_study, "bob", always_verify, seconds=0.2)
    (line,) = workers(tiny_study)
    assert line.flags == ("failed the controls", "too fast")
    assert (line.right, line.asked) == (1, 3)


def test_a_workers_judgments_are_those_of_the_report(tiny_study, tmp_path):
    planned(tiny_study)
    work_through(tiny_study, "bob", always_verify)
    (line,) = workers(tiny_study)
    frame = workers_frame(analysis.load(write_bundle(tiny_study, tmp_path / "b")), 0.95)
    assert [line.total] == list(frame["judgments"])
    assert line.judgments["verify"] == line.total


def test_pay_an_hour_is_told_once_enough_people_have_lived_it(tiny_study):
    planned(tiny_study)
    for number, name in enumerate(("ann", "bob", "cyd", "dan")):
        if work_through(tiny_study, name, tiny.truly) is None:
            break
        assert (status(tiny_study).money.hourly is None) == (number < 2)
    with tiny_study.write() as session:
        session.execute(update(AssignmentRow).values(origin="simulated"))
    assert status(tiny_study).money.hourly is None


def test_a_review_in_which_all_is_decided_says_so(tiny_study, posthoc):
    planned(tiny_study)
    work_through(tiny_study, "ann", tiny.truly)
    decide = ("review", tiny_study.path, "--live", "--confirm", tiny_study.config.study.name)
    assert "Approved 1, 1.00 USD." in posthoc(*decide).out
    for again in (decide, decide[:2]):
        assert "Nothing waits for approval" in posthoc(*again).out


def test_review_and_status_speak_json(tiny_study, posthoc):
    planned(tiny_study)
    work_through(tiny_study, "ann", tiny.truly)
    assert '"waiting": 1' in posthoc("review", tiny_study.path, "--json").out
    assert '"committed": "1.00"' in posthoc("status", tiny_study.path, "--json").out


def test_a_study_that_people_worked_in_refuses_a_simulated_crowd(tiny_study, posthoc):
    planned(tiny_study)
    come(tiny_study, "ann")
    said = posthoc("simulate", tiny_study.path, "--workers", 1)
    assert said.status == 1
    assert "people have worked in this study" in said.err


def test_simulating_an_unplanned_study_or_with_an_unknown_truth_says_what_to_do(tiny_study, posthoc):
    assert "posthoc plan" in posthoc("simulate", tiny_study.path, "--workers", 1).err
    said = posthoc("simulate", tiny_study.path, "--workers", 1, "--truth", "Gamma")
    assert "neither a source" in said.err
    assert "Alpha" in said.err
