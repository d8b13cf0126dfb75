"""What the docs say of the search is what was measured."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.search_tables import lines

DOCS = Path(__file__).parents[2] / "docs"


def test_the_tables_hold_the_figures_of_the_proof() -> None:
    proof = json.loads((DOCS / "proofs" / "search.json").read_text(encoding="utf-8"))
    written = (DOCS / "explanation" / "search.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines(proof) if line not in written] == []
