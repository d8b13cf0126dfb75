"""What was found about a table of labels: records, the table, what stands beside them, and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

Record = dict[str, Any]


@dataclass(frozen=True)
class Agreement:
    """Every coefficient of a table of labels, and what is needed to read it.

    Attributes:
        records: one a coefficient (specific agreement: one a category): coefficient, estimate, low, high,
            level, method, n_units, n_workers, reason, band, bootstrap_low, bootstrap_high,
            se (large-sample standard error), category.
        table: the joint table of two workers, or the coincidences of more; of spans, every two workers.
        categories: of each its labels, share, specific agreement and kappa against all others.
        workers: of each his labels, agreement with the rest and its limits, p and whether he is flagged as
            agreeing less than the others, nominal alpha without him, and `without`: what coefficients would
            be without him.
        units: those whose labels disagree most.
        overlap: how many units have how many labels.
        warnings: in plain words.
        scale: of the labels, which decides what a reader is shown first.
    """

    records: list[Record]
    table: dict[str, Any]
    categories: list[Record]
    workers: list[Record]
    units: list[Record]
    overlap: dict[str, int]
    warnings: list[str]
    scale: str = "nominal"

    def __getitem__(self, name: str) -> Any:
        """The record of a coefficient (of specific agreement: its records), or a part by its name."""
        parts = self.document()
        if name in parts:
            return parts[name]
        found = [record for record in self.records if record["coefficient"] == name]
        if not found:
            raise KeyError(name)
        return found if found[0].get("category") else found[0]

    @property
    def of_spans(self) -> bool:
        """Whether it is about spans in documents."""
        return bool(self.table.get("kind") == "pairs")

    @property
    def frame(self) -> pd.DataFrame:
        """The records as a frame."""
        return pd.DataFrame(self.records)

    def document(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
        names = ("records", "table", "warnings", "categories", "workers", "units", "overlap", "scale")
        return {name: getattr(self, name) for name in names}


# (largest value of the band, its name), ascending; Landis & Koch (1977), Krippendorff (2004).
_KAPPA = ((0.0, "poor"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
_ALPHA = ((0.667, "not reliable"), (0.8, "for tentative conclusions"))


def band(name: str, low: float | None) -> str:
    """What the lower limit allows one to call it; "" without one: an estimate alone is never banded."""
    if low is None:
        return ""
    bands: Sequence[tuple[float, str]] = _ALPHA if name.startswith("alpha") else _KAPPA
    best = "reliable" if bands is _ALPHA else "almost perfect"
    return next((words for most, words in bands if low < most), best)
