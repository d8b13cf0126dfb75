"""Coverage as metrics, and the coverage table with its four directions."""

import pytest

from analysis.coverage_table import coverage_table
from analysis.evaluate import evaluate
from tests.support.judged_studies import measured

# M has, against GT: A Paris, B on Rome's span, C a shorter Bern, D Wien over it, E0 over a NIL, E1 elsewhere.
ROWS = [
    "one GT 0-5 Paris a verify",
    "one GT 6-9 Rome a remove",
    "one GT 10-20 Bern a verify",
    "one M 0-5 Paris b verify",
    "one M 6-9 Roma b verify",
    "one M 10-15 Bern b verify",
    "one M 16-20 Wien b verify",
    "one M 30-34 Oslo b verify",
    "one M 40-44 Kyiv b verify",
    "one M 50-54 Riga b remove",
]
NIL = ["one GT 30-34 NIL"]


@pytest.fixture(scope="module")
def table():
    frame = coverage_table(measured(ROWS, imported=NIL))
    return frame[frame["dataset"] == "*"].set_index(["direction", "letter"])


def test_shares_of_the_union_and_the_number_of_items_with_each_letter():
    """Rome was removed and Riga too: neither is in the union."""
    frame = evaluate(
        measured(ROWS, imported=NIL), [f"coverage_{x}" for x in ["A", "B", "C", "D", "E", "E0", "E1"]]
    )
    frame = frame[frame["dataset"] == "*"]
    assert frame["n"].tolist() == [2, 1, 1, 1, 2, 1, 1]
    assert frame["estimate"].tolist() == pytest.approx([n / 7 for n in (2, 1, 1, 1, 2, 1, 1)])


def test_a_value_between_0_and_1_counts_as_its_share():
    rows = [*ROWS, "one M 0-5 Paris c remove"]
    frame = evaluate(measured(rows), ["coverage_A"])
    # Paris has two verifying judgments of three, Bern one of one, and five other items one each.
    assert frame["estimate"].iloc[-1] == pytest.approx((2 / 3 + 1) / (2 / 3 + 1 + 5))


def test_the_models_alone_leave_out_what_only_the_ground_truth_has(table):
    assert table.loc[("union_vs_gt", "A"), "n"] == 2
    assert table.loc[("models_vs_gt", "A"), "n"] == 1


def test_the_ground_truth_is_described_by_what_was_verified(table):
    assert table.loc["gt_vs_union", "n"].to_dict() == {"A": 2, "B": 1, "C": 0, "D": 0, "E": 0}
    assert table.loc["gt_vs_models", "n"].to_dict() == {"A": 1, "B": 1, "C": 1, "D": 0, "E": 0}


def test_behind_b_stands_what_became_of_the_ground_truth_itself(table):
    outcome = ["gt_verified", "gt_rejected", "gt_unjudged"]
    assert table.loc[("union_vs_gt", "B"), outcome].tolist() == [0, 1, 0]
    assert table.loc[("union_vs_gt", "D"), outcome].tolist() == [1, 0, 0]
    assert table.loc[("gt_vs_union", "B"), outcome].tolist() == [0, 1, 0]


def test_outcomes_behind_a_letter_add_to_its_items(table):
    rows = table.loc[["union_vs_gt", "gt_vs_union"]]
    known = rows[rows["gt_verified"].notna()]
    assert (known[["gt_verified", "gt_rejected", "gt_unjudged"]].sum(axis=1) == known["n"]).all()


def test_flags_count_letters_that_hold_besides_the_first(table):
    assert table.loc[("union_vs_gt", "C"), "any"] == 1
    assert table.loc[("union_vs_gt", "E0"), "nil_same_span"] == 1


def test_letters_add_to_the_union(table):
    for direction in ("union_vs_gt", "models_vs_gt", "gt_vs_union", "gt_vs_models"):
        assert table.loc[direction].loc[list("ABCDE"), "share"].sum() == pytest.approx(1)


def test_an_unjudged_ground_truth_annotation_is_said_to_be_so():
    rows = ["one GT 6-9 Rome - -", "one M 6-9 Roma b verify"]
    frame = coverage_table(measured(rows)).set_index(["dataset", "direction", "letter"])
    assert frame.loc[("*", "union_vs_gt", "B"), "gt_unjudged"] == 1


def test_without_a_ground_truth_the_table_is_empty():
    study = measured(["one M 6-9 Roma b verify"])
    assert coverage_table(study).empty
    assert evaluate(study, ["coverage_A"])["estimate"].isna().all()
