"""Matching and coverage letters on real corpora, against the counts of their official scorers and papers."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from analysis.letters import letters
from analysis.matching import crop, match
from analysis.score import score
from tests.support.elevant_documents import ground_truth, predictions

# system -> exact (hits, predicted), with the number of ground-truth links of the corpus
EXACT = {
    "kore50": (143, {"rel": (92, 146), "refined": (91, 122), "genre": (76, 125), "baseline": (43, 121)}),
    "wiki-fair-v2": (
        1918,
        {"rel": (839, 1261), "refined": (1044, 1322), "genre": (767, 964), "baseline": (759, 1224)},
    ),
}


class Corpus:
    """A corpus as cropped frames of codes."""

    def __init__(self, name: str) -> None:
        self.name = name
        documents = ground_truth(name)
        self.code = {document.name: i for i, document in enumerate(documents)}
        self.start = np.array([d.evaluation.start for d in documents])
        self.end = np.array([d.evaluation.end for d in documents])
        self.gt = self.frame(documents)

    def frame(self, documents) -> pd.DataFrame:
        """Annotations of documents, cropped."""
        rows = [
            (self.code[d.name], a.span.start, a.span.end, a.entity.key, a.entity.kind)
            for d in documents
            for a in d.annotations
        ]
        return crop(
            pd.DataFrame(rows, columns=["document", "start", "end", "key", "kind"]), self.start, self.end
        )

    def system(self, name: str) -> pd.DataFrame:
        """Predictions of a system, cropped."""
        return self.frame(predictions(self.name, name))

    def items(self, *frames: pd.DataFrame) -> pd.DataFrame:
        """The distinct linked items of the frames."""
        together = pd.concat(frames)
        return together[together["kind"] == "link"].drop_duplicates(["document", "start", "end", "key"])


@pytest.fixture(scope="module")
def corpora():
    return {name: Corpus(name) for name in EXACT}


@pytest.mark.parametrize(("corpus", "system"), [(c, s) for c, (_, rows) in EXACT.items() for s in rows])
def test_exact_hits(corpora, corpus, system):
    gold, rows = EXACT[corpus]
    here = corpora[corpus]
    got = match(here.gt, here.system(system), len(here.code))
    assert (got.hits.sum(), got.predicted.sum(), got.gold.sum()) == (*rows[system], gold)


@pytest.mark.parametrize(
    ("corpus", "expected", "a_of_models"),
    [
        ("kore50", {"A": 143, "B": 67, "D": 3, "E": 9}, 107),
        ("wiki-fair-v2", {"A": 1918, "B": 316, "C": 34, "D": 101, "E": 155}, 1112),
    ],
)
def test_letters_of_the_union_against_the_ground_truth(corpora, corpus, expected, a_of_models):
    """Everything counted as verified; the models alone differ in A only, the ground truth being a source."""
    here = corpora[corpus]
    models = [here.system("rel"), here.system("refined")]
    assert Counter(letters(here.items(here.gt, *models), here.gt).letter.tolist()) == expected
    assert Counter(letters(here.items(*models), here.gt).letter.tolist()) == expected | {"A": a_of_models}


def test_parts_of_e_on_wiki_fair(corpora):
    here = corpora["wiki-fair-v2"]
    got = letters(here.items(here.gt, here.system("rel"), here.system("refined")), here.gt)
    assert Counter(got.part.tolist())["E0"] == 107
    assert Counter(got.part.tolist())["E1"] == 48


@pytest.mark.parametrize(("corpus", "system"), [(c, s) for c, (_, rows) in EXACT.items() for s in rows])
def test_score_from_documents(corpus, system):
    gold, rows = EXACT[corpus]
    [record] = score(ground_truth(corpus), {system: predictions(corpus, system)})
    assert (record["hits"], record["predicted"], record["gold"]) == (*rows[system], gold)
    assert record["precision_low"] < record["precision"] < record["precision_high"]
