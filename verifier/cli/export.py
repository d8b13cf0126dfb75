"""`posthoc export`: the bundle, a table of judgments, or the corpora of a study."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import note, say

ORDER = 70


class What(StrEnum):
    """What can be written."""

    BUNDLE = "bundle"
    JUDGMENTS = "judgments"
    CORPUS = "corpus"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export")(export)


def export(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The study folder.")],
    *,
    to: Annotated[
        What, typer.Option("--to", help="bundle: a folder; judgments: a CSV; corpus: posthoc JSONL.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="PATH", help="The file or folder to write.")],
    source: Annotated[str | None, typer.Option(help="Of a corpus: this source alone.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Of a corpus: this dataset alone.")] = None,
    annotations: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Beside judgments: every imported annotation, shown or not."),
    ] = None,
    no_text: Annotated[bool, typer.Option("--no-text", help="Leave the texts out.")] = False,
) -> None:
    """Write what the study holds, without anything that says who its workers are."""
    from verifier.exporting import write_bundle, write_corpora, write_judgments  # noqa: PLC0415 - quick --help
    from verifier.study import Study  # noqa: PLC0415

    if to is not What.CORPUS and (source or dataset):
        raise typer.BadParameter("only a corpus is written by source or dataset", param_hint="--to")
    if to is not What.JUDGMENTS and annotations:
        raise typer.BadParameter("annotations stand beside judgments", param_hint="--annotations")
    with Study.open(study) as opened:
        if to is What.BUNDLE:
            say(str(write_bundle(opened, out, text=not no_text)))
        elif to is What.JUDGMENTS:
            note(f"{write_judgments(opened, out, annotations)} rows")
            say(str(out))
        else:
            for path in write_corpora(opened, out, dataset=dataset, source=source, text=not no_text):
                say(str(path))
