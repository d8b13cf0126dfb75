"""From exact precision to posthoc precision: the steps by hand, and that they add up."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from analysis.waterfall import COLUMNS, waterfall
from tests.support.judged_studies import JUDGMENTS, measured
from tests.support.random_studies import frame
from tests.unit.analysis.test_every_choice import HITS

# GT has Q1, Q2, Q3, Q4 at 0-5, 10-15, 20-25, 30-35. A: the first verified, the second removed, at the third
# span another entity verified, over the fourth a longer span with the same verified, one of its own edited
# and one verified.
STUDY = [
    *(f"t GT {10 * n}-{10 * n + 5} Q{n + 1} - -" for n in range(4)),
    "t A 0-5 Q1 w verify",
    "t A 10-15 Q2 w remove",
    "t A 20-25 Q9 w verify",
    "t A 30-37 Q4 w verify",
    "t A 40-45 Q5 w edit=Q6",
    "t A 50-55 Q7 w verify",
]


def _steps(made, source="A", dataset="d"):
    table = waterfall(made)
    assert tuple(table.columns) == COLUMNS
    return table[(table["source"] == source) & (table["dataset"] == dataset)]


def test_the_steps_by_hand():
    """2 of 6 links are exact; one is removed; a B, a C and an E1 of six are verified: 4 of 6."""
    rows = _steps(measured(STUDY, imported=["t A 60-65 Q8"]))
    assert rows["reached"].iloc[0] == 2 / 7
    moved = rows[rows["change"].abs() > 0].set_index(["step", "letter", "outcome"])
    assert moved["change"].to_dict() == pytest.approx(
        {
            ("only what was judged", "", ""): 2 / 6 - 2 / 7,
            ("exact, not verified", "A", "removed"): -1 / 6,
            ("not exact, verified", "B", "verified"): 1 / 6,
            ("not exact, verified", "C", "verified"): 1 / 6,
            ("not exact, verified", "E1", "verified"): 1 / 6,
        }
    )
    assert moved["n"].tolist() == [6, 1, 1, 1, 1]
    assert rows["reached"].iloc[-1] == 4 / 6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("policy", ["recommended", "paper", "original"])
def test_steps_add_up_to_posthoc_precision(seed, policy):
    made = measure(load(frame(seed, rows=150)), policy)
    got = evaluate(made, ["pre_precision_exact", "posthoc_precision"], replicates=2)
    got = got.set_index(["dataset", "source", "metric"])["estimate"]
    for (dataset, source), rows in waterfall(made).groupby(["dataset", "source"]):
        if rows["reason"].iloc[0]:
            continue
        steps = rows["change"].sum()
        before, after = (got[dataset, source, name] for name in ("pre_precision_exact", "posthoc_precision"))
        assert before + steps == pytest.approx(after, abs=1e-12)
        reached = rows["reached"].to_numpy()
        np.testing.assert_allclose(np.diff(reached[:-1]), rows["change"].to_numpy()[1:-1], atol=1e-12)


def test_what_matches_the_union_under_weak_hits_is_a_step_of_its_own():
    rows = _steps(measure(HITS, "original"))
    assert rows["reached"].iloc[-1] == 1


def test_no_ground_truth_no_waterfall_and_a_source_never_judged_says_why():
    assert waterfall(measure(load(frame(1).assign(source="A")))).empty
    rows = [("d", "t", "GT", 0, 5, "Q1", "w", "verify", ""), ("d", "t", "A", 0, 5, "Q1", "", "", "")]
    made = measure(load(pd.DataFrame(rows, columns=JUDGMENTS)), "paper")
    assert _steps(made)["reason"].tolist() == ["there is no precision posthoc"]
