"""`posthoc config check`: whether study.yaml is right, and what it amounts to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from verifier.cli.output import note, say, say_json

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
    """Check study.yaml and secrets.env; every fault is told with its line, and what departs from the plan."""
    from verifier.config import load_config
    from verifier.founding import CONFIG_FILE, address_of
    from verifier.needed import check_files
    from verifier.secrets import read_secrets
    from verifier.store.engine import missing_file
    from verifier.study import Study

    config = load_config(study / CONFIG_FILE)
    read_secrets(study)
    check_files(study, config)
    notices: list[str] = []
    if not missing_file(address_of(study, config)):
        from verifier.plan import terms

        with Study.open(study) as opened, opened.read() as session:
            notices = terms.notices(session, config)
    for notice in notices:
        note(f"Note: {notice}")
    if json:
        say_json(config.model_dump(mode="json"))
        return
    say(f"{study / CONFIG_FILE} is in order.")
    for line in _lines(config.model_dump(mode="json")):
        say(line)


def _lines(settings: Mapping[str, Any], depth: int = 1) -> Iterator[str]:
    """Settings as study.yaml would have them, a line each."""
    for name, value in settings.items():
        indent = "  " * depth
        if isinstance(value, Mapping) and value:
            yield f"{indent}{name}:"
            yield from _lines(value, depth + 1)
        else:
            yield f"{indent}{name}: {_word(value)}"


def _word(value: Any) -> str:
    """A value for people."""
    if isinstance(value, list):
        return ", ".join(map(_word, value)) or "none"
    if isinstance(value, Mapping) or value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
