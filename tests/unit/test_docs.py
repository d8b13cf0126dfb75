"""The docs keep up with the software: every command, option, key, metric, column and choice is described."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
import typer
from pydantic import BaseModel

from analysis.metrics.registry import registered
from analysis.policy import CHOICES, INTERVALS, POLICIES
from analysis.schema import NOT_SHOWN, TABLES
from tests.support.readme import blocks
from verifier.cli.app import build
from verifier.config import PLATFORMS, StudyConfig

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "configs").rglob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def text(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its full name."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))
    if path and not hasattr(command, "commands"):
        yield " ".join(path), command


COMMANDS = dict(commands(typer.main.get_command(build())))


def keys(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """The keys of study.yaml as dotted names, NAME standing for a name of the researcher's."""
    for name, field in model.model_fields.items():
        inner = [a for a in (field.annotation, *get_args(field.annotation)) if isinstance(a, type)]
        section = next((a for a in inner if issubclass(a, BaseModel)), None)
        if (name, model) == ("platform", StudyConfig):
            for platform in PLATFORMS.values():
                yield from keys(platform, "platform.")
        elif section is None:
            yield path + name
        else:
            mapped = get_origin(field.annotation) is dict
            named = f"{path}{name}.NAME." if mapped else f"{path}{name}."
            yield from keys(section, named)


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(page)}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_described(name):
    section = text("cli.md").split(f"\n## {name}\n", 1)
    assert len(section) == 2, f"{name} has no section"
    described = section[1].split("\n## ", 1)[0]
    options = [opt for param in COMMANDS[name].params for opt in param.opts if opt.startswith("--")]
    assert not [opt for opt in options if opt != "--help" and f"`{opt}`" not in described]


def test_no_command_is_described_that_does_not_exist():
    assert set(re.findall(r"^## (.+)$", text("cli.md"), re.MULTILINE)) == set(COMMANDS)


def test_no_option_is_described_that_does_not_exist():
    known = {opt for command in COMMANDS.values() for param in command.params for opt in param.opts}
    named = set(re.findall(r"^\| `(--[a-z-]+)`", text("cli.md"), re.MULTILINE))
    assert named <= known


@pytest.mark.parametrize("key", list(keys(StudyConfig)))
def test_every_key_of_study_yaml_is_described(key):
    assert f"`{key}`" in text("study-yaml.md")


@pytest.mark.parametrize("metric", registered(), ids=str)
def test_every_metric_is_described(metric):
    assert f"`{metric.name}`" in text("metrics.md")


@pytest.mark.parametrize("metric", [m for m in registered() if f"| `{m}` |" in text("metrics.md")], ids=str)
def test_formula_and_clusters_of_a_metric_are_those_of_the_software(metric):
    row = next(line for line in text("metrics.md").splitlines() if line.startswith(f"| `{metric}` |"))
    assert metric.formula in row
    assert row.endswith(f"| {', '.join(metric.clusters)} |")


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_every_column_of_the_bundle_is_described(table):
    section = text("bundle.md").split(f"\n## {table.name}\n", 1)[1].split("\n## ", 1)[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == table.names


def test_every_reason_for_not_showing_is_described():
    assert not [reason for reason in NOT_SHOWN if f"| `{reason}` |" not in text("bundle.md")]


@pytest.mark.parametrize("choice", CHOICES.values(), ids=lambda choice: choice.name)
def test_every_choice_its_values_and_each_policys_are_described(choice):
    values = ", ".join(f"`{value}`" for value in choice.values)
    policies = " | ".join(f"`{policy.choices[choice.name]}`" for policy in POLICIES.values())
    assert f"| `{choice.name}` | {choice.question} | {values} | {policies} |" in text("policies.md")


def test_every_interval_is_described():
    assert not [name for name in INTERVALS if f"`{name}`" not in text("policies.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_broken(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        target, _, anchor = link.partition("#")
        if ":" in target:
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), link
        assert not anchor or anchor in anchors(there.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("block", [b for b in blocks() if b.kind == "help"], ids=lambda block: block.name)
def test_help_in_the_readme_is_what_the_program_says(block):
    """The README shows the help that the program prints, word for word."""
    program, *command = block.name.split()
    told = subprocess.run(
        [Path(sys.executable).parent / program, *command, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.rstrip() == block.content


def test_every_page_that_the_code_names_exists():
    """A docstring that sends the reader to docs/definitions.md section 3 sends him somewhere."""
    named = re.compile(r"(docs/[\w./-]+\.md)(?: section (\d))?")
    code = [path for folder in ("analysis", "verifier", "tests") for path in (ROOT / folder).rglob("*.py")]
    for page, section in {
        found for path in code for found in named.findall(path.read_text(encoding="utf-8"))
    }:
        assert (ROOT / page).is_file(), page
        assert not section or f"\n## {section}. " in (ROOT / page).read_text(encoding="utf-8"), section


def test_the_code_names_no_page_that_is_not_in_the_tree():
    """Every DEFINITIONS or DESIGN in a docstring would be a page that nobody has."""
    lost = re.compile(r"\b(?:DEFINITIONS|DESIGN)\b")
    code = [path for folder in ("analysis", "verifier", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert not [p for p in code if p != Path(__file__) and lost.search(p.read_text(encoding="utf-8"))]
