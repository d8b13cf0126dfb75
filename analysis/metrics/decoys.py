"""The default effect: how often wrong links, put in place of right ones, are verified; and the right ones."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from analysis.decisions import EDIT, VERIFY
from analysis.engine.counts import Counts
from analysis.measured import Measured, View
from analysis.metrics.registry import Metric, MetricFamily, ratio, register_family
from analysis.schema import DECOY
from analysis.voices import gate_of

_PLACE: Final = ["segment", "start", "end"]
_WORDS: Final = {
    "decoy_acceptance": (
        "Decoys verified",
        "decoys verified, over decoys judged",
        "no decoy was judged by anyone who counts",
    ),
    "decoyed_link_acceptance": (
        "Links verified where decoys stood",
        "judgments that verify the right link of a place where a decoy stood, over all judgments of it",
        "no right link was judged where a decoy stood by anyone who counts",
    ),
}


def decoys(view: View) -> Counts:
    """Judgments of decoys, and those that verify."""
    return _counts(view, DECOY)


def links(view: View) -> Counts:
    """Judgments of the right links in the places of decoys, and those that verify."""
    return _counts(view, "link")


def _counts(view: View, kind: str) -> Counts:
    memo = view.measured.memo
    if "decoys" not in memo:
        memo["decoys"] = _judged(view.measured)
    rows: pd.DataFrame = memo["decoys"]
    rows = rows[(rows["kind"] == kind) & view.in_documents[rows["document_code"].to_numpy()]]
    return Counts.of(
        document=rows["document_code"],
        segment=rows["segment_code"],
        unit=rows["unit"],
        worker=rows["worker_code"],
        quantities={"verify": rows["verified"], "judged": 1},
    )


def _judged(measured: Measured) -> pd.DataFrame:
    """Each judgment of a decoy or of a right link where one stands, of those who count under the policy."""
    study = measured.study
    shown = study["displays"].merge(study["tasks"][["task", "segment"]], on="task")
    answers = study["control_answers"]
    planted = shown.merge(answers.loc[answers["use"] == DECOY, ["display", "acceptable"]], on="display")
    credited = shown[shown["display"].isin(study["credits"]["display"])]
    there = credited.merge(planted[[*_PLACE, "acceptable"]].drop_duplicates(), on=_PLACE)
    right = [
        key in json.loads(keys or "[]") for key, keys in zip(there["key"], there["acceptable"], strict=True)
    ]
    there = there[np.array(right, dtype=bool)].drop_duplicates("display")
    both = pd.concat([planted.assign(kind=DECOY), there.assign(kind="link")], ignore_index=True)
    enters, _ = gate_of(study["assignments"], measured.policy.gate)
    people = study["assignments"].loc[enters, ["assignment", "worker"]]
    made = study["judgments"]
    made = made[made["current"].astype(bool) & (made["role"] == "worker")]
    both = both[["display", *_PLACE, "key", "kind"]].rename(columns={"key": "planted"})
    rows = made.merge(both, on="display").merge(people, on="assignment")
    rows = rows.sort_values(["assignment", "display"], ignore_index=True)
    same = (rows["key"] == rows["planted"]).fillna(value=False).to_numpy(dtype=bool)
    decision = rows["decision"].to_numpy()
    segments = measured.segments
    code = pd.Index(segments["segment"]).get_indexer(pd.Index(rows["segment"]))
    return pd.DataFrame(
        {
            "kind": rows["kind"].to_numpy(),
            "document_code": segments["document_code"].to_numpy()[code],
            "segment_code": code,
            "unit": rows.groupby([*_PLACE, "planted"], sort=True).ngroup().to_numpy(),
            "worker_code": pd.Index(measured.workers).get_indexer(pd.Index(rows["worker"])),
            "verified": ((decision == VERIFY) | ((decision == EDIT) & same)).astype(np.int64),
        }
    )


def _make(match: re.Match[str]) -> Metric:
    title, formula, undefined = _WORDS[match[0]]
    return Metric(
        name=match[0],
        title=title,
        formula=formula,
        range=(0.0, 1.0),
        better="lower" if match[0] == "decoy_acceptance" else "none",
        undefined=undefined,
        clusters=("document", "segment", "annotation", "worker", "two-way"),
        reference="docs/definitions.md section 5, the default effect",
        family="rates",
        per="dataset",
        count=decoys if match[0] == "decoy_acceptance" else links,
        value=ratio("verify", "judged"),
        size="judged",
    )


def _names(name: str, measured: Measured) -> list[str]:
    """Its name, in a study that has decoys; others are not told of it."""
    planted = (measured.study["control_answers"]["use"] == DECOY).any()
    return [name] if planted else []


for _name in _WORDS:
    register_family(MetricFamily(re.compile(_name), _make, partial(_names, _name), _name))
