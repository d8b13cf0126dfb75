"""Coverage, pre-annotation scores and union size of real corpora with every annotation verified."""

import pytest

from analysis.coverage_table import coverage_table
from analysis.evaluate import evaluate
from tests.support.judged_studies import all_verified

LETTERS = ("A", "B", "C", "D", "E")
CORPORA = {
    "kore50": (222, (143, 67, 0, 3, 9), (107, 67, 0, 3, 9)),
    "wiki-fair-v2": (2524, (1918, 316, 34, 101, 155), (1112, 316, 34, 101, 155)),
}


@pytest.fixture(scope="module", params=list(CORPORA))
def corpus(request):
    return request.param, all_verified(request.param, "rel", "refined")


def test_coverage_of_the_union(corpus):
    name, study = corpus
    size, counts, _ = CORPORA[name]
    frame = evaluate(study, ["union_size", *(f"coverage_{letter}" for letter in LETTERS)], replicates=0)
    frame = frame[frame["dataset"] == "*"].set_index("metric")
    assert frame.loc["union_size", "estimate"] == size
    for letter, count in zip(LETTERS, counts, strict=True):
        assert frame.loc[f"coverage_{letter}", "n"] == count
        assert frame.loc[f"coverage_{letter}", "estimate"] == pytest.approx(count / size)


def test_coverage_table_of_union_and_models(corpus):
    name, study = corpus
    _, union, models = CORPORA[name]
    table = coverage_table(study).set_index(["dataset", "direction", "letter"])["n"]
    assert tuple(table["*", "union_vs_gt", letter] for letter in LETTERS) == union
    assert tuple(table["*", "models_vs_gt", letter] for letter in LETTERS) == models
    # Type A is equal in both directions.
    assert table["*", "gt_vs_models", "A"] == models[0]


def test_exact_scores_of_a_study_are_those_of_its_files(corpus):
    name, study = corpus
    hits, predicted, gold = {"kore50": (92, 146, 143), "wiki-fair-v2": (839, 1261, 1918)}[name]
    frame = evaluate(study, ["pre_precision_exact", "pre_recall_exact", "pre_f1_exact"], replicates=0)
    got = frame[(frame["dataset"] == "*") & (frame["source"] == "rel")]["estimate"].tolist()
    assert got == pytest.approx([hits / predicted, hits / gold, 2 * hits / (predicted + gold)])


def test_parts_of_e_of_wiki_fair(corpus):
    name, study = corpus
    table = coverage_table(study).set_index(["dataset", "direction", "letter"])["n"]
    e0, e1 = {"kore50": (0, 9), "wiki-fair-v2": (107, 48)}[name]
    assert (table["*", "union_vs_gt", "E0"], table["*", "union_vs_gt", "E1"]) == (e0, e1)
