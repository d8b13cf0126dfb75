"""`verify-bundle`: compute an output folder again and compare it to the byte."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from analysis.cli.analyze import tell
from analysis.interrupts import LeaveAtOnce


def command(resolve: Callable[[Path], AbstractContextManager[Path]] | None) -> Callable[..., None]:
    """The command, reading what `resolve` gives for the path that the user named."""

    def verify_bundle(
        *,
        bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="What was analysed: a bundle or CSV.")],
        out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder that `analyze` wrote.")],
        annotations: Annotated[
            Path | None, typer.Option("--annotations", help="The annotations file, if one was given then.")
        ] = None,
        texts: Annotated[
            Path | None, typer.Option("--texts", help="The texts, if they were put back then.")
        ] = None,
        types: Annotated[
            Path | None, typer.Option("--types", help="The types of entities, if they were given then.")
        ] = None,
    ) -> None:
        """Compute OUT again from BUNDLE with its own settings, and name every file that differs."""
        with LeaveAtOnce():
            from analysis.verify import verify  # noqa: PLC0415 - help is quick without pandas

        with (resolve or nullcontext)(bundle) as found:
            told = tell if sys.stderr.isatty() else None
            verdict = verify(found, out, annotations, texts, types=types, progress=told)
        if not verdict.different:
            typer.echo(f"{out}: all {len(verdict.same)} files are the same to the byte")
            return
        for name, wrong in verdict.different:
            typer.echo(f"{out / name}: {wrong}", err=True)
        for note in verdict.notes:
            typer.echo(f"note: {note}", err=True)
        raise typer.Exit(1)

    return verify_bundle
