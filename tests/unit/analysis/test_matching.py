"""Matching of predictions against the ground truth."""

import numpy as np
import pandas as pd
import pytest

from analysis.errors import InputError
from analysis.matching import crop, match


def frame(*rows: tuple[int, int, str | None]) -> pd.DataFrame:
    """Annotations of document 0; the key NIL is a NIL, None is unmapped."""
    table = pd.DataFrame(rows, columns=["start", "end", "key"]).astype({"start": "int64", "end": "int64"})
    kind = table["key"].map({"NIL": "nil"}).fillna("link").mask(table["key"].isna(), "unmapped")
    return table.assign(document=0, kind=kind)


def counts(gt: pd.DataFrame, predictions: pd.DataFrame, **options: str) -> tuple[int, int, int, int]:
    """Hits, pairs, predicted and gold of document 0."""
    got = match(gt, predictions, 1, **options)
    return int(got.hits[0]), int(got.paired[0]), int(got.predicted[0]), int(got.gold[0])


def test_the_right_entity_on_the_same_span_is_a_hit_and_another_entity_only_a_pair():
    gt = frame((0, 5, "a"), (6, 9, "b"))
    assert counts(gt, frame((0, 5, "a"), (6, 9, "c"))) == (1, 2, 2, 2)


def test_an_overlapping_span_is_no_exact_match():
    assert counts(frame((0, 5, "a")), frame((0, 4, "a"))) == (0, 0, 1, 1)
    assert counts(frame((0, 5, "a")), frame((0, 4, "a")), spans="overlap") == (1, 1, 1, 1)


def test_two_predictions_take_one_gold_annotation_only_if_many_to_one():
    gt, predicted = frame((0, 9, "a")), frame((0, 4, "a"), (5, 9, "a"))
    assert counts(gt, predicted, spans="overlap")[0] == 1
    assert counts(gt, predicted, spans="overlap", pairing="many_to_one")[0] == 2


def test_right_entities_are_paired_before_spans_even_at_the_cost_of_a_pair():
    gt = frame((0, 4, "a"), (3, 9, "b"))
    predicted = frame((3, 4, "a"), (0, 3, "c"))  # taking (a, c) and (b, a) would make two pairs and no hit
    assert counts(gt, predicted, spans="overlap") == (1, 1, 2, 2)


def test_one_to_one_matching_is_a_maximum_and_not_greedy():
    gt = frame((0, 4, "a"), (2, 8, "a"))
    predicted = frame((3, 5, "a"), (6, 8, "a"))  # the first must take the first, though the second fits too
    assert counts(gt, predicted, spans="overlap")[0] == 2


def test_the_same_annotation_twice_counts_once():
    assert counts(frame((0, 5, "a")), frame((0, 5, "a"), (0, 5, "a"))) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("nil", "expected"), [("drop", (0, 0, 2, 1)), ("ignore", (0, 0, 1, 1)), ("require", (1, 1, 3, 2))]
)
def test_nil_rules(nil, expected):
    """Drop leaves NIL out on both sides, ignore forgives links on NIL spans, require makes NIL an entity."""
    gt = frame((0, 5, "NIL"), (6, 9, "a"))
    predicted = frame((0, 5, "b"), (10, 12, "c"), (0, 5, "NIL"))
    assert counts(gt, predicted, nil=nil) == expected


def test_ignoring_nil_spans_keeps_a_prediction_with_a_right_partner():
    gt = frame((0, 8, "a"), (0, 12, "NIL"))
    assert counts(gt, frame((0, 8, "a")), spans="overlap", nil="ignore") == (1, 1, 1, 1)


def test_unmapped_annotations_count_on_neither_side():
    assert counts(frame((0, 5, None)), frame((0, 5, "a"), (6, 9, None)), nil="require") == (0, 0, 1, 0)


def test_what_is_not_wholly_inside_the_evaluation_span_is_cropped():
    kept = crop(frame((0, 5, "a"), (4, 8, "b"), (6, 9, "c")), np.array([4]), np.array([8]))
    assert list(kept["key"]) == ["b"]


def test_an_unknown_option_is_refused_with_what_is_allowed():
    with pytest.raises(InputError, match="exact or overlap"):
        match(frame(), frame(), 1, spans="loose")
