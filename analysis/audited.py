"""The rate that experts would give, who decided a random part of what was verified, and of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import special

from analysis.decisions import EDIT, VERIFY
from analysis.engine.counts import Bools, Counts, Floats
from analysis.engine.errors_in_judging import Share, audited_rate, worth
from analysis.engine.jackknife import FEW_WORKERS, MIN_ICC, spread
from analysis.engine.tally import ALL_DATASETS, Tally
from analysis.measured import Measured
from analysis.metrics.registry import ratio
from analysis.sampled import size_of
from analysis.schema import ALL

RATE: Final = "audited_verification_rate"
FEW_AUDITED: Final = 20
_HALF: Final = 0.5
_VALUE: Final = ratio("hit", "judged")


def expert_rows(measured: Measured, level: float) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of metrics.csv and what must be said; no rows where no expert decided anything.

    What the crowd verified is an annotation of which more than half of its judgments verify. Of these, and of
    the rest, what experts decided is taken as a random part; an annotation that several decided counts by
    their share.
    """
    decided = _decided(measured)
    if decided.empty:
        return [], []
    rows = [row for source in measured.sources for row in _source(measured, source, decided, level)]
    order = {name: place for place, name in enumerate([*measured.datasets, ALL])}
    rows.sort(key=lambda row: order[row["dataset"]])
    said = ["Audited rates take what experts decided as a random part of what was verified, and of the rest."]
    few = [row.pop("few") for row in rows]
    if any(few):
        said.append(f"Some audited rates rest on fewer than {FEW_AUDITED} expert decisions of a kind.")
    return rows, said


def _decided(measured: Measured) -> pd.Series:
    """By annotation that experts and the crowd judged: the share of experts who find it right."""
    study = measured.study
    made = study["judgments"]
    made = made[(made["role"] == "expert") & made["current"].astype(bool)]
    made = made.merge(study["displays"][["display", "key"]].rename(columns={"key": "shown"}), on="display")
    same = (made["key"] == made["shown"]).fillna(value=False).to_numpy(dtype=bool)
    right = (made["decision"] == VERIFY).to_numpy() | ((made["decision"] == EDIT).to_numpy() & same)
    credited = made.assign(right=right.astype(float)).merge(study["credits"], on="display")
    share = credited.groupby("annotation")["right"].mean()
    code = np.searchsorted(measured.annotations["annotation"].to_numpy(), share.index.to_numpy())
    share.index = pd.Index(code)
    return share[measured.annotations["judged"].to_numpy(bool)[code]]


def _source(measured: Measured, source: str, decided: pd.Series, level: float) -> Iterator[dict[str, Any]]:
    view = measured.view(ALL, source)
    judged = view.annotations[view.annotations["judged"].to_numpy(bool)]
    verified = 2 * judged["verify"].to_numpy() > judged["n"].to_numpy()
    votes = view.votes
    code = np.zeros(len(measured.annotations), dtype=np.int64)
    code[judged.index] = verified
    counts = Counts.of(
        document=votes["document_code"],
        segment=votes["segment"],
        unit=votes["annotation"],
        worker=votes["worker"],
        n=votes["n"],
        quantities={"hit": code[votes["annotation"]] * votes["weight"], "judged": votes["weight"]},
    )
    tally = Tally(counts, measured.bounds, measured.weight)
    right = decided.reindex(judged.index)
    document = judged["document_code"].to_numpy()
    for place, dataset in enumerate([*measured.datasets, ALL]):
        stretch = measured.document_codes(dataset)
        if not view.in_documents[stretch].any():
            continue
        inside = (document >= stretch.start) & (document < stretch.stop) & right.notna().to_numpy()
        parts = [right.to_numpy()[inside & rows] for rows in (verified, ~verified)]
        head = {
            "policy": measured.policy.name,
            "dataset": dataset,
            "source": source,
            "metric": RATE,
            "n": float(inside.sum()),
            "level": level,
            "few": any(0 < len(part) < FEW_AUDITED for part in parts),
        }
        yield head | _rate(measured, tally, ALL_DATASETS if dataset == ALL else place, parts, level)


def _rate(measured: Measured, tally: Tally, at: int, parts: list[Floats], level: float) -> dict[str, Any]:
    cut = tally.cut(at)
    if not cut.total["judged"][0]:
        return {"reason": "no annotation of this source was judged by anyone who counts"}
    kind = "document" if measured.anonymous or cut.n_workers < FEW_WORKERS else "two-way"
    found = spread(cut, _VALUE, "judged", kind)
    if measured.weight is not None:
        document = tally.counts.document
        inside: Bools = (document >= cut.rows.start) & (document < cut.rows.stop)
        size = size_of(tally.counts, "judged", measured.weight, inside)
        found = replace(found, n=size, member=found.member * size / found.n)
    for part, name, share in zip(
        parts, ("what people verified", "the rest"), (found.estimate, 1 - found.estimate), strict=True
    ):
        if not len(part) and share > 0:
            return {"reason": f"experts decided nothing of {name}"}
    p = Share(found.estimate, worth(found.estimate, found.n, found.variance, found.member, MIN_ICC))
    ppv, npv = (_share(part) for part in (parts[0], 1 - parts[1]))
    rate, _ = audited_rate(p, ppv, npv)
    _, error = audited_rate(p, _unsure(ppv), _unsure(npv))
    half = float(special.ndtri((1 + level) / 2)) * error
    return {
        "estimate": rate,
        "low": max(0.0, rate - half),
        "high": min(1.0, rate + half),
        "method": f"expert audit; {len(parts[0])} of the verified, PPV {ppv.value:.3f};"
        f" {len(parts[1])} of the rest, NPV {npv.value:.3f}",
        "target": "documents like these, as experts see them",
        "clusters": found.clusters,
    }


def _share(part: Floats) -> Share:
    """The share of a part; of nothing, all."""
    return Share(float(part.mean()), float(len(part))) if len(part) else Share(1.0, 1.0)


def _unsure(share: Share) -> Share:
    """What gives a share of none or all a variance: one answer more of each kind."""
    if 0 < share.value < 1:
        return share
    return Share((share.value * share.n + 1) / (share.n + 2), share.n + 2)
