"""`posthoc review`: the queue of submitted work; proposes, and decides on a person's word."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import note, say, say_json

if TYPE_CHECKING:
    from verifier.crowd.review import Queue
    from verifier.study import Study

ORDER = 55


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("review")(review)


def review(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    *,
    live: Annotated[bool, typer.Option("--live", help="Put the proposed approvals on record.")] = False,
    confirm: Annotated[
        str, typer.Option(metavar="NAME", help="The study's name, to be said with --live.")
    ] = "",
    approve: Annotated[
        list[int] | None,
        typer.Option(
            metavar="NUMBER", help="Approve and flag this assignment, which a person has looked at."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a CSV of whom to pay, with platform ids: with --live those decided now, else all "
            "approved so far.",
        ),
    ] = None,
    regrade: Annotated[
        bool, typer.Option("--regrade", help="First grade all controls again under the rule in study.yaml.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Pay and exceptions: what was handed in, what is proposed, and what a person decides. Dry run first."""
    from verifier import clock  # noqa: PLC0415 - keeps --help quick
    from verifier.crowd import counting  # noqa: PLC0415
    from verifier.crowd import review as service  # noqa: PLC0415
    from verifier.study import Study  # noqa: PLC0415

    named = approve or []
    with Study.open(study) as opened:
        if regrade:
            changed = counting.regrade(opened, clock.now())
            note(
                f"Graded {changed.graded} assignments again: {changed.now_counted} now count,"
                f" {changed.now_uncounted} no longer do."
            )
        if live:
            found = service.decide(opened, confirm=confirm, now=clock.now(), approve=named, out=out)
            _pay(opened)
        else:
            found = service.queue(opened, named)
            if out is not None:
                note(f"{service.payments(opened, out)} approved so far, written to {out}.")
    if as_json:
        say_json({"live": live, **_plain(found)})
        return
    say("\n".join(lines(found)))
    done = len(found.waiting)
    if not done:
        say("Nothing waits for approval: nothing was decided.")
    elif live:
        say(f"Approved {done}, {found.amount} {found.currency}." + (f" Whom to pay: {out}" if out else ""))
    else:
        say(f"Would approve {done}, {found.amount} {found.currency}. Nothing was decided.")
        say(f"To decide: posthoc review {study} --live --confirm NAME --out payments.csv")
    if looked := sum(entry.proposal == "look" and entry.decision is None for entry in found.entries):
        say(f"A person must look at {looked}; to approve one all the same: --approve NUMBER")


def _pay(study: Study) -> None:
    """Approve on the platform too, where it can be done from here."""
    from verifier import clock  # noqa: PLC0415 - keeps --help quick
    from verifier.crowd import campaigns, paying  # noqa: PLC0415
    from verifier.crowd.base import Capability  # noqa: PLC0415
    from verifier.crowd.platforms import adapter_of  # noqa: PLC0415

    environment = paying.environment_of(study)
    if Capability.APPROVE not in adapter_of(study.config).capabilities or not environment:
        return
    paid = paying.pay(study, campaigns.requester(study, environment), now=clock.now())
    note(f"Approved on the platform: {paid.done}.")
    if paid.waiting:
        note(f"Not handed in on the platform, so not paid there: {paid.waiting}.")


def lines(queue: Queue) -> list[str]:
    """The queue for people: a summary, then every entry that is not simply passed."""
    from verifier.crowd.review import WORDS  # noqa: PLC0415 - keeps --help quick

    counts = Counter(entry.category for entry in queue.entries)
    decided = sum(entry.decision is not None for entry in queue.entries)
    out = [f"{len(queue.entries)} in the queue, {decided} decided before."]
    out += [f"  {category}: {n}" for category, n in counts.items()]
    odd = [entry for entry in queue.entries if entry.category != "passed" and entry.decision is None]
    if odd:
        out.append("  No.  worker          what it is       proposed           why")
    for entry in odd:
        out.append(
            f"  {entry.assignment:<4} {entry.worker:<15} {entry.category:<16} {WORDS[entry.proposal]:<18}"
            f" {entry.reason}"
        )
    return out


def _plain(queue: Queue) -> dict[str, object]:
    return {
        "waiting": len(queue.waiting),
        "amount": queue.amount,
        "currency": queue.currency,
        "entries": queue.entries,
    }
