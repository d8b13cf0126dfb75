"""Spans that workers marked in documents, as codes, read from a table under named rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.agreement.labels import text_of
from analysis.engine.counts import Codes
from analysis.errors import InputError, Problem, plain

_NEEDED: Final = ("document", "worker", "start", "end", "label")
_SHOWN: Final = 5


@dataclass(frozen=True)
class Marks:
    """Spans of several workers; entry by entry, sorted.

    Attributes:
        document: of each span.
        worker: who marked it.
        start: first position.
        end: one past the last.
        label: its label's code.
        documents: names.
        workers: names.
        labels: names.
        done: documents x workers: whether the worker worked on the document, marks or none.
        length: of each document; -1 where it is not known.
        notes: what was done to the table on the way.
    """

    document: Codes
    worker: Codes
    start: Codes
    end: Codes
    label: Codes
    documents: tuple[str, ...]
    workers: tuple[str, ...]
    labels: tuple[str, ...]
    done: np.ndarray[Any, np.dtype[np.bool_]]
    length: Codes
    notes: tuple[str, ...] = field(default=())


def read(table: pd.DataFrame) -> Marks:
    """The spans of a table: document, worker, start, end, label and, where known, length.

    A row without start, end and label says that the worker marked nothing there. A label may be empty.

    Raises:
        InputError: a column is missing, or a span does not lie in its document.
    """
    if missing := [name for name in _NEEDED if name not in table.columns]:
        raise InputError(
            f"no column {', '.join(map(repr, missing))}",
            got=", ".join(map(str, table.columns)),
            expected=", ".join(_NEEDED),
        )
    if not len(table):
        raise InputError("there is no row in the table")
    text = table.map(lambda value: "" if _missing(value) else text_of(value)).reset_index(drop=True)
    documents, document = _coded(text["document"])
    workers, worker = _coded(text["worker"])
    start, end = (_whole(text[name], name) for name in ("start", "end"))
    length = _lengths(text, document, len(documents))
    nothing = (start < 0) & (end < 0)
    _check(text, start, end, nothing, length[document])
    done = np.zeros((len(documents), len(workers)), dtype=bool)
    done[document, worker] = True
    labels, label = _coded(text["label"][~nothing])
    rows = np.stack([document[~nothing], worker[~nothing], start[~nothing], end[~nothing], label], axis=1)
    distinct = np.unique(rows, axis=0) if len(rows) else rows
    repeated = len(rows) - len(distinct)
    notes = (f"{repeated:,} rows repeat a span of the same worker and label; they count once",)
    where, who, first, last, what = (np.ascontiguousarray(column) for column in distinct.T)
    return Marks(
        where, who, first, last, what, documents, workers, labels, done, length, notes if repeated else ()
    )


def _missing(value: Any) -> bool:
    return value is None or value == "" or bool(pd.isna(value))


def _coded(column: pd.Series) -> tuple[tuple[str, ...], Codes]:
    names = sorted(set(column))
    return tuple(names), pd.Index(names).get_indexer(pd.Index(column)).astype(np.int64)


def _whole(column: pd.Series, name: str) -> Codes:
    """Whole numbers; -1 where empty."""
    bad = column[(column != "") & ~column.str.fullmatch(r"\d{1,15}")]
    if len(bad):
        raise InputError.of(
            [
                Problem(f"{name} is no whole number", where=f"row {int(str(row)) + 1}", got=plain(value))
                for row, value in bad.iloc[:_SHOWN].items()
            ]
        )
    return np.asarray(column.where(column != "", "-1"), dtype=object).astype(np.int64)


def _lengths(text: pd.DataFrame, document: Codes, documents: int) -> Codes:
    length = np.full(documents, -1, dtype=np.int64)
    if "length" in text.columns:
        given = _whole(text["length"], "length")
        known = given >= 0
        length[document[known]] = given[known]
        if (length[document[known]] != given[known]).any():
            raise InputError("a document has two lengths", where="length", expected="one for each document")
    return length


def _check(
    text: pd.DataFrame, start: Codes, end: Codes, nothing: np.ndarray[Any, Any], length: Codes
) -> None:
    """Refuse spans that are none."""
    half = (start < 0) != (end < 0)
    labelled = nothing & (text["label"] != "").to_numpy()
    empty = ~nothing & ~half & (end <= start)
    outside = ~nothing & (length >= 0) & (end > length)
    faults = (
        (half, "start without end, or end without start"),
        (labelled, "a label without a span"),
        (empty, "the span is empty"),
        (outside, "the span ends behind the document"),
    )
    problems = [
        Problem(what, where=f"row {row + 1}", got=f"{start[row]}-{end[row]}")
        for wrong, what in faults
        for row in np.flatnonzero(wrong)[:_SHOWN].tolist()
    ]
    if problems:
        raise InputError.of(problems)
