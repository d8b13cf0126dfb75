"""Tables of labels as they are read: what is taken, what is refused, and what is said."""

import numpy as np
import pandas as pd
import pytest

from analysis.agreement import agreement
from analysis.errors import InputError
from tests.support.oracles import long

TWICE = [(1, "a", "x"), (1, "b", "x"), (2, "a", "x"), (2, "b", "y"), (2, "b", "x")]


def test_a_second_label_by_one_worker_is_refused():
    with pytest.raises(
        InputError, match=r"1 pairs of unit and worker.*unit 2 by worker b.*repeats first or last"
    ):
        agreement(long(TWICE))


@pytest.mark.parametrize(("rule", "expected"), [("first", 0.5), ("last", 1.0)])
def test_a_rule_says_which_label_counts(rule, expected):
    found = agreement(long(TWICE), repeats=rule, replicates=0)
    assert found["observed_agreement"]["estimate"] == expected
    assert f"his {rule} one counts" in found.warnings[0]


def test_an_unknown_category_is_refused_by_name():
    with pytest.raises(InputError, match="unknown category; got y; expected x, z"):
        agreement(long(TWICE), categories=["x", "z"], repeats="last")


def test_a_category_given_twice_is_refused():
    with pytest.raises(InputError, match="given twice"):
        agreement(long(TWICE), categories=["x", "y", "x"], repeats="last")


def test_a_missing_column_is_named_with_those_there_are():
    with pytest.raises(InputError, match="no column 'label'; got the columns unit, worker, decision"):
        agreement(long(TWICE, "unit worker decision"))


def test_rows_without_a_label_are_left_out_and_counted():
    found = agreement(long([*TWICE[:4], (3, "a", None), (3, "b", "")]), replicates=0)
    assert "2 rows have no label" in found.warnings[0]
    assert found["observed_agreement"]["n_units"] == 2


def test_a_row_without_a_unit_is_refused():
    with pytest.raises(InputError, match="row 2: 1 rows have no unit"):
        agreement(long([(1, "a", "x"), (None, "b", "x")]))


def test_numbers_are_the_same_categories_whatever_their_type():
    rows = [(1, "a", 1.0), (1, "b", 1.0), (2, "a", 2.0), (2, "b", None)]
    assert agreement(long(rows), categories=[1, 2], replicates=0)["observed_agreement"]["estimate"] == 1


def test_a_table_that_is_not_square_is_refused():
    with pytest.raises(InputError, match="not square; got 2 rows and 3 columns"):
        agreement(table=pd.DataFrame([[1, 2, 3], [4, 5, 6]]))


def test_a_table_of_two_category_sets_is_refused():
    with pytest.raises(InputError, match="not the same categories; got rows a, b; columns a, c"):
        agreement(table=pd.DataFrame([[1, 2], [3, 4]], index=list("ab"), columns=list("ac")))


@pytest.mark.parametrize("cell", [-1, 0.5])
def test_a_cell_that_is_no_count_is_refused(cell):
    with pytest.raises(InputError, match="no count"):
        agreement(table=pd.DataFrame([[1, cell], [3, 4]]))


def test_columns_of_a_joint_table_are_found_by_name():
    one = pd.DataFrame([[5, 1], [0, 4]], index=list("ab"), columns=list("ab"))
    found = [
        agreement(table=table, replicates=0)["kappa_cohen"]["estimate"] for table in (one, one[["b", "a"]])
    ]
    assert found[0] == found[1]


def test_weights_and_distances_are_not_confused():
    distance = pd.DataFrame([[0, 1], [1, 0]], index=list("xy"), columns=list("xy"))
    with pytest.raises(InputError, match=r"1 on the diagonal.*give a distance"):
        agreement(long(TWICE), weights=distance, repeats="last")
    with pytest.raises(InputError, match=r"0 on the diagonal.*give weights"):
        agreement(long(TWICE), distance=1 - distance, repeats="last")


def test_a_unit_in_two_clusters_is_refused():
    frame = long([(1, "a", "x", "d1"), (1, "b", "x", "d2")], "unit worker label document")
    with pytest.raises(InputError, match="a unit lies in two clusters"):
        agreement(frame, cluster="document")


def test_a_matrix_with_a_strange_code_is_refused():
    with pytest.raises(InputError, match="no category's; got 2"):
        agreement(np.array([[0, 2]]), categories=["x", "y"])


def test_one_worker_is_no_agreement():
    found = agreement(long([(1, "a", "x"), (2, "a", "y")]), replicates=0)
    assert found["alpha_nominal"]["reason"] == "no unit has labels of two workers"
    assert "there is one worker" in found.warnings


def test_a_joint_table_has_no_column_of_clusters():
    with pytest.raises(InputError, match="no column of clusters; got document"):
        agreement(table=pd.DataFrame([[1, 2], [3, 4]]), cluster="document")
