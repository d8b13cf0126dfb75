"""Agreement as metrics of a study against the kernels, on random judgments."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.alpha import alpha_nominal, counts_of, observed_agreement
from analysis.decisions import DECISIONS
from analysis.evaluate import evaluate
from tests.support.examples import examples
from tests.support.judged_studies import measured

# item -> the decisions of its workers
STUDY = st.lists(st.lists(st.sampled_from(DECISIONS), min_size=1, max_size=4), min_size=1, max_size=6)


@examples(8)
@given(STUDY)
def test_metrics_equal_the_kernels(items):
    rows = [
        f"doc{number % 2} GT {number}-{number + 1} X w{worker} {decision}"
        for number, decisions in enumerate(items)
        for worker, decision in enumerate(decisions)
    ]
    frame = evaluate(measured(rows), ["observed_agreement", "alpha_nominal"], replicates=0)
    got = frame[frame["dataset"] == "*"]["estimate"].tolist()
    unit = np.repeat(np.arange(len(items)), [len(decisions) for decisions in items])
    table = counts_of(
        unit, pd.Series([decision for decisions in items for decision in decisions]), len(items), DECISIONS
    )
    for value, kernel in zip(got, (observed_agreement(table), alpha_nominal(table)), strict=True):
        assert np.isnan(value) if kernel.estimate is None else value == pytest.approx(kernel.estimate)
