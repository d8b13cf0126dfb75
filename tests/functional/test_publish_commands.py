"""`publish`, `extend`, `close`, `collect` and `platform mturk` from the command line."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.campaign import campaign
from tests.support.crowds import planned
from tests.support.mturk import requester
from verifier.crowd.localmturk.server import LocalMTurk


@pytest.fixture
def platform():
    with LocalMTurk() as running:
        yield running


@pytest.fixture
def folder(tiny_blank, tmp_path, platform):
    with campaign(tiny_blank, tmp_path / "campaign", platform) as study:
        yield study.path


def test_publish_says_what_it_would_do_and_does_nothing(posthoc, folder, platform):
    ran = posthoc("publish", folder, "--places", 2)
    assert ran.status == 0
    assert "To publish: 2, each 1.00 and a fee of 0.20: 2.40 USD." in ran.out
    assert f"posthoc publish {folder} --environment local --places 2 --live --confirm NAME" in ran.out
    assert not platform.service.statement()["hits"]


def test_publish_speaks_json(posthoc, folder):
    told = json.loads(posthoc("publish", folder, "--places", 2, "--json").out)
    assert (told["live"], told["published"], told["total"]) == (False, 0, "2.40")


@pytest.mark.parametrize("command", ["publish", "extend", "close", "collect"])
def test_nothing_is_done_without_the_studys_name(posthoc, folder, platform, command):
    ran = posthoc(command, folder, "--live", "--confirm", "other")
    assert (ran.status, platform.service.statement()["hits"]) == (1, [])
    assert "the study has another name" in ran.err


@pytest.mark.parametrize("command", ["extend", "close"])
def test_what_is_out_is_counted_before_it_is_changed(posthoc, folder, command):
    ran = posthoc(command, folder)
    assert ran.status == 0
    assert f"Would {command} 0" in ran.out
    assert "Nothing was done." in ran.out


def test_nothing_is_published_where_the_study_does_not_answer(posthoc, folder, platform):
    ran = posthoc("publish", folder, "--live", "--confirm", "tiny")
    assert ran.status == 1
    assert "the study does not answer there" in ran.err
    assert not platform.service.statement()["hits"]


def test_a_link_publishes_nothing(posthoc, tiny_study):
    ran = posthoc("publish", planned(tiny_study).path)
    assert ran.status == 1
    assert "the platform link cannot publish. Nothing has to be published there" in ran.err


def test_a_simulated_crowd_does_not_come_through_mturk(posthoc, folder):
    ran = posthoc("simulate", folder, "--workers", 1)
    assert ran.status == 1
    assert "a simulated crowd comes by a plain link" in ran.err


def test_the_mturk_template_is_in_order(posthoc, tmp_path):
    assert posthoc("init", tmp_path / "new", "--template", "mturk").status == 0
    assert posthoc("config", "check", tmp_path / "new").status == 0


def test_the_local_platform_starts_answers_and_stops(tmp_path):
    program = Path(sys.executable).parent / "posthoc"
    command = [program, "platform", "mturk", "--port", "0", "--balance", "12.50"]
    command += ["--state", tmp_path / "state.db"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        endpoint = running.stderr.readline().strip().partition("endpoint_url=")[2]

        class Told:
            """Where the program listens."""

        Told.endpoint = endpoint
        assert requester(Told).get_account_balance()["AvailableBalance"] == "12.50"
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=120)
    assert running.returncode == 0


def test_a_dry_run_says_what_stands_in_the_way_before_anybody_is_called(posthoc, folder):
    said = posthoc("publish", folder, "--environment", "production").out
    assert "Before it can be done: controls were generated that nobody has confirmed" in said
    assert "Before it can be done: study.yaml: server.public_url: the address is not https" in said
    assert "Before it can be done" not in posthoc("publish", folder).out
