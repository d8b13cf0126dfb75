"""`posthoc notify`: a message to workers, by way of the platform."""

from __future__ import annotations

from typing import Annotated

import typer

from verifier.cli import hosting
from verifier.cli.output import say, say_json

ORDER = 58


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("notify")(notify)


def notify(
    study: hosting.Folder,
    *,
    subject: Annotated[str, typer.Option(help="Of the message.")],
    text: Annotated[str, typer.Option(help="The message.")],
    worker: Annotated[
        list[str] | None,
        typer.Option(metavar="PSEUDONYM", help="Only this worker; may be repeated. Else all who handed in."),
    ] = None,
    live: hosting.Live = False,
    confirm: hosting.Confirm = "",
    as_json: hosting.AsJson = False,
) -> None:
    """Send a message to workers, where the platform carries messages. Dry run first."""
    from verifier.crowd import clearing, paying
    from verifier.crowd.base import Capability, require
    from verifier.crowd.platforms import adapter_of
    from verifier.study import Study

    named = worker or []
    with Study.open(study) as opened:
        require(adapter_of(opened.config), Capability.NOTIFY)
        clearing.check_message(subject, text)
        count = len(clearing.people(opened, named))
        failed = None
        if live:
            account = hosting.account(opened, paying.environment_of(opened), confirm)
            failed = clearing.notify(opened, account, named, subject, text)
    if as_json:
        say_json({"live": live, "people": count, "not_reached": failed})
    elif failed is None:
        say(f"Would send it to {count} people. Nothing was sent; to do it: --live --confirm NAME")
    else:
        say(f"Sent to {count - failed} people; {failed} could not be reached.")
