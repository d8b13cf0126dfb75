"""`posthoc publish`: put places before a crowd; says first what it would do and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli import hosting
from verifier.cli.output import say, say_json

if TYPE_CHECKING:
    from verifier.crowd.publishing import Offer

ORDER = 42


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("publish")(publish)


def publish(
    study: hosting.Folder,
    *,
    environment: hosting.Environment = "local",
    places: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Places to be out in all, earlier ones counted in; else all needed."
        ),
    ] = None,
    live: hosting.Live = False,
    confirm: hosting.Confirm = "",
    as_json: hosting.AsJson = False,
) -> None:
    """Put places before the crowd of the study's platform, never beyond the budget's cap. Dry run first."""
    from verifier import clock
    from verifier.crowd import campaigns, publishing
    from verifier.study import Study

    with Study.open(study) as opened:
        found = publishing.offer(opened, environment, places)
        lacking = [] if live else campaigns.lacking(opened, environment)
        old = publishing.run_out(opened, clock.now())
        done = 0
        if live:
            campaigns.controls_confirmed(opened, environment)
            requester = hosting.account(opened, environment, confirm)
            campaigns.reachable(opened, environment)
            done = publishing.publish(opened, requester, environment, places=places, now=clock.now())
    if as_json:
        say_json(
            {
                "live": live,
                "published": done,
                "offer": found,
                "total": found.total,
                "run_out": old,
                "lacking": lacking,
            }
        )
        return
    say("\n".join(lines(found)))
    if old:
        say(
            f"{old} of the places that are out have run out, and nobody can take them: posthoc extend {study}"
        )
    for what in lacking:
        say(f"Before it can be done: {what}")
    say(
        f"Published {done} in {environment}."
        if live
        else hosting.only_said("publish", study, environment, places=places)
    )


def lines(found: Offer) -> list[str]:
    """The offer for people."""
    each, currency = found.each, found.each.currency
    out = [
        f"Places out: {found.out}; the open work needs {found.needed} more.",
        f"To publish: {found.places}, each {each.reward} and a fee of {each.fee}: {found.total} {currency}.",
        f"Committed before: {found.committed} of at most {found.cap} {currency}.",
    ]
    if found.unfinished:
        out.append(f"Begun by a run that was cut short, to be finished first: {found.unfinished}.")
    if found.committed + found.total > found.cap:
        out.append("This would pass the cap, and is refused; publish fewer with --places, or raise the cap.")
    return out
