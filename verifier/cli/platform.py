"""`posthoc platform mturk`: a crowd platform of one's own, on this machine, to rehearse against."""

from __future__ import annotations

import re
import signal
import tempfile
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from analysis.errors import InputError
from verifier.cli.output import note

ORDER = 90
_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,2})?")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="Crowd platforms on this machine, to rehearse against.")
    group.callback()(_group)
    group.command("mturk")(mturk)
    app.add_typer(group, name="platform")


def mturk(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65534, help="Port for requesters, workers have the next; 0: any free.")
    ] = 8700,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep its state here; else in a temporary file, gone at the end."),
    ] = None,
    balance: Annotated[
        str, typer.Option(metavar="N", help="What the account holds when the state is new, in dollars.")
    ] = "10000.00",
) -> None:
    """A local MTurk: boto3 speaks to it with endpoint_url, workers have a site. No money, no network."""
    from verifier.crowd.localmturk.server import LocalMTurk  # noqa: PLC0415 - keeps --help quick

    if not _AMOUNT.fullmatch(balance):
        raise InputError("not an amount", where="--balance", got=repr(balance), expected="10000.00")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    with tempfile.TemporaryDirectory(prefix="posthoc-mturk-") as folder:
        path = state or Path(folder) / "mturk.db"
        with LocalMTurk(path, balance=int(Decimal(balance) * 100), port=port) as platform:
            note(f"Requesters: endpoint_url={platform.endpoint}")
            note(f"Workers: {platform.site}")
            try:
                platform.wait()
            except KeyboardInterrupt:
                note("Stopped.")


def _group() -> None:
    """Keeps `mturk` a command of its own, though it is the only one."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
