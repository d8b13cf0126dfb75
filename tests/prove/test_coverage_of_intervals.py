"""Coverage study: the intervals of simulated campaigns hold the truth as often as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.campaigns import Design
from tests.support.covering import METRICS, proof, run, written

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "coverage.json"
# As many as about a quarter of an hour on two processors allows; by number of documents.
CAMPAIGNS = {20: 500, 50: 1000, 200: 700}


@pytest.mark.prove
def test_every_cell_without_a_warning_covers_its_target():
    found = proof(CAMPAIGNS, bootstraps=200)
    PROOF.write_text(written(found), encoding="utf-8")
    short = [row for row in found["rows"] if not row["passes"]]
    assert not short


def test_the_targets_are_what_very_many_documents_give():
    """The bars above mean something only if the targets are right: one campaign of 4,000 documents."""
    design = Design(4000, 0.9, 0.1, 0.05, 1)
    counted = run((design, 1, 0))["counted"]
    assert all(counted[name]["held"] == [True] for name in METRICS)
    assert max(counted[name]["width"][0] for name in METRICS) < 0.02
