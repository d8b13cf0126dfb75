"""The commands on files: `analyze`, `metrics`, `verify-bundle`, `score` and `agreement`, for a typer app.

app = typer.Typer()
register(app, resolve)      # resolve: what to read for a path the user gave; see `Resolver`
sys.exit(run(app))          # errors of ours become a message and an exit status
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import typer

from analysis.cli.agreement import agreement
from analysis.cli.analyze import command as analyze_command
from analysis.cli.metrics import command as metrics_command
from analysis.cli.score import score
from analysis.cli.verify import command as verify_command
from analysis.errors import PosthocError

# Gives, for a path that the user named, the bundle or CSV to read; what it made for that may go at exit.
Resolver = Callable[[Path], AbstractContextManager[Path]]


def register(app: typer.Typer, resolve: Resolver | None = None) -> None:
    """Add the commands to `app`.

    Args:
        app: a typer application.
        resolve: turns what the user named into a bundle or CSV; None: it is one.
    """
    app.command("analyze")(analyze_command(resolve))
    app.command("metrics")(metrics_command(resolve))
    app.command("verify-bundle")(verify_command(resolve))
    app.command("score")(score)
    app.command("agreement")(agreement)


def run(app: typer.Typer, arguments: Sequence[str] | None = None) -> int:
    """Run `app`; the one place where errors become messages and an exit status.

    Returns:
        0 done, 1 refused or failed (the message stands on stderr), 2 wrong usage.
    """
    try:
        app(None if arguments is None else list(arguments))
    except SystemExit as finished:
        return finished.code if isinstance(finished.code, int) else int(finished.code is not None)
    except PosthocError as error:
        for problem in error:
            typer.echo(f"error: {problem}", err=True)
        return error.exit_status
    except BrokenPipeError:
        # Whoever read our output has had enough; what is left in the buffer must not complain while closing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        typer.echo(f"error: {error.filename or 'file system'}: {error.strerror or error}", err=True)
        return 1
    return 0


def main() -> int:
    """`python -m analysis`; the exit status."""
    app = typer.Typer(
        name="analysis",
        help="Every number of a posthoc verification study, from its bundle or a table of judgments.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    register(app)
    return run(app)
