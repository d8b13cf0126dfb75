"""All scores that ELEVANT publishes for four systems on two corpora, from the files, by its rules."""

from __future__ import annotations

import json

import pytest

from analysis.score import score
from tests.support.elevant_documents import SYSTEMS, need
from verifier.corpus import read_corpus

MODES = {"IGNORED": "drop", "REQUIRED": "require"}


@pytest.fixture(scope="module", params=["kore50", "wiki-fair-v2"])
def corpus(request):
    """The folder, the ground truth and the systems' predictions."""
    folder = need(request.param)
    found = {
        name: read_corpus(next((folder / "predictions").glob(f"{name}.elevant.jsonl*"))) for name in SYSTEMS
    }
    return folder, read_corpus(folder / "gt.elevant.jsonl"), found


@pytest.mark.parametrize("mode", MODES)
def test_every_published_count(corpus, mode):
    folder, truth, found = corpus
    for record in score(truth, found, match="elevant", nil=MODES[mode]):
        file = folder / "official" / f"{record['source']}.json"
        official = json.loads(file.read_text(encoding="utf-8"))[mode]["mention_types"]["all"]
        predicted = official["true_positives"] + official["false_positives"]
        expected = (official["true_positives"], predicted, official["ground_truth"])
        assert (record["hits"], record["predicted"], record["gold"]) == expected
        assert record["f1"] == pytest.approx(official["f1"])
