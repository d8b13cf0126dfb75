"""`posthoc demo`: the sample study from files to report, with a simulated crowd."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import say

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

ORDER = 15
_PARTS = 5


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where: a new folder, or that of an earlier demo.")
    ] = Path("demo"),
) -> None:
    """All of it on the bundled sample study: import, plan, serve, simulated crowd, review, analyze."""
    from verifier import demo as service

    tell = OnTerminal() if sys.stdout.isatty() else InPipe()
    done = service.run(out, tell)
    tell.close()
    say()
    say(f"The report:     {done.report}")
    say(f"The dashboard:  {program()} serve {done.study}")
    say("                and open the link that it prints; it is good for one time.")


def program() -> str:
    """How this program is called here: by its name where the shell finds it, else by its path."""
    if shutil.which("posthoc") or Path(sys.argv[0]).name != "posthoc":
        return "posthoc"
    return sys.argv[0]


class InPipe:
    """Tells the steps in plain lines."""

    def __init__(self) -> None:
        self._told = 0

    def step(self, title: str, command: str) -> None:
        """A step begins."""
        self._told = 0
        say(f"\n{title}\n  $ {command}")
        sys.stdout.flush()

    def detail(self, text: str) -> None:
        """What it came to."""
        say(f"  {text}")
        sys.stdout.flush()

    def working(self, done: int, total: int) -> None:
        """A line every fifth of the way."""
        fifths = _PARTS * done // total if total else 0
        if fifths > self._told:
            self._told = fifths
            self.detail(f"{100 * done // total}% done")

    def close(self) -> None:
        """Nothing to put away."""


class OnTerminal:
    """Tells the steps with colour, and the crowd's work with a bar."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console: Console = Console(highlight=False)
        self._bar: Progress | None = None

    def step(self, title: str, command: str) -> None:
        """A step begins."""
        self.close()
        self._console.print(f"\n[bold]{title}[/bold]")
        self._console.print(f"  $ {command}", style="dim", markup=False, soft_wrap=True)

    def detail(self, text: str) -> None:
        """What it came to."""
        self.close()
        self._console.print("  " + text, markup=False)

    def working(self, done: int, total: int) -> None:
        """Move the bar."""
        if self._bar is None:
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("  places done"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
            self._bar = Progress(*columns, TimeElapsedColumn(), console=self._console, transient=True)
            self._bar.add_task("places", total=total)
            self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=done)

    def close(self) -> None:
        """Put the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
