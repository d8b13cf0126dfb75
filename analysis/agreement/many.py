"""Agreement on labels of very many categories, such as entities: sums that need no table of categories."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from analysis.agreement.classes import Block, Classes
from analysis.agreement.coefficient import Ready
from analysis.agreement.formulas import Parts, Sums, plain, quotient
from analysis.agreement.intervals import Sampled, Settings
from analysis.engine.counts import Codes, Floats


def _alpha(sums: Sums) -> Parts:
    """Nominal alpha: D_o = 1 - matches / n, D_e = (n^2 - sum n_c^2) / (n (n - 1))."""
    n = sums["n"][..., 0]
    expected = quotient(n * n - sums["squares"][..., 0], n * (n - 1))
    return 1 - quotient(sums["matches"][..., 0], n), expected


OF_MANY: Final = {
    "observed_agreement": Ready(plain, ("agree", "paired")),
    "alpha_nominal": Ready(_alpha, ("matches", "n", "squares")),
}


class Many(Sampled):
    """Labels by document, of which every one left out can be taken away exactly.

    Without document d the labels of a category are n_c - n_dc, and the sum of their squares is the whole one
    less 2 n_c n_dc - n_dc^2 summed over categories: a number for each document.

    Args:
        unit: code of the unit of each label.
        label: code of its category.
        document: code of its document.
        settings: of the intervals; replicates are not drawn.
    """

    def __init__(self, unit: Codes, label: Codes, document: Codes, settings: Settings) -> None:
        _, unit = np.unique(unit, return_inverse=True)
        m = np.bincount(unit)
        kept = m[unit] > 1
        unit, label, document = unit[kept], label[kept], document[kept]
        _, unit = np.unique(unit, return_inverse=True)
        _, document = np.unique(document, return_inverse=True)
        self.units, self.labels = len(np.unique(unit)), len(unit)
        size = int(document.max(initial=-1)) + 1
        super().__init__(_one_each(size), settings)
        self._rows, self._squares = self._summed(unit, label, document, size)

    def _summed(
        self, unit: Codes, label: Codes, document: Codes, size: int
    ) -> tuple[dict[str, Floats], float]:
        m = np.bincount(unit, minlength=self.units)
        of_unit = np.zeros(self.units, dtype=np.int64)
        of_unit[unit] = document
        width = int(label.max(initial=0)) + 1
        pair, often = np.unique(unit * width + label, return_counts=True)
        agree = np.bincount(pair // width, weights=often * (often - 1.0), minlength=self.units)

        def by_document(values: Floats) -> Floats:
            return np.bincount(of_unit, weights=values, minlength=size)[:, None].astype(np.float64)

        of_all = np.bincount(label, minlength=width).astype(np.float64)
        place, often = np.unique(document * width + label, return_counts=True)
        less = (2 * of_all[place % width] - often) * often
        rows = {
            "agree": by_document(agree / (m * (m - 1.0))),
            "paired": by_document(np.ones(self.units)),
            "matches": by_document(agree / (m - 1.0)),
            "n": by_document(m.astype(np.float64)),
            "squares": np.bincount(place // width, weights=less, minlength=size)[:, None].astype(np.float64),
        }
        return rows, float((of_all**2).sum())

    def by_cluster(self, ready: Ready, name: str) -> Block:  # noqa: ARG002 - as its parent has it
        """What a document takes away with it."""
        return self._rows[name]

    def total(self, ready: Ready) -> dict[str, Floats]:
        """The sums over everything."""
        sums = {name: self._rows[name].sum(axis=0) for name in ready.blocks}
        if "squares" in sums:
            sums["squares"] = np.array([self._squares])
        return sums

    @cached_property
    def size(self) -> Floats:
        """Units of each document."""
        return self._rows["paired"][:, 0]

    def units_of(self, ready: Ready) -> float:  # noqa: ARG002 - as its parent has it
        """Units with two labels or more."""
        return float(self.units)


def _one_each(size: int) -> Classes:
    """As many classes as documents, of which nothing is asked."""
    none = np.empty(0, dtype=np.int64)
    return Classes(none, none, none, size, 1, 1, np.ones(size))
