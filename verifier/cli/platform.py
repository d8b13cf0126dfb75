"""`posthoc platform mturk|prolific`: a crowd platform of one's own, on this machine, to rehearse on."""

from __future__ import annotations

import re
import signal
import tempfile
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.errors import InputError, plain
from verifier.cli.output import note

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.crowd.localbase.server import Platform

ORDER = 90
_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,2})?")
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,4})?")
State = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep its state here; else in a temporary file, gone at the end."),
]
Balance = Annotated[
    str, typer.Option(metavar="N", help="What the account holds when the state is new, in dollars.")
]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="Crowd platforms on this machine, to rehearse against.")
    group.command("mturk")(mturk)
    group.command("prolific")(prolific)
    app.add_typer(group, name="platform")


def mturk(
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65534, help="Port for requesters, workers have the next; 0: any free.")
    ] = 8700,
    state: State = None,
    balance: Balance = "10000.00",
) -> None:
    """A local MTurk: boto3 speaks to it with endpoint_url, workers have a site. No money, no network."""
    from verifier.crowd.localmturk.server import LocalMTurk

    _run(
        "mturk",
        state,
        lambda path: LocalMTurk(path, balance=_cents(balance), port=port),
        ("Requesters: endpoint_url={}", "Workers: {}"),
    )


def prolific(
    *,
    port: Annotated[
        int,
        typer.Option(min=0, max=65534, help="Port for programs, participants have the next; 0: any free."),
    ] = 8710,
    state: State = None,
    balance: Balance = "10000.00",
    fee: Annotated[
        str, typer.Option(metavar="PERCENT", help="What it takes of what is paid, when the state is new.")
    ] = "42.8",
    currency: Annotated[
        str, typer.Option(metavar="CODE", help="Of the account, when the state is new.")
    ] = "USD",
) -> None:
    """A local Prolific: it answers programs as Prolific does, and has a site. No money, no network."""
    from verifier.crowd.localprolific.server import LocalProlific

    if not _PERCENT.fullmatch(fee):
        raise InputError("not a percentage", where="--fee", got=plain(fee), expected="42.8")
    if not re.fullmatch("[A-Z]{3}", currency):
        raise InputError("not a currency", where="--currency", got=plain(currency), expected="USD")
    _run(
        "prolific",
        state,
        lambda path: LocalProlific(
            path, balance=_cents(balance), port=port, fee_percent=Decimal(fee), currency=currency
        ),
        ("Researchers: api_url={}", "Participants: {}"),
    )


def _run(name: str, state: Path | None, made: Callable[[Path], Platform], told: tuple[str, str]) -> None:
    """Have a platform answer until it is stopped, and say where."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    with (
        tempfile.TemporaryDirectory(prefix=f"posthoc-{name}-") as folder,
        made(state or Path(folder) / f"{name}.db") as platform,
    ):
        note(told[0].format(platform.endpoint))
        note(told[1].format(platform.site))
        try:
            platform.wait()
        except KeyboardInterrupt:
            note("Stopped.")


def _cents(amount: str) -> int:
    if not _AMOUNT.fullmatch(amount):
        raise InputError("not an amount", where="--balance", got=plain(amount), expected="10000.00")
    return int(Decimal(amount) * 100)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
