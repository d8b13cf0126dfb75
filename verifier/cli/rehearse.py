"""`posthoc rehearse`: the whole campaign on a copy of the study, on a platform of this machine."""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import note, say, say_json
from verifier.cli.simulate import counter

if TYPE_CHECKING:
    from verifier.rehearse.account import Account
    from verifier.rehearse.running import Rehearsed

ORDER = 38
_PAUSE = 1.0
_SHOWN = 12


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rehearse")(rehearse)


def rehearse(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder; nothing in it is changed.")],
    *,
    platform: Annotated[
        str | None, typer.Option(metavar="P", help="link, mturk or prolific; else the study's own.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="How many workers come at most; else as many as it takes."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the workers' chance.")] = 0,
    truth: Annotated[
        str, typer.Option(metavar="SOURCE|FILE", help="What is true: a source, or a corpus file.")
    ] = "GT",
    dropouts: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of workers who return the work or just leave.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="No simulated crowd: you work in the browser; ends at Enter.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Publish, let a crowd work, collect, review, pay and analyze: on a copy, on this machine, for no money.

    Ends with a report, labelled as simulated, and a statement of account: the platform's and the ledger's.
    """
    from verifier.rehearse import running
    from verifier.simulate import habits
    from verifier.study import Study

    behaviour = habits.crowd("mixed", dropouts=dropouts)
    person = _person(workers or 1) if browser else None
    wanted = running.Wanted(platform, workers, seed, behaviour, truth, person, counter(None))
    with Study.open(study) as opened:
        done = running.rehearse(opened, wanted, note)
    if as_json:
        say_json({"equal": done.account.equal, **vars(done)})
        return
    for line in lines(done):
        say(line)


def lines(done: Rehearsed) -> Iterator[str]:
    """What came of it, for people."""
    yield from statement(done.account)
    yield ""
    if done.places_left:
        yield _left(done)
    yield f"The report, labelled as simulated: {done.report}"
    yield f"Every line of the account:         {done.folder / 'account.csv'}"


def _left(done: Rehearsed) -> str:
    """What the open work needs: more places for what did not count, or people for those there are."""
    noun = "place" if done.places_left == 1 else "places"
    said = f"Work for {done.places_left} more {noun} is left"
    if done.cap is not None:
        cap = f"{done.cap} {done.account.currency}"
        return f"{said}, for which the cap of {cap} has no room: raise budget.cap."
    if done.account.hosted and done.outcomes.get("turned away"):
        return f"{said}, in place of what did not count: in the study itself, publish again."
    return f"{said}: let more workers come."


def statement(told: Account) -> Iterator[str]:
    """The statement of account for people: the first lines, and what they come to."""
    yield "Statement of account"
    yield "  assignment  what      amount     fee  stands in"
    strange = [line for line in told.lines if line.side != "both"] if told.hosted else []
    shown = strange or list(told.lines[:_SHOWN])
    for line in shown:
        yield f"  {line.assignment or '?':<11} {line.what:<8} {line.amount:>7} {line.fee:>7}  {line.side}"
    if len(told.lines) > len(shown):
        yield f"  ... {len(told.lines)} lines in all"
    if not told.hosted:
        yield f"  The ledger: {told.paid[1]} {told.currency} to pay by hand; a link keeps no account."
        return
    yield f"  Places: {told.places[0]} in both, {told.places[1]} in one alone."
    yield f"  Paid:      platform {told.paid[0]}, ledger {told.paid[1]} {told.currency}"
    yield f"  Put aside: platform {told.held[0]}, ledger {told.held[1]} {told.currency}"
    yield "  Equal, line by line." if told.equal else "  NOT equal."


def _person(workers: int) -> Callable[[str, int], bool]:
    """Tells a person where to go, and waits for him: until Enter, or until so many have handed in."""
    told: list[str] = []

    def waits(address: str, handed_in: int) -> bool:
        if not told:
            told.append(address)
            note(f"Open this in a browser, and work: {address}")
            note("Press Enter when you are done." if sys.stdin.isatty() else f"Waiting for {workers}.")
        if sys.stdin.isatty():
            ready, _, _ = select.select([sys.stdin], [], [], _PAUSE)
            return bool(ready)
        time.sleep(_PAUSE)
        return handed_in >= workers

    return waits
