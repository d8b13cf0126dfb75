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

ORDER = 50
_EVERY = 5.0


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
    from verifier.crowd.status import status  # noqa: PLC0415 - keeps --help quick
    from verifier.study import Study  # noqa: PLC0415

    with Study.open(study) as opened:
        while True:
            found = status(opened)
            if as_json:
                say_json(found)
            else:
                if watch:
                    say("\f" if not sys.stdout.isatty() else "\x1b[2J\x1b[H")
                say("\n".join(lines(found)))
            if not watch:
                return
            time.sleep(_EVERY)


def lines(status: Status) -> list[str]:
    """The status for people."""
    simulated = "   (simulated crowd)" if status.origin == "simulated" else ""
    return [
        f"Study {status.study}{simulated}",
        "",
        *_work(status),
        "",
        *_people(status),
        "",
        *_money(status.money),
        "",
        *_changed(status),
        "Shares here are of counted judgments, each once, with intervals that take them as independent.",
        "What to report is what `posthoc analyze` gives: there each shown annotation weighs the same,",
        "however many judged it, and intervals allow for documents and workers.",
    ]


def percent(share: Share) -> str:
    """A share for people: percent, interval, n; or why there is none."""
    if share.estimate is None or share.low is None or share.high is None:
        return share.reason
    return f"{share.estimate:.1%} [{share.low:.1%}, {share.high:.1%}] of {share.n}"


def _work(status: Status) -> list[str]:
    names = [f"{cell.work.dataset} {cell.work.source}" for cell in status.cells]
    width = max([len("Work"), *map(len, names)])
    out = [f"{'Work':<{width}}  tasks  slots: open  at work    done  verified, of counted judgments"]
    for name, cell in zip(names, status.cells, strict=True):
        work = cell.work
        out.append(
            f"{name:<{width}}  {work.tasks:>5}  {work.open:>11}  {work.leased:>7}  {work.done:>6}"
            f"  {percent(cell.verify)}"
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


def _changed(status: Status) -> list[str]:
    """What in study.yaml is not as it was planned."""
    from verifier.plan.terms import said  # noqa: PLC0415 - keeps --help quick

    notices = [f"Note: {notice}" for notice in said(status.changed)]
    return [*notices, ""] if notices else []


def coefficient(found: Coefficient) -> str:
    """A coefficient for people, or why there is none."""
    return found.reason if found.estimate is None else f"{found.estimate:.3f} over {found.n_units} displays"


def _money(money: Money) -> list[str]:
    cap = "" if money.cap is None else f" of at most {money.cap}"
    out = [f"Money: {money.committed} {money.currency} committed{cap}; {money.approved} approved"]
    if money.minutes is not None:
        hourly = "" if money.hourly is None else f", {money.hourly:.2f} {money.currency} an hour"
        out.append(f"  median {money.minutes} minutes of work{hourly}")
    return out
