"""`posthoc export`: the bundle, judgments, corpora, a corrected benchmark or an audit of a study."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import note, say

if TYPE_CHECKING:
    from analysis.ballots import Rule

ORDER = 70


class What(StrEnum):
    """What can be written."""

    BUNDLE = "bundle"
    JUDGMENTS = "judgments"
    CORPUS = "corpus"
    CORRECTED = "corrected"
    AUDIT = "audit"
    MISSING = "missing"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(export)


def export(
    study: Annotated[
        Path,
        typer.Argument(metavar="STUDY", help="The study folder; of corrected and audit a bundle too."),
    ],
    *,
    to: Annotated[
        What,
        typer.Option(
            "--to",
            help="bundle: a folder; judgments: a CSV; corpus: what was imported; corrected: the ground truth"
            " with what the votes change in it, and the patch; audit: a CSV of what they find in it;"
            " missing: a CSV of mentions that workers missed.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="PATH", help="The file or folder to write.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="F",
            help="Of corpora: jsonl, elevant, elevant-simple, wned, aida, nif, neleval, csv."
            " Else jsonl, and corrected as it came.",
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="This source alone; the one to correct or audit.")
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="Of corpora: this dataset alone.")] = None,
    annotations: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Beside judgments: every imported annotation, shown or not."),
    ] = None,
    no_text: Annotated[bool, typer.Option("--no-text", help="Leave the texts out.")] = False,
    min_votes: Annotated[
        int | None,
        typer.Option(help="Votes that a correction (2) or a finding of the audit (1) needs at least."),
    ] = None,
    min_share: Annotated[
        float, typer.Option(help="An answer wins with more than this share of the votes.")
    ] = 0.5,
    no_experts: Annotated[
        bool, typer.Option("--no-experts", help="Ask workers alone; else what an expert decided goes first.")
    ] = False,
    nested: Annotated[
        bool, typer.Option("--nested", help="Add mentions that overlap others to a corrected benchmark.")
    ] = False,
) -> None:
    """Write what the study holds, without anything that says who its workers are."""
    from verifier import exporting
    from verifier.study import Study

    _refuse_stray(to, form=form, dataset=dataset, source=source, annotations=annotations, no_text=no_text)
    if to in (What.CORRECTED, What.AUDIT):
        from analysis.ballots import Rule

        votes = min_votes if min_votes is not None else 2 if to is What.CORRECTED else 1
        rule = Rule(votes, min_share, not no_experts, nested)
        _judge(study, to, out, rule, source=source, dataset=dataset, form=form)
        return
    with Study.open(study) as opened:
        if to is What.BUNDLE:
            say(str(exporting.write_bundle(opened, out, text=not no_text)))
        elif to is What.JUDGMENTS:
            note(f"{exporting.write_judgments(opened, out, annotations)} rows")
            say(str(out))
        elif to is What.MISSING:
            note(f"{exporting.write_missing(opened, out, text=not no_text)} rows")
            if not opened.config.pages.missing_mentions:
                note("Workers are not asked to mark what is missing (pages.missing_mentions in study.yaml).")
            say(str(out))
        else:
            paths = exporting.write_corpora(
                opened,
                out,
                dataset=dataset,
                source=source,
                text=not no_text,
                form=form or "jsonl",
                tell=note,
            )
            for path in paths:
                say(str(path))


def _refuse_stray(to: What, *, annotations: Path | None, no_text: bool, **chosen: str | None) -> None:
    """Options that mean nothing to what is written."""
    allowed = {
        What.CORPUS: {"form", "dataset", "source"},
        What.CORRECTED: {"form", "dataset", "source"},
        What.AUDIT: {"source"},
    }
    stray = [name for name, value in chosen.items() if value and name not in allowed.get(to, set())]
    if stray:
        names = ", ".join("--format" if name == "form" else f"--{name}" for name in stray)
        raise typer.BadParameter(f"{names} does not go with {to.value}", param_hint="--to")
    if annotations and to is not What.JUDGMENTS:
        raise typer.BadParameter("annotations stand beside judgments", param_hint="--annotations")
    if no_text and to in (What.CORRECTED, What.AUDIT):
        raise typer.BadParameter(f"--no-text does not go with {to.value}", param_hint="--to")


def _judge(
    study: Path, to: What, out: Path, rule: Rule, *, source: str | None, dataset: str | None, form: str | None
) -> None:
    """What the votes find in the ground truth."""
    from verifier.correcting import write_audit, write_corrected

    if to is What.AUDIT:
        found, about = write_audit(study, out, rule, source=source)
        for line in about:
            note(line)
        note(f"{found} findings")
        say(str(out))
        return
    done = write_corrected(study, out, rule, source=source, dataset=dataset, form=form)
    for line in done.notes:
        note(line)
    words = {
        "relink": ("entity changed", "entities changed"),
        "remove": ("mention removed", "mentions removed"),
        "add": ("mention added", "mentions added"),
    }
    note(", ".join(f"{n} {said[n != 1]}" for action, said in words.items() for n in [done.changes[action]]))
    for path in done.files:
        say(str(path))
