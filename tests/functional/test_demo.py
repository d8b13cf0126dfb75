"""The demo: where it may run, that the commands it tells are real, and (as a proof) all of it, twice."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from verifier import demo, resources
from verifier.simulate.campaign import Simulated


@pytest.fixture
def without_a_crowd(monkeypatch):
    """Nobody works, so that the other steps are quick."""
    done = Simulated({}, 0, 1)
    monkeypatch.setattr("verifier.simulate.campaign.simulate", lambda *_arguments: done)


def test_it_refuses_a_folder_that_holds_something_else(tmp_path, posthoc):
    (tmp_path / "thesis.tex").touch()
    said = posthoc("demo", "--out", tmp_path)
    assert said.status == 1
    assert "holds something else" in said.err
    assert (tmp_path / "thesis.tex").exists()


@pytest.mark.usefixtures("without_a_crowd")
def test_every_command_it_tells_is_one_that_can_be_typed(tmp_path, posthoc):
    said = posthoc("demo", "--out", tmp_path / "demo")
    assert said.status == 0, said.err
    told = [shlex.split(line)[2:] for line in said.out.splitlines() if line.startswith("  $ posthoc ")]
    commands = [words[0] for words in told]
    assert commands == [
        *("init", "import", "import", "import", "kb", "plan", "serve"),
        *("simulate", "review", "analyze"),
    ]
    for words in told:
        offered = posthoc(*words[: 2 if words[0] == "kb" else 1], "--help").out
        assert all(word in offered for word in words if word.startswith("--"))
    assert "posthoc serve" in said.out.splitlines()[-2]


def test_the_next_demo_replaces_the_one_before(tmp_path):
    folder = tmp_path / "demo"
    demo._make_room(folder)
    folder.mkdir()
    (folder / demo._MARK).touch()
    demo._make_room(folder)
    assert not folder.exists()


@pytest.mark.prove
def test_two_demos_have_the_same_numbers_and_all_is_done(tmp_path, posthoc):
    numbers = []
    for name in ("one", "two"):
        said = posthoc("demo", "--out", tmp_path / name)
        assert said.status == 0, said.err
        report = Path(re.search(r"The report: +(\S+)", said.out)[1])
        numbers.append((report.parent / "metrics.csv").read_bytes())
        assert "Places still needed: 0" in posthoc("status", tmp_path / name).out
    assert numbers[0] == numbers[1]


def test_its_corpus_ships_with_the_program():
    folder = resources.folder("configs") / "demo"
    names = [demo.TRUTH, "kb.tsv", "study.yaml", *(f"corpus/{name}" for name in demo.CORPUS.values())]
    assert all((folder / name).is_file() for name in names)
