"""`posthoc adjudicate`: what experts should look at, as a table out and in."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import note, say, say_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.study import Study

ORDER = 65


class Which(StrEnum):
    """The queues; `verifier.adjudication.queue` says what they hold."""

    ALL = "all"
    TIED = "tied"
    EDITED = "edited"
    CONTROL = "control"
    OUTSIDE = "E"
    REST = "rest"
    RANDOM = "random"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("adjudicate")(adjudicate)


def adjudicate(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what is not decided yet as CSV, without the votes."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--in", metavar="FILE", help="Take such a CSV, with decisions filled in."),
    ] = None,
    queue: Annotated[
        Which,
        typer.Option(
            help="With --out: all, tied, edited, control, E, rest, or random (for the expert audit)."
        ),
    ] = Which.ALL,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="With --out: so many at most.")
    ] = None,
    expert: Annotated[str, typer.Option(metavar="NAME", help="Who decides; initials will do.")] = "1",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Experts' decisions: what is doubtful first, as a table out and in."""
    from verifier.adjudication import lists
    from verifier.study import Study

    if out is not None and source is not None:
        raise typer.BadParameter("give one of --out and --in")
    if out is None and (limit is not None or queue is not Which.ALL):
        raise typer.BadParameter("--queue and --limit go with --out")
    with Study.open(study) as opened:
        if out is not None:
            note(f"{lists.write(opened, out, queue.value, expert, limit)} items")
            say(str(out))
            return
        if source is not None:
            _take(opened, source, expert)
        counts, everyone = lists.counts(opened, expert)
    if as_json:
        say_json(
            {
                "queues": {name: {"items": n, "decided": done} for name, (n, done) in counts.items()},
                "experts": everyone,
            }
        )
        return
    for line in lines(counts, everyone, expert):
        say(line)


def lines(counts: Mapping[str, tuple[int, int]], everyone: Mapping[str, int], expert: str) -> list[str]:
    """The queues for people."""
    from verifier.adjudication.queue import QUEUES

    out = [f"Decided by expert {expert}, of what the crowd has judged:"]
    out += [
        f"  {name:<8} {counts[name][1]:>6} of {counts[name][0]:>6}   {words}"
        for name, words in QUEUES.items()
    ]
    others = ", ".join(f"{name} {n}" for name, n in everyone.items()) or "nobody yet"
    return [*out, f"Items decided, by expert: {others}"]


def _take(study: Study, source: Path, expert: str) -> None:
    from verifier import clock
    from verifier.adjudication import lists
    from verifier.kb.understand import understand

    shelf = study.shelf()
    taken = lists.read(
        study,
        source,
        expert,
        understand=lambda raw, language: understand(raw, language, shelf.kb()),
        now=clock.now(),
    )
    note(f"{taken.new} decisions are new, {taken.same} stood already, {taken.empty} rows have none.")
