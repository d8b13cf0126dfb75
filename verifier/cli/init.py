"""`posthoc init`: scaffold a study folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import say

ORDER = 10


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("init")(init)


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    template: Annotated[
        str, typer.Option(help="The study to start from: demo, link, mturk, paper or prolific.")
    ] = "link",
    database: Annotated[
        str | None,
        typer.Option(
            help="Address of its database, in place of an SQLite file in the folder.", metavar="URL"
        ),
    ] = None,
) -> None:
    """Make a study folder: configuration, secrets, database."""
    from verifier.study import Study

    with Study.create(folder, template, database=database) as study:
        say(f"Made the study {study.config.study.name} in {folder}.")
    say(f"Next: look through {folder / 'study.yaml'}, then:")
    say(f"  posthoc import {folder} FILE --dataset D --source S")
