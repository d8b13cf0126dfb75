"""`posthoc bonus`: pay workers more, from a file; or propose what makes good a promised hourly pay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analysis.errors import InputError
from verifier.cli import hosting
from verifier.cli.output import note, say, say_json

if TYPE_CHECKING:
    from verifier.crowd.bonus_file import Asked
    from verifier.crowd.bonuses import Offer, Paid
    from verifier.study import Study

ORDER = 56
_PAYMENTS = ("participant", "completion_code", "amount", "currency", "reason")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bonus")(bonus)


def bonus(
    study: hosting.Folder,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="CSV: assignment or worker (pseudonym), amount, reason."),
    ] = None,
    *,
    propose: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT", help="Write the top-up that makes good the planned hourly pay, as a FILE."
        ),
    ] = None,
    live: hosting.Live = False,
    confirm: hosting.Confirm = "",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV", help="Where the platform pays no bonus for us: whom to pay, with its ids."
        ),
    ] = None,
    paid: Annotated[
        list[int] | None,
        typer.Option(metavar="NUMBER", help="A person found that this bonus of unknown outcome was paid."),
    ] = None,
    not_paid: Annotated[
        list[int] | None, typer.Option(metavar="NUMBER", help="... that it was not, and may be paid again.")
    ] = None,
    as_json: hosting.AsJson = False,
) -> None:
    """Pay bonuses, each once and within the budget's cap. Dry run first."""
    from verifier import clock
    from verifier.crowd import bonus_file, bonuses, campaigns
    from verifier.study import Study

    with Study.open(study) as opened:
        if propose is not None:
            _propose(opened, propose, as_json=as_json)
            return
        asked = bonus_file.read(file) if file is not None else []
        if file is None and not (paid or not_paid or live):
            raise InputError("no file is named", where="FILE", remedy="Or ask for one: --propose OUT")
        if paid or not_paid:
            campaigns.confirmed(opened, confirm)
        for numbers, was in ((paid, True), (not_paid, False)):
            for number in numbers or []:
                bonuses.settle(opened, number, paid=was, now=clock.now())
        found = bonuses.offer(opened, asked)
        done = _pay(opened, asked, confirm, out) if live else None
        by_hand = not bonuses.payable(opened)
    if as_json:
        say_json({"live": live, "total": found.total, "offer": found, "done": done})
        return
    say("\n".join(lines(found)))
    if done is None:
        say(f"Nothing was paid. To do it: posthoc bonus {study} {file or ''} --live --confirm NAME")
    else:
        noun = "bonus" if done.done == 1 else "bonuses"
        say(f"{done.done} {noun} on record, for you to pay." if by_hand else f"Paid {done.done} {noun}.")
        if done.unknown:
            note("The platform did not say whether all were paid: look there, then --paid or --not-paid.")


def lines(found: Offer) -> list[str]:
    """The offer for people."""
    told = [
        (
            f"To pay: {len(found.due)} bonuses, {found.total} {found.currency} with fees; paid before:"
            f" {found.before} of the file."
        ),
        f"Committed before: {found.committed} of at most {found.cap} {found.currency}."
        if found.cap is not None
        else f"Committed before: {found.committed} {found.currency}; there is no cap.",
    ]
    if found.unfinished:
        told.append(f"Begun by a run that was cut short, to be finished first: {found.unfinished}.")
    if found.unknown:
        numbers = ", ".join(map(str, found.unknown))
        told.append(f"Look on the platform whether these were paid (--paid, --not-paid): {numbers}.")
    return told


def _pay(study: Study, asked: list[Asked], confirm: str, out: Path | None) -> Paid:
    from verifier import clock
    from verifier.crowd import bonus_file, bonuses, campaigns, paying

    if bonuses.payable(study):
        account = hosting.account(study, paying.environment_of(study), confirm)
        return bonuses.pay(study, account, asked, now=clock.now())
    campaigns.confirmed(study, confirm)
    if out is None:
        raise InputError(
            "the platform pays no bonus for us: a file must say whom to pay",
            where="--out",
            remedy="Name a new file: --out bonuses.csv",
        )
    currency = study.config.place.currency

    def write(payments: Sequence[bonuses.Payment]) -> None:
        rows = [(to.participant, to.code, f"{to.amount:.2f}", currency, to.reason) for to in payments]
        bonus_file.write(out, _PAYMENTS, rows)

    recorded = bonuses.record(study, asked, write, now=clock.now())
    note(f"Whom to pay: {out}" if recorded.due else f"Nothing is due: {out} was not written.")
    return bonuses.Paid(len(recorded.due), 0)


def _propose(study: Study, out: Path, *, as_json: bool) -> None:
    from verifier.crowd import bonus_file
    from verifier.crowd.fairness import ENOUGH, REASON, fairness

    found = fairness(study)
    rows = [(number, f"{found.top_up:.2f}", REASON) for number in found.assignments]
    if rows:
        bonus_file.write(out, ("assignment", "amount", "reason"), rows)
    if as_json:
        say_json({"fairness": found, "total": found.total, "file": out if rows else None})
        return
    say(f"Planned: {found.planned} {found.currency} an hour.")
    if found.lived is None:
        say(f"What people earn is not known: {found.people} have handed in, {ENOUGH} are needed.")
        if found.simulated:
            say(f"The {found.simulated} assignments of a simulated crowd say nothing about people.")
        return
    say(f"Lived: {found.lived} {found.currency} an hour; the median took {found.minutes} minutes.")
    if not rows:
        say("No top-up is due.")
        return
    say(f"A top-up of {found.top_up} for each of {len(rows)}, {found.total} {found.currency}, is in {out}.")
    say(f"Look at it, then: posthoc bonus {study.path} {out}")
