"""What a coefficient of agreement declares, what it may know of a table, and what it sums there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from analysis.agreement.blocks import OfCounts
from analysis.agreement.formulas import Formula
from analysis.engine.counts import Floats

Scale = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Facts:
    """What a coefficient may need to know of a table of labels.

    Attributes:
        names: the categories.
        declared: they were given, with their order.
        numbers: they as numbers, or None.
        workers: how many there are.
        weights: weights of agreement that were given.
        distance: distances that were given.
        sets: the labels are sets.
    """

    names: tuple[str, ...]
    declared: bool
    numbers: Floats | None
    workers: int
    weights: Floats | None = None
    distance: Floats | None = None
    sets: bool = False

    @property
    def size(self) -> int:
        """Number of categories."""
        return len(self.names)

    @property
    def places(self) -> Floats:
        """Their places in order."""
        return np.arange(self.size, dtype=np.float64)

    @property
    def in_order(self) -> bool:
        """Whether their order is known."""
        return self.declared or self.numbers is not None


@dataclass(frozen=True)
class Ready:
    """A coefficient for one table: its formula, and the blocks of columns that are summed for it.

    Attributes:
        formula: from sums to disagreements.
        blocks: names of blocks.
        own: blocks that are this table's own, by name.
        category: which category it is about, if one.
        place: its place; only units with it say something of the coefficient.
    """

    formula: Formula
    blocks: tuple[str, ...]
    own: Mapping[str, OfCounts] = field(default_factory=dict)
    category: str = ""
    place: int = -1


@dataclass(frozen=True)
class Coefficient:
    """A coefficient as it is declared.

    Attributes:
        name: as in every output.
        title: for tables.
        formula: in words.
        assumes: what it takes for granted.
        missing: what becomes of missing labels.
        reference: where it is defined.
        scale: the coarsest scale of labels that it is for.
        make: from facts to what is summed, a list; or why it cannot be computed.
        corrected: it is corrected for chance, and may be read by bands.
        natural: it lies anywhere in [-1, 1], 1 being no more than a value.
    """

    name: str
    title: str
    formula: str
    assumes: str
    missing: str
    reference: str
    make: Callable[[Facts], list[Ready] | str]
    scale: Scale = "nominal"
    corrected: bool = True
    natural: bool = False
