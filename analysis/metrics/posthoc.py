"""Posthoc precision, recall and F1, and recall against what the other sources found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.engine.counts import Bools, Codes, Counts
from analysis.measured import View
from analysis.metrics.rates import judged
from analysis.metrics.registry import Metric, macro, ratio, register
from analysis.union import best_of_group, counted, speakers, union, votes_of, weak_hits

_ITEM_CLUSTERS = ("document", "segment", "item", "worker", "two-way")


def precision(view: View) -> Counts:
    """Values of the judged annotations (own), or whether they match the union (weak; only in scope)."""
    if view.measured.policy.hits == "own":
        counts = judged(view)
        return Counts(
            counts.document,
            counts.segment,
            counts.unit,
            counts.worker,
            counts.n,
            {"hit": counts.quantities["verify"], "judged": counts.quantities["judged"]},
            cell=counts.cell,
        )
    scope = view.measured.annotations["in_scope"].to_numpy()
    votes, annotation = view.votes, view.votes["annotation"].to_numpy()
    rows = np.flatnonzero(scope[annotation])
    return Counts.concat(
        [_rows(votes, rows, annotation[rows], {"judged": "weight"}), _weak(view, "annotation", "hit")]
    )


def recall(view: View) -> Counts:
    """Values of the union's items as the policy counts them, and what the source has of them."""
    # F1 counts the same once more.
    memo, name = view.measured.memo, _recalled(view)
    if name not in memo:
        memo[name] = _recall(view)
    found: Counts = memo[name]
    return found


def _recalled(view: View) -> str:
    return f"recall {view.dataset} {view.source}"


def _recall(view: View) -> Counts:
    measured = view.measured
    policy = measured.policy
    items = union(view)
    frame = pd.DataFrame({"item": items, "y": measured.items["y"].to_numpy()[items]})
    frame["counted"] = counted(measured, items, policy.recall_union)
    stands = np.full(len(measured.items), -1, dtype=np.int64)
    stands[items] = frame["counted"]
    whole = best_of_group(frame[frame["counted"] >= 0])
    inside = np.zeros(len(measured.items), dtype=bool)
    inside[whole["item"].to_numpy()] = True
    votes, item = view.item_votes, view.item_votes["item"].to_numpy()
    rows = np.flatnonzero(inside[item])
    denominator = _rows(votes, rows, stands[item[rows]], {"union": "verify", "items": "weight"})
    if policy.hits == "weak":
        return Counts.concat([denominator, _weak(view, "item", "found")])
    return Counts.concat([denominator, _found(view, stands)])


def _found(view: View, stands: NDArray[np.int64]) -> Counts:
    """The source's own values of what is counted; the greedy size leaves its numerator as it is."""
    mine = speakers(view, _only(view))
    greedy = view.measured.policy.recall_union == "greedy"
    mine["counted"] = mine["item"] if greedy else stands[mine["item"].to_numpy()]
    mine = best_of_group(mine[mine["counted"] >= 0])
    votes = view.measured.votes
    rows = votes_of(view.measured, mine["annotation"].to_numpy())
    item = votes["item"].to_numpy()[rows]
    return _rows(votes, rows, item if greedy else stands[item], {"found": "verify"})


def leave_own_out(view: View) -> Counts:
    """Values of what the other sources have verified, and what the source has of it.

    An item's value against the others is the smaller of the source's own and theirs, so that a share never
    exceeds what it is a share of.
    """
    measured = view.measured
    own = _only(view)
    others = speakers(view, ~own)
    others["counted"] = counted(measured, others["item"].to_numpy(), measured.policy.recall_union)
    whole = best_of_group(others[others["counted"] >= 0])
    stands = np.full(len(measured.items), -1, dtype=np.int64)
    stands[others["item"].to_numpy()] = others["counted"]
    mine = speakers(view, own)
    mine["counted"] = stands[mine["item"].to_numpy()]
    mine = best_of_group(mine[mine["counted"] >= 0])
    every = whole["annotation"].to_numpy(np.int64)
    # Each item that is counted stands in one row of either.
    place = np.full(len(measured.items), -1, dtype=np.int64)
    place[whole["counted"].to_numpy()] = np.arange(len(whole))
    at = place[mine["counted"].to_numpy()]
    mine, at = mine[at >= 0], at[at >= 0]
    smaller = np.where(
        mine["y"].to_numpy() <= whole["y"].to_numpy()[at], mine["annotation"].to_numpy(np.int64), every[at]
    )
    parts = []
    item = measured.votes["item"].to_numpy()
    for chosen, quantities in (
        (every, {"union": "verify", "items": "weight"}),
        (smaller, {"found": "verify"}),
    ):
        rows = votes_of(measured, chosen)
        parts.append(_rows(measured.votes, rows, stands[item[rows]], quantities))
    return Counts.concat(parts)


