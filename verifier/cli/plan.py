"""`posthoc plan`: split, draw up tasks and controls, cost and expected precision; freeze."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import note, say, say_json

ORDER = 30


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(plan)


def plan(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report the plan; store nothing.")] = False,
    controls: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the controls there, to be looked through, as posthoc JSONL."
        ),
    ] = None,
    afresh: Annotated[
        bool,
        typer.Option(
            "--afresh",
            help="Plan anew, as long as nobody has drawn tasks; with --dry-run only say what that would be.",
        ),
    ] = False,
    audit: Annotated[
        bool,
        typer.Option("--audit", help="Judge a part, those segments likelier on which sources disagree."),
    ] = False,
    lock: Annotated[
        bool,
        typer.Option("--lock", help="Write down and hash what will be analysed, before the first judgment."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Cut texts, draw up tasks and controls, say what it costs and how precise it will be."""
    from verifier import clock
    from verifier.needed import check_files
    from verifier.plan import listing, planning
    from verifier.study import Study

    if dry_run and (lock or controls is not None):
        raise typer.BadParameter("--dry-run stores nothing: give it without --lock and --controls")
    with Study.open(study) as opened:
        check_files(opened.path, opened.config)
        report = planning.plan(
            opened, dry_run=dry_run, afresh=afresh, audit=audit, lock=lock, now=clock.now()
        )
        listed = None if controls is None else listing.write_controls(opened, controls)
    if as_json:
        say_json(report)
    else:
        for line in report.lines():
            say(line)
    if listed is not None:
        note(f"{listed} controls are written to {controls}. Known means: all sources agree. Look through.")
