"""Publish, collect, review and bonus, each killed at every step and run again: all is done exactly once."""

import itertools
import json
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.campaign import Breaking, Killed, campaign, requester, work
from tests.support.crowds import NOON
from tests.support.mturk import Person
from verifier.crowd import bonuses, collecting, paying, publishing, review
from verifier.crowd.bonus_file import Asked
from verifier.crowd.localmturk.server import LocalMTurk
from verifier.crowd.submission import submit
from verifier.rehearse.account import account
from verifier.rehearse.platforms import mturk_told

PLACES = 3
PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "money-kills.json"
# Command -> the call of ours that it makes for each line, and the platform's operation behind it.
COMMANDS = {
    "publish": ("create", "CreateHITWithHITType"),
    "collect": ("submissions", "ListAssignmentsForHIT"),
    "review": ("approve", "ApproveAssignment"),
    "bonus": ("send_bonus", "SendBonus"),
}
MOMENTS = ("before the call", "after the call", "after the record")
FAULTS = (None, "drop", "before", "throttle")
ALL = list(itertools.product(COMMANDS, range(1, PLACES + 1), MOMENTS, FAULTS))
# After the record of the last line the command is over: nothing is left to be killed.
CASES = [case for case in ALL if case[1:3] != (PLACES, "after the record")]


def run(command, study, told):
    """One command, as its module does it."""
    if command == "publish":
        publishing.publish(study, told, "local", places=PLACES, now=NOON)
    elif command == "collect":
        collecting.collect(study, told, "local", now=NOON, live=True)
    elif command == "review":
        review.decide(study, confirm="tiny", now=NOON)
        paying.pay(study, told, now=NOON)
    else:
        asked = [Asked("line", n, None, Decimal("0.50"), "Thank you") for n in range(1, PLACES + 1)]
        bonuses.pay(study, told, asked, now=NOON)


def hand_in(study, platform):
    for number, hit in enumerate(platform.service.statement()["hits"]):
        assignment, token = work(study, platform, hit["id"], f"A{number}", NOON)
        submit(study, token, NOON)
        Person(platform, f"A{number}").submit(assignment)


def killed_and_run_again(case, study, platform):
    """The campaign, with one command killed at a step; whether it was killed, and the account at the end."""
    command, number, moment, fault = case
    name, operation = COMMANDS[command]
    killed = False
    for step in COMMANDS:
        if step == command:
            if fault is not None:
                platform.service.faults.ask(operation, fault, 2)
            after = moment == "after the call"
            breaking = Breaking(requester(study), name, number + (moment == "after the record"), after=after)
            try:
                run(step, study, breaking)
            except Killed:
                killed = True
        run(step, study, requester(study))
        if step == command:
            run(step, study, requester(study))
            assert account(study, mturk_told(platform.service.statement())).equal
        if step == "publish":
            hand_in(study, platform)
    return killed, account(study, mturk_told(platform.service.statement()))


def check(tiny_blank, folder, case):
    with LocalMTurk() as platform, campaign(tiny_blank, folder, platform) as study:
        killed, told = killed_and_run_again(case, study, platform)
        assert killed
        assert told.equal
        assert told.places == (PLACES, 0)
        assert [line.what for line in told.lines] == ["reward", "bonus"] * PLACES
        assert told.held == (0, 0)


@pytest.mark.parametrize(
    "case", [("bonus", 2, "after the call", "drop"), ("review", 1, "before the call", "throttle")], ids=str
)
def test_a_campaign_with_a_killed_command_pays_each_once(tiny_blank, tmp_path, case):
    check(tiny_blank, tmp_path / "s", case)


@pytest.mark.prove
def test_every_command_killed_at_every_step_under_every_fault(tiny_blank, tmp_path):
    for number, case in enumerate(CASES):
        check(tiny_blank, tmp_path / str(number), case)
    told = {
        "what": "publish, collect, review and bonus on the local MTurk, each killed at each step of each line"
        " (before the call, after it, after the record) without and with faults, then run again",
        "campaigns": len(CASES),
        "kills": len(CASES),
        "places_each": PLACES,
        "commands": list(COMMANDS),
        "moments": MOMENTS,
        "faults": ["none", *FAULTS[1:]],
        "accounts_that_differ": 0,
        "paid_twice": 0,
        "lost": 0,
    }
    PROOF.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