def f1(view: View) -> Counts:
    """The counts of precision and of recall, by item."""
    precise = precision(view)
    item = view.measured.annotations["item"].to_numpy()[precise.unit]
    # What is no link (NIL shown as an annotation) is a unit of its own, after all items.
    unit = np.where(item >= 0, item, len(view.measured.items) + precise.unit)
    by_item = replace(precise, unit=unit)
    counts = Counts.concat([by_item, recall(view)])
    # Asked for twice, and large: nobody wants it any more.
    view.measured.memo.pop(_recalled(view), None)
    return counts


def harmonic(sums: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Harmonic mean of precision and recall; 0 where both are 0."""
    p, r = ratio("hit", "judged")(sums), ratio("found", "union")(sums)
    total = p + r
    return np.where(
        total > 0, 2 * p * r / np.where(total > 0, total, 1.0), np.where(np.isnan(total), np.nan, 0.0)
    )


def _only(view: View) -> Bools:
    own = np.zeros(len(view.measured.sources), dtype=bool)
    own[view.source_code] = True
    return own


def _weak(view: View, unit: str, name: str) -> Counts:
    """The votes of the union's item that each annotation hits."""
    hits = weak_hits(view, union(view))
    votes = hits.merge(view.item_votes, on="item")
    return _rows(votes, np.arange(len(votes)), votes[unit], {name: "verify"})


def _rows(votes: pd.DataFrame, rows: Codes, unit: Any, quantities: Mapping[str, str]) -> Counts:
    """Some rows of votes, what each is a unit of, and a column for each quantity."""

    def column(name: str) -> Codes:
        return np.asarray(votes[name].to_numpy()[rows], dtype=np.int64)

    return Counts.of(
        document=column("document_code"),
        segment=column("segment"),
        unit=unit,
        worker=column("worker"),
        n=column("n"),
        cell=column("cell"),
        quantities={name: column(of) for name, of in quantities.items()},
    )


PRECISION = register(
    Metric(
        name="posthoc_precision",
        title="Posthoc precision",
        formula="sum of the values of judged annotations over their number (under hits=weak: those that match"
        " the union)",
        range=(0.0, 1.0),
        better="higher",
        undefined="no annotation of this source was judged by anyone who counts",
        clusters=("document", "segment", "annotation", "worker", "two-way"),
        reference="docs/definitions.md section 2",
        family="rates",
        per="source",
        count=precision,
        value=ratio("hit", "judged"),
        size="judged",
    )
)
RECALL = register(
    Metric(
        name="posthoc_recall",
        title="Posthoc recall",
        formula="sum of the values of the source's items over that of the verification union",
        range=(0.0, 1.0),
        better="higher",
        undefined="the verification union is empty: nothing was verified by anyone who counts",
        clusters=_ITEM_CLUSTERS,
        reference="docs/definitions.md section 2",
        family="union",
        per="source",
        count=recall,
        value=ratio("found", "union"),
        size="items",
    )
)
F1 = register(
    Metric(
        name="posthoc_f1",
        title="Posthoc F1",
        formula="harmonic mean of posthoc precision and posthoc recall",
        range=(0.0, 1.0),
        better="higher",
        undefined="precision or recall is undefined: nothing was judged, or the verification union is empty",
        clusters=_ITEM_CLUSTERS,
        reference="docs/definitions.md section 2",
        family="union",
        per="source",
        count=f1,
        value=harmonic,
        size="items",
    )
)
for _metric in (PRECISION, RECALL, F1):
    register(macro(_metric))
register(
    Metric(
        name="leave_own_out_recall",
        title="Leave-own-out recall",
        formula="posthoc recall against the verification union of the other sources",
        range=(0.0, 1.0),
        better="higher",
        undefined="the other sources have nothing that was verified",
        clusters=_ITEM_CLUSTERS,
        reference="docs/definitions.md section 2",
        family="union",
        per="source",
        count=leave_own_out,
        value=ratio("found", "union"),
        size="items",
    )
)
