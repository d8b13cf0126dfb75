"""The table of metrics alone: what `metrics` writes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from analysis import csv_lines
from analysis.blockwise import evaluate_bundle
from analysis.cells import Settings
from analysis.errors import StateError
from analysis.evaluate import COLUMNS, evaluate
from analysis.folder import MANIFEST
from analysis.load import load
from analysis.outcomes import measure
from analysis.own_words import Words

_BY = ("dataset", "source")


def tabled(
    source: Path,
    metrics: Sequence[str] | None,
    settings: Settings,
    *,
    gt: str | None = None,
    annotations: Path | None = None,
    jobs: int = 1,
    dask: str | None = None,
    columns: Mapping[str, str] | None = None,
    values: Words | None = None,
) -> pd.DataFrame:
    """The rows of metrics.csv: of a bundle block by block, of a judgments CSV at once.

    Raises:
        PosthocError: the input or a setting cannot be used.
    """
    if (source / MANIFEST).is_file() and annotations is None and not (columns or values):
        return evaluate_bundle(source, metrics, _BY, settings, gt=gt, jobs=jobs, dask=dask)
    study = load(source, gt=gt, annotations=annotations, columns=columns, values=values)
    measured = measure(study, settings.policy)
    return evaluate(
        measured,
        metrics,
        replicates=settings.replicates,
        seed=settings.seed,
        level=settings.level,
        interval=settings.interval if settings.asked else None,
        cluster=settings.cluster,
    )


def refuse_other(out: Path) -> None:
    """Refuse to replace what is no such table.

    Raises:
        StateError: `out` holds something else.
    """
    if not out.exists() and not out.is_symlink():
        return
    heading = csv_lines.line(COLUMNS).encode()
    if out.is_file():
        with out.open("rb") as file:
            if file.read(len(heading)) == heading:
                return
    raise StateError(
        "not a table of metrics, so it is not replaced",
        where=str(out),
        expected="a new name, or a table that `metrics` wrote",
        remedy="Choose another --out, or move it away.",
    )


def write_table(frame: pd.DataFrame, out: Path) -> None:
    """Write the table, whole or not at all."""
    draft = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        csv_lines.write_frame(csv_lines.whole(frame), draft)
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
