"""McNemar's test by hand, and what a difference says in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.compare import compare, comparisons
from analysis.errors import ConfigError
from analysis.found import CAUTION, mcnemar
from analysis.load import load
from analysis.outcomes import measure
from analysis.settings import Settings
from tests.support.judged_studies import JUDGMENTS
from tests.support.random_studies import frame


@pytest.mark.parametrize(("alone", "other"), [(1, 7), (5, 5), (0, 3), (10, 2), (40, 61)])
def test_exact_p_is_the_binomial_tests_and_mid_p_counts_what_was_seen_by_half(alone, other):
    mid, exact = mcnemar(alone, other)
    assert exact == pytest.approx(stats.binomtest(alone, alone + other).pvalue, abs=1e-12)
    half = stats.binom.pmf(min(alone, other), alone + other, 0.5)
    assert mid == pytest.approx(min(1, 2 * stats.binom.cdf(min(alone, other), alone + other, 0.5) - half))


def test_nothing_to_tell_them_apart_by():
    assert mcnemar(0, 0) == (1.0, 1.0)


def _one(source, place, decision="verify", key=None):
    return (
        "d",
        f"t{place % 3}",
        source,
        10 * place,
        10 * place + 5,
        key or f"Q{place + 1}",
        "w",
        decision,
        "",
    )


def test_rows_over_ground_truth_links_and_over_the_union():
    """GT has 6 links. A has 4 of them, B 1 of these. Of the union's 8 items A has 4 + 2, B has 1."""
    rows = [_one("GT", place) for place in range(6)]
    rows += [_one("A", place) for place in (0, 1, 2, 3, 6, 7)]
    rows += [_one("B", 3), _one("B", 8, "remove")]
    table, _ = comparisons(measure(load(pd.DataFrame(rows, columns=JUDGMENTS))))
    found = table[(table["kind"] == "mcnemar") & (table["dataset"] == "d")].set_index(
        ["metric", "source", "other"]
    )
    assert ("found_of_gt", "A", "GT") not in found.index
    gt = found.loc[("found_of_gt", "A", "B")]
    assert (gt["n"], gt["estimate"], gt["p"]) == (6, pytest.approx(3 / 6), mcnemar(3, 0)[0])
    union = found.loc[("found_of_union", "A", "B")]
    assert (union["n"], union["estimate"], union["p"]) == (8, pytest.approx(5 / 8), mcnemar(5, 0)[0])
    assert "by the first alone 5, by the second alone 0, by both 1, by neither 2" in union["method"]
    assert union["warning"] == CAUTION
    # Three pairs of one dataset are adjusted together.
    assert union["p_holm"] == pytest.approx(min(1, 3 * union["p"]), abs=0.3)


def test_uneven_weights_are_refused():
    study = load(frame(5))
    count = len(study["segments"])
    uneven = load({**study.tables, "segments": study["segments"].assign(weight=1.0 + np.arange(count) % 2)})
    table, _ = comparisons(measure(uneven))
    rows = table[table["metric"] == "found_of_union"]
    assert rows["reason"].str.contains("unequal weights").all()
    assert rows["p"].isna().all()


def _rates(gt, a, documents=30, links=20):
    """A study where GT and A verify so many of 20 links in each document, one link more or less by turns."""
    rows = []
    for document in range(documents):
        for source, hits in (("GT", gt), ("A", a)):
            for place in range(links):
                said = "verify" if place < hits + document % 2 else "remove"
                worker = f"w{document % 10}"
                span = (100 * (source == "A") + 3 * place, 100 * (source == "A") + 3 * place + 2)
                rows.append(("d", f"t{document}", source, *span, f"Q{place}", worker, said, ""))
    # One document differs, so that the difference varies.
    rows[0] = (*rows[0][:7], "remove", "")
    return load(pd.DataFrame(rows, columns=JUDGMENTS))


@pytest.mark.parametrize(
    ("gt", "a", "margin", "said"),
    [
        (14, 16, None, "better"),
        (16, 14, None, "worse"),
        (16, 16, None, "not told apart"),
        (16, 16, 0.02, "as good, within the margin"),
        (16, 16, 0.001, "not shown to be as good"),
        (16, 15, 0.2, "worse, by less than the margin"),
        (16, 12, 0.05, "worse"),
    ],
)
def test_what_a_difference_says(gt, a, margin, said):
    pair = ("GT", "A") if said.startswith("not shown") else ("A", "GT")
    row = compare(_rates(gt, a), *pair, margin=margin).iloc[0]
    assert row["verdict"] == said
    assert (row["margin"] == margin) or margin is None


def test_one_sided_p_are_of_the_interval_and_half_of_two_sided():
    """The interval's end lies at the margin where non-inferiority has p of half of 1 - level."""
    study = _rates(16, 16)
    row = compare(study, "A", "GT", margin=0.05).iloc[0]
    at_the_end = compare(study, "A", "GT", margin=-float(row["low"]) + 1e-15).iloc[0]
    assert at_the_end["p_margin"] == pytest.approx(0.025, abs=1e-6)
    back = compare(study, "GT", "A").iloc[0]
    assert row["p_better"] + back["p_better"] == pytest.approx(1)


def test_where_low_is_good_the_sign_turns():
    study = _rates(16, 14)
    assert compare(study, "A", "GT", "removal_rate").iloc[0]["verdict"] == "worse"
    assert compare(study, "GT", "A", "removal_rate").iloc[0]["verdict"] == "better"


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1])
def test_no_margin_but_a_share_is_taken(margin):
    with pytest.raises(ConfigError, match="not a margin"):
        Settings(margin=margin).check()


def test_where_one_document_alone_differs_chance_explains_it():
    """Whichever way its sign falls, the sum is as large: p is 1, whatever rounding does to the others."""
    row = compare(_rates(16, 16), "A", "GT").iloc[0]
    assert (row["p"], row["estimate"]) == (1.0, pytest.approx(1 / 600))


def _halves(seed, documents=25):
    """A source against itself: each link goes to one of two names at random, whoever judged it."""
    r = np.random.default_rng(seed)
    rows = []
    for document in range(documents):
        easy = r.beta(8, 2)
        for place in range(20):
            said = "verify" if r.random() < easy else "remove"
            name = ("GT", "A")[r.integers(2)]
            span = (3 * place, 3 * place + 2)
            rows.append(("d", f"t{document}", name, *span, f"Q{place}", f"w{document % 12}", said, ""))
    return load(pd.DataFrame(rows, columns=JUDGMENTS))


def test_a_source_split_at_random_against_itself_differs_by_chance_alone():
    """Of 10 splits the .95 interval holds 0 in at least 8."""
    rows = [compare(_halves(seed), "A", "GT").iloc[0] for seed in range(10)]
    assert sum(row["low"] <= 0 <= row["high"] for row in rows) >= 8
    assert sum(row["p"] <= 0.05 for row in rows) <= 2
    assert abs(np.mean([row["estimate"] for row in rows])) < 0.02


def test_a_source_twice_under_two_names_does_not_differ_at_all():
    once = frame(7, rows=200)
    once = once[once["source"] != "B"]
    twice = pd.concat([once, once[once["source"] == "A"].assign(source="B")], ignore_index=True)
    table, _ = comparisons(measure(load(twice)))
    same = table[(table["source"] == "A") & (table["other"] == "B") & (table["kind"] != "mcnemar")]
    assert same["estimate"].abs().max() == 0
    assert (same.loc[same["kind"] == "difference", "verdict"].isin(["", "not told apart"])).all()
    control = table[table["kind"] == "negative_control"]
    assert {"A"} & set(control["source"])
