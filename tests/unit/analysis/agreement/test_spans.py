"""Agreement about spans: documents without spans, several workers, intervals, and bad rows."""

import numpy as np
import pandas as pd
import pytest

from analysis.agreement import span_agreement
from analysis.agreement.gamma import Continuum, _of_many, disorder
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
        (("d", "a", "x", 4, "X", 9), "start is no whole number; got x"),
    ],
)
def test_a_row_that_is_no_span_is_refused(row, fault):
    with pytest.raises(InputError, match=fault):
        of(row)


def two_sides(shift, documents=2):
    """Five spans a document by two workers, the second of whom is off by `shift`."""
    return [
        (doc, w, 10 * k + shift * (w == "b"), 10 * k + 6 + shift * (w == "b"), "XY"[k % 2], 80)
        for doc in range(documents)
        for k in range(5)
        for w in "ab"
    ]


def gamma(rows, **options):
    return of(*rows, coefficients=["gamma"], **options)


def test_gamma_is_1_where_all_mark_alike_and_falls_with_distance():
    values = [estimate(gamma(two_sides(shift)), "gamma") for shift in (0, 1, 3)]
    assert values[0] == 1
    assert 1 > values[1] > values[2]


def test_gamma_says_how_far_its_sampling_may_be_off_and_is_the_same_for_a_seed():
    one, same, other = (gamma(two_sides(2), seed=seed) for seed in (0, 0, 1))
    assert any("by sampling alone it may be" in warning for warning in one.warnings)
    assert one.records == same.records
    off = abs(estimate(one, "gamma") - estimate(other, "gamma"))
    assert 0 < off < 0.05


def test_gamma_is_computed_when_it_is_named_alone():
    names = [record["coefficient"] for record in of(*two_sides(1)).records]
    assert "gamma" not in names
    assert "alpha_u" in names


def test_the_best_alignment_of_many_is_never_worse_than_pairing_in_order():
    """Two workers by assignment and by whole numbers: the same least disorder."""
    r = np.random.default_rng(1)
    start = r.integers(0, 60, (2, 6))
    of_two = tuple(np.stack([row, row + r.integers(2, 9, 6), r.integers(0, 2, 6)], axis=1) for row in start)
    assert _of_many(of_two) / 6 == pytest.approx(disorder(Continuum(of_two)), abs=1e-9)


@pytest.mark.parametrize(("share", "expected"), [(50, 1), (60, 1), (61, 0), (100, 0)])
def test_any_threshold_of_shared_positions_may_be_named(share, expected):
    """3 of 5 positions are shared."""
    name = f"span_f1_iou{share}"
    found = of(("d", "a", 0, 4, "X", 9), ("d", "b", 1, 5, "X", 9), coefficients=[name])
    assert estimate(found, name) == expected


@pytest.mark.parametrize("name", ["span_f1_iou0", "span_f1_iou101", "chi2"])
def test_a_name_that_is_no_coefficient_of_spans_is_refused(name):
    with pytest.raises(InputError, match=r"no such coefficient of spans|does not measure agreement"):
        of(("d", "a", 0, 4, "X", 9), coefficients=[name])
