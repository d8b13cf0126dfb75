"""`posthoc doctor`: look a study over."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import say, say_json

ORDER = 90


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The study folder.")],
    *,
    json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> None:
    """Look a study over; a fault is told with what to do about it, and ends in exit status 1."""
    from verifier.doctor import examine

    findings = []
    for finding in examine(study):
        findings.append(finding)
        if json:
            continue
        say(f"{'ok   ' if finding.ok else 'FAULT'}  {finding.name}")
        for fault in finding.faults:
            say(f"         {fault}")
        if finding.remedy:
            say(f"         {finding.remedy}")
    if json:
        say_json({"records": findings})
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
