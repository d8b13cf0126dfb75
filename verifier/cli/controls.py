"""`posthoc controls`: look the controls through, confirm them, audit them, retire one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import note, say, say_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.crowd.control_audit import Audited
    from verifier.plan.confirming import Listed
    from verifier.study import Study

ORDER = 32


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("controls")(controls)


def controls(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write them as CSV, to be looked through: yes or no under keep."),
    ] = None,
    confirm: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take such a CSV: confirm what has yes, retire what has no."),
    ] = None,
    confirm_all: Annotated[
        bool, typer.Option("--confirm-all", help="Confirm every control: a person has looked at them.")
    ] = False,
    audit: Annotated[
        bool, typer.Option("--audit", help="Which of them good workers miss, or agree otherwise on.")
    ] = False,
    retire: Annotated[
        list[int] | None,
        typer.Option(metavar="NUMBER", help="Retire this control, and grade anew whoever had it."),
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, with --retire; kept.")] = "found wrong",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
) -> None:
    """The controls: list, confirm before a live start, audit, retire."""
    from verifier.crowd import control_audit
    from verifier.plan import confirming
    from verifier.study import Study

    if sum((confirm is not None, confirm_all, bool(retire))) > 1:
        raise typer.BadParameter("give one of --confirm, --confirm-all and --retire")
    with Study.open(study) as opened:
        found = _changed(opened, confirm, retire or [], reason, every=confirm_all)
        if out is not None:
            note(
                f"{confirming.write(opened, out)} controls are written to {out}. yes or no under keep, then:"
            )
            note(f"  posthoc controls {study} --confirm {out}")
        if found.affected:
            _grade_again(opened, found)
        audited = control_audit.audit(opened) if audit else []
    if as_json:
        say_json({**vars(found), **({"audit": audited} if audit else {})})
        return
    for line in lines(found, audited if audit else None):
        say(line)


def _changed(
    study: Study, confirm: Path | None, retire: Sequence[int], reason: str, *, every: bool
) -> Listed:
    from verifier import clock
    from verifier.plan import confirming

    now = clock.now()
    if confirm is not None:
        return confirming.confirm_listed(study, confirm, now)
    if every:
        return confirming.confirm_all(study, now)
    return confirming.retire(study, retire, reason, now) if retire else confirming.listed(study)


def _grade_again(study: Study, found: Listed) -> None:
    """Everyone who had a control that was just retired."""
    from verifier import clock
    from verifier.crowd import counting

    again = counting.regrade(study, clock.now(), of=found.affected)
    note(
        f"Graded {again.graded} assignments again: {again.now_counted} now count, {again.now_uncounted} no"
        " longer do."
    )


def lines(found: Listed, audited: Sequence[Audited] | None) -> list[str]:
    """The controls for people."""
    states = ", ".join(f"{number} {word}" for word, number in found.states.items())
    origins = ", ".join(f"{number} {word}" for word, number in found.origins.items())
    out = [f"Controls: {found.controls} ({origins}); {states}."]
    if found.confirmed or found.retired:
        out.append(f"Confirmed now: {found.confirmed}. Retired now: {found.retired}.")
    out += _replaced_lines(found)
    out += [
        f"Control {one.control} has yes in the list, and was retired on {one.retired}"
        f"{f' ({one.reason})' if one.reason else ''}: it stays retired."
        for one in found.passed_over
    ]
    if found.states.get("unconfirmed"):
        out.append(
            "Nothing is published live while a control is unconfirmed. Look them through: posthoc controls"
            " STUDY --out controls.csv"
        )
    if audited is not None:
        out += _audit_lines(audited)
    return out


def _replaced_lines(found: Listed) -> Iterator[str]:
    """What took the place of what was retired, and why not everything has something in its place."""
    if found.replaced_by:
        pairs = ", ".join(f"{new} for {old}" for old, new in found.replaced_by.items())
        yield f"In their place, the next best that the texts allow: control {pairs}."
    if found.waiting:
        yield "Nobody is given these before you confirm them, for what they replace had been confirmed."
    if found.not_replaced:
        why = "; ".join(f"{number} times: {reason}" for reason, number in sorted(found.failures.items()))
        gone = ", ".join(map(str, found.not_replaced))
        yield f"Nothing takes the place of {gone}{f' ({why})' if why else ''}."
    if found.locked:
        yield (
            "The study is locked, and its plan is another one now: reports list that as a departure. As long"
            " as nobody has judged, it can be locked anew: posthoc plan STUDY --lock"
        )


def _audit_lines(audited: Sequence[Audited]) -> list[str]:
    flagged = [one for one in audited if one.flag]
    out = [f"{len(audited)} questions were answered; {len(flagged)} are suspect."]
    for one in flagged:
        other = f"; {one.otherwise_given} of them say {one.otherwise}" if one.otherwise else ""
        out.append(
            f"  control {one.control}, {one.expected} expected: {one.flag}; right are {one.good_right} of"
            f" {one.good} good workers{other}"
        )
    if flagged:
        out.append("Look at it, and if it is wrong: posthoc controls STUDY --retire NUMBER")
    return out
