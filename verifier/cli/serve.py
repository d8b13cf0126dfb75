"""`posthoc serve`: the task server, for workers, and the dashboard, for the researcher."""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.errors import StateError
from verifier.cli.output import note

if TYPE_CHECKING:
    from verifier.study import Study

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
    from verifier.plan import terms
    from verifier.study import Study
    from verifier.web.server import Listening

    with Study.open(study) as opened:
        _refuse_unready(opened)
        with Listening(opened, host=host, port=port, threads=threads) as listening:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, _stop)
            with opened.read() as session:
                for notice in terms.notices(session, opened.config):
                    note(f"Note: {notice}")
            note(f"Listening on {listening.url}")
            note(f"Workers come in at {listening.entry}")
            note(f"Dashboard, opens once: {listening.dashboard}")
            listening.run()
    note("Stopped.")


def _refuse_unready(study: Study) -> None:
    """Say to the researcher what else only workers would find: there is nothing to do, or none is kept."""
    from verifier.needed import check_files
    from verifier.store import corpora

    study.store.refuse_to_write()
    check_files(study.path, study.config)
    with study.read() as session:
        planned = corpora.is_planned(session)
    if not planned:
        raise StateError(
            "nothing is planned, so there is nothing for workers to do",
            where=str(study.path),
            remedy=f"Run: posthoc plan {study.path}",
        )


def _stop(_number: int, _frame: FrameType | None) -> None:
    """Leave the server's loop; what is being answered is finished."""
    raise KeyboardInterrupt
