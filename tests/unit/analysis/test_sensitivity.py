"""What headline numbers hang on: who counts, any one worker, what controls say; and what nobody found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analysis.capture import CHAO, CHAPMAN, capture_rows
from analysis.corrected import corrected_rows, read_controls
from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from analysis.sensitivity import COLUMNS, sensitivity
from tests.support.controlled_studies import study as controlled
from tests.support.judged_studies import JUDGMENTS
from tests.support.random_studies import frame
from tests.unit.analysis.test_every_choice import GATE, RESOLUTION
from tests.unit.analysis.test_every_choice import study as rows_of


def _table(study, policy="recommended"):
    measured = measure(study, policy)
    return sensitivity(measured, corrected_rows(measured, 0.95)[1])


def _gate(study):
    rows = _table(study)
    here = rows[(rows["kind"] == "gate") & (rows["dataset"] == "d") & (rows["metric"] == "verification_rate")]
    return here.set_index("setting")["estimate"].to_dict()


def test_numbers_under_each_gate_are_those_of_the_choice():
    """By hand in the test of the choice: everyone 1/3, assignments that passed 1/2, workers 0."""
    assert _gate(GATE) == {"gate=assignment": 1 / 2, "gate=worker": 0, "gate=none": pytest.approx(1 / 3)}


def test_numbers_for_who_has_so_many_controls_right():
    """All have 1 of 8 right but not 2 of 4 of them: then w1 alone counts, who verified all."""
    found = _gate(RESOLUTION)
    assert found["1 of 4 controls"] == pytest.approx(2 / 3)
    assert found["2 of 4 controls"] == found["4 of 4 controls"] == 1
    assert found["resolution=weighted"] == pytest.approx(13 / 17)


def test_a_gate_that_leaves_nobody_is_said():
    nobody = rows_of("t GT 0-5 Q1 w1/a verify", not_counted=["a"])
    rows = _table(nobody)
    assert rows.loc[rows["setting"] == "gate=assignment", "reason"].str.startswith("undefined").all()
    assert rows.loc[rows["setting"] == "gate=none", "estimate"].notna().any()


def test_where_all_count_and_there_are_no_controls_no_gate_can_matter():
    assert "gate" not in set(_table(load(frame(5)))["kind"])


def test_without_each_worker_is_what_leaving_out_his_judgments_gives():
    """Every judgment in its own right: an item's share keeps its denominator when a worker is taken away."""
    study = load(frame(5, rows=200).assign(entity=[f"Q{n}" for n in range(200)]))
    rows = _table(study)
    row = rows[
        (rows["kind"] == "without_worker")
        & (rows["dataset"] == "*")
        & (rows["metric"] == "verification_rate")
    ].iloc[0]
    found = {}
    whole = _rate(study)
    for worker in sorted(set(study["assignments"]["worker"])):
        out = study["assignments"].loc[study["assignments"]["worker"] == worker, "assignment"]
        judgments = study["judgments"]
        rest = load({**study.tables, "judgments": judgments[~judgments["assignment"].isin(out)]})
        found[worker] = _rate(rest)
    most = max(found, key=lambda worker: abs(found[worker] - whole))
    assert row["setting"] == most
    assert row["change"] == pytest.approx(found[most] - whole)
    assert (row["low"], row["high"]) == pytest.approx((min(found.values()), max(found.values())))


def _rate(study):
    return evaluate(study, ["verification_rate"], by=["source"], replicates=0)["estimate"].iloc[0]


def test_one_worker_leaves_nothing_when_he_is_taken_away():
    rows = _table(load(frame(5, workers=1)))
    assert rows.loc[rows["kind"] == "without_worker", "reason"].str.startswith("without its one worker").all()


def test_the_curve_over_specificity_is_in_the_table():
    rows = _table(controlled(documents=80)[0])
    assert tuple(rows.columns) == COLUMNS
    curve = rows[rows["kind"] == "specificity"]
    assert {"corrected equals raw", "as the controls say", "if Sp were this"} == set(curve["what"])
    assert not rows["estimate"].isna()[rows["reason"] == ""].any()


def _captured(shared, gt, model, **more):
    """Items at spans apart: some that both have, some of one source."""
    rows, place = [], 0
    for sources, count in ((("GT", "A"), shared), (("GT",), gt), (("A",), model)):
        for _ in range(count):
            place += 1
            rows += [
                ("d", "t", s, 10 * place, 10 * place + 5, f"Q{place}", "w", "verify", "") for s in sources
            ]
    study = load(pd.DataFrame(rows, columns=JUDGMENTS).assign(**more))
    measured = measure(study)
    found = capture_rows(measured, read_controls(measured), 0.95)
    return {row["metric"]: row for row in found if row["dataset"] == "d"}


def test_chapman_takes_the_ground_truth_and_models_for_two_captures():
    """As printed: 400, 350, 300 shared are 466.6 [456.7, 476.6]."""
    row = _captured(300, 100, 50)[CHAPMAN]
    assert [round(row[name], 1) for name in ("estimate", "low", "high")] == [466.6, 456.7, 476.6]
    assert row["n"] == 450
    assert "as judged" in row["method"]


def test_chao_counts_what_one_and_what_two_sources_found():
    """Two sources: 20 found once, 10 twice, so 30 + 1/2 x 400 / 20 = 40."""
    assert _captured(10, 12, 8)[CHAO]["estimate"] == pytest.approx(40)


def test_nothing_shared_and_one_source_are_said():
    assert "share nothing" in _captured(0, 3, 2)[CHAPMAN]["reason"]
    assert "exactly two" in _captured(0, 3, 2)[CHAO]["reason"]
    measured = measure(load(frame(5).assign(source="GT")))
    assert all(row["reason"] for row in capture_rows(measured, read_controls(measured), 0.95))


def test_what_is_accepted_wrongly_is_taken_away_first():
    made = measure(controlled(documents=80)[0])
    controls = read_controls(made)
    assert not controls.reason
    y = made.items["y"].to_numpy()
    wanted = (y.sum() - (1 - controls.sp.value) * len(y)) / (controls.se.value + controls.sp.value - 1)
    from analysis.capture import _groups  # noqa: PLC0415 - what a study of one source cannot show

    assert _groups(made, controls).value.sum() == pytest.approx(wanted)
    assert np.all(_groups(made, controls).found[:, 0] == (y > 0))
