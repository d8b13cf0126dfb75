"""No sequence of publishing, extending, closing, working, paying, rejecting, breaking costs too much."""

import json
import tempfile
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.campaign import Breaking, campaign, requester, work
from tests.support.crowds import NOON
from tests.support.mturk import Person
from tests.support.spending import endure
from verifier.crowd import bonuses, collecting, paying, publishing, rejecting, review
from verifier.crowd.bonus_file import Asked
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.crowd.submission import submit

CAP = 480
QUICK = 6
PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "budget-cap.json"

STEP = st.one_of(
    st.tuples(st.just("publish"), st.none() | st.integers(1, 8)),
    st.tuples(st.just("killed"), st.tuples(st.integers(1, 3), st.booleans())),
    st.tuples(st.just("fault"), st.sampled_from(["drop", "before", "throttle", "lag"])),
    st.tuples(st.just("extend"), st.none()),
    st.tuples(st.just("close"), st.none() | st.integers(1, 2)),
    st.tuples(st.just("work"), st.none()),
    st.tuples(st.just("settle"), st.none()),
    st.tuples(st.just("bonus"), st.tuples(st.integers(1, 3), st.sampled_from(["0.50", "1.10", "2.00"]))),
    st.tuples(st.just("bonus killed"), st.booleans()),
    st.tuples(st.just("reject"), st.integers(1, 3)),
    st.tuples(st.just("undo"), st.integers(1, 3)),
    st.tuples(st.just("day"), st.none()),
)


def bonus(study, account, assignment, amount):
    asked = [Asked("line", assignment, None, Decimal(amount), "Thank you")]
    bonuses.pay(study, account, asked, now=NOON)


def spend(study, account, kind, value):
    """Bonuses, rejections, and what undoes them."""
    if kind == "bonus":
        bonus(study, account, *value)
    elif kind == "bonus killed":
        bonus(study, Breaking(account, "send_bonus", 1, after=value), 1, "0.70")
    elif kind == "reject":
        unwanted = [rejecting.Wanted(value, "", "This is not what was asked for.")]
        rejecting.reject(study, account, unwanted, now=NOON)
    else:
        rejecting.override(study, account, [value], now=NOON)


def work_one(study, platform, worker):
    """A worker takes the first place that he can, returns it, takes it again, and hands in."""
    for hit in platform.service.statement()["hits"]:
        if (assignment := Person(platform, worker).accept(hit["id"])) is not None:
            Person(platform, worker).give_back(assignment)
            done, token = work(study, platform, hit["id"], worker, NOON)
            submit(study, token, NOON)
            Person(platform, worker).submit(done)
            return


def step(study, platform, account, wish, number):
    kind, value = wish
    if kind == "publish":
        publishing.publish(study, account, "local", places=value, now=NOON)
    elif kind == "killed":
        breaking = Breaking(account, "create", value[0], after=value[1])
        publishing.publish(study, breaking, "local", places=None, now=NOON)
    elif kind == "fault":
        platform.service.faults.ask("*", value, 5)
    elif kind == "extend":
        publishing.extend(study, account, "local", places=None, now=NOON.now(NOON.tzinfo))
    elif kind == "close":
        publishing.close(study, account, "local", places=value)
    elif kind == "day":
        platform.service.state.advance(25 * 3600)
    elif kind == "work":
        work_one(study, platform, f"A{number}")
    elif kind != "settle":
        spend(study, account, kind, value)
    else:
        collecting.collect(study, account, "local", now=NOON, live=True)
        review.decide(study, confirm="tiny", now=NOON)
        paying.pay(study, account, now=NOON)


@pytest.mark.parametrize("examples", [QUICK, pytest.param(150, marks=pytest.mark.prove)])
def test_no_sequence_of_commands_spends_more_than_the_cap(tiny_blank, examples):
    """What the platform has taken and put aside is never more than the cap, whatever is done to us."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(st.lists(STEP, min_size=2, max_size=10))
    def check(steps):
        with (
            tempfile.TemporaryDirectory() as folder,
            LocalMTurk() as platform,
            campaign(tiny_blank, Path(folder) / "s", platform, cap=f"{CAP / 100:.2f}") as study,
        ):
            account = requester(study)
            endure(study, platform, steps, lambda *one: step(study, platform, account, *one), CAP)

    check()
    if examples > QUICK:
        told = {
            "what": "random sequences of publish, extend, close, work, settle, bonus, reject, undo, kills,"
            " faults and days gone by, on the local MTurk: what it took and put aside, after each step",
            "sequences": examples,
            "steps_each": "2 to 10",
            "times_over_the_cap": 0,
        }
        PROOF.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
