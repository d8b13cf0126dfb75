"""`posthoc forget`: take away who people were, and keep what they judged."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated

import typer

from analysis.errors import InputError, StateError, plain
from verifier.cli import hosting
from verifier.cli.output import note, say, say_json

ORDER = 94


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("forget")(forget)


def forget(
    study: hosting.Folder,
    *,
    on: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Not before this day, such as 2027-01-31: for a timetable."),
    ] = None,
    unpaid_too: Annotated[
        bool, typer.Option("--unpaid-too", help="Even if work is in hand, undecided or not paid.")
    ] = False,
    live: hosting.Live = False,
    confirm: hosting.Confirm = "",
    as_json: hosting.AsJson = False,
) -> None:
    """Delete the platform's ids of all workers; the study can still be analysed. Cannot be undone."""
    from verifier import clock
    from verifier.crowd import campaigns
    from verifier.store import forgetting
    from verifier.study import Study

    day = None if on is None else _day(on)
    with Study.open(study) as opened:
        if live:
            campaigns.confirmed(opened, confirm)
        with opened.read() as session:
            people, left = forgetting.known(session), forgetting.unfinished(session)
        today = clock.now()
        due = day is None or today >= day
        if live and due and people:
            if left.any and not unpaid_too:
                raise StateError(
                    "not everything is finished that needs to know who people are",
                    got=f"{left.at_work} at work, {left.undecided} undecided, {left.unpaid} calls open",
                    remedy="Run review (and bonus) first, or say --unpaid-too.",
                )
            with opened.write() as session:
                forgetting.forget(session, f"{today:%Y-%m-%d}")
            opened.store.compact()
    if as_json:
        say_json({"live": live, "due": due, "people": people, "unfinished": left})
        return
    if not due:
        say(f"Not before {on}: {people} ids are kept until then.")
    elif live:
        say(f"Forgot {people} people. Their judgments stay, under pseudonyms.")
        note("Lists of payments and backups that you keep hold ids too: delete them.")
    else:
        say(f"Would delete the ids of {people} people. Nothing was done.")
        if left.any:
            say(f"Before that: {left.at_work} at work, {left.undecided} undecided, {left.unpaid} calls open.")
        say(f"To do it: posthoc forget {study} --live --confirm NAME")


def _day(text: str) -> datetime:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise InputError("not a day", where="--on", got=plain(text), expected="such as 2027-01-31") from None
    return datetime(found.year, found.month, found.day, tzinfo=UTC)
