"""Opening a study for analysis: a bundle, a judgments CSV, or frames; one representation for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis import bundle
from analysis.errors import InputError, plain
from analysis.folder import MANIFEST
from analysis.frames import conform_all
from analysis.given_types import read_types
from analysis.judgments_csv import read_annotations, read_judgments
from analysis.keys import check_language
from analysis.own_words import OPTION, Words
from analysis.rows import build
from analysis.study import DEFAULT_GT, Study
from analysis.texts import attach, read_texts


def load(
    source: str | Path | pd.DataFrame | Mapping[str, pd.DataFrame],
    gt: str | None = None,
    annotations: str | Path | pd.DataFrame | None = None,
    language: str = "en",
    texts: str | Path | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    values: Words | None = None,
    types: str | Path | pd.DataFrame | None = None,
) -> Study:
    """The study in a bundle folder, a judgments CSV, a frame of its shape, or frames of the bundle's tables.

    Args:
        source: path or frames.
        gt: name of the source that is the ground truth. None: what the bundle says; `GT` for a CSV.
        annotations: only with judgments: every imported annotation, shown or not (CSV or frame with columns
            dataset, document, source, start, end, entity and, where known, confidence). A row with empty
            start, end and entity says that the source ran on the document and found nothing.
        language: of bare titles in a CSV.
        texts: of a bundle that left them out: a folder of text files, or a `.jsonl` file of documents. Each
            finds its document by its hash.
        columns: of judgments whose columns have other names: ours -> theirs, {"decision": "Verdict"}.
        values: of judgments with words of their own: {"decision": {"correct": "verify"}}.
        types: of entities, to part numbers by (`given_type`): a CSV or frame with the columns key, type.

    Raises:
        InputError: the input cannot be used; every bad row is listed.
    """
    study = _opened(source, gt, annotations, language, texts, columns=columns, values=values)
    return study if types is None else replace(study, types=read_types(types, check_language(language)))


def _opened(
    source: str | Path | pd.DataFrame | Mapping[str, pd.DataFrame],
    gt: str | None,
    annotations: str | Path | pd.DataFrame | None,
    language: str,
    texts: str | Path | None,
    *,
    columns: Mapping[str, str] | None,
    values: Words | None,
) -> Study:
    if isinstance(source, pd.DataFrame) or (not isinstance(source, Mapping) and not Path(source).is_dir()):
        rows = read_judgments(source, check_language(language), columns, values)
        extra = None if annotations is None else read_annotations(annotations, language)
        if texts is not None:
            raise InputError(
                "a judgments CSV knows no hash of its texts",
                where="texts",
                expected="a bundle",
                remedy="Leave the texts out.",
            )
        study = build(rows, extra, DEFAULT_GT if gt is None else gt, language)
        return study if gt is None else with_ground_truth(study, gt)
    if columns:
        raise InputError("a bundle names its own columns", where="--column", remedy="Leave it out.")
    if values:
        raise InputError("a bundle has our own words", where=OPTION, remedy="Leave it out.")
    if annotations is not None:
        raise InputError(
            "a bundle holds its own annotations",
            where="annotations",
            remedy="Leave the annotations file out, or give a judgments CSV.",
        )
    study = Study(conform_all(source)) if isinstance(source, Mapping) else _bundle(Path(source))
    if texts is not None:
        study = attach(study, read_texts(texts))
    return study if gt is None else with_ground_truth(study, gt)


def _bundle(path: Path) -> Study:
    if not (path / MANIFEST).is_file() and (path / "study.yaml").is_file():
        raise InputError(
            "a study folder, not a bundle",
            where=str(path),
            remedy="Run `posthoc analyze` on it, or `posthoc export` it first.",
        )
    return bundle.read(path)


def with_ground_truth(study: Study, gt: str) -> Study:
    """The study with that source, and no other, as the ground truth."""
    sources = study["sources"]
    if gt not in set(sources["source"]):
        raise InputError("no such source", where="gt", got=plain(gt), expected=", ".join(sources["source"]))
    role = pd.Series("model", index=sources.index, dtype="str").mask(sources["source"] == gt, "ground_truth")
    return Study({**study.tables, "sources": sources.assign(role=role)}, study.manifest, study.notes)
