"""Coverage letters: how each item stands to the annotations of a reference in its document.

    A  same span, same entity              B  same span, another entity
    C  overlapping span, same entity       D  overlapping span, another entity
    E  no linked annotation touches it:    E0 one that is NIL or unmapped does, E1 none at all

The first letter that holds is the item's; the flags keep every one that holds for any reference annotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.keys import LINK, NIL_KIND, UNMAPPED
from analysis.spans import Ints, Spans, codes, overlapping

LETTERS: Final = ("A", "B", "C", "D", "E")
PARTS_OF_E: Final = ("E0", "E1")


@dataclass(frozen=True)
class Coverage:
    """The letters of items, row for row.

    Attributes:
        letter: "A" to "E", one per item.
        part: "E0" or "E1" where the letter is E, else "".
        nil_same_span: a NIL or unmapped reference annotation has the item's very span, whatever the letter.
        any: columns A, B, C, D: whether the letter holds for any linked reference annotation.
        behind: rows (item, reference, letter): the reference annotations that the letters A to D rest on.
    """

    letter: npt.NDArray[np.str_]
    part: npt.NDArray[np.str_]
    nil_same_span: npt.NDArray[np.bool_]
    any: pd.DataFrame
    behind: pd.DataFrame


def letters(items: pd.DataFrame, reference: pd.DataFrame) -> Coverage:
    """Give every item its letter against the reference.

    Args:
        items: columns `document` (codes), `start`, `end`, `key`.
        reference: the same and `kind`; already cropped to the evaluation spans. Links make the letters,
            NIL and unmapped annotations only E0 and the flag, other kinds nothing.
    """
    kind = reference["kind"].to_numpy()
    linked, nil = np.flatnonzero(kind == LINK), np.flatnonzero((kind == NIL_KIND) | (kind == UNMAPPED))
    spans, target = Spans.of(items), Spans.of(reference)
    rows, columns, pair = _classes(items, reference, spans, target, linked)
    holds = np.zeros((len(items), len(LETTERS)), bool)
    holds[rows, pair] = True
    holds[:, -1] = True
    first = holds.argmax(axis=1)
    nil_rows, nil_columns = _touching(spans, target, nil)
    touched = np.zeros(len(items), bool)
    touched[nil_rows] = True
    same = np.zeros(len(items), bool)
    same[nil_rows[_same_span(spans, target, nil_rows, nil_columns)]] = True
    letter = np.asarray(LETTERS)[first]
    rests = pair == first[rows]
    return Coverage(
        letter=letter,
        part=np.where(letter == "E", np.where(touched, *PARTS_OF_E), ""),
        nil_same_span=same,
        any=pd.DataFrame(holds[:, :-1], columns=list(LETTERS[:-1]), index=items.index),
        behind=pd.DataFrame(
            {"item": rows[rests], "reference": columns[rests], "letter": np.asarray(LETTERS)[pair[rests]]}
        ),
    )


def _touching(spans: Spans, target: Spans, chosen: Ints) -> tuple[Ints, Ints]:
    """Pairs (item row, reference row) that overlap, among the chosen reference rows."""
    part = Spans(target.document[chosen], target.start[chosen], target.end[chosen])
    rows, columns = overlapping(spans, part)
    return rows, chosen[columns]


def _same_span(spans: Spans, target: Spans, rows: Ints, columns: Ints) -> npt.NDArray[np.bool_]:
    return np.asarray((spans.start[rows] == target.start[columns]) & (spans.end[rows] == target.end[columns]))


def _classes(
    items: pd.DataFrame, reference: pd.DataFrame, spans: Spans, target: Spans, linked: Ints
) -> tuple[Ints, Ints, Ints]:
    """Overlapping pairs and the class of each: 0 to 3 for A to D."""
    rows, columns = _touching(spans, target, linked)
    key = codes(pd.concat([items["key"], reference["key"]]))
    other_entity = key[: len(items)][rows] != key[len(items) :][columns]
    other_span = ~_same_span(spans, target, rows, columns)
    return rows, columns, 2 * other_span.astype(np.int64) + other_entity
