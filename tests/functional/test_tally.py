"""The running tally: brought up to date it is what one made anew is; ties; limits that hold at every look."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
from scipy import special

from analysis.engine.proportions import always
from tests.support.crowds import NOON, always_verify, come, judge, planned, work_through
from verifier.adjudication.queue import queue
from verifier.crowd import counting
from verifier.crowd.changes import changed_links
from verifier.crowd.control_audit import audit
from verifier.crowd.pace import pace_of
from verifier.crowd.status import status
from verifier.crowd.tally import Tally
from verifier.crowd.workers import workers
from verifier.plan import draw
from verifier.store import progress, work
from verifier.study import Study


def told(study: Study, tally: Tally):
    found = queue(study, tally)
    lists = {kind: sorted(rows.tolist()) for kind, rows in found.display.items()}
    now = replace(status(study, tally), pace=None)
    return now, workers(study, tally), audit(study, tally), changed_links(tally), lists


def same(study: Study, tally: Tally) -> None:
    """The tally brought up to date says what a fresh one says; times of the clock aside."""
    assert told(study, tally.refresh()) == told(study, Tally(study).refresh())


def test_what_is_read_bit_by_bit_is_what_is_read_at_once(any_tiny_study):
    study = planned(any_tiny_study)
    tally = Tally(study)
    same(study, tally)
    work_through(study, "ann")
    bob = come(study, "bob")
    judge(study, bob.token, tasks=1)
    same(study, tally)
    judge(study, bob.token)
    with study.write() as session:
        row = work.assignment_by_token(session, bob.token)
        work.log_event(session, row.id, "undo", {"sequence": 1}, NOON)
        held = row.id
    same(study, tally)
    draw.release(study, held, state="returned", now=NOON)
    work_through(study, "eve", always_verify)
    same(study, tally)


def test_another_verdict_on_an_assignment_changes_what_counts(tiny_study):
    study = planned(tiny_study)
    work_through(study, "bob", always_verify)
    tally = Tally(study).refresh()
    assert not len(tally.votes())
    rule = study.config.controls.model_copy(update={"rule": "0 of 3"})
    lenient = Study(
        study.path, study.config.model_copy(update={"controls": rule}), study.secrets, study.store
    )
    counting.regrade(lenient, NOON)
    assert len(tally.refresh().votes())


def test_votes_that_decide_nothing_are_tied(tiny_folder):
    config = tiny_folder / "study.yaml"
    text = config.read_text(encoding="utf-8").replace("k: 1", "k: 2").replace("controls: 1", "controls: 0")
    config.write_text(text, encoding="utf-8")
    turn = count()

    def differently(_text, _span, _key):
        return "edit", f"wd:Q{10_000 + next(turn)}"

    with Study.open(tiny_folder) as study:
        planned(study)
        for number in range(24):
            work_through(study, f"w{number}", differently)
        tally = Tally(study).refresh()
        found = queue(study, tally)
        votes = np.bincount(tally.displays.item[tally.votes().display])
        assert len(found.display["tied"]) == (votes > 1).sum() > 0
        assert len(found.display["edited"]) == (votes == 1).sum()


def test_limits_that_hold_always_are_wider_and_are_those_of_their_equation():
    low, high = always(80, 100)
    assert low < 0.711
    assert high > 0.867
    for limit in (low, high):
        ratio = special.betaln(81, 21) - 80 * np.log(limit) - 20 * np.log(1 - limit)
        assert abs(ratio - np.log(20)) < 1e-9


def test_limits_that_hold_always_hold_at_every_look():
    """Of 400 series of 300 looks, at most five in a hundred ever lie outside: about one in a hundred does."""
    rng = np.random.Generator(np.random.PCG64(7))
    missed = 0
    for _ in range(400):
        k = np.cumsum(rng.random(300) < 0.8)
        # The limits need not be found: p is outside where the ratio is 20 or more.
        n = np.arange(1, 301)
        ratio = special.betaln(k + 1, n - k + 1) - k * np.log(0.8) - (n - k) * np.log(0.2)
        missed += bool((ratio >= np.log(20)).any())
    assert missed <= 20


def test_the_pace_needs_something_handed_in(tiny_study):
    study = planned(tiny_study)
    with study.read() as session:
        assert pace_of(progress.people(session), 3, NOON) is None
    work_through(study, "ann")
    with study.read() as session:
        found = pace_of(progress.people(session), 3, NOON.replace(hour=14))
    assert (round(found.hourly, 3), round(found.days * 24, 3)) == (0.5, 6.0)
