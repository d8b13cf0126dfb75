"""Ten thousand changed files a format: each is read whole and right, or refused with a line; nothing else."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.support.mutated import FORMATS, run

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "mutated_corpora.json"
FILES = 10_000
# Of the refusals, those that name the changed line or the element or document it is in. What is far from it
# is a missing end tag or quote, which shows only where the file no longer fits.
NEAR = 0.9


def near_share(found: dict[str, dict[str, int]]) -> float:
    named = found["named"]
    return (named.get("line", 0) + named.get("element", 0)) / sum(named.values())


@pytest.mark.prove
def test_no_change_of_a_file_goes_wrong(tmp_path):
    pytest.importorskip("rdflib")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rows = list(pool.map(run, FORMATS, repeat(FILES), repeat(7), repeat(tmp_path)))
    PROOF.write_text(
        f"{json.dumps({'seed': 7, 'rows': rows}, indent=1, ensure_ascii=False)}\n", encoding="utf-8"
    )
    assert not [row["format"] for row in rows if row["named"].get("nowhere")]
    assert not [row["format"] for row in rows if near_share(row) < NEAR]


@pytest.mark.parametrize("form", FORMATS)
def test_a_few_changed_files_of_each_format(form, tmp_path):
    if form == "nif":
        pytest.importorskip("rdflib")
    found = run(form, 60, 11, tmp_path)
    assert found["benign, equal"] == 30
    assert "nowhere" not in found["named"]
