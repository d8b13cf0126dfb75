"""The sample study, judged by a simulated crowd: its ground truth comes closer to the truth (as a proof)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.score import score
from verifier.corpus import read_corpus

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "configs" / "demo" / "corpus"
PROOF = ROOT / "docs" / "proofs" / "corrections.json"
RULES = {
    "2 votes, over .5": (),
    "3 votes, over .66": ("--min-votes", "3", "--min-share", "0.66"),
    "nested": ("--nested",),
}


@pytest.mark.prove
def test_the_corrected_ground_truth_is_closer_to_the_truth(tmp_path, posthoc):
    assert posthoc("demo", "--out", tmp_path / "demo").status == 0
    truth, before = read_corpus(CORPUS / "truth.jsonl"), read_corpus(CORPUS / "gt.jsonl")
    found = {"as imported": before}
    for name, options in RULES.items():
        out = tmp_path / f"{len(found)}.jsonl"
        assert posthoc("export", tmp_path / "demo", "--to", "corrected", "--out", out, *options).status == 0
        found[name] = read_corpus(out)
    records = score(truth, found)
    measured = {
        r["source"]: {k: r[k] for k in ("hits", "predicted", "gold", "precision", "recall", "f1")}
        for r in records
    }
    given = measured["as imported"]
    for name in RULES:
        assert measured[name]["precision"] > given["precision"] + 0.05
        assert measured[name]["recall"] > given["recall"] + 0.05
    PROOF.write_text(
        json.dumps({"against configs/demo/corpus/truth.jsonl": measured}, indent=2) + "\n", encoding="utf-8"
    )
