"""One decision a worker and item, before any resolution: what agreement between workers is computed from."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.alpha import table_of
from analysis.decisions import DECISIONS, VERIFY
from analysis.measured import Measured, View
from analysis.spans import Ints

NOT_VERIFIED: Final = "not verified"
OVER: Final = {"decisions": DECISIONS, "verified": (VERIFY, NOT_VERIFIED)}


def as_made(measured: Measured) -> Measured:
    """The study under the same policy, but with all judgments of an item, none of them resolved.

    Items of edited targets are left out: nobody was shown them, so nobody can agree about them.
    """
    plain = {"pooling": "item", "resolution": "share", "union_edits": "no"}
    if all(measured.policy.choices[name] == value for name, value in plain.items()):
        return measured
    if "as made" not in measured.memo:
        from analysis.outcomes import measure  # noqa: PLC0415 - it imports what imports this

        measured.memo["as made"] = measure(measured.study, measured.policy.override(plain))
    found: Measured = measured.memo["as made"]
    return found


def decided(measured: Measured) -> pd.DataFrame:
    """The judgments that enter, one a worker and item: item, worker, decision, document_code, segment.

    Whatever the policy's pooling and resolution, agreement is between workers about an item: all judgments of
    the identical item, each as it was made. Judgments of unknown workers are left out: nobody can tell
    whether two of them are two people's. `item` is a code of `as_made(measured).items`, `decision` the place
    in `DECISIONS`.
    """
    if "decided" not in measured.memo:
        votes = as_made(measured).votes
        votes = votes.loc[(votes["worker"] >= 0) & (votes["item"] >= 0)]
        # Identical annotations repeat their item's votes: one is enough.
        pair = votes["item"] * len(measured.workers) + votes["worker"]
        votes = votes.iloc[np.unique(pair.to_numpy(np.int64), return_index=True)[1]]
        kept = votes[["item", "worker", "document_code", "segment"]].reset_index(drop=True)
        measured.memo["decided"] = kept.assign(decision=votes[list(DECISIONS)].to_numpy().argmax(axis=1))
    found: pd.DataFrame = measured.memo["decided"]
    return found


def units(view: View, over: str) -> tuple[pd.DataFrame, Ints]:
    """Items with decisions in the view's documents, and their counts by category of `over`.

    Returns:
        Frame with item, document_code, segment, a row a unit; units x categories.
    """
    name = f"units over {over}"
    memo = view.measured.memo
    if name not in memo:
        rows = decided(view.measured)
        every = rows["item"].to_numpy(np.int64)
        items, first, code = np.unique(every, return_index=True, return_inverse=True)
        label = rows["decision"].to_numpy(np.int64)
        if over == "verified":
            label = np.minimum(label, 1)  # verify is 0
        where = rows.loc[first, ["item", "document_code", "segment"]].reset_index(drop=True)
        memo[name] = where, table_of(code, label, len(items), len(OVER[over]))
    where, counts = memo[name]
    here = view.in_documents[where["document_code"].to_numpy()]
    return where.loc[here].reset_index(drop=True), counts[here]
