"""publish, collect, review and bonus on the local Prolific, killed at every step and again and again."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support import ports, tiny
from tests.support.campaign import Killed
from tests.support.crowds import NOON
from tests.support.prolific import campaign, handed_in, only, requester, work
from tests.support.prolific_account import after_a_kill, equal, settle_by_hand, theirs
from verifier import clock
from verifier.crowd import bonuses, collecting, paying, publishing, review
from verifier.crowd.bonus_file import Asked
from verifier.crowd.localprolific.server import LocalProlific
from verifier.plan import planning
from verifier.simulate import serving
from verifier.study import Study

KILLS = 12
PLACES = 30
FAULTS = ("drop", "before", "throttle")
LISTS = ("lag", "short", "empty")
COMMANDS = ("publish", "collect", "review", "bonus")
PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "prolific-kills.json"


def asked(count):
    return [Asked("here", n, None, Decimal("0.50"), "Thank you.") for n in range(1, count + 1)]


def ready(command, study, platform):
    """The campaign as it is before the command has something to do."""
    if command == "collect":
        publishing.publish(study, requester(study), "local", places=2, now=NOON)
        for name in ("ann", "bob"):
            participant, code = work(study, platform, name)
            participant.complete(code)
    elif command != "publish":
        handed_in(study, platform, 2)
    if command == "bonus":
        paying.pay(study, requester(study), now=NOON)


def run(command, study, account):
    """What the command does."""
    if command == "publish":
        publishing.publish(study, account, "local", places=3, now=NOON)
    elif command == "collect":
        collecting.collect(study, account, "local", now=NOON, live=True)
    elif command == "review":
        review.decide(study, confirm="tiny", now=NOON)
        paying.pay(study, account, now=NOON)
    else:
        bonuses.pay(study, account, asked(2), now=NOON)


def killed_at(study, number, *, after):
    """An account whose process ends at its call of this number, before it or after it."""
    account = requester(study)
    real, count = account._client._call, iter(range(1, 10_000))

    def call(*given, **more):
        here = next(count) == number
        if here and not after:
            raise Killed
        answer = real(*given, **more)
        if here:
            raise Killed
        return answer

    account._client._call = call
    return account


def step(blank, folder, command, number, *, after, fault):
    """One campaign killed at a call and run again; whether there was such a call."""
    with LocalProlific() as platform, campaign(blank, folder, platform) as study:
        ready(command, study, platform)
        if fault:
            platform.service.faults.ask("*", fault, 1)
        try:
            run(command, study, killed_at(study, number, after=after))
            ended = False
        except Killed:
            ended = True
        after_a_kill(study, platform)
        for _ in range(2):
            run(command, study, requester(study))
            settle_by_hand(study, platform)
        equal(study, platform)
        assert [*theirs(platform)["places"].values()] == [3 if command == "publish" else 2]
        assert len(theirs(platform)["reward"]) == (2 if command in ("review", "bonus") else 0)
        assert len(theirs(platform)["bonus"]) == (2 if command == "bonus" else 0)
    return ended


@pytest.mark.prove
def test_killed_at_every_call_each_thing_is_done_once(tiny_blank, tmp_path):
    """Before and after every single call to the platform, without faults and with each of them."""
    told = {}
    for command in COMMANDS:
        for fault in ("", *FAULTS):
            for after in (False, True):
                number = 1
                while step(
                    tiny_blank,
                    tmp_path / f"{command}{fault}{after}{number}",
                    command,
                    number,
                    after=after,
                    fault=fault,
                ):
                    number += 1
                told[command] = told.get(command, 0) + number - 1
    keep("steps", {"what": "ended before and after every call, with and without faults", "kills": told})


def command_line(folder, command, *more):
    program = Path(sys.executable).parent / "posthoc"
    return [str(program), command, str(folder), *more, "--live", "--confirm", "tiny"]


def end_somewhere(line, chance):
    """Start a command and end it at some moment; whether it was still at it."""
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        time.sleep(chance.uniform(0.8, 3.0))
        running.kill()
        running.communicate()
        return running.returncode < 0


def trouble(platform, chance):
    platform.service.faults.clear()
    for _ in range(3):
        operation, kind = chance.choice(("*", "get-submissions")), chance.choice(FAULTS)
        platform.service.faults.ask(operation, kind, chance.randint(0, 2))
    platform.service.faults.ask("get-submissions", chance.choice(LISTS), chance.randint(0, 1))


@pytest.mark.prove
def test_killed_by_the_system_again_and_again_each_thing_is_done_once(tiny_blank, tmp_path):
    """The commands as a person runs them, ended by SIGKILL at random moments; then each run to its end."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path / "study"))
    port, chance, told = ports.own(), random.Random(11), {}
    with LocalProlific() as platform:
        text = (folder / "study.yaml").read_text(encoding="utf-8").replace("k: 1", "k: 50")
        (folder / "study.yaml").write_text(
            f"{text}platform: {{kind: prolific, api_url: '{platform.endpoint}',"
            f" worker_url: '{platform.site}'}}\nserver: {{public_url: 'http://127.0.0.1:{port}'}}\n"
            "budget: {cap: '1000.00'}\n",
            encoding="utf-8",
        )
        with Study.open(folder) as study:
            planning.plan(study, now=clock.now())
        server = serving.start(folder, port=port)
        serving.listening(server)
        file = tmp_path / "bonuses.csv"
        lines = "".join(f"{n},0.50,Thank you.\n" for n in range(1, PLACES + 1))
        file.write_text(f"assignment,amount,reason\n{lines}", encoding="utf-8")
        for command in COMMANDS:
            told[command] = 0
            for number in range(KILLS):
                more = {"publish": ("--places", f"{PLACES * (number + 1) // KILLS}"), "bonus": (str(file),)}
                trouble(platform, chance)
                told[command] += end_somewhere(command_line(folder, command, *more.get(command, ())), chance)
                with Study.open(folder) as study:
                    after_a_kill(study, platform)
            platform.service.faults.clear()
            finish(folder, platform, command, file)
        serving.stop(server)
        with Study.open(folder) as study:
            equal(study, platform)
        found = theirs(platform)
    assert list(found["places"].values()) == [PLACES]
    assert set(found["reward"].values()) == set(found["bonus"].values()) == {1}
    assert (len(found["reward"]), len(found["bonus"])) == (PLACES, PLACES)
    keep(
        "sigkill",
        {
            "what": "commands ended by SIGKILL at random moments, with faults, then run to their end",
            "kills": told,
            "places": PLACES,
            "approvals": len(found["reward"]),
            "bonuses": len(found["bonus"]),
            "done_twice": 0,
        },
    )


