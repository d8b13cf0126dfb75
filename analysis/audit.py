"""audit.csv: what people did not verify in the ground truth and what it lacks, with the votes."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.engine.counts import Codes
from analysis.measured import Measured
from analysis.outcomes import measure

NOT_VERIFIED: Final = "not verified"
LACKING: Final = "verified, not in the ground truth"
COLUMNS: Final = (
    "policy",
    "finding",
    "dataset",
    "document",
    "start",
    "end",
    "mention",
    "key",
    "sources",
    "verify",
    "edit",
    "remove",
    "judgments",
)


def audit_frame(measured: Measured, *, min_votes: int = 1, min_share: float = 0.5) -> pd.DataFrame:
    """Ground truth that its judgments do not verify; items that it lacks and that are verified.

    The votes are the judgments that speak for the annotation or item under the policy.

    Args:
        measured: a study under a policy.
        min_votes: list nothing that fewer judgments speak for.
        min_share: verified is what more than this share of its judgments verify.
    """
    name = measured.policy.name
    if measured.policy.resolution == "weighted":
        # A list of findings counts judgments; weights are no number of them.
        measured = measure(measured.study, measured.policy.override({"resolution": "share"}))
    parts = [_not_verified(measured, min_share), _lacking(measured, min_share)]
    found = pd.concat(parts, ignore_index=True)
    found = found[found["judgments"] >= min_votes].reset_index(drop=True)
    if found.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    named = found.join(measured.documents[["dataset", "document"]], on="document_code")
    named.insert(0, "policy", name)
    named["mention"] = _mentions(measured, named)
    named = named.sort_values(["dataset", "document", "start", "end", "finding", "key"], ignore_index=True)
    return named[list(COLUMNS)]


def _not_verified(measured: Measured, share: float) -> pd.DataFrame:
    annotations = measured.annotations
    if measured.gt is None:
        return annotations.iloc[:0].assign(judgments=0)
    own = annotations[(annotations["source"] == measured.gt) & annotations["judged"].astype(bool)]
    own = own[own["verify"] <= share * own["n"]]
    return own[["document_code", "start", "end", "key", "verify", "edit", "remove"]].assign(
        finding=NOT_VERIFIED,
        judgments=own["n"],
        sources=_supporters(measured, own["item"].to_numpy(), measured.gt),
    )


def _lacking(measured: Measured, share: float) -> pd.DataFrame:
    items = measured.items
    annotations = measured.annotations
    if measured.gt is None:
        return items.iloc[:0].assign(judgments=0)
    imported = annotations.loc[annotations["source"] == measured.gt, "item"]
    lacking = items[
        items["judged"].astype(bool) & (items["verify"] > share * items["n"]) & ~items.index.isin(imported)
    ]
    return lacking[["document_code", "start", "end", "key", "verify"]].assign(
        finding=LACKING,
        judgments=lacking["n"],
        sources=_supporters(measured, lacking.index.to_numpy()),
        **_other_votes(measured, lacking),
    )


def _other_votes(measured: Measured, items: pd.DataFrame) -> dict[str, np.ndarray]:
    """Edits and removals of an item: those of the annotation of it that has the most."""
    judged = measured.annotations[measured.annotations["judged"].astype(bool)]
    most = judged[judged["item"].isin(items.index)].groupby("item")[["edit", "remove"]].max()
    filled = most.reindex(items.index, fill_value=0)
    return {name: filled[name].to_numpy() for name in ("edit", "remove")}


def _supporters(measured: Measured, items: Codes, nobody: str = "") -> list[str]:
    """Names of the sources that have each item; `nobody` where there is no item, or no source has it."""
    patterns, place = np.unique(
        np.append(measured.support, np.zeros((1, len(measured.sources)), dtype=bool), axis=0)[items],
        axis=0,
        return_inverse=True,
    )
    names = ["|".join(np.array(measured.sources)[has]) or nobody for has in patterns]
    return [names[one] for one in place.reshape(-1).tolist()]


def _mentions(measured: Measured, found: pd.DataFrame) -> list[str | None]:
    """The words at each span, from the text or from an annotation there."""
    documents = measured.study["documents"].dropna(subset=["text"])
    names = zip(documents["dataset"], documents["document"], strict=True)
    texts = dict(zip(names, documents["text"], strict=True))
    known = measured.annotations.dropna(subset=["mention"])
    spans = zip(known["document_code"], known["start"], known["end"], strict=True)
    mentions = dict(zip(spans, known["mention"], strict=True))
    if not texts and not mentions:
        return [None] * len(found)
    columns = (found[name].tolist() for name in ("dataset", "document", "document_code", "start", "end"))
    out: list[str | None] = []
    for dataset, document, code, start, end in zip(*columns, strict=True):
        text = texts.get((dataset, document))
        mention = text[start:end] if text is not None else None
        out.append(mention or mentions.get((code, start, end)))
    return out
