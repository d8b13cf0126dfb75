"""What a source was imported with, shown or not: what scores before verification and coverage look at."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.keys import LINK, NIL_KIND, UNMAPPED
from analysis.matching import crop
from analysis.measured import Measured

_COLUMNS = ["document_code", "start", "end", "kind", "segment", "item", "judged", "verify", "n", "key_code"]


def imported(measured: Measured, source: int) -> pd.DataFrame:
    """Imported annotations of a source, wholly inside the evaluation spans: links, NIL and unmapped ones.

    Args:
        measured: the study.
        source: code of the source; -1: none, no rows.

    Returns:
        document (code), start, end, key (code, the same for the items of `coded`), kind, segment, item,
        judged, verify, n; its index is the annotation code.
    """
    name = f"imported {source}"
    if name not in measured.memo:
        rows = measured.annotations
        chosen = (rows["source_code"] == source) & rows["kind"].isin([LINK, NIL_KIND, UNMAPPED])
        bounds = measured.documents
        start, end = (bounds[side].to_numpy(np.int64) for side in ("evaluation_start", "evaluation_end"))
        kept = rows.loc[chosen, _COLUMNS]
        kept = kept.rename(columns={"document_code": "document", "key_code": "key"})
        measured.memo[name] = crop(kept, start, end)
    found: pd.DataFrame = measured.memo[name]
    return found


def coded(items: pd.DataFrame) -> pd.DataFrame:
    """Some of the study's items as matching and letters want them: document and key as codes, kind link."""
    return pd.DataFrame(
        {
            "document": items["document_code"],
            "start": items["start"],
            "end": items["end"],
            "key": items["key_code"],
            "kind": LINK,
        }
    )
