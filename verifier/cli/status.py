"""`posthoc status`: how a study stands, once or over and over."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import say, say_json

if TYPE_CHECKING:
    from analysis.alpha import Coefficient
    from verifier.crowd.status import Money, Share, Status
    from verifier.crowd.tally import Tally
    from verifier.study import Study

ORDER = 50
_EVERY = 5.0
# Of what stands out, so many are named.
_FEW = 5


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status")(show)


def show(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    *,
    watch: Annotated[
        bool, typer.Option("--watch", help="Say it again every five seconds, until interrupted.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """Progress, money, agreement and controls, as they stand."""
    from verifier.crowd.status import status
    from verifier.crowd.tally import Tally
    from verifier.study import Study

    with Study.open(study) as opened:
        tally = Tally(opened)
        while True:
            found = status(opened, tally.refresh())
            if as_json:
                say_json(found)
            else:
                if watch:
                    say("\f" if not sys.stdout.isatty() else "\x1b[2J\x1b[H")
                say("\n".join([*lines(found), *(_standing_out(opened, tally) if watch else ())]))
            if not watch:
                return
            time.sleep(_EVERY)


def _standing_out(study: Study, tally: Tally) -> list[str]:
    """What the dashboard shows beside the numbers: suspect controls, commonest edits, flagged workers."""
    from verifier.crowd.changes import changed_links
    from verifier.crowd.control_audit import audit
    from verifier.crowd.workers import workers

    suspects = [one for one in audit(study, tally) if one.flag]
    edits = changed_links(tally)
    flagged = [line for line in workers(study, tally) if line.flags]
    flagged.sort(key=lambda line: -len(line.flags))
    return [
        "",
        f"Suspect controls: {len(suspects) or 'none'}",
        *(
            f"  control {one.control}, {one.expected} expected: right are {one.good_right} of {one.good} good"
            " workers"
            for one in suspects[:_FEW]
        ),
        f"Edits, by shown and chosen entity: {len(edits) or 'none'}",
        *(
            f"  {one.judgments} of {one.of}: {one.shown} -> {one.chosen or 'not said'}"
            for one in edits[:_FEW]
        ),
        f"Workers of whom something stands out: {len(flagged) or 'none'}",
        *(f"  {line.worker}: {', '.join(line.flags)}" for line in flagged[:_FEW]),
    ]


def lines(status: Status) -> list[str]:
    """The status for people."""
    simulated = "   (simulated crowd)" if status.origin == "simulated" else ""
    halted = f"   {status.halted}: nobody new may begin" if status.halted else ""
    return [
        f"Study {status.study}{simulated}{halted}",
        "",
        *_work(status),
        "",
        *_people(status),
        "",
        *_money(status.money),
        *_outlook(status),
        "",
        *_changed(status),
        "Shares here are of counted judgments, each once, with intervals that take them as independent.",
        "What to report is what `posthoc analyze` gives: there each shown annotation weighs the same,",
        "however many judged it, and intervals allow for documents and workers. Looking often, and stopping",
        "when a number pleases, makes them wrong: those in brackets after 'always' hold at every look.",
    ]


def percent(share: Share) -> str:
    """A share for people: percent, interval, n; or why there is none."""
    if share.estimate is None or share.low is None or share.high is None:
        return share.reason
    return f"{share.estimate:.1%} [{share.low:.1%}, {share.high:.1%}] of {share.n}"


def _always(share: Share) -> str:
    """The limits that hold however often one looks."""
    return "" if share.always is None else f", always [{share.always[0]:.1%}, {share.always[1]:.1%}]"


def _work(status: Status) -> list[str]:
    names = [f"{cell.work.dataset} {cell.work.source}" for cell in status.cells]
    width = max([len("Work"), *map(len, names)])
    out = [f"{'Work':<{width}}  tasks  slots: open  at work    done  verified, of counted judgments"]
    for name, cell in zip(names, status.cells, strict=True):
        work = cell.work
        out.append(
            f"{name:<{width}}  {work.tasks:>5}  {work.open:>11}  {work.leased:>7}  {work.done:>6}"
            f"  {percent(cell.verify)}{_always(cell.verify)}"
        )
    if not status.cells:
        out.append("  nothing is planned")
    return [*out, f"Places still needed: {status.places_needed}"]


def _people(status: Status) -> list[str]:
    people = status.people
    states = ", ".join(f"{n} {state.replace('_', ' ')}" for state, n in people.assignments.items())
    submitted = people.assignments.get("submitted", 0)
    out = [
        f"Workers: {people.workers}; assignments: {states or 'none'}",
        f"Counted: {people.counted} of {submitted} submitted",
        *(f"  not counted: {n}, {reason}" for reason, n in people.uncounted.items()),
        f"Passed the controls: {percent(status.controls.passed)} submitted assignments"
        if status.controls.passed.n
        else f"Passed the controls: {percent(status.controls.passed)}",
        *(
            f"  {kind}, answered rightly: {percent(found)}"
            for kind, found in status.controls.questions.items()
        ),
        f"Agreement, alpha: {coefficient(status.alpha)}",
        f"Agreement, observed: {coefficient(status.observed)}",
    ]
    if status.seconds:
        low, middle, high = status.seconds
        out.append(f"Seconds a judgment: {middle:.1f} (half of them from {low:.1f} to {high:.1f})")
    return out


def _outlook(status: Status) -> list[str]:
    """Money and time to the end."""
    from verifier.crowd.outlook import forecast, lasting

    money, coming = status.money, forecast(status)
    over = f", {coming.over} more than the cap" if coming.over is not None else ""
    left = "" if money.left is None else f"; {money.left} left"
    out = [f"  {money.spent} for work handed in{left}; {coming.cost} to come, {coming.total} in all{over}"]
    if status.pace:
        over_last = lasting(status.pace.over / 24)
        end = f"; {coming.left} to the end at this pace" if coming.left and status.places_needed else ""
        out.append(f"  {status.pace.hourly:.1f} assignments an hour over the last {over_last}{end}")
    if status.experts:
        out.append(f"Experts: {status.experts} decisions, in none of these numbers")
    return out


def _changed(status: Status) -> list[str]:
    """What in study.yaml is not as it was planned."""
    from verifier.plan.terms import said

    notices = [f"Note: {notice}" for notice in said(status.changed)]
    return [*notices, ""] if notices else []


def coefficient(found: Coefficient) -> str:
    """A coefficient for people with its interval and n, or why there is none."""
    if found.estimate is None:
        return found.reason
    limits = found.reason if found.low is None else f"{found.low:.3f}, {found.high:.3f}"
    return f"{found.estimate:.3f} [{limits}] over {found.n_units} displays"


def _money(money: Money) -> list[str]:
    cap = "" if money.cap is None else f" of at most {money.cap}"
    extra = f", {money.bonuses} of it bonuses" if money.bonuses else ""
    out = [f"Money: {money.committed} {money.currency} committed{cap}{extra}; {money.approved} approved"]
    if money.minutes is not None:
        lived = f", {money.hourly:.2f} {money.currency} an hour" if money.hourly is not None else ""
        hourly = f"{lived}; planned {money.planned:.2f} an hour" if lived else ""
        out.append(f"  median {money.minutes} minutes of work{hourly}")
    return out
