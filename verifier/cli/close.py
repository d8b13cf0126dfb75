"""`posthoc close`: let nobody take published places any more."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from verifier.cli import hosting
from verifier.cli.output import say, say_json

ORDER = 44


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("close")(close)


def close(
    study: hosting.Folder,
    *,
    environment: hosting.Environment = "local",
    places: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the youngest so many; else all.")
    ] = None,
    delete: Annotated[
        bool,
        typer.Option(
            "--delete", help="Instead: delete on the platform what is wholly decided. Cannot be undone."
        ),
    ] = False,
    live: hosting.Live = False,
    confirm: hosting.Confirm = "",
    as_json: hosting.AsJson = False,
) -> None:
    """Take open places from the crowd; who is at work may still hand in. Dry run first."""
    from verifier import clock
    from verifier.crowd import campaigns, publishing
    from verifier.crowd.base import Capability
    from verifier.crowd.counted_base import is_counted
    from verifier.study import Study

    if delete:
        _delete(study, environment, live=live, confirm=confirm, as_json=as_json)
        return
    with Study.open(study) as opened:
        campaigns.check(opened, environment, Capability.CLOSE)
        count = min(publishing.how_many(opened, "open", "taken"), places or 10**9)
        stops = is_counted(opened)
        done = None
        if live:
            requester = hosting.account(opened, environment, confirm)
            done = publishing.close(opened, requester, environment, places=places, now=clock.now())
    if as_json:
        say_json({"live": live, "open": count, "done": done})
    elif done is None:
        say(f"Would close {count} places{' and stop the study there, for good' if stops else ''}.")
        say(hosting.only_said("close", study, environment, places=places))
    else:
        say(f"Closed {done.done} places; at {done.at_work} somebody is at work; {done.gone} were gone.")


def _delete(study: Path, environment: str, *, live: bool, confirm: str, as_json: bool) -> None:
    from verifier import clock
    from verifier.crowd import campaigns, clearing
    from verifier.crowd.base import Capability
    from verifier.study import Study

    with Study.open(study) as opened:
        campaigns.check(opened, environment, Capability.DELETE)
        count = len(clearing.deletable(opened))
        done = None
        if live:
            account = hosting.account(opened, environment, confirm)
            done = clearing.delete(opened, account, environment, now=clock.now())
    if as_json:
        say_json({"live": live, "decided": count, "done": done})
    elif done is None:
        say(f"Would delete {count} places of which everything is decided.")
        say(hosting.only_said("close", study, environment) + " --delete")
    else:
        say(f"Deleted {done.done} places; the platform keeps {done.kept} for now.")
