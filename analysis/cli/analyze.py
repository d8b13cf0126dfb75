"""`analyze`: every number with its interval, figures, tables and the report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.cli.own_names import Columns, Values, meanings, renamed
from analysis.interrupts import LeaveAtOnce


class Figures(StrEnum):
    """Which figures to write."""

    SVG = "svg"
    ALL = "all"
    NONE = "none"


Source = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT", help="A bundle folder or a judgments CSV; in posthoc, a study folder too."
    ),
]
Out = Annotated[Path, typer.Option("--out", help="Folder to write; an old output is replaced.")]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policy", help="recommended, paper, original; may be repeated, the first leads."),
]
Choices = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="CHOICE=VALUE", help="Override a choice of every policy; may be repeated."),
]
Interval = Annotated[
    str | None, typer.Option("--interval", metavar="M", help="Method of the intervals; else the policy's.")
]
Level = Annotated[float | None, typer.Option("--level", help="Level of the intervals; else the policy's.")]
Replicates = Annotated[int, typer.Option("--replicates", min=0, help="Of the bootstrap; 0: none.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap.")]
Cluster = Annotated[
    str | None, typer.Option("--cluster", metavar="C", help="Clusters of the intervals; else the policy's.")
]
GroundTruth = Annotated[
    str | None,
    typer.Option("--gt", metavar="NAME", help="The ground truth; else as the input says, GT in a CSV."),
]
Annotations = Annotated[
    Path | None, typer.Option("--annotations", help="Beside a CSV: every imported annotation, shown or not.")
]
Texts = Annotated[
    Path | None,
    typer.Option(
        "--texts", help="Of a bundle without texts: a folder of them, or a .jsonl file; found by hash."
    ),
]
Margin = Annotated[
    float | None,
    typer.Option("--margin", help="As good as: worse by less than this share; else as locked, or none."),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="GROUPING",
        help="Part numbers further, in groups.csv: entity_type, document, mention_length, confidence_bin,"
        " worker, given_type; may be repeated.",
    ),
]
Types = Annotated[
    Path | None,
    typer.Option(
        "--types", metavar="FILE", help="For --by given_type: a table with the columns key and type."
    ),
]
Drawn = Annotated[Figures, typer.Option("--figures", help="svg; all: PDF too; none.")]


def command(resolve: Callable[[Path], AbstractContextManager[Path]] | None) -> Callable[..., None]:
    """The command, reading what `resolve` gives for the path that the user named."""

    def analyze(
        *,
        source: Source,
        out: Out,
        policy: Policies = None,
        choices: Choices = None,
        interval: Interval = None,
        level: Level = None,
        replicates: Replicates = 1000,
        seed: Seed = 0,
        cluster: Cluster = None,
        gt: GroundTruth = None,
        annotations: Annotations = None,
        texts: Texts = None,
        margin: Margin = None,
        by: By = None,
        types: Types = None,
        column: Columns = None,
        value: Values = None,
        figures: Drawn = Figures.SVG,
    ) -> None:
        """Compute every number with its interval; write tables, figures and a report."""
        with LeaveAtOnce():
            from analysis import output  # noqa: PLC0415 - help is quick without pandas
            from analysis.policy import parse_overrides  # noqa: PLC0415 - the same
            from analysis.report.sections import warnings  # noqa: PLC0415 - the same
            from analysis.showing import headline  # noqa: PLC0415 - the same

        files = {"annotations": annotations, "texts": texts, "types": types}
        wanted: dict[str, Any] = {
            "overrides": parse_overrides(choices or []),
            "interval": interval,
            "level": level,
            "replicates": replicates,
            "seed": seed,
            "cluster": cluster,
            "gt": gt,
            "margin": margin,
            "by": tuple(dict.fromkeys(by or [])),
            "columns": renamed(column),
            "values": meanings(value),
            "figures": figures.value,
        }
        told = tell if sys.stderr.isatty() else None
        with (resolve or nullcontext)(source) as found:
            results = output.analyze(found, out, **files, policies=policy, progress=told, **wanted)
        for warning, places in warnings(results.warnings, results.metrics["metric"].unique()).items():
            where = " (report.html says which)" if places else ""
            typer.echo(f"warning: {warning}{where}", err=True)
        typer.echo(headline(results))
        typer.echo(f"{out / 'report.html'}")

    return analyze


def tell(step: str) -> None:
    """Say on a terminal what happens next."""
    typer.echo(f"{step} ...", err=True)
