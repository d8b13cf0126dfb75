"""`posthoc extend`: let published places be taken for longer."""

from __future__ import annotations

from typing import Annotated

import typer

from verifier.cli import hosting
from verifier.cli.output import say, say_json
from verifier.cli.publish import lines

ORDER = 43


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("extend")(extend)


def extend(
    study: hosting.Folder,
    *,
    environment: hosting.Environment = "local",
    places: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the oldest so many; else all that are open.")
    ] = None,
    live: hosting.Live = False,
    confirm: hosting.Confirm = "",
    as_json: hosting.AsJson = False,
) -> None:
    """Let open places, run out or not, be taken for platform.lifetime_hours from now. Dry run first."""
    from verifier import clock
    from verifier.crowd import campaigns, publishing
    from verifier.crowd.base import Capability
    from verifier.crowd.counted_base import is_counted
    from verifier.study import Study

    with Study.open(study) as opened:
        campaigns.check(opened, environment, Capability.EXTEND)
        count = min(publishing.how_many(opened, "open"), places or 10**9)
        done = None
        more = publishing.offer(opened, environment, places) if places and is_counted(opened) else None
        if live:
            requester = hosting.account(opened, environment, confirm)
            if more is not None:
                campaigns.reachable(opened, environment)
            done = publishing.extend(opened, requester, environment, places=places, now=clock.now())
    if as_json:
        say_json({"live": live, "open": count, "done": done, "offer": more})
    elif done is None:
        say(
            "\n".join(lines(more))
            if more
            else f"Would extend {count} open places; what they may cost is committed already."
        )
        say(hosting.only_said("extend", study, environment, places=places))
    else:
        say(f"Extended {done.done} places; {done.gone} are gone from the platform.")
