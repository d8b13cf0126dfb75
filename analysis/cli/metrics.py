"""`metrics`: every metric with its interval as one table, of a bundle that may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from analysis.cli.analyze import (
    Annotations,
    Choices,
    Cluster,
    GroundTruth,
    Interval,
    Level,
    Replicates,
    Seed,
    Source,
)
from analysis.cli.own_names import Columns, Values, meanings, renamed
from analysis.interrupts import LeaveAtOnce

Table = Annotated[Path, typer.Option("--out", metavar="FILE", help="CSV to write; an old one is replaced.")]
PolicyName = Annotated[str, typer.Option("--policy", help="recommended, paper or original.")]
Names = Annotated[
    list[str] | None,
    typer.Option("--metric", metavar="NAME", help="Only this metric; may be repeated. Else all."),
]
Jobs = Annotated[
    int,
    typer.Option("--jobs", min=1, metavar="N", help="Processes that count a bundle at the same time."),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster that counts a bundle instead, like tcp://10.0.0.1:8786.",
    ),
]


def command(resolve: Callable[[Path], AbstractContextManager[Path]] | None) -> Callable[..., None]:
    """The command, reading what `resolve` gives for the path that the user named."""

    def metrics(
        *,
        source: Source,
        out: Table,
        policy: PolicyName = "recommended",
        choices: Choices = None,
        metric: Names = None,
        interval: Interval = None,
        level: Level = None,
        replicates: Replicates = 1000,
        seed: Seed = 0,
        cluster: Cluster = None,
        gt: GroundTruth = None,
        annotations: Annotations = None,
        column: Columns = None,
        value: Values = None,
        jobs: Jobs = 1,
        dask: Dask = None,
    ) -> None:
        """Write every metric with its interval as one CSV, and nothing else."""
        with LeaveAtOnce():
            from analysis.evaluate import settings_of  # noqa: PLC0415 - help is quick without pandas
            from analysis.policy import get_policy, parse_overrides  # noqa: PLC0415 - the same
            from analysis.tabled import refuse_other, tabled, write_table  # noqa: PLC0415 - the same

        settings = settings_of(
            get_policy(policy, parse_overrides(choices or [])),
            replicates=replicates,
            seed=seed,
            level=level,
            interval=interval,
            cluster=cluster,
        )
        refuse_other(out)
        with (resolve or nullcontext)(source) as found:
            frame = tabled(
                found,
                metric,
                settings,
                gt=gt,
                annotations=annotations,
                jobs=jobs,
                dask=dask,
                columns=renamed(column),
                values=meanings(value),
            )
        write_table(frame, out)
        for warning in frame.attrs["warnings"]:
            typer.echo(f"warning: {warning}", err=True)
        typer.echo(f"{out}")

    return metrics
