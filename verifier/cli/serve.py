"""`posthoc serve`: the task server, for workers, and the dashboard, for the researcher."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from verifier.cli.output import note

ORDER = 40


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)


def serve(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    *,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any that is free.")] = 8000,
    threads: Annotated[int, typer.Option(min=1, max=128, help="Requests answered at once.")] = 8,
) -> None:
    """Serve the study until it is interrupted; prints a link that opens the dashboard once."""
    from verifier.study import Study  # noqa: PLC0415 - keeps --help quick
    from verifier.web.server import Listening  # noqa: PLC0415

    with Study.open(study) as opened, Listening(opened, host=host, port=port, threads=threads) as listening:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _stop)
        note(f"Listening on {listening.url}")
        note(f"Workers come in at {listening.entry}")
        note(f"Dashboard, opens once: {listening.dashboard}")
        listening.run()
    note("Stopped.")


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Leave the server's loop; what is being answered is finished."""
    raise KeyboardInterrupt
