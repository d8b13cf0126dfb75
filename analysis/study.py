"""A study as the analysis sees it: the bundle's tables and manifest, however they were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

DEFAULT_GT = "GT"


@dataclass(frozen=True)
class Around:
    """What a block of a study's documents must know of the rest, so that it is counted as in the whole.

    Attributes:
        ran: dataset -> the sources that ran anywhere in it.
        weighted: some segment of the study weighs more or less than 1.
        skill: worker -> his weight, and that of somebody unknown under ""; None: nobody judged a control
            whose answer is known.
    """

    ran: Mapping[str, frozenset[str]]
    weighted: bool
    skill: Mapping[str, int] | None


@dataclass(frozen=True)
class Study:
    """The tables of `schema.TABLES`, each with exactly its columns, and the manifest.

    Attributes:
        tables: name -> frame; every table is there, empty if there is nothing to hold.
        manifest: of the bundle; for a judgments CSV made up from what is known.
        notes: what the reader wants said beside the numbers (what a CSV could not tell).
        around: of a block of documents, what stands around it; None: the tables are the whole study.
        types: entity key -> the types that a table gives it; None: none was given.
        memo: what was computed from the tables and is wanted again, by name.
    """

    tables: Mapping[str, pd.DataFrame]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    around: Around | None = None
    types: Mapping[str, tuple[str, ...]] | None = None
    memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def __getitem__(self, table: str) -> pd.DataFrame:
        """A table by name."""
        return self.tables[table]

    @property
    def ground_truth(self) -> str | None:
        """Name of the source that is the ground truth; None if there is none."""
        sources = self.tables["sources"]
        names = sorted(sources.loc[sources["role"] == "ground_truth", "source"])
        return str(names[0]) if names else None

    @property
    def datasets(self) -> list[str]:
        """Names of the datasets, sorted."""
        return sorted(map(str, self.tables["documents"]["dataset"].unique()))

    @property
    def simulated(self) -> bool:
        """Whether the study is a simulated crowd's, or any judgment was made by one."""
        marked = self.manifest.get("origin") == "simulated"
        return marked or bool((self.tables["assignments"]["origin"] == "simulated").any())
