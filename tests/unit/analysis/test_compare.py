"""Sources compared in pairs: difference, variance by loops, what is undefined, the negative control."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import analysis
from analysis.compare import comparisons
from analysis.errors import ConfigError, InputError
from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from tests.support.random_studies import frame


def _study(seed=3, documents=9, workers=9):
    rows = frame(seed, rows=400, datasets=1, documents=documents, workers=workers)
    return load(rows[rows["decision"] != ""].drop_duplicates())


@pytest.mark.parametrize("metric", ["posthoc_precision", "posthoc_recall", "posthoc_f1", "edit_rate"])
@pytest.mark.parametrize("policy", ["recommended", "paper"])
def test_the_difference_is_that_of_the_two_estimates(metric, policy):
    study = _study()
    row = analysis.compare(study, "A", "GT", metric, policy=policy).iloc[0]
    got = evaluate(study, [metric], policy=policy, replicates=2).set_index(["dataset", "source"])["estimate"]
    assert row["estimate"] == pytest.approx(got["d0", "A"] - got["d0", "GT"], abs=1e-12)
    assert row["low"] < row["estimate"] < row["high"]


def _variance(contributions: pd.Series) -> float:
    count = len(contributions)
    return count / (count - 1) * (contributions**2).sum()


def test_variance_is_that_of_linearised_contributions_summed_in_loops():
    """A vote contributes (y - r) / N; sums by document, by worker and by both give Vd + Vw - Vdw."""
    study = _study()
    measured = measure(study)
    votes = measured.votes.assign(share=1 / measured.votes["n"])
    parts = []
    for source, sign in (("A", 1), ("GT", -1)):
        mine = votes[votes["source_code"] == measured.source_code(source)]
        size = mine["share"].sum()
        rate = (mine["verify"] * mine["share"]).sum() / size
        parts.append(mine.assign(e=sign * (mine["verify"] - rate) * mine["share"] / size))
    every = pd.concat(parts)
    variances = [
        _variance(every.groupby(by)["e"].sum())
        for by in (["document_code"], ["worker"], ["document_code", "worker"])
    ]
    documents, workers, cells = variances
    both = documents + workers - cells
    wanted = both if both > 0 else min(documents, workers)
    row = analysis.compare(study, "A", "GT", "verification_rate").iloc[0]
    from scipy import stats  # noqa: PLC0415 - an independent table of t

    size = every.groupby("source_code")["share"].transform("sum")
    part = every["share"] / size
    effective = [4 / (part.groupby(every[by]).sum() ** 2).sum() for by in ("document_code", "worker")]
    t = stats.t.ppf(0.975, min(effective) - 1)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(t * np.sqrt(wanted), rel=1e-6)


def test_the_other_way_round_is_the_same_with_the_sign_turned():
    study = _study()
    one, back = (
        analysis.compare(study, *pair, "posthoc_recall").iloc[0] for pair in (("A", "B"), ("B", "A"))
    )
    assert (one["estimate"], one["low"], one["p"]) == pytest.approx(
        (-back["estimate"], -back["high"], back["p"])
    )


def test_few_documents_say_how_small_p_can_be():
    row = analysis.compare(_study(documents=4), "A", "GT").iloc[0]
    assert "no p can be under 0.125 with 4 documents" in row["warning"]


def test_few_workers_are_taken_as_fixed():
    row = analysis.compare(_study(workers=5), "A", "GT").iloc[0]
    assert "workers are taken as fixed" in row["warning"]
    assert "x workers" not in row["method"]


def test_one_document_has_a_difference_and_no_interval():
    row = analysis.compare(_study(documents=1), "A", "GT").iloc[0]
    assert np.isnan(row["low"])
    assert "everything lies in one document" in row["reason"]


def test_a_source_that_nobody_judged_is_said():
    rows = frame(3, rows=200, datasets=1)
    rows.loc[rows["source"] == "B", ["decision", "new_entity"]] = ""
    rows = rows[(rows["decision"] != "") | (rows["source"] == "B")]
    row = analysis.compare(load(rows.drop_duplicates()), "B", "GT", policy="paper").iloc[0]
    assert np.isnan(row["estimate"])
    assert row["reason"].startswith("B: no annotation of this source was judged")


def test_what_is_no_score_of_a_source_is_refused():
    with pytest.raises(ConfigError, match="not compared by union_size"):
        analysis.compare(_study(), "A", "GT", "union_size")
    with pytest.raises(InputError, match="not compared with itself"):
        analysis.compare(_study(), "A", "A")


def test_all_pairs_put_the_model_first_and_adjust_over_pairs_and_datasets():
    rows = frame(4, rows=500, datasets=2, documents=6)
    table, ranks = comparisons(measure(load(rows[rows["decision"] != ""].drop_duplicates())))
    precision = table[(table["metric"] == "posthoc_precision") & (table["dataset"] != "*")]
    assert set(zip(precision["source"], precision["other"], strict=True)) == {
        ("A", "GT"),
        ("B", "GT"),
        ("A", "B"),
    }
    smallest = precision.loc[precision["p"].idxmin()]
    assert smallest["p_holm"] == pytest.approx(min(1, 6 * smallest["p"]))
    assert ranks.groupby(["dataset", "metric", "source"])["probability"].sum().to_numpy() == pytest.approx(1)


def test_the_control_compares_only_items_judged_under_both():
    names = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision"]
    rows = [
        ("d", f"t{n}", source, 0, 3, "Q1", f"w{source}{n}", "verify" if n or source == "GT" else "remove")
        for n in range(8)
        for source in ("GT", "A")
    ]
    rows += [("d", f"t{n}", "A", 5, 8, "Q2", f"wA{n}", "remove") for n in range(8)]
    table, _ = comparisons(measure(load(pd.DataFrame(rows, columns=names))))
    control = table[table["kind"] == "negative_control"].iloc[0]
    assert (control["n"], control["estimate"]) == (8, pytest.approx(-1 / 8))
    assert control["p"] == 1.0


def test_the_same_seed_gives_the_same_bytes():
    study = _study(documents=20)
    one, other = (comparisons(measure(study), seed=2)[0] for _ in range(2))
    assert one.to_csv() == other.to_csv()
