"""`posthoc links`: an entry link for each participant of a list, signed where the study asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import say

ORDER = 41


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("links")(links)


def links(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Participants, one id a line.")],
    *,
    out: Annotated[
        Path, typer.Option(metavar="CSV", help="A new file: participant and link. Only you can read it.")
    ],
) -> None:
    """Write an entry link for each participant."""
    from verifier.crowd import bonus_file, signing
    from verifier.study import Study

    with Study.open(study) as opened:
        found = list(signing.links(opened, signing.read(opened, file)))
        bonus_file.write(out, ("participant", "link"), found)
    say(f"Wrote {len(found)} links to {out}.")
