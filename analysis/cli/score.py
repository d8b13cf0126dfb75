"""`score`: standard precision, recall and F1 of predictions against a ground truth, from corpus files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from analysis.cli.own_names import Columns, Values, meanings, renamed
from analysis.interrupts import LeaveAtOnce

if TYPE_CHECKING:
    from analysis.study import Study

_HEAD: Final = ("source", "hits", "predicted", "gold", "precision", "recall", "F1")


class Match(StrEnum):
    """How spans must agree."""

    EXACT = "exact"
    OVERLAP = "overlap"
    ELEVANT = "elevant"


class Nil(StrEnum):
    """What becomes of links to nothing."""

    DROP = "drop"
    IGNORE = "ignore"
    REQUIRE = "require"


def score(
    *,
    gt: Annotated[
        Path | None, typer.Option("--gt", metavar="FILE", help="The ground truth; or give --judged.")
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option("--judged", metavar="BUNDLE", help="A study whose judgments speak, in place of --gt."),
    ] = None,
    to_judge: Annotated[
        Path | None,
        typer.Option("--to-judge", metavar="FILE", help="With --judged: write what to judge next as CSV."),
    ] = None,
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
    mapping: Annotated[
        Path | None,
        typer.Option("--map", metavar="FILE", help="Says which column of a table is what; for tables only."),
    ] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Put spans right whose place has one answer.")
    ] = False,
    prefix: Annotated[
        list[str] | None,
        typer.Option("--prefix", metavar="P=IRI", help="A prefix that Turtle files do not declare."),
    ] = None,
    encoding: Annotated[str, typer.Option("--encoding", help="Encoding of the files.")] = "utf-8-sig",
    redirects: Annotated[
        list[Path] | None,
        typer.Option(
            "--redirects",
            metavar="FILE",
            help="A title and its redirects a line, or titles and their Wikidata ids; may be repeated.",
        ),
    ] = None,
    match: Annotated[Match, typer.Option("--match", help="How spans must agree.")] = Match.EXACT,
    nil: Annotated[Nil, typer.Option("--nil", help="What becomes of links to nothing.")] = Nil.DROP,
    column: Columns = None,
    value: Values = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Score predictions against a ground truth, or on the judgments of a study."""
    if (gt is None) == (judged is None):
        raise typer.BadParameter("give one of --gt and --judged", param_hint="--gt")
    if to_judge is not None and judged is None:
        raise typer.BadParameter("only with --judged", param_hint="--to-judge")
    if judged is None and (column or value):
        raise typer.BadParameter("only with --judged", param_hint="--column" if column else "--value")
    with LeaveAtOnce():
        from analysis.corpora import read_documents, read_prefixes  # noqa: PLC0415 - help is quick
        from analysis.score import score as scored  # noqa: PLC0415 - the same

    prefixes = read_prefixes(prefix or [])

    def read(file: Path, known: Any = None) -> Any:
        return read_documents(
            file,
            format=kind,
            language=language,
            texts=texts,
            encoding=encoding,
            mapping=mapping,
            prefixes=prefixes,
            repair=repair,
            known=known,
            redirects=redirects or (),
        )

    named = _named(pred)
    truth = [] if gt is None else read(gt)
    study = None if judged is None else _opened(judged, column, value)
    # Predictions that come without texts are about those of the ground truth, or of the study.
    known = {document.name: document.text for document in truth} if study is None else _texts(study)
    predictions = {name: read(file, known.get) for name, file in named.items()}
    if study is not None:
        records = _on_judgments(study, predictions, to_judge)
    else:
        records = scored(truth, predictions, match=match.value, nil=nil.value)
    for warning in (warning for record in records for warning in record["warnings"]):
        typer.echo(f"warning: {warning}", err=True)
    if as_json:
        typer.echo(json.dumps({"records": records}, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        typer.echo(_table(records) if judged is None else _ranges(records))


def _opened(judged: Path, columns: list[str] | None, values: list[str] | None) -> Study:
    from analysis.load import load  # noqa: PLC0415 - help is quick without pandas

    return load(judged, columns=renamed(columns), values=meanings(values))


def _texts(study: Study) -> dict[str, str]:
    """Texts of the study's documents by name, where they are known."""
    documents = study["documents"].dropna(subset=["text"])
    return dict(zip(documents["document"].astype(str), documents["text"].astype(str), strict=True))


def _on_judgments(
    study: Study, predictions: Mapping[str, Any], to_judge: Path | None
) -> list[dict[str, Any]]:
    """Records of sources that a study never showed; what to judge next goes to a file."""
    from analysis.csv_lines import write_frame  # noqa: PLC0415 - help is quick without pandas
    from analysis.score_judged import score_judged  # noqa: PLC0415 - help is quick without pandas

    found = score_judged(study, predictions)
    if to_judge is not None:
        write_frame(found.to_judge, to_judge)
    return found.records


def _ranges(records: Sequence[Mapping[str, Any]]) -> str:
    """The records of `--judged` in aligned columns."""
    from analysis.report.words import number, percent  # noqa: PLC0415 - one way to write numbers

    head = ("source", "predicted", "unjudged", "share", "precision", "recall", "F1", "cost")
    rows: list[tuple[str, ...]] = [head]
    for record in records:
        ranges = (
            f"{number(record[f'{name}_if_wrong'])} to {number(record[f'{name}_if_right'])}"
            for name in ("precision", "recall", "f1")
        )
        cost = "not known" if record["cost"] is None else f"{record['cost']:,.2f} {record['currency']}"
        rows.append(
            (
                str(record["source"]),
                f"{record['predicted']:,}",
                f"{record['unjudged']:,}",
                percent(record["unjudged_share"]),
                *ranges,
                cost,
            )
        )
    return _aligned(rows, records)


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
    return _aligned([_HEAD, *(_row(record) for record in records)], records)


def _aligned(rows: Sequence[tuple[str, ...]], records: Sequence[Mapping[str, Any]]) -> str:
    """Rows with their columns flush, and below them why something is missing."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
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
