"""Coefficients of agreement on random tables: against other packages, and what must not change them."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import jaccard_distance, masi_distance
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from analysis.agreement import agreement
from tests.support.examples import examples
from tests.support.oracles import long, of_joint

NAMES = ["1", "2", "3"]
# Units x workers; -1 is no label.
MATRIX = arrays(np.int64, st.tuples(st.integers(2, 9), st.integers(2, 4)), elements=st.integers(-1, 2))
FULL = arrays(np.int64, st.tuples(st.integers(3, 9), st.integers(2, 4)), elements=st.integers(0, 2))
JOINT = arrays(np.int64, (3, 3), elements=st.integers(0, 6))
SETS = st.lists(st.tuples(*[st.frozensets(st.sampled_from("ABC"), min_size=1)] * 2), min_size=3, max_size=8)
QUICK = examples(25)


def of(matrix, **options):
    assume((matrix >= 0).any())
    return agreement(matrix, categories=NAMES, replicates=0, **options)


def estimates(found):
    return {(record["coefficient"], record["category"]): record["estimate"] for record in found.records}


def alike(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert other[name] == (None if value is None else pytest.approx(value, abs=1e-9)), name


@QUICK
@given(MATRIX)
def test_alphas_equal_the_krippendorff_package(matrix):
    found = of(matrix)
    counts = np.stack([(matrix == code).sum(axis=1) for code in range(3)], axis=1)
    assume((counts[counts.sum(axis=1) > 1].sum(axis=0) > 0).sum() > 1)
    for scale in ("nominal", "ordinal", "interval", "ratio"):
        theirs = krippendorff.alpha(
            value_counts=counts, value_domain=np.array([1.0, 2.0, 3.0]), level_of_measurement=scale
        )
        assert found[f"alpha_{scale}"]["estimate"] == pytest.approx(theirs, abs=1e-9)


@QUICK
@given(JOINT)
def test_kappas_equal_scikit_learn_and_statsmodels(cells):
    assume(((cells.sum(axis=0) > 0) | (cells.sum(axis=1) > 0)).sum() > 1)
    found = agreement(table=pd.DataFrame(cells, index=NAMES, columns=NAMES), replicates=0)
    frame = of_joint(cells.tolist())
    first, second = (frame.loc[frame["worker"] == worker, "label"] for worker in (0, 1))
    for name, weights in (
        ("cohen", None),
        ("weighted_linear", "linear"),
        ("weighted_quadratic", "quadratic"),
    ):
        ours = found[f"kappa_{name}"]["estimate"]
        theirs = cohen_kappa_score(first, second, labels=[0, 1, 2], weights=weights)
        assert ours == pytest.approx(theirs, abs=1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):  # its test of kappa = 0, where nothing varies
        theirs = cohens_kappa(cells, return_results=True)
    assert found["kappa_max"]["estimate"] == pytest.approx(theirs.kappa_max, abs=1e-9)


@QUICK
@given(FULL)
def test_multi_rater_coefficients_equal_statsmodels_and_nltk(matrix):
    found, counts = of(matrix), np.stack([(matrix == code).sum(axis=1) for code in range(3)], axis=1)
    assume((counts.sum(axis=0) > 0).sum() > 1)
    assert found["multi_pi"]["estimate"] == pytest.approx(fleiss_kappa(counts), abs=1e-9)
    assert found["brennan_prediger"]["estimate"] == pytest.approx(fleiss_kappa(counts, "rand"), abs=1e-9)
    task = AnnotationTask(
        [(w, u, label) for u, row in enumerate(matrix.tolist()) for w, label in enumerate(row)]
    )
    assert found["observed_agreement"]["estimate"] == pytest.approx(task.avg_Ao(), abs=1e-9)
    assert found["alpha_nominal"]["estimate"] == pytest.approx(task.alpha(), abs=1e-9)
    # nltk's multi_kappa of Davies & Fleiss; its pi is Siegel & Castellan's, which is Fleiss' here.
    if found["multi_kappa"]["estimate"] is not None:
        assert found["multi_kappa"]["estimate"] == pytest.approx(task.multi_kappa(), abs=1e-9)


@QUICK
@given(SETS)
def test_set_alphas_equal_nltk(pairs):
    assume(len({label for pair in pairs for label in pair}) > 1)
    rows = [(unit, worker, label) for unit, pair in enumerate(pairs) for worker, label in enumerate(pair)]
    found = agreement(long(rows), distance="masi", replicates=0)
    for name, distance in (("jaccard", jaccard_distance), ("masi", masi_distance)):
        theirs = AnnotationTask([(w, u, label) for u, w, label in rows], distance=distance).alpha()
        assert found[f"alpha_{name}"]["estimate"] == pytest.approx(theirs, abs=1e-9)


@QUICK
@given(MATRIX, st.randoms(use_true_random=False))
def test_order_of_workers_and_units_changes_nothing(matrix, random):
    units, workers = list(range(matrix.shape[0])), list(range(matrix.shape[1]))
    random.shuffle(units)
    random.shuffle(workers)
    one, other = estimates(of(matrix)), estimates(of(matrix[units][:, workers]))
    sign = ("bias_index", "")
    alike({k: v for k, v in one.items() if k != sign}, {k: v for k, v in other.items() if k != sign})


@QUICK
@given(MATRIX)
def test_names_of_categories_change_no_nominal_coefficient(matrix):
    renamed = np.where(matrix >= 0, (matrix + 1) % 3, -1)
    one, other = estimates(of(matrix)), estimates(of(renamed))
    nominal = (
        "observed_agreement s_bennett pi_scott kappa_cohen multi_pi multi_kappa kappa_light alpha_nominal ac1"
    )
    names = [(name, "") for name in nominal.split()]
    alike({name: one[name] for name in names}, {name: other[name] for name in names})


@QUICK
@given(MATRIX)
def test_units_and_workers_without_labels_change_nothing(matrix):
    wider = np.full((matrix.shape[0] + 2, matrix.shape[1]), -1)
    wider[: len(matrix)] = matrix
    alike(estimates(of(matrix)), estimates(of(wider)))
    frame = pd.DataFrame(
        [(u, w, NAMES[matrix[u, w]] if matrix[u, w] >= 0 else None) for u, w in np.ndindex(*matrix.shape)],
        columns=["unit", "worker", "label"],
    )
    silent = pd.concat([frame, pd.DataFrame({"unit": [0], "worker": [99], "label": [None]})])
    given_by = {worker for worker in range(matrix.shape[1]) if (matrix[:, worker] >= 0).any()}
    if len(given_by) == matrix.shape[1]:
        alike(estimates(of(matrix)), estimates(agreement(silent, categories=NAMES, replicates=0)))


@QUICK
@given(JOINT)
def test_a_joint_table_and_its_long_form_agree(cells):
    assume(cells.any())
    table = pd.DataFrame(cells, index=NAMES, columns=NAMES)
    frame = of_joint(cells.tolist()).assign(label=lambda rows: rows["label"].map(lambda code: NAMES[code]))
    one, other = (
        agreement(categories=NAMES, replicates=0, **source)
        for source in ({"table": table}, {"labels": frame})
    )
    assert one.table["rows"] == other.table["rows"] == cells.tolist()
    alike(estimates(one), estimates(other))


@QUICK
@given(JOINT)
def test_pi_is_at_most_kappa_and_light_is_cohen_for_two_workers(cells):
    assume(cells.any())
    found = agreement(table=pd.DataFrame(cells, index=NAMES, columns=NAMES), replicates=0)
    pi, kappa = found["pi_scott"]["estimate"], found["kappa_cohen"]["estimate"]
    assume(pi is not None and kappa is not None)
    assert pi <= kappa + 1e-12
    for name in ("kappa_light", "multi_kappa"):
        assert found[name]["estimate"] == pytest.approx(kappa, abs=1e-12)


@QUICK
@given(arrays(np.int64, (2, 2), elements=st.integers(0, 9)))
def test_with_two_categories_weights_change_nothing_and_byrt_holds(cells):
    assume(cells.any())
    found = agreement(table=pd.DataFrame(cells, index=list("ab"), columns=list("ab")), replicates=0)
    value = {
        name: found[name]["estimate"] for name in ("kappa_cohen", "pabak", "prevalence_index", "bias_index")
    }
    assume(value["kappa_cohen"] is not None)
    assert found["kappa_weighted_linear"]["estimate"] == pytest.approx(value["kappa_cohen"], abs=1e-9)
    assert found["kappa_weighted_quadratic"]["estimate"] == pytest.approx(value["kappa_cohen"], abs=1e-9)
    change = value["prevalence_index"] ** 2 - value["bias_index"] ** 2
    assert value["kappa_cohen"] * (1 - change) == pytest.approx(value["pabak"] - change, abs=1e-9)


@QUICK
@given(FULL)
def test_alpha_nears_pi_as_units_grow(matrix):
    """1 - alpha = (1 - pi)(n - 1)/n, n the number of labels."""
    found = of(matrix)
    pi, alpha = found["multi_pi"]["estimate"], found["alpha_nominal"]["estimate"]
    assume(pi is not None)
    n = matrix.size
    assert 1 - alpha == pytest.approx((1 - pi) * (n - 1) / n, abs=1e-9)
