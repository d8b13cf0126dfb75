"""Agreement about spans: documents without spans, several workers, intervals, and bad rows."""

import pandas as pd
import pytest

from analysis.agreement import span_agreement
from analysis.errors import InputError

COLUMNS = ["document", "worker", "start", "end", "label", "length"]


def of(*rows, **options):
    return span_agreement(pd.DataFrame(list(rows), columns=COLUMNS), **{"replicates": 0, **options})


def estimate(found, name):
    return found[name]["estimate"]


def test_a_worker_who_marked_nothing_disagrees_with_one_who_did():
    """As missing, document e would vanish and F1 be 1."""
    rows = [("d", w, 0, 3, "X", 9) for w in "ab"] + [
        ("e", "a", 2, 5, "X", 9),
        ("e", "b", None, None, None, 9),
    ]
    assert estimate(of(*rows), "span_f1_exact") == pytest.approx(2 / 3)


def test_a_document_that_one_worker_did_not_do_is_left_out_of_his_pairs():
    rows = [("d", w, 0, 3, "X", 9) for w in "ab"] + [("e", "a", 2, 5, "X", 9)]
    assert estimate(of(*rows), "span_f1_exact") == 1


def test_pairs_of_workers_are_averaged():
    """A and b agree, c with neither: (1 + 0 + 0) / 3."""
    rows = [("d", "a", 0, 3, "X", 9), ("d", "b", 0, 3, "X", 9), ("d", "c", 5, 7, "X", 9)]
    found = of(*rows)
    assert estimate(found, "span_f1_exact") == pytest.approx(1 / 3)
    assert [row["f1_exact"] for row in found.table["rows"]] == [1, 0, 0]


def test_label_and_boundary_disagreement_are_told_apart():
    rows = [
        ("d", "a", 0, 3, "X", 9),
        ("d", "b", 0, 3, "Y", 9),
        ("d", "a", 5, 8, "X", 9),
        ("d", "b", 5, 7, "X", 9),
    ]
    row = of(*rows).table["rows"][0]
    assert (row["same_span_and_label"], row["label_differs"], row["boundary_differs"]) == (0, 1, 1)


def test_without_lengths_what_looks_at_positions_says_so():
    rows = [("d", w, 0, 3, "X", None) for w in "ab"]
    found = of(*rows)
    for name in ("token_kappa", "token_alpha", "alpha_u"):
        assert estimate(found, name) is None
        assert "length" in found[name]["reason"]
    assert estimate(found, "span_f1_exact") == 1


def test_stretches_count_as_many_positions_as_they_have():
    """6 of 10 positions: both X 2, one X 1, neither 3; kappa by hand with 7 of 10 outside for both."""
    found = of(("d", "a", 0, 3, "X", 10), ("d", "b", 0, 2, "X", 10))
    assert estimate(found, "token_kappa") == pytest.approx((0.9 - 0.62) / (1 - 0.62))


def test_overlapping_spans_of_one_label_have_no_unitizing_alpha():
    found = of(("d", "a", 0, 4, "X", 9), ("d", "a", 2, 6, "X", 9), ("d", "b", 0, 4, "X", 9))
    assert "overlapping spans" in found["alpha_u"]["reason"]


def test_intervals_are_over_documents():
    rows = [(doc, w, 2, 5 + (w == "b" and doc % 3 == 0), "X", 20 + doc) for doc in range(30) for w in "ab"]
    for record in of(*rows, replicates=100).records:
        assert record["low"] <= record["estimate"] <= record["high"]
        assert record["bootstrap_low"] <= record["estimate"] <= record["bootstrap_high"]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (("d", "a", 3, 3, "X", 9), "row 1: the span is empty"),
        (("d", "a", 3, 12, "X", 9), "ends behind the document"),
        (("d", "a", 3, None, "X", 9), "start without end"),
        (("d", "a", None, None, "X", 9), "a label without a span"),
        (("d", "a", "x", 4, "X", 9), "start is no whole number; got 'x'"),
    ],
)
def test_a_row_that_is_no_span_is_refused(row, fault):
    with pytest.raises(InputError, match=fault):
        of(row)
