"""What a source was imported with, shown or not: what scores before verification and coverage look at."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.keys import LINK, NIL_KIND, UNMAPPED
from analysis.matching import crop
from analysis.measured import Measured

_COLUMNS = ["document_code", "start", "end", "kind", "segment", "item", "judged", "verify", "n"]


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
        kept = rows.loc[chosen, _COLUMNS].assign(key=_keys(measured)[0][chosen.to_numpy()])
        measured.memo[name] = crop(kept.rename(columns={"document_code": "document"}), start, end)
    found: pd.DataFrame = measured.memo[name]
    return found


def coded(measured: Measured, items: pd.DataFrame) -> pd.DataFrame:
    """Some of the study's items as matching and letters want them: document and key as codes, kind link."""
    rows = items.index.to_numpy()
    return pd.DataFrame(
        {
            "document": items["document_code"],
            "start": items["start"],
            "end": items["end"],
            "key": _keys(measured)[1][rows],
            "kind": LINK,
        }
    )


def _keys(measured: Measured) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the entity keys of annotations and of items; -1 where there is none."""
    if "entity keys" not in measured.memo:
        both = pd.concat([measured.annotations["key"], measured.items["key"]])
        code = pd.factorize(both)[0].astype(np.int64)
        measured.memo["entity keys"] = np.split(code, [len(measured.annotations)])
    annotations, items = measured.memo["entity keys"]
    return annotations, items
