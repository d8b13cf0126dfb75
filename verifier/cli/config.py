"""`posthoc config check`: whether study.yaml is right, and what it amounts to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import say, say_json

ORDER = 15


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="The configuration of a study.", no_args_is_help=True)
    group.command("check")(check)
    # A group of one command must stay a group: more settings commands may join it.
    group.callback()(_group)
    app.add_typer(group, name="config")


def _group() -> None:
    """The configuration of a study."""


def check(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The study folder.")],
    *,
    json: Annotated[bool, typer.Option("--json", help="Every setting in force, as JSON.")] = False,
) -> None:
    """Check study.yaml and secrets.env; every fault is told with its line."""
    from verifier.config import load_config  # noqa: PLC0415 - keeps --help quick
    from verifier.secrets import read_secrets  # noqa: PLC0415
    from verifier.study import CONFIG_FILE  # noqa: PLC0415

    config = load_config(study / CONFIG_FILE)
    read_secrets(study)
    if json:
        say_json(config.model_dump(mode="json"))
        return
    say(f"{study / CONFIG_FILE} is in order.")
    for name, section in config.model_dump(mode="json").items():
        say(f"  {name}: {section}")
