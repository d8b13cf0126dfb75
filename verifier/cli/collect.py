"""`posthoc collect`: what the platform says was handed in, put on record."""

from __future__ import annotations

import typer

from verifier.cli import hosting
from verifier.cli.output import say, say_json

ORDER = 52


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("collect")(collect)


def collect(
    study: hosting.Folder,
    *,
    environment: hosting.Environment = "local",
    live: hosting.Live = False,
    confirm: hosting.Confirm = "",
    as_json: hosting.AsJson = False,
) -> None:
    """Read what was handed in on the platform and compare it with what is here. Dry run first."""
    from verifier import clock
    from verifier.crowd import campaigns, collecting
    from verifier.study import Study

    with Study.open(study) as opened:
        if live:
            campaigns.confirmed(opened, confirm)
        requester = campaigns.requester(opened, environment)
        found = collecting.collect(opened, requester, environment, now=clock.now(), live=live)
    if as_json:
        say_json({"live": live, "found": found.found, "new": found.new})
        return
    for what, count in sorted(found.found.items()):
        say(f"{count:>6}  {collecting.WORDS[what]}")
    say(f"{found.new} of them are new." if found.found else "Nothing was handed in.")
    if not live:
        say(hosting.only_said("collect", study, environment))
