"""The README's commands, run in order in an empty folder on the files that it shows."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

from tests.support.readme import README, Block, blocks

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
LISTENING = re.compile(r"Listening on (http://127\.0\.0\.1:\d+)")


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in `folder`, as a user would whose path has the tool."""
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )


def serve(line: str, folder: Path) -> None:
    """Start the server on a free port, come in as a worker, and stop it."""
    command = [str(BIN / "posthoc"), *line.split()[1:], "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        address = LISTENING.search(server.stderr.readline())[1]
        page = httpx.get(
            f"{address}/start", params={"participant": "anna"}, follow_redirects=True, timeout=30
        )
        assert page.status_code == 200
        assert "/w/" in str(page.url)
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=120)
    assert server.returncode == 0


def perform(block: Block, folder: Path) -> None:
    if block.kind == "file":
        (folder / block.name).write_text(block.content + "\n", encoding="utf-8")
    elif block.kind == "serve":
        serve(block.content, folder)
    elif block.kind in ("run", "python"):
        command = ["bash", "-euo", "pipefail", "-c"] if block.kind == "run" else [sys.executable, "-c"]
        done = run([*command, block.content], folder)
        assert done.returncode == 0, f"{block.content}\n{done.stdout}\n{done.stderr}"


def test_every_block_is_of_a_known_kind():
    assert {block.kind for block in blocks()} == {"help", "file", "run", "serve", "python"}


def test_every_shell_block_is_marked():
    """No command of the README escapes this test."""
    text = README.read_text(encoding="utf-8")
    assert text.count("```sh\n") == sum(block.kind in ("run", "serve") for block in blocks())


def test_the_readme_leads_a_new_user_from_nothing_to_his_reports(tmp_path):
    """Every block in order: a study rehearsed, served and analysed; a table of judgments; scores; a check."""
    for block in blocks():
        perform(block, tmp_path)
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "imulated" in report
    assert "my-study" in report
    assert (tmp_path / "from-csv" / "report.html").is_file()
    assert "approve" in (tmp_path / "payments.csv").read_text(encoding="utf-8")
    # The copy is simulated for good; the study that people come to is not.
    assert "simulated" not in run(["posthoc", "status", "my-study"], tmp_path).stdout
