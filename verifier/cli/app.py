"""Finds the command modules beside this file and runs them: one module, one command or group."""

from __future__ import annotations

import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from types import ModuleType
from typing import Annotated

import typer

from analysis.errors import PosthocError
from analysis.interrupts import INTERRUPTED, LeaveAtOnce
from verifier import cli
from verifier.cli.output import complain, note, say

_WIDEST = 130


def build() -> typer.Typer:
    """The program: every module here with a `register`, in the order of their `ORDER`, then by name."""
    app = typer.Typer(
        name="posthoc",
        help="Posthoc verification of entity linkers and of their ground truth, from corpus files to a"
        " paper's numbers. STUDY is a study folder.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        # On a wide terminal whole sentences, not their first words.
        context_settings={"max_content_width": _WIDEST},
    )
    app.callback()(_root)
    for module in sorted(_modules(), key=lambda found: (getattr(found, "ORDER", 100), found.__name__)):
        module.register(app)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the one place where errors become messages and an exit status.

    Returns:
        0 done, 1 refused or failed, 2 wrong usage.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A file name that is no text, or a letter that the terminal lacks, must not end a command.
            stream.reconfigure(errors="backslashreplace")
    try:
        with LeaveAtOnce():
            program = build()
        program(args=None if arguments is None else list(arguments), prog_name="posthoc")
    except SystemExit as finished:
        if finished.code == INTERRUPTED:
            note("interrupted")
        return finished.code if isinstance(finished.code, int) else int(finished.code is not None)
    except PosthocError as error:
        complain(error)
        return error.exit_status
    except KeyboardInterrupt:
        note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough; what is left in the buffer must not complain while closing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        # What a file system refuses is the user's to mend: full, forbidden, not there.
        note(f"error: {error.filename or 'file system'}: {error.strerror or error}")
        return 1
    return 0


def _modules() -> list[ModuleType]:
    names = (found.name for found in pkgutil.iter_modules(cli.__path__, "verifier.cli."))
    return [module for module in map(import_module, names) if hasattr(module, "register")]


def _say_version(*, asked: bool) -> None:
    if asked:
        say(f"posthoc {version('posthoc')}")
        raise typer.Exit


def _root(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Say the version and stop.",
            is_eager=True,
            callback=lambda asked: _say_version(asked=asked),
        ),
    ] = False,
) -> None:
    """Options that stand before a command."""
