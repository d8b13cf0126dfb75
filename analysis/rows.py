"""Turning checked rows of a judgments CSV into the tables of a bundle."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.engine.counts import Codes
from analysis.frames import conform_all
from analysis.keys import NIL_KIND, NONE, UNMAPPED
from analysis.schema import SCHEMA_VERSION
from analysis.study import Study

_REASONS: Final = {NIL_KIND: "nil", UNMAPPED: "unmapped", NONE: "no_link"}
_IDENTITY: Final = ["dataset", "document", "source", "start", "end", "kind", "key"]
_UNKNOWN_K: Final = 0  # a CSV does not say how many judgments of a task were wanted
_UNCOUNTED: Final = "not counted in the file"


def build(rows: pd.DataFrame, extra: pd.DataFrame | None, gt: str, language: str) -> Study:
    """The study that rows of `read_judgments` (and of `read_annotations`) describe.

    Ids depend on the rows alone, not on their order, but for the sequence of judgments: a worker's last row
    is his voice.
    """
    annotations, code = _annotations(rows, extra)
    documents = _documents(rows, extra, language)
    segments, segment = _segments(rows, documents)
    judgment, display = _displays(rows, code)
    tasks, task = _tasks(rows, segment, judgment, display)
    tables = {
        "documents": documents,
        "sources": _sources(rows, extra, gt),
        "source_documents": _source_documents(annotations, documents, extra),
        "annotations": annotations,
        "segments": segments,
        "tasks": tasks,
        **_display_tables(rows, display, code, task),
        **_judgment_tables(rows, judgment, display),
    }
    manifest = {"schema_version": SCHEMA_VERSION, "origin": "judgments", "language": language}
    return Study(conform_all(tables), manifest, _notes(rows, extra, gt))


def _annotations(rows: pd.DataFrame, extra: pd.DataFrame | None) -> tuple[pd.DataFrame, Codes]:
    """The annotations table, and the annotation of each row."""
    shown = rows[[*_IDENTITY, "raw"]].assign(shown=True, confidence=np.nan)
    parts = [shown]
    if extra is not None:
        spans = extra.loc[extra["start"] >= 0, [*_IDENTITY, "raw", "confidence"]]
        parts.append(spans.assign(shown=False))
    every = pd.concat(parts, ignore_index=True) if len(parts) > 1 else shown
    code = _codes(every, _IDENTITY)
    grouped = every.assign(annotation=code).groupby("annotation", sort=True)
    table = (
        grouped[_IDENTITY]
        .first()
        .assign(
            raw=grouped["raw"].min(), shown=grouped["shown"].any(), confidence=grouped["confidence"].max()
        )
    )
    reason = table["kind"].map(_REASONS).fillna("not_planned")
    return table.assign(mention=None, reason=reason.mask(table["shown"])).reset_index(), code[: len(rows)]


def _documents(rows: pd.DataFrame, extra: pd.DataFrame | None, language: str) -> pd.DataFrame:
    """The documents; a CSV does not hold texts, so a document reaches as far as its last mention."""
    every = rows if extra is None else pd.concat([rows, extra])
    end = every.groupby(["dataset", "document"])["end"].max().clip(lower=0)
    return (
        end.rename("evaluation_end")
        .reset_index()
        .assign(language=language, text=None, text_sha256="", evaluation_start=0)
    )


def _sources(rows: pd.DataFrame, extra: pd.DataFrame | None, gt: str) -> pd.DataFrame:
    names = set(rows["source"].unique()) | (set() if extra is None else set(extra["source"].unique()))
    return pd.DataFrame(
        [(name, "ground_truth" if name == gt else "model", None) for name in sorted(names)],
        columns=["source", "role", "version"],
    )


def _source_documents(
    annotations: pd.DataFrame, documents: pd.DataFrame, extra: pd.DataFrame | None
) -> pd.DataFrame:
    """Every source of a dataset ran on every document of it."""
    parts = [annotations[["dataset", "source"]]]
    if extra is not None:
        parts.append(extra[["dataset", "source"]])
    sources = pd.concat(parts).drop_duplicates()
    table = documents[["dataset", "document"]].merge(sources, on="dataset")
    count = annotations.groupby(["dataset", "document", "source"]).size().rename("n").reset_index()
    table = table.merge(count, how="left", on=["dataset", "document", "source"])
    return table.assign(n=table["n"].fillna(0).astype("int64"), ran=True)


def _segments(rows: pd.DataFrame, documents: pd.DataFrame) -> tuple[pd.DataFrame, Codes]:
    """The segments, and the segment of each row. Where none is named the document is one segment."""
    names = ["dataset", "document", "segment"]
    missing = documents.merge(rows[["dataset", "document"]].drop_duplicates(), how="left", indicator=True)
    alone = missing.loc[missing["_merge"] == "left_only", ["dataset", "document", "evaluation_end"]]
    alone = alone.rename(columns={"evaluation_end": "end"}).assign(segment="", start=0)
    every = pd.concat([rows[[*names, "start", "end"]], alone], ignore_index=True)
    code = _codes(every, names)
    grouped = every.assign(code=code).groupby("code", sort=True)
    table = grouped[names].first().assign(start=grouped["start"].min(), end=grouped["end"].max())
    table = table.merge(documents, on=["dataset", "document"])
    unnamed = table["segment"] == ""
    table["start"] = table["start"].mask(unnamed, 0)
    table["end"] = table["end"].mask(unnamed, table["evaluation_end"])
    return table.assign(segment=np.arange(len(table)), weight=1.0), code[: len(rows)]


def _displays(rows: pd.DataFrame, annotation: Codes) -> tuple[Codes, Codes]:
    """Judgment and display of each row.

    A display is the set of annotations that were judged together: one, but for the rows of a pooled
    study, which repeat a judgment for each source.
    """
    judgment = np.arange(len(rows))
    named = (rows["judgment"] != "").to_numpy()
    if named.any():
        first = pd.Series(judgment[named]).groupby(rows.loc[named, "judgment"].to_numpy()).transform("last")
        judgment[named] = first.to_numpy()
    size = np.bincount(judgment, minlength=len(rows))
    pooled = np.flatnonzero(size[judgment] > 1)
    if not len(pooled):
        return judgment, np.unique(annotation, return_inverse=True)[1].astype(np.int64)
    signature = annotation.astype(object)
    credited: dict[int, set[int]] = {}
    for row in pooled:
        credited.setdefault(int(judgment[row]), set()).add(int(annotation[row]))
    for row in pooled:
        codes = credited[int(judgment[row])]
        signature[row] = tuple(sorted(codes)) if len(codes) > 1 else int(annotation[row])
    # Numbered by their annotations, so that the order of rows does not matter.
    keys, values = pd.factorize(signature)
    order = sorted(
        range(len(values)), key=lambda i: values[i] if isinstance(values[i], tuple) else (values[i],)
    )
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    return judgment, rank[keys]


def _tasks(rows: pd.DataFrame, segment: Codes, judgment: Codes, display: Codes) -> tuple[pd.DataFrame, Codes]:
    """The tasks, and the task of each display: a segment with one source, or with no source (pooled)."""
    del judgment
    shared = pd.Series(rows["source"].to_numpy()).groupby(display).transform("nunique").to_numpy() > 1
    source = rows["source"].where(~shared, "").to_numpy()
    frame = pd.DataFrame({"display": display, "segment": segment, "source": source})
    # A display stands in one task, whatever rows say of its segment: the lowest.
    frame = frame.sort_values(["display", "segment"], kind="stable").drop_duplicates("display")
    code = _codes(frame, ["segment", "source"])
    table = frame.assign(task=code).drop_duplicates("task")[["task", "segment", "source"]]
    table["source"] = table["source"].where(table["source"] != "", None)
    return table.assign(kind="real", k=_UNKNOWN_K), code


def _display_tables(rows: pd.DataFrame, display: Codes, annotation: Codes, task: Codes) -> dict[str, Any]:
    frame = pd.DataFrame(
        {
            "display": display,
            "annotation": annotation,
            "start": rows["start"].to_numpy(),
            "end": rows["end"].to_numpy(),
            "key": rows["key"].to_numpy(),
        }
    ).drop_duplicates(["display", "annotation"])
    displays = frame.drop_duplicates("display").sort_values("display", ignore_index=True)
    displays = displays.assign(task=task, card=None)
    displays["ordinal"] = displays.sort_values(["task", "start", "end", "display"]).groupby("task").cumcount()
    return {"displays": displays, "credits": frame[["display", "annotation"]]}


def _judgment_tables(rows: pd.DataFrame, judgment: Codes, display: Codes) -> dict[str, Any]:
    """Judgments with the number of their last row as sequence, and the assignments that hold them."""
    frame = rows.assign(sequence=judgment, display=display)
    frame = frame[(frame["decision"] != "") & (judgment == np.arange(len(rows)))].copy()
    # Whoever has neither a name nor an assignment is somebody new in each row.
    unknown = (frame["worker"] == "") & (frame["assignment"] == "")
    frame["alone"] = frame["sequence"].where(unknown, -1)
    identity = ["worker", "assignment", "counted", "origin", "alone"]
    frame["code"] = _codes(frame, identity)
    assignments = frame.drop_duplicates("code")
    last = frame.sort_values("sequence").duplicated(["code", "display"], keep="last")
    return {
        "assignments": pd.DataFrame(
            {
                "assignment": assignments["code"],
                "worker": assignments["worker"],
                "origin": assignments["origin"],
                "state": "submitted",
                "counted": assignments["counted"].astype("boolean"),
                "reason": pd.Series(_UNCOUNTED, index=assignments.index).where(~assignments["counted"], None),
                **dict.fromkeys(
                    (
                        "platform",
                        "claimed",
                        "submitted",
                        "active_seconds",
                        "reward",
                        "fee",
                        "bonus",
                        "currency",
                    )
                ),
            }
        ),
        "judgments": pd.DataFrame(
            {
                "assignment": frame["code"],
                "display": frame["display"],
                "decision": frame["decision"],
                "key": frame["new_key"],
                "raw": frame["new_raw"],
                "seconds": frame["seconds"],
                "opened": None,
                "sequence": frame["sequence"],
                "current": ~last.reindex(frame.index),
                "role": "worker",
            }
        ),
    }


def _notes(rows: pd.DataFrame, extra: pd.DataFrame | None, gt: str) -> tuple[str, ...]:
    notes = ["Every source counts as having run on every document of its dataset that has a row."]
    if extra is None:
        notes.append(
            "Annotations that were not shown are not in the file: scores against the ground truth know only"
            " what was shown."
        )
    if (rows["segment"] == "").all():
        notes.append("Segments are not named: each document counts as one segment.")
    if not (rows["source"] == gt).any():
        notes.append(f"No row has the source {gt}: there is no ground truth to compare with.")
    return tuple(notes)


def _codes(frame: pd.DataFrame, columns: list[str]) -> Codes:
    """One number per row, equal where all columns are, in the sorted order of the columns' values."""
    code: Codes = np.zeros(len(frame), dtype=np.int64)
    for name in columns:
        values = frame[name]
        if pd.api.types.is_string_dtype(values.dtype):
            values = values.fillna("")
        one, uniques = pd.factorize(values, sort=True)
        code = pd.factorize(code * (len(uniques) + 1) + one, sort=True)[0].astype(np.int64)
    return code
