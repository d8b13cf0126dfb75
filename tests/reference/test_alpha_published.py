"""Observed agreement and nominal alpha against published and independently computed values."""

import json
from pathlib import Path

import numpy as np
import pytest

from analysis.alpha import alpha_nominal, observed_agreement

ENTRIES = json.loads((Path(__file__).parent / "agreement_values.json").read_text(encoding="utf-8"))["entries"]


def _counts(table: dict) -> np.ndarray:
    """Units x categories counts of a table of any of the three kinds."""
    cells = table["table"]
    if table["kind"] == "counts":
        return np.array(cells)
    if table["kind"] == "contingency":
        eye = np.eye(len(cells), dtype=int)
        return np.array(
            [eye[i] + eye[j] for i, row in enumerate(cells) for j, n in enumerate(row) for _ in range(n)]
        )
    return _of_raters(cells, table["categories"])


def _of_raters(matrix: list, categories: list) -> np.ndarray:
    return np.array([[unit.count(category) for category in categories] for unit in zip(*matrix, strict=True)])


def _entries(*coefficients: str) -> list:
    return [
        pytest.param(entry, id=f"{entry['name']}-{entry['coefficient']}")
        for entry in ENTRIES
        if entry["coefficient"] in coefficients
    ]


@pytest.mark.parametrize("entry", _entries("krippendorff_alpha_nominal"))
def test_alpha(entry):
    got = alpha_nominal(_counts(entry["input_table"])).estimate
    assert got == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize(
    "entry", _entries("observed_agreement", "percent_agreement", "percent_agreement_pairwise")
)
def test_observed_agreement(entry):
    got = observed_agreement(_counts(entry["input_table"])).estimate
    assert got == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", _entries("alpha_nominal_leave_one_rater_out"))
def test_alpha_without_each_rater(entry):
    matrix, categories = entry["input_table"]["table"], entry["input_table"]["categories"]
    got = [
        alpha_nominal(_of_raters(matrix[:i] + matrix[i + 1 :], categories)).estimate
        for i in range(len(matrix))
    ]
    assert got == pytest.approx(entry["expected"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", _entries("alpha_nominal_delete_one_unit_jackknife"))
def test_alpha_without_each_unit(entry):
    """Jackknife standard error over units, from delete-one values of the coefficient itself."""
    counts = _counts(entry["input_table"])
    values = np.array([alpha_nominal(np.delete(counts, i, axis=0)).estimate for i in range(len(counts))])
    n = len(values)
    deviations = values.mean() - values
    assert np.sqrt((n - 1) / n * (deviations**2).sum()) == pytest.approx(entry["expected"]["se"], abs=1e-9)
