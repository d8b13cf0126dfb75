"""`posthoc backup` and `posthoc restore`: a whole study in one file, and made again from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import note, say

ORDER = 92


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("backup")(backup)
    app.command("restore")(restore)


def backup(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder; people may be at work.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, such as study-monday.tar.gz.")],
) -> None:
    """Write a whole study into one file, with its secrets and vault: only you can read it."""
    from verifier import keeping
    from verifier.study import Study

    with Study.open(study) as opened:
        done = keeping.backup(opened, file)
    say(f"Wrote {done.file}: {len(done.holds)} files. Keep it where only you can read it.")
    for name in done.elsewhere:
        note(f"Not in it, since it lies outside the study's folder: {name}. Keep a copy of that too.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What posthoc backup wrote.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    *,
    database: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Address of its database, in place of what study.yaml says."),
    ] = None,
) -> None:
    """Make the study of a backup again, in a new folder."""
    from verifier import keeping

    done = keeping.restore(file, folder, database=database)
    say(f"Made {done} again. Look it over with: posthoc doctor {done}")
