"""`score`: standard precision, recall and F1 of predictions against a ground truth, from corpus files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

_HEAD: Final = ("source", "hits", "predicted", "gold", "precision", "recall", "F1")


class Match(StrEnum):
    """How spans must agree."""

    EXACT = "exact"
    OVERLAP = "overlap"


class Nil(StrEnum):
    """What becomes of links to nothing."""

    DROP = "drop"
    IGNORE = "ignore"
    REQUIRE = "require"


def score(
    *,
    gt: Annotated[Path, typer.Option("--gt", metavar="FILE", help="The ground truth.")],
    pred: Annotated[
        list[str],
        typer.Option("--pred", metavar="NAME=FILE", help="Predictions of one source; may be repeated."),
    ],
    kind: Annotated[
        str, typer.Option("--format", metavar="F", help="Format of all files; auto recognises each.")
    ] = "auto",
    language: Annotated[str, typer.Option("--language", help="Of bare titles.")] = "en",
    texts: Annotated[
        Path | None,
        typer.Option("--texts", metavar="DIR", help="Folder of the texts, where they stand apart."),
    ] = None,
    match: Annotated[Match, typer.Option("--match", help="How spans must agree.")] = Match.EXACT,
    nil: Annotated[Nil, typer.Option("--nil", help="What becomes of links to nothing.")] = Nil.DROP,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Score predictions against a ground truth by matching alone."""
    from analysis.corpora import read_documents  # noqa: PLC0415 - help is quick without pandas
    from analysis.score import score as scored  # noqa: PLC0415 - the same

    def read(file: Path) -> Any:
        return read_documents(file, format=kind, language=language, texts=texts)

    named = _named(pred)
    predictions = {name: read(file) for name, file in named.items()}
    records = scored(read(gt), predictions, match=match.value, nil=nil.value)
    for warning in (warning for record in records for warning in record["warnings"]):
        typer.echo(f"warning: {warning}", err=True)
    for record in records:
        for warning in record["warnings"]:
            typer.echo(f"warning: {record['source']}: {warning}", err=True)
    if as_json:
        typer.echo(json.dumps({"records": records}, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        typer.echo(_table(records))


def _named(words: Sequence[str]) -> dict[str, Path]:
    """`NAME=FILE` words, each name once."""
    named: dict[str, Path] = {}
    for word in words:
        name, equals, file = word.partition("=")
        if not (name and equals and file):
            raise typer.BadParameter(f"{word!r} is not NAME=FILE", param_hint="--pred")
        if name in named:
            raise typer.BadParameter(f"{name!r} is given twice", param_hint="--pred")
        named[name] = Path(file)
    return named


def _table(records: Sequence[Mapping[str, Any]]) -> str:
    """The records as aligned columns, with intervals; what is undefined says why."""
    rows = [_HEAD, *(_row(record) for record in records)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEAD))]
    aligned = (
        [
            text.ljust(width) if place == 0 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    )
    reasons = [f"{record['source']}: {record['reason']}" for record in records if record.get("reason")]
    return "\n".join(["  ".join(row).rstrip() for row in aligned] + reasons)


def _row(record: Mapping[str, Any]) -> tuple[str, ...]:
    from analysis.report.words import interval, number  # noqa: PLC0415 - one way to write numbers

    scores = (
        f"{number(record[name])} {interval(record.get(f'{name}_low'), record.get(f'{name}_high'))}".strip()
        for name in ("precision", "recall", "f1")
    )
    return (str(record["source"]), *(f"{record[name]:,}" for name in ("hits", "predicted", "gold")), *scores)
