"""Every headline number equals an implementation by plain loops, to 1e-12, on random studies."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import evaluate, load
from analysis.metrics.registry import get, registered
from analysis.outcomes import measure
from analysis.policy import get_policy
from tests.support.examples import examples
from tests.support.naive import Naive
from tests.support.random_studies import SOURCES, frame

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "second-implementation.json"
STUDIES = 200
Made = tuple[pd.DataFrame, pd.DataFrame]
IDENTITY = ["dataset", "document", "source", "start", "end", "entity"]


def _imported(rows: pd.DataFrame, r: np.random.Generator) -> pd.DataFrame:
    """What was shown and as much again that was not, some with a confidence."""
    shown = rows[IDENTITY].drop_duplicates()
    more = shown.sample(frac=1.0, random_state=int(r.integers(2**31)))
    more = more.assign(start=more["start"] + 1, end=more["end"] + 1)[: len(shown) // 2]
    every = pd.concat([shown, more]).drop_duplicates(ignore_index=True)
    confidence = np.round(r.random(len(every)), 4)
    return every.assign(confidence=np.where(r.random(len(every)) < 0.7, confidence, np.nan))


def _made(seed: int, rows: int, datasets: int, documents: int, workers: int) -> Made:
    """Judgments, some with NIL among the entities, and all that was imported."""
    made = frame(seed, rows, datasets, documents, workers)
    r = np.random.default_rng(seed)
    made["entity"] = made["entity"].where(r.random(rows) < (1.0, 0.9)[seed % 2], "NIL")
    return made, _imported(made, r)


def _study(seed: int) -> Made:
    r = np.random.default_rng([seed, 1])
    return _made(seed, *(int(r.integers(low, high)) for low, high in ((1, 150), (1, 3), (1, 5), (1, 10))))


studies = st.builds(
    _made,
    seed=st.integers(0, 10**9),
    rows=st.integers(1, 80),
    datasets=st.integers(1, 2),
    documents=st.integers(1, 3),
    workers=st.integers(1, 9),
)
CHOICES = {
    "pooling": ("item", "own"),
    "resolution": ("share", "first", "majority", "unanimous"),
    "union_edits": ("no", "yes"),
    "recall_union": ("distinct", "groups", "thinned"),
}
choices = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()})


def _compared(rows: pd.DataFrame, imported: pd.DataFrame, chosen: dict[str, str]) -> tuple[int, list[str]]:
    """How many numbers were compared, and what differs by more than 1e-12, in words."""
    got = evaluate(measure(load(rows, annotations=imported), get_policy("recommended", chosen)), replicates=0)
    plain = {
        "pooling": chosen["pooling"],
        "resolution": chosen["resolution"],
        "edits": chosen["union_edits"],
        "union": chosen["recall_union"],
    }
    ran = {str(name): set(part["dataset"]) for name, part in imported.groupby("source")}
    silent = (rows["decision"] == "").all()
    out = []
    for (dataset, source), part in got.groupby(["dataset", "source"]):
        inside = [one if dataset == "*" else one[one["dataset"] == dataset] for one in (rows, imported)]
        if source:
            inside = [one[one["dataset"].isin(ran[source])] for one in inside]
        naive = Naive(*inside, plain, ran)
        wanted = naive.of_source(source) if source else naive.of_all()
        for row in part.itertuples():
            expected = wanted[row.metric]
            if silent and get(row.metric).family != "matching":
                expected = None  # where nobody judged anything, nothing is said of judgments
            same = np.isnan(row.estimate) if expected is None else abs(row.estimate - expected) <= 1e-12
            if not same:
                out.append(f"{dataset} {source} {row.metric}: {row.estimate}, by loops {expected}")
    return len(got), out


@given(studies, choices)
@examples(6)
def test_every_number_equals_plain_loops(study, chosen):
    assert _compared(*study, chosen)[1] == []


def test_no_metric_is_left_out():
    """A metric that is added has to be written a second time, by loops."""
    rows = frame(1)
    ran = {name: {"d0", "d1"} for name in SOURCES}
    chosen = {"pooling": "item", "resolution": "share", "edits": "no", "union": "distinct"}
    naive = Naive(rows, rows[IDENTITY].drop_duplicates().assign(confidence=np.nan), chosen, ran)
    known = {*naive.of_source("A"), *naive.of_all()}
    assert {metric.name for metric in registered()} <= known


@pytest.mark.prove
def test_two_hundred_random_studies_equal_plain_loops():
    """The number of studies, of numbers compared and of differences is kept in docs/proofs."""
    every = [dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values())]
    found = [_compared(*_study(seed), every[seed // 2 % len(every)]) for seed in range(STUDIES)]
    differences = [said for _, several in found for said in several]
    kept = {
        "what": "Random studies under random choices of pooling, resolution, edits and union: every number"
        " against an implementation by plain loops",
        "studies": STUDIES,
        "numbers": sum(count for count, _ in found),
        "different by more than 1e-12": len(differences),
    }
    PROOF.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    assert differences == []
