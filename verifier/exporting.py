"""What leaves a study: the bundle, a table of judgments, its corpora; never anything from the vault."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from analysis.csv_lines import write_rows
from analysis.documents import Annotation, Document, Span
from analysis.errors import InputError, StateError
from analysis.keys import NIL, NIL_KIND, NONE, OTHER, UNMAPPED, Entity
from verifier import targets
from verifier.corpus import writers
from verifier.layouts import layout_of
from verifier.store import corpora, export
from verifier.study import CONFIG_FILE, Study

if TYPE_CHECKING:
    import pandas as pd

    from verifier.store import Session

JUDGMENTS: Final = (
    *("dataset", "document", "source", "start", "end", "entity", "worker", "decision", "new_entity"),
    *("assignment", "segment", "seconds", "counted", "judgment", "origin"),
)
ANNOTATIONS: Final = ("dataset", "document", "source", "start", "end", "entity", "confidence")
MISSING: Final = (
    *("dataset", "document", "start", "end", "mention"),
    *("worker", "assignment", "counted", "origin"),
)
# How the kinds that are no link stand in a column of entities.
_ENTITIES: Final = {NIL_KIND: NIL, UNMAPPED: "<NO_MAPPING>", NONE: ""}


def write_bundle(study: Study, folder: Path, *, text: bool = True) -> Path:
    """Write the study's bundle; the same study gives the same bytes.

    Args:
        study: an open study.
        folder: the bundle; an old bundle there is replaced, anything else refused.
        text: with the texts, or with their hashes alone.
    """
    from analysis import bundle  # noqa: PLC0415 - needs pandas
    from verifier.chosen import with_chosen  # noqa: PLC0415 - the same

    with study.read() as session:
        tables = export.tables(session, text=text)
        taken = export.snapshot(session)
        cut = export.splitting(session)
        origin, plan = export.fact(session, "origin"), export.fact(session, "plan_sha256")
        seed, sampling = export.fact(session, "seed"), export.fact(session, "sampling")
        lock = export.fact(session, "lock")
    manifest: dict[str, Any] = {
        "config": public_config(study),
        "seeds": {"study": int(seed or study.config.study.seed)},
        "redirects": taken and {**vars(taken), "taken": taken.taken.isoformat()},
        "splitter": cut and vars(cut),
        "origin": origin,
        "plan_sha256": plan,
        "sampling": json.loads(sampling) if sampling else None,
        "lock": json.loads(lock) if lock else None,
    }
    tables["cards"] = with_chosen(study, tables)
    return bundle.write(tables, manifest, folder)


def public_config(study: Study) -> dict[str, Any]:
    """The configuration, without what opens the database."""
    values = study.config.model_dump(mode="json")
    values["database"] = study.store.url.get_backend_name()
    return values


@contextmanager
def bundle_of(path: Path) -> Iterator[Path]:
    """What the analysis reads for a path: of a study folder a bundle made for the moment, else the path."""
    if not (path / CONFIG_FILE).is_file():
        yield path
        return
    with TemporaryDirectory(prefix="posthoc-") as folder:
        with Study.open(path) as study:
            write_bundle(study, Path(folder) / "bundle")
        yield Path(folder) / "bundle"


def write_judgments(study: Study, path: Path, annotations: Path | None = None) -> int:
    """Write one row per shown annotation and worker as CSV; how many there were.

    A shown annotation that nobody judged has a row with an empty decision.

    Args:
        study: an open study.
        path: the CSV.
        annotations: a second CSV, for every imported annotation, shown or not: what the analysis needs beside
            the judgments to know of NIL and of sources that found nothing.
    """
    targets.check([path], targets.csv_of(JUDGMENTS))
    if annotations is not None:
        targets.check([annotations], targets.csv_of(ANNOTATIONS))
        targets.check_distinct([path, annotations])
    with study.read() as session:
        tables = export.tables(session, text=False)
    rows = judgment_rows(tables)
    _write_csv(path, JUDGMENTS, rows)
    if annotations is not None:
        _write_csv(annotations, ANNOTATIONS, annotation_rows(tables))
    return len(rows)


def write_missing(study: Study, path: Path, *, text: bool = True) -> int:
    """Write the mentions that workers missed as CSV, one row per worker and mention; how many there were.

    Args:
        study: an open study.
        path: the CSV.
        text: with the words, or without.
    """
    targets.check([path], targets.csv_of(MISSING))
    with study.read() as session:
        tables = export.tables(session, text=text)
    made = tables["assignments"][["assignment", "worker", "counted", "origin"]]
    rows = tables["missing_mentions"].merge(made, on="assignment")
    rows = rows.sort_values(["dataset", "document", "start", "end", "assignment"], kind="stable")
    rows["mention"] = rows["mention"].fillna("")
    rows["counted"] = [int(counted is True) for counted in rows["counted"]]
    _write_csv(path, MISSING, rows[list(MISSING)].to_numpy().tolist())
    return len(rows)


def judgment_rows(tables: Mapping[str, pd.DataFrame]) -> list[list[Any]]:
    """The rows of a judgments CSV, by annotation, then in the order judged."""
    shown = tables["annotations"].query("shown").merge(tables["credits"], on="annotation")
    shown = shown.merge(tables["displays"][["display", "task"]], on="display")
    shown = shown.merge(tables["tasks"][["task", "segment"]], on="task")
    judged = tables["judgments"].query("current and role == 'worker'")
    by = ["assignment", "worker", "counted", "origin"]
    judged = judged.merge(tables["assignments"][by], on="assignment")
    judged = judged.rename(columns={"key": "new_key"})[
        ["display", "decision", "new_key", "seconds", "sequence", *by]
    ]
    rows = shown.merge(judged, on="display", how="left").sort_values(
        ["annotation", "display", "assignment"], kind="stable"
    )
    return [_judgment_row(row) for row in rows.to_dict("records")]


def annotation_rows(tables: Mapping[str, pd.DataFrame]) -> list[list[Any]]:
    """The rows of an annotations CSV; a source that found nothing in a document has one without a span.

    What is no entity (a quantity, a date) is left out: the format has no word for it.
    """
    rows = [
        [
            *(row[name] for name in ANNOTATIONS[:5]),
            _ENTITIES.get(row["kind"], row["key"]),
            _number(row["confidence"]),
        ]
        for row in tables["annotations"].to_dict("records")
        if row["kind"] != OTHER
    ]
    found = {tuple(row[:3]) for row in rows}
    ran = tables["source_documents"].query("ran")[["dataset", "document", "source"]]
    empty = sorted(set(ran.itertuples(index=False, name=None)) - found)
    return rows + [[*where, "", "", "", ""] for where in empty]


def _number(value: float | None) -> float | str:
    return "" if value is None or math.isnan(value) else value


def _write_csv(path: Path, heading: tuple[str, ...], rows: list[list[Any]]) -> None:
    with targets.new_file(path, targets.csv_of(heading)) as file:
        write_rows(file, [heading, *rows])


def _judgment_row(row: Mapping[Any, Any]) -> list[Any]:
    identity = [row[name] for name in ("dataset", "document", "source", "start", "end", "key")]
    if not isinstance(row["decision"], str):
        return [*identity, "", "", "", "", row["segment"], "", "", "", ""]
    assignment = int(row["assignment"])
    return [
        *identity,
        row["worker"],
        row["decision"],
        row["new_key"] if isinstance(row["new_key"], str) else "",
        assignment,
        row["segment"],
        row["seconds"],
        int(row["counted"] is True),
        f"{assignment}.{int(row['sequence'])}",
        row["origin"],
    ]


def write_corpora(
    study: Study,
    out: Path,
    *,
    dataset: str | None = None,
    source: str | None = None,
    text: bool = True,
    form: str = "jsonl",
    tell: Callable[[str], None] = lambda _note: None,
) -> list[Path]:
    """Write what was imported, a file for each dataset and source.

    Args:
        study: an open study.
        out: the file if there is one dataset and one source to write, else a new or empty folder.
        dataset: write this one alone.
        source: write this one alone.
        text: with the texts, or without.
        form: one of `writers.FORMATS`.
        tell: is told what the format has no place for.
    """
    writer = writers.format_of(form)
    with study.read() as session:
        pairs = corpora.pairs(session, dataset, source)
        if not pairs:
            raise StateError("nothing to write", remedy=corpora.known_names(session))
        places = placed(pairs, out, [writer] * len(pairs))
        ours = targets.posthoc_line if form == "jsonl" else None
        targets.check([path for *_, path in places], ours, inputs=corpora.files(session))
        with writers.together(out):
            for name, maker, path in places:
                found = documents_of(session, name, maker)
                notes = writers.write(
                    found,
                    path,
                    form=form,
                    name=name,
                    language=corpora.language_of(session, name),
                    text=text,
                    layout=layout_of(session, name, maker, found, form),
                )
                for note in notes:
                    tell(note)
    return [path for *_, path in places]


def placed(
    pairs: Sequence[tuple[str, str]], out: Path, forms: Sequence[writers.Writer], mark: str = ""
) -> list[tuple[str, str, Path]]:
    """Dataset, source and file of each corpus: `out` itself if it is one and `out` has an ending.

    Raises:
        InputError: the folder holds something.
    """
    if len(pairs) == 1 and out.suffix != "":
        return [(*pairs[0], out)]
    if out.exists() and not out.is_dir():
        what = f"no folder, and there are {len(pairs)} files to write" if out.suffix else "no folder"
        raise InputError(what, where=str(out), remedy="Name a new folder.")
    if out.exists() and any(out.iterdir()):
        raise InputError("the folder is not empty", where=str(out), remedy="Name a new folder.")
    files = []
    for (dataset, source), form in zip(pairs, forms, strict=True):
        name = f"{dataset}.{source}{mark}"
        # Where texts stand beside the file, every corpus has a folder of its own.
        folder = out / name if form.texts else out
        files.append((dataset, source, folder / f"{name}{form.suffix}"))
    return files


def documents_of(session: Session, dataset: str, source: str) -> list[Document]:
    """The documents of a dataset that a source ran on, with its annotations, as they were imported."""
    return [_document(*pair) for pair in corpora.documents_of(session, dataset, source)]


def _document(row: Any, annotations: list[Any]) -> Document:
    whole = (row.evaluation_start, row.evaluation_end) == (0, len(row.text))
    made = tuple(
        Annotation(Span(a.start, a.end), Entity(a.kind, a.key, a.raw), a.confidence) for a in annotations
    )
    evaluation = None if whole else Span(row.evaluation_start, row.evaluation_end)
    return Document(row.name, row.text, made, evaluation)
