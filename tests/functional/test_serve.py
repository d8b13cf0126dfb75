"""`posthoc serve`: says where it listens, ends when asked, refuses what it cannot do."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "from verifier.cli import main; main()"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_listens_and_ends_when_asked(tiny_folder: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM, "serve", str(tiny_folder), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        said = server.stderr.readline()
        assert said.startswith("Listening on http://127.0.0.1:")
        port = int(said.strip().rsplit(":", 1)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        connection.close()
        server.send_signal(number)
        rest = server.stderr.read()
    assert (server.returncode, "Traceback" in rest, "Stopped." in rest) == (0, False, True)
    assert "/start?participant=ID" in rest
    assert "/admin/enter?key=" in rest


def test_a_port_that_is_taken(tiny_folder: Path, posthoc) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        ran = posthoc("serve", tiny_folder, "--port", other.getsockname()[1])
    assert (ran.status, "cannot listen there" in ran.err) == (1, True)


def test_no_study(tmp_path: Path, posthoc) -> None:
    ran = posthoc("serve", tmp_path)
    assert (ran.status, "no study here" in ran.err) == (1, True)


def test_a_consent_text_that_is_missing(tiny_folder: Path, posthoc) -> None:
    config = tiny_folder / "study.yaml"
    config.write_text(config.read_text(encoding="utf-8") + "pages: {consent: consent-v7}\n", encoding="utf-8")
    ran = posthoc("serve", tiny_folder, "--port", 0)
    assert (ran.status, "consent-v7.html" in ran.err) == (1, True)
