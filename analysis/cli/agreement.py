"""`agreement`: every coefficient of agreement of a table of labels, with intervals and warnings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.cli.own_names import meanings
from analysis.dialect import Dialect, dialect_of, numbers
from analysis.interrupts import LeaveAtOnce

if TYPE_CHECKING:
    import pandas as pd

    from analysis.agreement import Agreement


class Scale(StrEnum):
    """What kind of labels they are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


class Repeats(StrEnum):
    """What becomes of a worker's second label of a unit."""

    ERROR = "error"
    FIRST = "first"
    LAST = "last"


class Method(StrEnum):
    """How intervals are made."""

    JACKKNIFE = "jackknife"
    PERCENTILE = "percentile"
    BASIC = "basic"
    BCA = "bca"
    GWET = "gwet"


def agreement(
    *,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV of labels, one row a label; or see --table.")
    ],
    unit: Annotated[str, typer.Option("--unit", metavar="C", help="Column of what was labelled.")] = "unit",
    worker: Annotated[
        str, typer.Option("--worker", metavar="C", help="Column of who labelled it.")
    ] = "worker",
    label: Annotated[str, typer.Option("--label", metavar="C", help="Column of labels.")] = "label",
    table: Annotated[
        bool,
        typer.Option(
            "--table", help="FILE is the joint table of two workers, names in first row and column."
        ),
    ] = False,
    spans: Annotated[
        bool,
        typer.Option(
            "--spans", help="FILE holds spans: document, worker, start, end, label, perhaps length."
        ),
    ] = False,
    categories: Annotated[
        str | None,
        typer.Option("--categories", metavar="A,B,C", help="Every category, in order; never inferred."),
    ] = None,
    scale: Annotated[Scale, typer.Option("--scale", help="Of the labels: what is shown.")] = Scale.NOMINAL,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", metavar="FILE", help="Table of agreement weights, 1 on the diagonal."),
    ] = None,
    distance: Annotated[
        str | None,
        typer.Option(
            "--distance",
            metavar="D",
            help="jaccard or masi, for sets written a|b; or a table of disagreements, 0 on the diagonal.",
        ),
    ] = None,
    repeats: Annotated[
        Repeats, typer.Option("--repeats", help="A worker's second label of a unit: refuse, or which counts.")
    ] = Repeats.ERROR,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="C", help="Clusters of the intervals: a column, or worker."),
    ] = None,
    interval: Annotated[Method, typer.Option("--interval", help="Method.")] = Method.JACKKNIFE,
    level: Annotated[float, typer.Option("--level", help="Level of the intervals.")] = 0.95,
    replicates: Annotated[int, typer.Option("--replicates", min=0, help="Of the bootstrap; 0: none.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap.")] = 0,
    value: Annotated[
        list[str] | None,
        typer.Option(
            "--value",
            metavar="C:OURS=THEIRS",
            help="A word that stands for another, like label:verify=correct; may be repeated.",
        ),
    ] = None,
    coefficient: Annotated[
        list[str] | None,
        typer.Option("--coefficient", metavar="NAME", help="This coefficient alone; may be repeated."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page of it too.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Say how far workers agree, by every coefficient side by side, each with its interval."""
    with LeaveAtOnce():
        from analysis.agreement import measure  # noqa: PLC0415 - help is quick without pandas
        from analysis.agreement.span_measure import span_agreement  # noqa: PLC0415 - the same
        from analysis.agreement.taking import are_sets  # noqa: PLC0415 - the same
        from analysis.own_words import refuse_strange  # noqa: PLC0415 - the same

    if table and spans:
        raise typer.BadParameter("a file holds a joint table or spans, not both", param_hint="--spans")
    if table and value:
        raise typer.BadParameter("not with --table, whose words are its names", param_hint="--value")
    common: dict[str, Any] = {
        "interval": interval.value,
        "level": level,
        "replicates": replicates,
        "seed": seed,
        "coefficients": coefficient or None,
    }
    if spans:
        found = span_agreement(_labels(file, value, {})[0], **common)
    else:
        named = {"unit": unit, "worker": worker, "label": label}
        labels, dialect = (None, None) if table else _labels(file, value, named)
        known = None if categories is None else [name.strip() for name in categories.split(",")]
        if labels is not None and known is not None and not are_sets(distance) and label in labels:
            refuse_strange(labels[label], "label", known, str(file))
        if dialect and labels is not None and scale in (Scale.INTERVAL, Scale.RATIO) and label in labels:
            labels[label] = numbers(labels[label].str.strip(), dialect, f"{file}: {label}")
        found = measure.agreement(
            labels,
            unit=unit,
            worker=worker,
            label=label,
            table=file if table else None,
            categories=known,
            scale=scale.value,
            weights=weights,
            distance=distance if distance is None or are_sets(distance) else Path(distance),
            repeats=repeats.value,
            cluster=cluster,
            **common,
        )
    _tell(found, file, html, as_json=as_json)


def _tell(found: Agreement, file: Path, html: Path | None, *, as_json: bool) -> None:
    """Write what was found, and say what to know about it."""
    from analysis.agreement.page import page  # noqa: PLC0415 - help is quick without pandas
    from analysis.agreement.text import readable  # noqa: PLC0415 - the same

    if html is not None:
        html.write_text(page(found, f"Agreement: {file.name}"), encoding="utf-8")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if as_json:
        typer.echo(json.dumps(found.document(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        typer.echo(readable(found))


def _labels(file: Path, value: list[str] | None, names: Mapping[str, str]) -> tuple[pd.DataFrame, Dialect]:
    """A CSV as text, and how it was saved: what is empty is empty, and nothing else means missing.

    Words of its own are replaced; their columns go by our names or by the file's.
    """
    from analysis.csv_table import whole_table  # noqa: PLC0415 - help is quick without pandas
    from analysis.own_words import translated  # noqa: PLC0415 - the same

    dialect = dialect_of(file)
    words = {names.get(column, column): said for column, said in meanings(value).items()}
    return translated(whole_table(file, dialect), words, {}, str(file)), dialect
