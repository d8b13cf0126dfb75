"""wiki-fair-v2 through the real import and plan: what is shown of it, and how it stands to the GT."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from analysis.letters import letters

DATA = Path(__file__).parents[3] / "shared" / "data" / "wiki-fair-v2"
FILES = {
    "GT": "gt.elevant.jsonl",
    "REL": "predictions/rel.elevant.jsonl.gz",
    "ReFinED": "predictions/refined.elevant.jsonl.gz",
}
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/wiki-fair-v2 is not there")


def test_what_is_shown_is_cropped_and_without_nil_and_has_the_known_letters(posthoc, study_folder, tmp_path):
    for source, file in FILES.items():
        ran = posthoc("import", study_folder, DATA / file, "--dataset", "wf", "--source", source)
        assert ran.status == 0, ran.err
        assert ("links, those outside of the evaluation span counted in" in ran.out) == (source != "GT")
    assert posthoc("plan", study_folder).status == 0
    assert posthoc("export", study_folder, "--to", "bundle", "--out", tmp_path / "bundle").status == 0
    kept = pd.read_parquet(tmp_path / "bundle" / "annotations.parquet")
    reasons = Counter(kept["reason"].dropna())
    assert reasons == {"nil": 837, "not_an_entity": 721, "outside_evaluation": 4185, "unmapped": 14}
    shown = kept[kept["shown"]]
    assert Counter(shown["source"]) == {"GT": 1918, "REL": 1261, "ReFinED": 1322}
    shown = shown.assign(document=pd.factorize(shown["document"])[0])
    items = shown.drop_duplicates(["document", "start", "end", "key"])
    assert (len(shown), len(items)) == (4501, 2524)
    found = letters(items, shown[shown["source"] == "GT"])
    assert Counter(found.letter.tolist()) == {"A": 1918, "B": 316, "C": 34, "D": 101, "E": 155}
