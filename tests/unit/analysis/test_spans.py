"""Overlap joins of spans, and codes of tuples of columns."""

import numpy as np
import pandas as pd

from analysis.spans import Spans, codes, overlapping


def _spans(*rows: tuple[int, int, int]) -> Spans:
    return Spans.of(pd.DataFrame(rows, columns=["document", "start", "end"], dtype="int64"))


def test_spans_that_only_touch_do_not_overlap():
    left, right = _spans((0, 0, 5)), _spans((0, 5, 9))
    assert len(overlapping(left, right)[0]) == 0


def test_spans_of_two_documents_never_overlap():
    assert len(overlapping(_spans((0, 0, 5)), _spans((1, 0, 5)))[0]) == 0


def test_every_overlapping_pair_is_found_once_with_nesting_and_equal_spans():
    left = _spans((0, 0, 10), (0, 2, 4), (1, 0, 3))
    right = _spans((0, 2, 4), (0, 9, 12), (1, 2, 5), (0, 0, 10))
    rows, columns = overlapping(left, right)
    assert list(zip(rows, columns, strict=True)) == [(0, 0), (0, 1), (0, 3), (1, 0), (1, 3), (2, 2)]


def test_nothing_overlaps_with_no_spans():
    empty = Spans(*(np.empty(0, np.int64),) * 3)
    assert len(overlapping(empty, _spans((0, 0, 5)))[0]) == 0


def test_codes_are_equal_where_all_columns_are():
    got = codes(np.array([1, 1, 2, 1]), pd.Series(["a", "b", "a", "a"]))
    assert list(got) == [0, 1, 2, 0]


def test_codes_tell_missing_values_from_values():
    assert list(codes(np.array([0, 0, 0]), pd.Series(["a", None, None]))) == [0, 1, 1]
