"""Coverage study: the intervals of simulated campaigns hold the truth as often as they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import compare, evaluate, load
from tests.support.campaigns import SOURCES, Design, Judged, campaigns
from tests.support.covering import METRICS, Found, intervals, proof, run, written

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "coverage.json"
CAMPAIGNS = 4000
BOOTSTRAPS = 400


@pytest.mark.prove
def test_every_cell_without_a_warning_covers_its_target():
    found = proof(CAMPAIGNS, BOOTSTRAPS)
    PROOF.write_text(written(found), encoding="utf-8")
    short = [row for row in found["rows"] if not row["passes"]]
    assert not short


def test_the_targets_are_what_very_many_documents_give():
    """The bars above mean something only if the targets are right: one campaign of 4,000 documents."""
    design = Design(4000, 0.9, 0.1, 0.05, 1)
    found = run((design, 1, 0))["found"]
    targets = design.targets()
    assert all(found[name].low[0] <= targets[name] <= found[name].high[0] for name in METRICS)
    assert max(found[name].high[0] - found[name].low[0] for name in METRICS) < 0.03


def _as_judgments(judged: Judged) -> pd.DataFrame:
    """A campaign in the shape of a judgments CSV; of what a source has, some is judged for others alone."""
    made = pd.DataFrame({"item": judged.item, "source": judged.source, "worker": judged.worker})
    made["decision"] = np.where(judged.verify == 1, "verify", "remove")
    item, source = np.nonzero(judged.member)
    every = pd.DataFrame({"item": item, "source": source}).merge(made, how="left")
    place = pd.DataFrame({"item": judged.item, "document": judged.document, "segment": judged.segment})
    every = every.merge(place.drop_duplicates("item"), on="item")
    return pd.DataFrame(
        {
            "dataset": "d",
            "document": [f"t{n:03}" for n in every["document"]],
            "source": [f"S{n}" for n in every["source"]],
            "start": every["item"] * 10,
            "end": every["item"] * 10 + 5,
            "entity": "Q1",
            "worker": ["" if np.isnan(n) else f"w{n:03.0f}" for n in every["worker"]],
            "decision": every["decision"].fillna(""),
            "segment": [f"s{n}" for n in every["segment"]],
        }
    )


@pytest.mark.parametrize("design", [Design(20, 0.9, 0.1, 0.05, 3), Design(24, 0.6, 0.0, 0.15, 1, heavy=True)])
def test_a_campaign_of_the_proof_is_what_a_study_of_its_judgments_is(design):
    """The proof's short way to an interval gives what a user gets from the file of the same judgments."""
    judged = campaigns(design, 1)
    found = {name: Found() for name in METRICS}
    intervals(design, judged, found)
    study = load(_as_judgments(judged), gt="S2")
    assert len(study["sources"]) == SOURCES
    names = ["verification_rate", "posthoc_recall", "posthoc_f1"]
    rows = evaluate(study, names, replicates=0).query("dataset == 'd' and source == 'S0'")
    ours = compare(study, "S0", "S1").query("dataset == 'd'")
    for name, got in [*zip(names, rows.itertuples(), strict=True), ("difference", next(ours.itertuples()))]:
        assert (found[name].low[0], found[name].high[0]) == pytest.approx((got.low, got.high), abs=1e-9)
