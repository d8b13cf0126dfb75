"""What the commands that call a platform share: their options, and how they begin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verifier.cli.output import note

if TYPE_CHECKING:
    from verifier.crowd.base import Requester
    from verifier.study import Study

Folder = Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")]
Environment = Annotated[
    str, typer.Option(metavar="E", help="Where: local (posthoc platform), sandbox or production.")
]
Live = Annotated[bool, typer.Option("--live", help="Do it; else only say what would be done.")]
Confirm = Annotated[str, typer.Option(metavar="NAME", help="The study's name, to be said with --live.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]


def account(study: Study, environment: str, confirm: str) -> Requester:
    """Our account, once the person has said which study this is for."""
    from verifier.crowd import campaigns

    campaigns.confirmed(study, confirm)
    if environment == "production" and study.config.platform.kind == "mturk":
        note(campaigns.CLOSED)
    return campaigns.requester(study, environment)


def only_said(command: str, study: Path, environment: str, **more: Any) -> str:
    """How a dry run ends: the command that does it."""
    options = "".join(f" --{name} {value}" for name, value in more.items() if value is not None)
    return (
        "Nothing was done. To do it:"
        f" posthoc {command} {study} --environment {environment}{options} --live --confirm NAME"
    )
