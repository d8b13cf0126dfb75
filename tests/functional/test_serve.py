"""`posthoc serve`: says where it listens, ends when asked, refuses what it cannot do."""

from __future__ import annotations

import http.client
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import worked
from verifier.plan.planning import plan
from verifier.store import engine
from verifier.study import Study

PROGRAM = "from verifier.cli import main; main()"


@pytest.fixture(scope="module")
def planned_blank(tiny_blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny study, planned; tests take copies."""
    folder = Path(shutil.copytree(tiny_blank, tmp_path_factory.mktemp("planned") / "tiny"))
    with Study.open(folder) as study:
        plan(study, now=worked.START)
    return folder


@pytest.fixture
def planned_folder(planned_blank: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(planned_blank, tmp_path / "tiny"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_listens_and_ends_when_asked(planned_folder: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM, "serve", str(planned_folder), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        said = server.stderr.readline()
        assert said.startswith("Listening on http://127.0.0.1:")
        port = int(said.strip().rsplit(":", 1)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        connection.close()
        server.send_signal(number)
        rest = server.stderr.read()
    assert (server.returncode, "Traceback" in rest, "Stopped." in rest) == (0, False, True)
    assert "/start?participant=ID" in rest
    assert "/admin/enter?key=" in rest


def test_a_port_that_is_taken(planned_folder: Path, posthoc) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        ran = posthoc("serve", planned_folder, "--port", other.getsockname()[1])
    assert (ran.status, "cannot listen there" in ran.err) == (1, True)


def test_no_study(tmp_path: Path, posthoc) -> None:
    ran = posthoc("serve", tmp_path)
    assert (ran.status, "no study here" in ran.err) == (1, True)


def test_a_consent_text_that_is_missing(planned_folder: Path, posthoc) -> None:
    config = planned_folder / "study.yaml"
    config.write_text(config.read_text(encoding="utf-8") + "pages: {consent: consent-v7}\n", encoding="utf-8")
    ran = posthoc("serve", planned_folder, "--port", 0)
    assert (ran.status, "consent-v7.html" in ran.err) == (1, True)


def test_controls_that_are_missing(planned_folder: Path, posthoc) -> None:
    config = planned_folder / "study.yaml"
    config.write_text(config.read_text(encoding="utf-8") + "controls: {file: lost.jsonl}\n", encoding="utf-8")
    for command in (("config", "check"), ("serve",), ("plan",)):
        ran = posthoc(*command, planned_folder)
        assert (ran.status, "controls.file: there is no such file" in ran.err) == (1, True)
    assert "controls.file: there is no such file" in posthoc("doctor", planned_folder).out


def test_a_study_without_a_plan_is_not_served(tiny_folder: Path, posthoc) -> None:
    ran = posthoc("serve", tiny_folder, "--port", 0)
    assert (ran.status, f"posthoc plan {tiny_folder}" in ran.err) == (1, True)


def test_a_study_that_cannot_be_written_is_not_served(planned_folder: Path, posthoc, monkeypatch) -> None:
    monkeypatch.setattr(engine, "writable", lambda _path: False)
    ran = posthoc("serve", planned_folder, "--port", 0)
    assert (ran.status, "can only be read" in ran.err) == (1, True)
    for command in ("status", "doctor"):
        assert "Traceback" not in posthoc(command, planned_folder).err
    assert posthoc("status", planned_folder).status == 0


@pytest.mark.parametrize("host", ["..", "no such host", "é" * 80, "256.256.256.256"])
def test_a_host_that_is_none(planned_folder: Path, posthoc, host: str) -> None:
    ran = posthoc("serve", planned_folder, "--port", 0, "--host", host)
    assert (ran.status, "cannot listen there" in ran.err, "Traceback" in ran.err) == (1, True, False)
