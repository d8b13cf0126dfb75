"""`posthoc import`: documents with the annotations of one source, into a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.output import note, say, say_json

if TYPE_CHECKING:
    from verifier.corpus.importing import FileReport, ImportReport

ORDER = 20
_FEW = 10


class OnBad(StrEnum):
    """What to do about rows that cannot be used."""

    REFUSE = "refuse"
    DROP = "drop"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_)


def import_(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The study folder.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Corpus files, .gz too.")],
    *,
    dataset: Annotated[str, typer.Option(help="The dataset they belong to.")],
    source: Annotated[str, typer.Option(help="Who made the annotations: GT, or a model's name.")],
    file_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="F",
            help="auto, jsonl, elevant, wned, aida, nif, rel, csv, neleval or conel; auto says what it is.",
        ),
    ] = "auto",
    texts: Annotated[Path | None, typer.Option(help="Folder of texts for documents without.")] = None,
    redirects: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="To put in force: a title and its redirects a line, or titles and their Wikidata ids."
            " May be repeated.",
        ),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option("--map", metavar="FILE", help="Says which column of a table is what.")
    ] = None,
    on_bad: Annotated[
        OnBad, typer.Option(help="Refuse the import for bad rows, or leave them out.")
    ] = OnBad.REFUSE,
    repair: Annotated[
        bool, typer.Option("--repair", help="Put spans right whose place has one answer; each is told.")
    ] = False,
    prefix: Annotated[
        list[str] | None,
        typer.Option("--prefix", metavar="P=IRI", help="A prefix that Turtle files do not declare."),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the files, and of texts.")] = "utf-8-sig",
    replace: Annotated[
        bool, typer.Option("--replace", help="First take away what the source has in the dataset.")
    ] = False,
    as_name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Import under another source name.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen; keep nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The report as JSON.")] = False,
) -> None:
    """Import corpus files, whole or not at all; every bad row is told with its line."""
    from analysis.corpora import read_prefixes
    from analysis.errors import InputError
    from verifier import clock
    from verifier.corpus.importing import Request, import_files
    from verifier.study import Study

    if replace and as_name:
        raise typer.BadParameter("--replace and --as exclude each other", param_hint="--replace")
    request = Request(
        files=tuple(files),
        dataset=dataset,
        source=as_name or source,
        format=file_format,
        texts=texts,
        encoding=encoding,
        mapping=mapping,
        prefixes=read_prefixes(prefix or []),
        repair=repair,
        redirects=tuple(redirects or ()),
        on_bad=on_bad.value,
        replace=replace,
    )
    with Study.open(study) as opened:
        report = import_files(opened, request, now=clock.now(), dry_run=dry_run)
    for line in report.notes:
        note(line)
    for line in report.dropped:
        note(f"left out: {line}")
    if json:
        say_json(report)
    else:
        _say(report, dry_run=dry_run)
    if report.refused:
        raise InputError.of(report.refused)


def _say(report: ImportReport, *, dry_run: bool) -> None:
    for file in report.files:
        say(_line(file, report))
        for detail in () if file.unchanged else _details(file):
            say(f"  {detail}")
        for repair in file.repaired:
            note(repair)
    if report.dropped:
        say(f"{len(report.dropped)} bad rows were left out.")
    if report.refused:
        say(f"{len(report.refused)} bad rows: the import would be refused; --on-bad drop leaves them out.")
    if dry_run:
        say("This was a dry run: nothing was kept.")


def _line(file: FileReport, report: ImportReport) -> str:
    if file.unchanged:
        return f"{file.file}: imported before with the same bytes, nothing to do."
    line = f"{file.file}: {file.format} ({file.why}); {report.source} in {report.dataset}: "
    line += f"{file.documents} documents ({file.new_documents} new), {file.annotations} annotations"
    line += f" ({_counts(file.kinds)})" if file.kinds else ""
    return line + (f", {file.duplicates} of them duplicates" if file.duplicates else "")


def _details(file: FileReport) -> Iterator[str]:
    """What a person may act on: ids, NIL, the offset audit, and what is there already."""
    if file.schemes:
        yield f"keys: {_counts(file.schemes)}"
    if file.nil_spellings:
        yield f"NIL: {_counts(file.nil_spellings)}"
    counted = {
        "overlap another and are kept": file.overlapping,
        "lie outside of the evaluation span and are kept, not shown": file.outside,
        "begin or end with white space, which makes them other spans than the mention's": file.spaces,
    }
    for said, count in counted.items():
        if count:
            yield f"{count} annotations {said}"
    if file.audit:
        yield f"offset audit: {_counts(file.audit)}"
    for name, kinds in list(file.audited.items())[:_FEW]:
        yield f"  {name}: {_counts(kinds)}"
    if len(file.audited) > _FEW:
        yield f"  and {len(file.audited) - _FEW} more documents (--json lists all)"
    if file.same_texts:
        yield f"{file.same_texts} texts are equal to those already imported, to the last character"
    among = ", those outside of the evaluation span counted in" if file.outside else ""
    for name, count in file.shared.items():
        yield f"items that {name} has too: {count} of {file.kinds.get('link', 0)} links{among}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what or 'empty'}" for what, count in counts.items())
