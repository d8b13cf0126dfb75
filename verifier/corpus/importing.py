"""Imports corpus files into a study, whole or not at all: every fault is told before anything is kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from analysis.documents import Document
from analysis.errors import InputError, Problem, StateError, plain
from verifier.config import DatasetSection, SourceSection
from verifier.corpus import comparing
from verifier.corpus.reading import Reading, difference, read_file
from verifier.corpus.redirects import Redirects, read_redirects
from verifier.corpus.rows import shown
from verifier.store import corpora, redirects

if TYPE_CHECKING:
    from verifier.store import Session
    from verifier.store.corpora import Stored
    from verifier.study import Study

LONGEST_NAME: Final = 500  # characters of a document's name
_FEW: Final = 3
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")


@dataclass(frozen=True)
class Request:
    """What is to be imported, and how.

    Attributes:
        files: corpus files, all of one source.
        dataset, source: where they belong.
        format: one of `detect.FORMATS`.
        texts: folder of texts for documents that come without.
        encoding: of the files, and of the texts in that folder.
        mapping: a file that says which column of a table is what.
        prefixes: IRI by prefix, for those that Turtle files use without declaring them.
        repair: put spans right whose place has one answer.
        redirects: files of redirects, and of Wikidata ids of titles, to put in force together.
        on_bad: refuse the whole import for a bad row, or leave the bad rows out.
        replace: take away what the source has in the dataset first.
    """

    files: tuple[Path, ...]
    dataset: str
    source: str
    format: str = "auto"
    texts: Path | None = None
    encoding: str = "utf-8-sig"
    mapping: Path | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)
    repair: bool = False
    redirects: tuple[Path, ...] = ()
    on_bad: Literal["refuse", "drop"] = "refuse"
    replace: bool = False


@dataclass
class FileReport:
    """What became of one file.

    Attributes:
        same_texts: documents that were there already, their texts equal to the last character.
        kinds: annotations by kind of entity.
        overlapping: annotations that overlap another of the file; they are kept.
        outside: annotations outside of the evaluation span that the file gives; they are kept and not shown.
        spaces: annotations that begin or end with white space, which is another span than the mention's.
        nil_spellings: how often each spelling of NIL was met.
        schemes: links by the scheme of their keys.
        shared: by other source, how many of the items here it has too.
        audit: how many spans were of which kind.
        audited: the same by document, for documents with a span that is not right as given.
        repaired: the spans that were put right, as messages.
    """

    file: str
    format: str
    why: str
    unchanged: bool = False
    documents: int = 0
    new_documents: int = 0
    annotations: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    same_texts: int = 0
    overlapping: int = 0
    outside: int = 0
    spaces: int = 0
    nil_spellings: dict[str, int] = field(default_factory=dict)
    schemes: dict[str, int] = field(default_factory=dict)
    shared: dict[str, int] = field(default_factory=dict)
    audit: dict[str, int] = field(default_factory=dict)
    audited: dict[str, dict[str, int]] = field(default_factory=dict)
    repaired: list[str] = field(default_factory=list)


@dataclass
class ImportReport:
    """What an import did, or would do.

    Attributes:
        notes: what should be known: defaults taken, keys ignored, a plan dropped.
        dropped: bad rows left out, as messages.
        refused: of a dry run: the bad rows for which the import would be refused.
        redirects: how many are in force now; None if none were given.
        redirected: source -> how many links the redirects lead elsewhere, and how many it has; where any were
            given.
    """

    dataset: str
    source: str
    files: list[FileReport] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)
    redirects: int | None = None
    redirected: dict[str, tuple[int, int]] = field(default_factory=dict)


def import_files(study: Study, request: Request, *, now: datetime, dry_run: bool = False) -> ImportReport:
    """Import files of one source into one dataset.

    Args:
        study: where to.
        request: what and how.
        now: the time put down.
        dry_run: do everything, then throw it away.

    Raises:
        InputError: bad rows, all of them; nothing was kept. A dry run reports them instead.
        StateError: a changed file, or a replacement after tasks were drawn.
    """
    report = ImportReport(request.dataset, request.source)
    dataset, source = _declared(study, request, report.notes)
    readings = [
        read_file(
            path,
            format=request.format,
            language=dataset.language,
            texts=request.texts,
            encoding=request.encoding,
            mapping=request.mapping,
            prefixes=request.prefixes,
            repair=request.repair,
            known=_Known(study, request.dataset),
        )
        for path in request.files
    ]
    given = _redirects(request, dataset.language)
    with study.read() if dry_run else study.write(alone=True) as session:
        work = _Import(session, request, report, now, dry_run=dry_run)
        work.run(dataset, source, readings, given)
    return report


class _Import:
    """One import within one transaction."""

    def __init__(
        self, session: Session, request: Request, report: ImportReport, now: datetime, *, dry_run: bool
    ) -> None:
        self.session, self.request, self.report, self.now = session, request, report, now
        self.dry_run = dry_run
        self.problems: list[Problem] = []
        self.seen: dict[str, tuple[Path, Document]] = {}
        self.dataset = self.source = 0
        self.targets: dict[str, str] = {}

    def run(
        self,
        dataset: DatasetSection,
        source: SourceSection,
        readings: Sequence[Reading],
        given: Redirects | None,
    ) -> None:
        """Everything, in order; what is raised undoes it all."""
        names = self.request.dataset, self.request.source
        self.dataset = corpora.ensure_dataset(self.session, names[0], dataset.language, dataset.licence)
        self.source = corpora.ensure_source(self.session, names[1], source.role, source.version)
        if self.request.replace:
            self._replace()
        known = set(corpora.imported(self.session, self.dataset, self.source))
        chosen = []
        for reading in readings:
            if reading.sha256 in known:
                self.report.files.append(
                    FileReport(str(reading.path), reading.format, reading.why, unchanged=True)
                )
                self._keep_layout_late(reading)
            else:
                known.add(reading.sha256)
                chosen.append(self._fit(reading, dataset.language))
        if given:
            self.problems += given.problems
        self._judge()
        if given:
            redirects.take(self.session, given.name, given.sha256, given.targets, self.now)
        self.targets = redirects.current(self.session) if chosen else {}
        for reading, documents, stored in chosen:
            self._keep(reading, documents, stored)
        if given:
            self._report_redirects(given)

    def _replace(self) -> None:
        if corpora.is_drawn(self.session):
            raise StateError(
                "tasks of this study have been drawn: nothing imported can be replaced",
                remedy="Import the new file as another source with --as NAME.",
            )
        if corpora.is_planned(self.session):
            corpora.drop_plan(self.session)
            self.report.notes.append("The plan was taken away with what it planned: plan again.")
        corpora.clear(self.session, self.dataset, self.source)

    def _fit(self, reading: Reading, language: str) -> tuple[Reading, list[Document], dict[str, Stored]]:
        """The documents of a file that can be kept; the others are put down as problems."""
        self.problems += reading.problems
        self.report.notes += [f"{reading.path}: {note}" for note in reading.notes]
        if reading.ignored:
            self.report.notes.append(f"{reading.path}: keys that were not read: {', '.join(reading.ignored)}")
        names = [document.name for document in reading.documents]
        stored = corpora.stored_documents(self.session, self.dataset, self.source, names)
        self._refuse_changed(reading, stored)
        fitting = []
        for document in reading.documents:
            fault = _name_fault(document, reading.path) or self._fault(
                document, reading.path, stored.get(document.name), language
            )
            if fault is None:
                self.seen[document.name] = reading.path, document
                fitting.append(document)
            else:
                self.problems.append(fault)
        return reading, fitting, stored

    def _refuse_changed(self, reading: Reading, stored: dict[str, Stored]) -> None:
        again = [document for document in reading.documents if (s := stored.get(document.name)) and s.ran]
        if again:
            source, dataset = self.request.source, self.request.dataset
            raise StateError(
                f"the source {source} has annotated these documents already, in a file with other bytes",
                where=f"{reading.path}:{again[0].line}",
                got=f"{len(again)} documents, first {shown(again[0].name)}",
                remedy=f"While nothing is drawn, --replace first takes away what {source} has in {dataset};"
                " --as NAME imports this as another source.",
            )

    def _fault(self, document: Document, path: Path, stored: Stored | None, language: str) -> Problem | None:
        """Why a document cannot be kept; None if it can."""
        where = f"{path}:{document.line}"
        if (other := self.seen.get(document.name)) is not None:
            what = f"the document {shown(document.name)} stands in two files"
            return Problem(what, where, f"{other[0]}:{other[1].line} too", "each document once")
        if document.language not in (None, language):
            return Problem(
                "the document is in another language than its dataset",
                where,
                str(document.language),
                language,
                "Declare the dataset's language in study.yaml, or import the document into another dataset.",
            )
        if stored is None:
            return None
        if stored.text != document.text:
            return Problem(
                f"two texts for the document {shown(document.name)}: another one is imported",
                where,
                difference(stored.text, document.text),
                remedy="A document's text never changes: name another dataset if these are other texts.",
            )
        if document.evaluation in (None, stored.evaluation) or self._may_set(stored):
            return None
        was = f"{stored.evaluation.start} to {stored.evaluation.end}, as imported"
        return Problem(
            "another evaluation span than before", where, str(tuple(document.evaluation or ())), was
        )

    @staticmethod
    def _may_set(stored: Stored) -> bool:
        """Whether no file has yet said which part of the document counts, and nothing was cut."""
        return not stored.cut and stored.evaluation == (0, len(stored.text))

    def _judge(self) -> None:
        """Refuse for the bad rows, all at once (a dry run goes on to its report), or put them down."""
        if self.problems and self.request.on_bad == "refuse":
            if not self.dry_run:
                raise InputError.of(self.problems)
            self.report.refused += self.problems
            return
        self.report.dropped += [str(problem) for problem in self.problems]

    def _keep(self, reading: Reading, documents: list[Document], stored: dict[str, Stored]) -> None:
        origin = corpora.Origin(
            reading.path.name, reading.sha256, reading.format, f"posthoc {version('posthoc')}"
        )
        file = corpora.add_file(self.session, self.dataset, self.source, origin, self.now)
        if reading.layout is not None:
            corpora.keep_layout(self.session, file, reading.layout)
        new = [document for document in documents if document.name not in stored]
        rows = corpora.add_documents(self.session, self.dataset, file, new)
        for document in documents:
            before = stored.get(document.name)
            if before and document.evaluation not in (None, before.evaluation):
                corpora.set_evaluation(self.session, before.id, document.evaluation)
            if before:
                rows[document.name] = before.id
        placed = [(rows[document.name], document) for document in documents]
        there = [(row, document) for row, document in placed if document.name in stored]
        shared, theirs = corpora.shared_items(self.session, self.source, there, self.targets)
        duplicates = corpora.add_annotations(self.session, self.source, placed)
        made = FileReport(
            file=str(reading.path),
            format=reading.format,
            why=reading.why,
            documents=len(documents),
            new_documents=len(new),
            same_texts=len(there),
            duplicates=duplicates,
            shared=shared,
            **comparing.described(documents, reading),
        )
        self.report.files.append(made)
        annotations = (a for document in documents for a in document.annotations)
        if warning := comparing.foreign(comparing.schemes(annotations, self.targets), theirs):
            self.report.notes.append(f"{reading.path}: {warning}")
        self._note(file, reading)

    def _keep_layout_late(self, reading: Reading) -> None:
        """Keep the layout of a file that was imported before layouts were kept."""
        if reading.layout is None:
            return
        file = corpora.file_of(self.session, self.dataset, self.source, reading.sha256)
        if corpora.keep_layout(self.session, file, reading.layout):
            self.report.notes.append(f"{reading.path}: its layout is kept now, to be written again.")

    def _note(self, file: int, reading: Reading) -> None:
        """Put down with the import what was decided in it: rules, spans put right, rows left out."""
        dropped = [problem for problem in self.problems if problem.where.startswith(f"{reading.path}:")]
        decided = {
            "notes": list(reading.notes),
            "repaired": [str(problem) for problem in reading.repaired],
            "dropped": [str(problem) for problem in dropped],
        }
        if any(decided.values()):
            corpora.note_import(self.session, file, {"file": reading.path.name, **decided}, self.now)

    def _report_redirects(self, given: Redirects) -> None:
        """What was read, and what it changes in all sources, in the words of a note."""
        self.report.redirects = len(given.targets)
        self.report.redirected = redirects.effect(self.session)
        self.report.notes.append(given.told())
        if not self.report.redirected:
            return
        changed = (f"{n} of {links} links of {name}" for name, (n, links) in self.report.redirected.items())
        most = redirects.commonest(self.session, _FEW)
        examples = "; ".join(f"{key} -> {target} ({times})" for key, target, times in most)
        said = f"The redirects lead elsewhere: {', '.join(changed)}."
        self.report.notes.append(f"{said} Most often: {examples}." if most else said)


class _Known:
    """The texts of a dataset that are in the study, asked for at the first need."""

    def __init__(self, study: Study, dataset: str) -> None:
        self._study, self._dataset = study, dataset
        self._texts: dict[str, str] | None = None

    def __call__(self, name: str) -> str | None:
        if self._texts is None:
            with self._study.read() as session:
                self._texts = corpora.texts_of(session, self._dataset)
        return self._texts.get(name)


def _declared(study: Study, request: Request, notes: list[str]) -> tuple[DatasetSection, SourceSection]:
    """What study.yaml says of dataset and source, or the defaults, said so."""
    for label, name in (("--dataset", request.dataset), ("--source", request.source)):
        if not _NAME.match(name):
            raise InputError(
                "not a name", where=label, got=plain(name), expected="letters, digits, dot, dash, underscore"
            )
    dataset = study.config.datasets.get(request.dataset)
    if dataset is None:
        dataset = DatasetSection()
        others = _declared_are(study.config.datasets)
        notes.append(
            f"The dataset {request.dataset} is not declared in study.yaml{others}: taken as language en."
        )
    source = study.config.sources.get(request.source)
    if source is None:
        source = SourceSection(role="ground_truth" if request.source == "GT" else "model")
        role = source.role.replace("_", " ")
        others = _declared_are(study.config.sources)
        notes.append(f"The source {request.source} is not declared in study.yaml{others}: taken as a {role}.")
    return dataset, source


def _declared_are(names: Iterable[str]) -> str:
    """What is declared, for who has misspelt it."""
    declared = ", ".join(names)
    return f" ({declared} {'are' if ',' in declared else 'is'})" if declared else ""


def _name_fault(document: Document, path: Path) -> Problem | None:
    """Why a document cannot be called so; None if it can."""
    if len(document.name) <= LONGEST_NAME and _plain(document.name):
        return None
    return Problem(
        "not a document's name",
        f"{path}:{document.line}",
        shown(document.name),
        f"at most {LONGEST_NAME} characters, none of them a control character",
    )


def _plain(name: str) -> bool:
    """Whether every letter of a name can be shown: no control character, no line break."""
    return not any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in name)


def _redirects(request: Request, language: str) -> Redirects | None:
    if not request.redirects:
        return None
    return read_redirects(request.redirects, language=language, encoding=request.encoding)
