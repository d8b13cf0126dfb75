"""`posthoc plan`: split, draw up tasks and controls, cost and expected precision; freeze."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import say, say_json

ORDER = 30


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(plan)


def plan(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report the plan; store nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Cut texts, draw up tasks and controls, say what it costs and how precise it will be."""
    from verifier import clock  # noqa: PLC0415 - keeps --help quick
    from verifier.plan import planning  # noqa: PLC0415
    from verifier.study import Study  # noqa: PLC0415

    with Study.open(study) as opened:
        report = planning.plan(opened, dry_run=dry_run, now=clock.now())
    if as_json:
        say_json(report)
        return
    for line in report.lines():
        say(line)
