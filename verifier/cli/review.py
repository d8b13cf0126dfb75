"""`posthoc review`: the queue of submitted work; proposes, and decides on a person's word."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import note, say, say_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.crowd.base import Capability, Requester
    from verifier.crowd.rejecting import Wanted
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
    reject: Annotated[
        list[int] | None,
        typer.Option(metavar="NUMBER", help="Reject this assignment, which a person has looked at."),
    ] = None,
    ask_back: Annotated[
        list[int] | None,
        typer.Option(
            metavar="NUMBER", help="Ask the worker to give back this assignment, which cannot be paid."
        ),
    ] = None,
    feedback: Annotated[
        str, typer.Option(help="Why; the worker reads it. With --reject and --ask-back.")
    ] = "",
    category: Annotated[
        str, typer.Option(help="The platform's category of the ground, where it asks for one. With --reject.")
    ] = "",
    override: Annotated[
        list[int] | None,
        typer.Option(metavar="NUMBER", help="Undo a rejection: approve and pay this assignment after all."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a CSV of whom to pay, with platform ids: with --live those decided now, else all "
            "approved so far.",
        ),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="What was decided on a panel's own pages: assignment, completion_code, participant or"
            " worker; decision; reason. With --live put on record in place of what is proposed.",
        ),
    ] = None,
    regrade: Annotated[
        bool, typer.Option("--regrade", help="First grade all controls again under the rule in study.yaml.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Pay and exceptions: what was handed in, what is proposed, and what a person decides. Dry run first."""
    from verifier import clock
    from verifier.crowd import asking_back, counting, rejecting
    from verifier.crowd import review as service
    from verifier.crowd.rejecting import Wanted
    from verifier.study import Study

    named = approve or []
    unwanted = [Wanted(number, category, feedback) for number in reject or []]
    with Study.open(study) as opened:
        if regrade:
            changed = counting.regrade(opened, clock.now())
            note(
                f"Graded {changed.graded} assignments again: {changed.now_counted} now count,"
                f" {changed.now_uncounted} no longer do."
            )
        if unwanted:
            rejecting.check(opened, unwanted)
        asking_back.check(opened, ask_back or [], feedback)
        if decisions is not None:
            _take_in(opened, decisions, live=live, confirm=confirm)
            return
        if live:
            _reject(opened, confirm, unwanted, override or [])
            _ask_back(opened, ask_back or [], feedback)
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
        say(
            "Nothing waits for approval: nothing was decided"
            + (f", and {out} was not written." if live and out else ".")
        )
    elif live:
        say(f"Approved {done}, {found.amount} {found.currency}." + (f" Whom to pay: {out}" if out else ""))
    else:
        say(f"Would approve {done}, {found.amount} {found.currency}. Nothing was decided.")
        say(f"To decide: posthoc review {study} --live --confirm NAME --out payments.csv")
    if looked := sum(entry.proposal == "look" and entry.decision is None for entry in found.entries):
        say(f"A person must look at {looked}; to approve one all the same: --approve NUMBER")


def _ask_back(study: Study, numbers: Sequence[int], reason: str) -> None:
    """Ask workers to give back what cannot be paid, where the platform can."""
    from verifier import clock
    from verifier.crowd import asking_back
    from verifier.crowd.base import Capability

    account = _account(study, Capability.REQUEST_RETURN) if numbers else None
    if account is not None:
        note(f"Asked back: {asking_back.ask_back(study, account, numbers, reason, now=clock.now())}.")


def _take_in(study: Study, file: Path, *, live: bool, confirm: str) -> None:
    """Put on record what was decided elsewhere."""
    from verifier import clock
    from verifier.crowd import campaigns, decisions_file

    decided = decisions_file.read(study, file)
    if not live:
        say(f"{len(decided)} decisions can be read; nothing was put on record: --live --confirm NAME")
        return
    campaigns.confirmed(study, confirm)
    say(f"Put {decisions_file.record(study, decided, now=clock.now())} decisions on record.")
    say(f"{decisions_file.waiting(study)} that were handed in wait for a decision.")


def _account(study: Study, capability: Capability) -> Requester | None:
    """Our account, if the study is published and its platform can do this; else None."""
    from verifier.crowd import campaigns, paying
    from verifier.crowd.platforms import adapter_of

    environment = paying.environment_of(study)
    if capability not in adapter_of(study.config).capabilities or not environment:
        return None
    return campaigns.requester(study, environment)


def _reject(study: Study, confirm: str, unwanted: Sequence[Wanted], override: Sequence[int]) -> None:
    """Reject and undo rejections on the platform, those of a run that was cut short first."""
    from verifier import clock
    from verifier.crowd import campaigns, rejecting
    from verifier.crowd.base import Capability, require
    from verifier.crowd.platforms import adapter_of

    campaigns.confirmed(study, confirm)
    if unwanted or override:
        require(adapter_of(study.config), Capability.REJECT)
    account = _account(study, Capability.REJECT)
    if account is None:
        return
    rejecting.resume(study, account, now=clock.now())
    if unwanted:
        note(f"Rejected: {rejecting.reject(study, account, unwanted, now=clock.now())}.")
    if override:
        done = rejecting.override(study, account, override, now=clock.now())
        note(f"Rejections undone, and paid: {done}.")


def _pay(study: Study) -> None:
    """Approve on the platform too, where it can be done from here."""
    from verifier import clock
    from verifier.crowd import paying
    from verifier.crowd.base import Capability

    account = _account(study, Capability.APPROVE)
    if account is None:
        return
    paid = paying.pay(study, account, now=clock.now())
    note(f"Approved on the platform: {paid.done}.")
    if (barred := _account(study, Capability.EXCLUDE)) is not None:
        done = paying.exclude(study, barred, now=clock.now())
        note(f"Not invited to any study of this account any more: {done}.")
    if paid.waiting:
        note(f"Not handed in on the platform, so not paid there: {paid.waiting}.")


def lines(queue: Queue) -> list[str]:
    """The queue for people: a summary, then every entry that is not simply passed."""
    from verifier.crowd.review import WORDS

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
