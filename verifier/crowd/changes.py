"""Edits grouped by what was shown and what people chose in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.decisions import DECISIONS, EDIT
from verifier.crowd.tally import Tally

_EDIT: Final = DECISIONS.index(EDIT)
# So many pairs are listed at most.
MOST: Final = 5000


@dataclass(frozen=True)
class Changed:
    """An entity that was shown, and another that counted judgments chose in its place.

    Attributes:
        shown, chosen: their keys; `chosen` is None where an edit does not say to what.
        judgments: how many chose it.
        items: on how many different items.
        of: counted judgments on all displays of the entity that was shown.
        example: a display of which it was said.
    """

    shown: str
    chosen: str | None
    judgments: int
    items: int
    of: int
    example: int


def changed_links(tally: Tally) -> list[Changed]:
    """The commonest pairs of a shown and a chosen entity, the most judgments first."""
    votes, shown = tally.votes(), tally.displays
    if not len(votes):
        return []
    key = shown.key[votes.display].astype(np.int64)
    per_key = np.bincount(key, minlength=len(tally.keys))
    rows = np.flatnonzero(votes.decision == _EDIT)
    keys = len(tally.keys) + 1
    pair = key[rows] * keys + votes.key[rows].astype(np.int64) + 1
    pairs, first, code, n = np.unique(pair, return_index=True, return_inverse=True, return_counts=True)
    item = shown.item[votes.display[rows]].astype(np.int64)
    distinct = np.unique(code.reshape(-1) * len(shown.first) + item)
    items = np.bincount(distinct // len(shown.first), minlength=len(pairs))
    # Of millions of edits those that one person made of one thing are too many to be listed.
    common = np.argsort(-n, kind="stable")[:MOST]
    example = shown.display[votes.display[rows[first]]] if len(rows) else np.empty(0, np.int64)
    found = [
        Changed(
            tally.keys[before],
            tally.keys[after - 1] if after else None,
            int(n[at]),
            int(items[at]),
            int(per_key[before]),
            int(example[at]),
        )
        for at, (before, after) in ((at, divmod(int(pairs[at]), keys)) for at in common.tolist())
    ]
    return sorted(found, key=lambda one: (-one.judgments, one.shown, one.chosen or ""))
