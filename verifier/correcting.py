"""What a study finds about its ground truth: a corrected benchmark with its patch, and the audit table."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.csv_lines import write_frame
from analysis.documents import Document
from analysis.errors import InputError, StateError
from analysis.keys import Entity
from verifier import targets
from verifier.corpus import writers
from verifier.corpus.elevant import SIMPLE
from verifier.corpus.writers.sheet import Layout
from verifier.exporting import bundle_of, documents_of, placed
from verifier.layouts import layout_of
from verifier.store import corpora
from verifier.study import CONFIG_FILE, Study

if TYPE_CHECKING:
    from analysis.ballots import Rule
    from analysis.corrections import Corrections
    from analysis.study import Study as Tables
    from verifier.fitting import Fitting, Make

PATCH: Final = ".patch.jsonl"
_MARK: Final = ".corrected"


@dataclass(frozen=True)
class Corrected:
    """What was written.

    Attributes:
        files: the benchmarks, each followed by its patch.
        changes: relink, remove and add, each with its number.
        notes: what a format has no place for, another format than it came in, a simulated crowd.
    """

    files: tuple[Path, ...]
    changes: Mapping[str, int]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Origin:
    """How the ground truth came: formats, entities before redirects, hashes of files, order of documents."""

    forms: Mapping[str, str]
    entities: Mapping[int, Entity] | None = None
    hashes: frozenset[str] = frozenset()
    places: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def write_corrected(
    path: Path,
    out: Path,
    rule: Rule,
    *,
    source: str | None = None,
    dataset: str | None = None,
    form: str | None = None,
) -> Corrected:
    """Write the ground truth with what the votes change in it, a file and a patch for each dataset.

    Args:
        path: a study folder or a bundle.
        out: the file if there is one dataset, else a new or empty folder.
        rule: what must be so before votes decide.
        source: the one to correct; None: the ground truth.
        dataset: write this one alone.
        form: one of `writers.FORMATS`; None: the format that the ground truth came in; a bundle does not know
            it, and gives posthoc JSONL.
    """
    from analysis import load  # noqa: PLC0415 - needs pandas
    from analysis.corrections import correct, corrected_documents  # noqa: PLC0415 - the same
    from verifier.fitting import fit  # noqa: PLC0415 - the same

    with bundle_of(path) as bundle:
        tables = load(bundle, gt=source)
    corrections = correct(tables, rule)
    truth = corrections.ground_truth
    origin = _origin(path, tables, truth)
    found = corrected_documents(tables, corrections, origin.entities)
    wanted = [name for name in found if dataset in (None, name)]
    if not wanted:
        raise StateError("nothing to write", got=f"dataset {dataset}", expected=", ".join(found))
    notes = [*_about(tables), *_undecided(tables, rule)]
    kinds = [writers.format_of(form or _form(origin.forms.get(name), name, notes)) for name in wanted]
    places = placed([(name, truth) for name in wanted], out, kinds, _MARK)
    for kind, (*_, file) in zip(kinds, places, strict=True):
        ours = targets.posthoc_line if kind.name == "jsonl" else None
        targets.check([file], ours, inputs=origin.hashes)
    files: list[Path] = []
    kept: list[Corrections] = []
    with writers.together(out):
        for kind, (name, _, file) in zip(kinds, places, strict=True):
            fitting = fit(
                _maker(tables, origin, name),
                corrections.of(name),
                kind,
                _layout(path, name, truth, kind.name),
            )
            language = found[name][0].language or "en"
            notes += writers.write(
                fitting.documents, file, form=kind.name, name=name, language=language, layout=fitting.layout
            )
            notes += [f"{file}: {refusal}" for refusal in fitting.refused]
            patch = file.with_name(file.name.removesuffix(kind.suffix) + PATCH)
            _write_patch(patch, fitting, name)
            files += [file, patch]
            kept.append(fitting.corrections)
    return Corrected(tuple(files), _counted(kept), tuple(notes))


def _maker(tables: Tables, origin: _Origin, dataset: str) -> Make:
    """What applies changes to the ground truth of a dataset."""
    from analysis.corrections import corrected_documents  # noqa: PLC0415 - needs pandas

    places = origin.places.get(dataset, {})

    def make(changes: Corrections) -> list[Document]:
        found = corrected_documents(tables, changes, origin.entities)[dataset]
        return sorted(found, key=lambda document: places.get(document.name, 0))

    return make


def _counted(parts: Sequence[Corrections]) -> Counter[str]:
    """How many changes of each kind there are."""
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part.header()["changes"])
    return counts


def _layout(path: Path, dataset: str, truth: str, form: str) -> Layout:
    """How the ground truth stood in its files; a bundle does not know."""
    if not (path / CONFIG_FILE).is_file():
        return Layout()
    with Study.open(path) as study, study.read() as session:
        return layout_of(session, dataset, truth, documents_of(session, dataset, truth), form)


def _about(tables: Tables) -> list[str]:
    """What to know of the judgments that findings rest on."""
    if tables["judgments"].empty:
        return ["There are no judgments yet: nothing can be found wrong, and nothing is known to be right."]
    return ["The judgments were made by a simulated crowd."] if tables.simulated else []


def _undecided(tables: Tables, rule: Rule) -> list[str]:
    """How much was judged by fewer than the rule asks for, and so stays as it is."""
    from analysis.ballots import ballots  # noqa: PLC0415 - needs pandas

    found = ballots(tables).values()
    few = sum(ballot.verdict(rule) is None for ballot in found)
    if not few:
        return []
    said = f"{few} of {len(found)} judged links have fewer than {rule.min_votes} votes and change nothing"
    return [f"{said}: --min-votes 1 lets one decide." if rule.min_votes > 1 else f"{said}."]


def _form(came: str | None, dataset: str, notes: list[str]) -> str:
    """The format to write: the one it came in, if that can be written."""
    form = "elevant-simple" if came == SIMPLE else (came or "jsonl").split()[0]
    if form in writers.FORMATS:
        return form
    notes.append(f"{dataset} came as {came}, which is not written: posthoc JSONL it is.")
    return "jsonl"


def _origin(path: Path, tables: Tables, truth: str) -> _Origin:
    if not (path / CONFIG_FILE).is_file():
        return _Origin({})
    with Study.open(path) as study, study.read() as session:
        forms = {name: corpora.format_of(session, name, truth) for name in tables.datasets}
        found = {
            name: corpora.documents_of(session, name, source)
            for name, source in corpora.pairs(session, None, truth)
        }
        entities = {
            row.id: Entity(row.kind, row.key, row.raw)  # type: ignore[arg-type]  # the column holds a Kind
            for documents in found.values()
            for _, rows in documents
            for row in rows
        }
        places = {
            name: {document.name: place for place, (document, _) in enumerate(documents)}
            for name, documents in found.items()
        }
        hashes = frozenset(corpora.files(session))
    return _Origin({name: form for name, form in forms.items() if form}, entities, hashes, places)


def _write_patch(path: Path, fitting: Fitting, dataset: str) -> None:
    """The patch of one dataset: a line that says what made it, then a change a line."""
    from analysis.corrections import patch_line  # noqa: PLC0415 - needs pandas

    head = {**fitting.corrections.header(), "dataset": dataset}
    if fitting.refused:
        head["refused"] = len(fitting.refused)
    rows = [*map(patch_line, fitting.corrections.changes)]
    rows += [{**patch_line(refusal.change), "refused": refusal.why} for refusal in fitting.refused]
    with targets.new_file(path, targets.json_with("dataset", "changes")) as file:
        for row in (head, *rows):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_audit(
    path: Path, out: Path, rule: Rule, *, source: str | None = None
) -> tuple[int, tuple[str, ...]]:
    """Write every finding about the ground truth with its evidence as CSV; how many, and what to know.

    Args:
        path: a study folder or a bundle.
        out: the CSV.
        rule: how many votes a finding needs, and what share of them is a verification.
        source: the one that is audited; None: the ground truth.
    """
    from analysis import load  # noqa: PLC0415 - needs pandas
    from analysis.audit_evidence import audit_table  # noqa: PLC0415 - the same

    with bundle_of(path) as bundle:
        tables = load(bundle, gt=source)
    if tables.ground_truth is None:
        raise InputError("no source is the ground truth", where=str(path), remedy="Name one with --source.")
    table = audit_table(tables, rule)
    with targets.new_file(out, targets.csv_of(list(table.columns))) as file:
        # Mentions hold line ends of every kind: all text is quoted.
        write_frame(table, file, quoting=csv.QUOTE_NONNUMERIC)
    return len(table), tuple(_about(tables))
