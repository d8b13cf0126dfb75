"""Agreement about spans on random documents: against seqeval, nervaluate and scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from analysis.agreement import span_agreement
from tests.support.examples import examples

LENGTH = 12
LABELS = ["LOC", "PER"]
QUICK = examples(25)


@st.composite
def spans(draw):
    """One worker's spans in a document, none overlapping: (start, end, label)."""
    edges = draw(st.lists(st.integers(0, LENGTH), min_size=0, max_size=6, unique=True).map(sorted))
    return [
        (start, end, draw(st.sampled_from(LABELS)))
        for start, end in zip(edges[::2], edges[1::2], strict=False)
    ]


DOCUMENTS = st.lists(st.tuples(spans(), spans()), min_size=1, max_size=3)


def ours(documents):
    """Every coefficient of two workers' spans."""
    rows = []
    for name, pair in enumerate(documents):
        for worker, given_spans in zip("ab", pair, strict=True):
            marks = given_spans or [(None, None, None)]
            rows += [(name, worker, start, end, label, LENGTH) for start, end, label in marks]
    columns = ["document", "worker", "start", "end", "label", "length"]
    return span_agreement(pd.DataFrame(rows, columns=columns, dtype=object), replicates=0)


def tags(given_spans, *, bio):
    """A tag a position."""
    out = ["O"] * LENGTH
    for start, end, label in given_spans:
        out[start:end] = [f"I-{label}"] * (end - start)
        out[start] = f"{'B' if bio else 'I'}-{label}"
    return out


def some(documents):
    assume(all(any(pair[side] for pair in documents) for side in (0, 1)))


@QUICK
@given(DOCUMENTS)
def test_exact_f1_equals_seqeval(documents):
    """Its micro F1 of the second worker's tags against the first's, which is symmetric."""
    f1_score = pytest.importorskip("seqeval.metrics").f1_score
    some(documents)
    first, second = ([tags(pair[side], bio=True) for pair in documents] for side in (0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where nothing matches
        theirs = f1_score(first, second)
    assert ours(documents)["span_f1_exact"]["estimate"] == pytest.approx(theirs, abs=1e-9)


@QUICK
@given(DOCUMENTS)
def test_exact_f1_equals_nervaluate(documents):
    """Its `strict` is ours with labels, its `exact` ours without; its ends are the last position.

    Its `partial` and `ent_type` are not compared: they match greedily in order of the text and give half a
    point for a part, where ours finds as many pairs as there can be. Nor are its totals, which count a span
    again for every span it overlaps: hits are, over the spans of both.
    """
    nervaluate = pytest.importorskip("nervaluate")
    some(documents)
    sides = [
        [
            [{"label": label, "start": start, "end": end - 1} for start, end, label in pair[side]]
            for pair in documents
        ]
        for side in (0, 1)
    ]
    theirs = nervaluate.Evaluator(*sides, tags=LABELS, loader="dict").evaluate()["overall"]
    found, size = ours(documents), sum(len(one) for pair in documents for one in pair)
    for name, coefficient in (("strict", "span_f1_exact"), ("exact", "span_f1_exact_untyped")):
        expected = 2 * theirs[name].correct / size
        assert found[coefficient]["estimate"] == pytest.approx(expected, abs=1e-9)


@QUICK
@given(DOCUMENTS)
def test_token_kappas_equal_scikit_learn(documents):
    found = ours(documents)
    for scheme, name in ((False, "token_kappa"), (True, "token_kappa_bio")):
        one, other = (np.concatenate([tags(pair[side], bio=scheme) for pair in documents]) for side in (0, 1))
        assume(len(set(one) | set(other)) > 1)
        theirs = cohen_kappa_score(one, other)
        estimate = found[name]["estimate"]
        if estimate is None:
            assert np.isnan(theirs)
        else:
            assert estimate == pytest.approx(theirs, abs=1e-9)
