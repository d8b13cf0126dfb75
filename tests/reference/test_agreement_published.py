"""Every coefficient of agreement against published and independently computed values."""

import numpy as np
import pandas as pd
import pytest

from analysis.agreement import agreement
from tests.support.oracles import entries, measured, of_matrix

NAMES = {
    "observed_agreement": "observed_agreement",
    "percent_agreement": "observed_agreement",
    "percent_agreement_pairwise": "observed_agreement",
    "bennett_S": "s_bennett",
    "brennan_prediger": "brennan_prediger",
    "multi_S": "brennan_prediger",
    "randolph_free_marginal_kappa": "brennan_prediger",
    "scott_pi": "pi_scott",
    "cohen_kappa": "kappa_cohen",
    "max_kappa": "kappa_max",
    "two_Ao_minus_1": "two_ao_minus_1",
    "weighted_kappa_linear": "kappa_weighted_linear",
    "weighted_kappa_quadratic": "kappa_weighted_quadratic",
    "fleiss_kappa": "multi_pi",
    "fleiss_multi_pi": "multi_pi",
    "davies_fleiss_multi_kappa": "multi_kappa",
    "gwet_ac1": "ac1",
    "gwet_ac2_quadratic": "ac2_quadratic",
    "gwet_ac2_ordinal": "ac2_ordinal",
    "gwet_ac2_ratio": "ac2_ratio",
    "alpha_jaccard": "alpha_jaccard",
    "alpha_masi": "alpha_masi",
    **{
        f"krippendorff_alpha_{scale}": f"alpha_{scale}"
        for scale in ("nominal", "ordinal", "interval", "ratio")
    },
}


def each(*coefficients):
    return [pytest.param(e, id=f"{e['name']}-{e['coefficient']}") for e in entries(*coefficients)]


@pytest.mark.parametrize("entry", each(*NAMES))
def test_coefficient(entry):
    got = measured(entry["input_table"])[NAMES[entry["coefficient"]]]["estimate"]
    assert got == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", each("weighted_kappa_custom", "krippendorff_alpha_custom_distance"))
def test_given_distances_and_weights(entry):
    distance = np.array(entry["params"].get("distance") or entry["params"]["disagreement_weights"], float)
    table = pd.DataFrame(distance)
    found = measured(entry["input_table"], distance=table, weights=1 - table / distance.max())
    name = "kappa_weighted" if "kappa" in entry["coefficient"] else "alpha_distance"
    assert found[name]["estimate"] == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", each("kappa_PI_BI_PABAK_ppos_pneg"))
def test_prevalence_and_bias(entry):
    found, expected = measured(entry["input_table"]), entry["expected"]
    names = {"kappa": "kappa_cohen", "PI": "prevalence_index", "BI": "bias_index", "PABAK": "pabak"}
    for theirs, ours in names.items():
        assert found[ours]["estimate"] == pytest.approx(expected[theirs], abs=1e-9)
    specific = [record["estimate"] for record in found["specific_agreement"]]
    assert specific == pytest.approx([expected["p_pos"], expected["p_neg"]], abs=1e-9)


@pytest.mark.parametrize("entry", each("fleiss_kappa_per_category", "specific_agreement_per_category"))
def test_values_by_category(entry):
    key = "kappa" if "kappa" in entry["coefficient"] else "specific_agreement"
    got = [row[key] for row in measured(entry["input_table"]).categories]
    assert got == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize(
    "entry", each("alpha_nominal_leave_one_rater_out", "rater_vs_rest_pairwise_agreement")
)
def test_values_by_worker(entry):
    key = "alpha_without" if "alpha" in entry["coefficient"] else "agreement_with_rest"
    got = [row[key] for row in measured(entry["input_table"]).workers]
    assert got == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", each("expected_agreement_kappa"))
def test_expected_agreement(entry):
    found = measured(entry["input_table"])
    observed, kappa = found["observed_agreement"]["estimate"], found["kappa_cohen"]["estimate"]
    assert 1 - (1 - observed) / (1 - kappa) == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", each("cohen_kappa_with_empty_row_category"))
def test_a_category_that_one_worker_never_used(entry):
    got = measured(entry["input_table"])["kappa_cohen"]["estimate"]
    assert got == pytest.approx(entry["expected"]["kappa"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", each("alpha_with_gwet_ordinal_weights"))
def test_gwets_ordinal_weights_in_alpha_are_not_ordinal_alpha(entry):
    names, frame = entry["input_table"]["categories"], of_matrix(entry["input_table"]["table"])
    place = np.arange(len(names))
    apart = np.abs(np.subtract.outer(place, place))
    gwet = pd.DataFrame(apart * (apart + 1) / 2, index=names, columns=names)
    found = agreement(frame, categories=names, distance=gwet, replicates=0)
    assert found["alpha_distance"]["estimate"] == pytest.approx(entry["expected"], abs=1e-9)
    assert found["alpha_ordinal"]["estimate"] == pytest.approx(0.8154, abs=5e-4)


@pytest.mark.parametrize("entry", each("cohen_kappa_se_and_wald_ci", "weighted_kappa_se_and_wald_ci"))
def test_large_sample_standard_errors(entry):
    options, name, expected = {}, "kappa_cohen", entry["expected"]
    if "params" in entry:
        distance = pd.DataFrame(entry["params"]["disagreement_weights"])
        options, name = {"weights": 1 - distance / distance.to_numpy().max()}, "kappa_weighted"
    found = measured(entry["input_table"], **options)[name]
    assert found["se"] == pytest.approx(expected["se"], abs=entry["tolerance"])
    wald = [found["estimate"] + sign * 1.959963985 * found["se"] for sign in (-1, 1)]
    assert wald == pytest.approx([expected["ci_low"], expected["ci_high"]], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", each("n_for_kappa_half_width_0.05"))
def test_units_for_a_half_width(entry):
    error = measured(entry["input_table"])["kappa_cohen"]["se"] * np.sqrt(200)
    assert error == pytest.approx(entry["expected"]["sigma1"], abs=1e-6)
    assert (1.959963985 * error / 0.05) ** 2 == pytest.approx(entry["expected"]["n"], rel=1e-6)


@pytest.mark.parametrize("entry", each("alpha_nominal_delete_one_unit_jackknife"))
def test_jackknife_over_units(entry):
    counts = np.array(entry["input_table"]["table"])
    without = [
        measured({"kind": "counts", "table": np.delete(counts, unit, axis=0).tolist()})["alpha_nominal"][
            "estimate"
        ]
        for unit in range(len(counts))
    ]
    n, deviations = len(without), np.mean(without) - np.array(without)
    assert np.sqrt((n - 1) / n * (deviations**2).sum()) == pytest.approx(entry["expected"]["se"], abs=1e-9)
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    assert acceleration == pytest.approx(entry["expected"]["acceleration"], abs=1e-9)


@pytest.mark.parametrize("entry", each("standard_errors_gwet_linearisation"))
def test_gwets_standard_errors(entry):
    names = {
        "ac1": "ac1",
        "fleiss_generalized": "multi_pi",
        "conger": "multi_kappa",
        "brennan_prediger": "brennan_prediger",
        "percent": "observed_agreement",
        "alpha_R_1.4": "alpha_nominal",
    }
    found = measured(entry["input_table"], interval="gwet")
    for theirs, expected in entry["expected"].items():
        assert found[names[theirs]]["se"] == pytest.approx(expected, abs=entry["tolerance"])
