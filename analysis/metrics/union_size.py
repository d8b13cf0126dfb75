"""Size of the verification union, and what only one source found of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.engine.counts import Counts
from analysis.measured import View
from analysis.metrics.registry import Metric, register
from analysis.union import speakers

# A count shrinks when a worker is deleted, whatever he answered: workers say nothing of its uncertainty.
_CLUSTERS = ("document", "segment", "item")


def union_items(view: View) -> Counts:
    """Each judgment's share of its item's value, over the distinct judged items in scope."""
    scope = view.measured.items["in_scope"].to_numpy()
    verified = (view.measured.items["y"] > 0).to_numpy()
    votes = view.item_votes[scope[view.item_votes["item"].to_numpy()]]
    return Counts.of(
        document=votes["document_code"],
        segment=votes["segment"],
        unit=votes["item"],
        worker=votes["worker"],
        n=votes["n"],
        cell=votes["cell"],
        quantities={
            "verify": votes["verify"],
            "items": votes["weight"] * verified[votes["item"].to_numpy()],
            "judged": votes["weight"],
        },
    )


def unique_items(view: View) -> Counts:
    """The same for the source's judged annotations; only what no other source has verified has a value."""
    measured = view.measured
    own = np.zeros(len(measured.sources), dtype=bool)
    own[view.source_code] = True
    mine, others = speakers(view, own), speakers(view, ~own)
    alone = np.zeros(len(measured.annotations), dtype=bool)
    alone[mine.loc[~mine["item"].isin(others["item"]), "annotation"]] = True
    votes = view.votes[measured.annotations["in_scope"].to_numpy()[view.votes["annotation"].to_numpy()]]
    unique = alone[votes["annotation"].to_numpy()]
    return Counts.of(
        document=votes["document_code"],
        segment=votes["segment"],
        # What is no link is a unit of its own, after all items.
        unit=votes["item"].where(votes["item"] >= 0, len(measured.items) + votes["annotation"]),
        worker=votes["worker"],
        n=votes["n"],
        cell=votes["cell"],
        quantities={
            "verify": votes["verify"] * unique,
            "items": votes["weight"] * unique,
            "judged": votes["weight"],
        },
    )


def _total(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    return np.where(np.asarray(sums["judged"]) > 0, sums["verify"], np.nan)


register(
    Metric(
        name="union_size",
        title="Union size",
        formula="sum of the values of the distinct items of the verification union",
        range=(0.0, None),
        better="none",
        undefined="nothing was judged by anyone who counts",
        clusters=_CLUSTERS,
        reference="docs/definitions.md section 2",
        family="union",
        per="dataset",
        count=union_items,
        value=_total,
        size="items",
    )
)
register(
    Metric(
        name="unique_verified",
        title="Unique verified",
        formula="sum of the values of the source's items that no other source has verified",
        range=(0.0, None),
        better="higher",
        undefined="nothing was judged by anyone who counts",
        clusters=_CLUSTERS,
        reference="docs/definitions.md section 2",
        family="union",
        per="source",
        count=unique_items,
        value=_total,
        size="items",
    )
)