def finish(folder, platform, command, file):
    """Run a command to its end, a person settling what is not known; then let people hand in."""
    more = {"publish": ("--places", str(PLACES)), "bonus": (str(file),)}
    for _ in range(3):
        subprocess.run(command_line(folder, command, *more.get(command, ())), check=True, capture_output=True)
        with Study.open(folder) as study:
            settle_by_hand(study, platform)
    if command == "publish":
        with Study.open(folder) as study:
            for number in range(PLACES):
                participant, code = work(study, platform, f"p{number}", only(platform))
                assert participant.complete(code) == 200


def keep(name, value):
    kept = json.loads(PROOF.read_text(encoding="utf-8")) if PROOF.exists() else {}
    PROOF.write_text(json.dumps({**kept, name: value}, indent=1) + "\n", encoding="utf-8")


@pytest.mark.parametrize("command", ["publish", "collect"])
def test_killed_at_one_call_each_thing_is_done_once(tiny_blank, tmp_path, command):
    """The first call that changes something; the proof goes through all of them."""
    number = {"publish": 12, "collect": 3}[command]
    assert step(tiny_blank, tmp_path / "s", command, number, after=True, fault="")


def test_k_of_the_tiny_study_is_what_the_proof_replaces():
    assert "k: 1" in tiny.STUDY
