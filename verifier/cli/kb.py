"""`posthoc kb`: build what workers see about entities and search in."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from verifier.cli.output import note, say

ORDER = 25


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(no_args_is_help=True)
    group.callback()(_group)
    group.command("build")(build)
    app.add_typer(group, name="kb")


def _group() -> None:
    """The knowledge base: what workers see about entities and search in."""


def build(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="A study folder.")],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Tab-separated, with a header: key (or qid), title (or label), description, extract, aliases"
            " (| between), popularity, url, image (a file, no address), image_credit. Only key is needed."
            " Or a dump of Wikidata, or of a Wikipedia's search index: .json, .json.gz, .json.bz2; or the"
            " pages of a Wikipedia: .xml, .xml.gz, .xml.bz2.",
        ),
    ],
    *,
    language: Annotated[
        str, typer.Option(help="Language of keys that are bare titles; of a dump, of its labels.")
    ] = "en",
) -> None:
    """Build the study's knowledge base from a table of entities or a dump; replaces the one before."""
    from analysis.errors import StateError
    from verifier.config import load_config
    from verifier.founding import CONFIG_FILE, address_of
    from verifier.kb.build import build as make
    from verifier.kb.local import LocalKb
    from verifier.plan import planning, terms
    from verifier.store.engine import missing_file
    from verifier.study import Study

    config = load_config(study / CONFIG_FILE)
    if config.kb.kind != "local":
        raise StateError(
            "this study's knowledge base is not built from a file",
            where=f"{study / CONFIG_FILE}, kb.kind",
            got=config.kb.kind,
            expected="local",
        )
    report = make(file, study / config.kb.file, language=language)
    if not missing_file(address_of(study, config)):
        with Study.open(study) as opened, opened.read() as session:
            if terms.without_kb(session):
                note(f"Note: {planning.PLANNED_WITHOUT}.")
    if report.repeated:
        note(f"{report.repeated:,} pages have a title that came before, and were passed over.")
    with closing(LocalKb(report.target)) as built:
        if not built.described(1):
            note("Nothing in it has a description: cards will show titles alone, which are hard to judge by.")
        if lacking := built.without_article():
            note(
                f"{lacking:,} items have no url: the address of an article that a worker pastes leads to them"
                " by its title alone."
            )
    say(f"Built {report.target}: {report.entities:,} entities with {report.names:,} names.")
