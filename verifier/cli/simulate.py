"""`posthoc simulate`: a crowd with known habits that works on a study over HTTP."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import say, say_json

ORDER = 45


class CrowdName(StrEnum):
    """The crowds there are."""

    MIXED = "mixed"
    RIGHT = "right"
    VERIFY_ALL = "verify-all"
    EDIT_ALL = "edit-all"
    ALIAS = "alias"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate")(simulate)


def simulate(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder, planned.")],
    *,
    workers: Annotated[int, typer.Option(min=1, help="How many workers come at most.")],
    seed: Annotated[int, typer.Option(min=0, help="Of the workers' chance; same seed, same judgments.")] = 0,
    truth: Annotated[
        str,
        typer.Option(metavar="SOURCE|FILE", help="What is true: a source of the study, or a corpus file."),
    ] = "GT",
    url: Annotated[
        str | None, typer.Option(help="A server of this study that runs already; else one is started.")
    ] = None,
    crowd: Annotated[CrowdName, typer.Option(help="The workers' habits.")] = CrowdName.MIXED,
    accuracy: Annotated[
        float | None, typer.Option(min=0, max=1, help="Decides rightly, on right and on wrong links.")
    ] = None,
    bias: Annotated[
        float | None, typer.Option(min=0, max=1, help="Accepts what is shown without a look.")
    ] = None,
    spammers: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of workers who verify everything.")
    ] = None,
    dropouts: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of workers who stop half-way.")
    ] = None,
    together: Annotated[
        int, typer.Option(min=1, max=64, help="Workers at work at once; the judgments depend on it too.")
    ] = 8,
    acknowledged: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Note every judgment that the server said is stored (JSON lines)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Let a simulated crowd work on the study, and mark the study simulated for good.

    Workers come in waves: within one they arrive in turn, work at once, and hand in in turn, so that the same
    seed gives the same judgments. Nobody waits for the clock: abandoned work is free again after its wave.
    """
    from verifier.simulate import campaign, habits
    from verifier.simulate.client import check_address
    from verifier.study import Study

    if url is not None:
        check_address(url)
    behaviour = habits.crowd(crowd.value, accuracy=accuracy, bias=bias, spammers=spammers, dropouts=dropouts)
    asked = campaign.Campaign(
        workers, seed, behaviour, truth, url=url, together=together, acknowledged=acknowledged
    )
    with Study.open(study) as opened:
        done = campaign.simulate(opened, asked, counter(workers))
    if as_json:
        say_json(done)
        return
    for line in campaign.lines(done):
        say(line)


def counter(workers: int | None) -> Callable[[int, int], None]:
    """Says on a terminal how many workers came, of how many if that is known; silent in a pipe."""
    of = "" if workers is None else f" of at most {workers}"
    if not sys.stderr.isatty():
        return lambda _came, _judgments: None

    def show(came: int, judgments: int) -> None:
        sys.stderr.write(f"\r{came}{of} workers, {judgments} judgments ")
        sys.stderr.flush()

    return show
