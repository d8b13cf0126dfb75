"""Random small studies in the shape of a judgments CSV."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

COLUMNS = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision", "new_entity"]
SOURCES = ("GT", "A", "B")
DECISIONS = ("verify", "verify", "verify", "edit", "remove", "")


def frame(
    seed: int, rows: int = 120, datasets: int = 2, documents: int = 4, workers: int = 9
) -> pd.DataFrame:
    """Judgments with overlapping spans, several workers an item, edits to other entities, and repeats."""
    r = np.random.default_rng(seed)
    start = r.integers(0, 6, rows) * 3
    decision = np.asarray(DECISIONS)[r.integers(0, len(DECISIONS), rows)]
    target = np.array([f"wd:Q{n}" for n in r.integers(1, 4, rows)])
    made = pd.DataFrame(
        {
            "dataset": [f"d{n}" for n in r.integers(0, datasets, rows)],
            "document": [f"t{n}" for n in r.integers(0, documents, rows)],
            "source": np.asarray(SOURCES)[r.integers(0, len(SOURCES), rows)],
            "start": start,
            "end": start + r.integers(2, 6, rows),
            "entity": [f"wd:Q{n}" for n in r.integers(1, 4, rows)],
            "worker": [f"w{n}" for n in r.integers(0, workers, rows)],
            "decision": decision,
            "new_entity": np.where((decision == "edit") & (r.random(rows) < 0.8), target, ""),
        }
    )
    return made[COLUMNS]


frames = st.builds(
    frame,
    seed=st.integers(0, 10**9),
    rows=st.integers(1, 80),
    datasets=st.integers(1, 2),
    documents=st.integers(1, 3),
    workers=st.integers(1, 9),
)
