"""Agreement about spans against published and independently computed values."""

import pandas as pd
import pytest

from analysis.agreement import span_agreement
from analysis.agreement.gamma import continuum, disorder
from analysis.agreement.marks import read
from tests.support.oracles import entries

COLUMNS = ["document", "worker", "start", "end", "label", "length"]


def spans(table):
    rows = [("d", name, *span, table.get("length", 30)) for name in "AB" for span in table[name]]
    return span_agreement(pd.DataFrame(rows, columns=COLUMNS), replicates=0)


def units(table, label):
    begin, length = table["begin"], table["length"]
    rows = [
        ("d", worker, start - begin, start - begin + size, label, length)
        for worker, given in enumerate(table["units"])
        for start, size in given
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def alpha(frame):
    found = span_agreement(frame, replicates=0, coefficients=["alpha_u"])
    return found["alpha_u"]["estimate"]


@pytest.mark.parametrize("entry", entries("span_f1"))
def test_f1(entry):
    found = spans(entry["input_table"])
    for name, expected in entry["expected"].items():
        kind, typed = name.split("_")
        ours = f"span_f1_{kind}" if typed == "typed" else f"span_f1_{kind}_untyped"
        assert found[ours]["estimate"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("entry", entries("token_level"))
def test_tags_of_positions(entry):
    found, expected = spans(entry["input_table"]), entry["expected"]
    names = {
        "kappa_IO": "kappa",
        "kappa_BIO": "kappa_bio",
        "alpha_IO": "alpha",
        "kappa_in_out": "kappa_in_out",
    }
    for theirs, ours in names.items():
        assert found[f"token_{ours}"]["estimate"] == pytest.approx(expected[theirs], abs=1e-9)


@pytest.mark.parametrize("entry", entries("span_f1_overlap_typed_max_matching"))
def test_matching_is_as_large_as_can_be(entry):
    """Taken greedily in order of starts, one pair alone would be found."""
    assert spans(entry["input_table"])["span_f1_overlap"]["estimate"] == entry["expected"]


@pytest.mark.parametrize("entry", entries("alpha_U_2004"))
def test_unitizing_alpha(entry):
    table = entry["input_table"]
    frames = {
        label: units({**table, "units": given}, label)
        for label, given in table["units(begin,length)"].items()
    }
    for label, frame in frames.items():
        assert alpha(frame) == pytest.approx(entry["expected"][f"alpha_{label}"], abs=1e-9)
    both = alpha(pd.concat(frames.values()))
    assert both == pytest.approx(entry["expected"]["alpha_U"], abs=1e-9)


@pytest.mark.parametrize("entry", entries("alpha_U"))
def test_unitizing_alpha_of_a_fine_continuum(entry):
    fine = [
        [[start * 50_000, size * 50_000] for start, size in given]
        for given in entry["input_table"]["units(begin,length) unscaled"]
    ]
    table = {"begin": 0, "length": 24 * 50_000, "units": fine}
    assert alpha(units(table, "u")) == pytest.approx(entry["expected"]["alpha"], abs=entry["tolerance"])


@pytest.mark.parametrize("entry", entries("gamma_observed_disorder"))
def test_disorder_of_the_best_alignment(entry):
    rows = [("d", *unit, 50) for unit in entry["input_table"]["units"]]
    marks = read(pd.DataFrame(rows, columns=["document", "worker", "start", "end", "label", "length"]))
    assert disorder(continuum(marks, 0)) == pytest.approx(entry["expected"], abs=entry["tolerance"])
