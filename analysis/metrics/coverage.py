"""Coverage of the verification union by the ground truth: what share of it has each letter, A to E."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.engine.counts import Bools, Codes, Counts
from analysis.imported import coded, imported
from analysis.letters import LETTERS, PARTS_OF_E, Coverage, letters
from analysis.measured import Measured, View
from analysis.metrics.registry import Metric, ratio, register
from analysis.union import union

MEANING: Final = {
    "A": "same span and entity as a ground-truth link",
    "B": "same span as a ground-truth link, another entity",
    "C": "span overlaps a ground-truth link, same entity",
    "D": "span overlaps a ground-truth link, another entity",
    "E": "no ground-truth link touches it",
    "E0": "no ground-truth link touches it, but a mention marked NIL or unmapped does",
    "E1": "nothing in the ground truth touches it",
}


def reference(measured: Measured) -> pd.DataFrame:
    """What the ground truth was imported with, shown or not."""
    return imported(measured, -1 if measured.gt is None else measured.source_code(measured.gt))


def where_gt_ran(measured: Measured, items: Codes) -> Codes:
    """Those of some item codes whose document the ground truth ran on."""
    if measured.gt is None:
        return items[:0]
    document = measured.items["document_code"].to_numpy()[items]
    ran: Bools = measured.ran[document, measured.source_code(measured.gt)]
    return items[ran]


def union_letters(measured: Measured) -> tuple[pd.DataFrame, Coverage]:
    """The union's items, where the ground truth ran, and their letters against it."""
    items = measured.items.iloc[where_gt_ran(measured, union(measured.view()))]
    return items, letters(coded(items), reference(measured))


def count(view: View) -> Counts:
    """Judgments behind the union's items, by the item's letter: their shares of y, and of the item itself."""
    items, got = union_letters(view.measured)
    code: Codes = np.full(len(view.measured.items), -1, np.int64)
    code[items.index.to_numpy()] = np.arange(len(items))
    votes = view.item_votes
    place = code[votes["item"].to_numpy()]
    votes, place = votes.loc[place >= 0], place[place >= 0]
    verify = votes["verify"].to_numpy(np.int64)
    weight = votes["weight"].to_numpy(np.int64)
    masks = {name: mask[place] for name, mask in _masks(got).items()}
    return Counts.of(
        document=votes["document_code"],
        segment=votes["segment"],
        unit=votes["item"],
        worker=votes["worker"],
        n=votes["n"],
        cell=votes["cell"],
        quantities={"union": verify, "items": weight}
        | {name: verify * mask for name, mask in masks.items()}
        | {f"items_{name}": weight * mask for name, mask in masks.items()},
    )


def _masks(got: Coverage) -> dict[str, Codes]:
    return {name: (got.letter == name).astype(np.int64) for name in LETTERS} | {
        name: (got.part == name).astype(np.int64) for name in PARTS_OF_E
    }


for _name, _meaning in MEANING.items():
    register(
        Metric(
            name=f"coverage_{_name}",
            title=f"Coverage {_name}: {_meaning}",
            formula=f"sum of y over items of the union: {_meaning} / sum of y over the union",
            range=(0.0, 1.0),
            better="none",
            undefined="nothing was verified where the ground truth ran",
            clusters=("document", "segment", "item", "worker", "two-way"),
            reference="docs/definitions.md section 2, coverage A-E",
            family="union",
            per="dataset",
            count=count,
            value=ratio(_name, "union"),
            size="items",
            printed=f"items_{_name}",
        )
    )
