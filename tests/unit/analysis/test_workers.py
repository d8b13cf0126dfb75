"""workers.csv: everyone is listed, controls are graded as the campaign grades them, rates have intervals."""

import pandas as pd
import pytest

from analysis.frames import conform_all
from analysis.study import Study
from analysis.workers import workers_frame
from tests.support.judged_studies import measured

EDIT = '["w:en:Athens"]'


def study(judgments, controls=()):
    """One worker `w`, and one who did nothing; displays 1 to 9 are real, 11 to 19 controls."""
    shown = sorted({row[0] for row in judgments})
    made = [
        {
            "assignment": 1,
            "display": d,
            "decision": what,
            "key": key,
            "seconds": sec,
            "sequence": n,
            "current": cur,
        }
        for n, (d, what, key, sec, cur) in enumerate(judgments)
    ]
    tables = {
        "tasks": pd.DataFrame(
            [
                {"task": 1, "kind": "real", "segment": 1, "k": 1},
                {"task": 2, "kind": "control", "segment": 1, "k": 1},
            ]
        ),
        "segments": pd.DataFrame(
            [{"segment": 1, "dataset": "d", "document": "x", "start": 0, "end": 9, "weight": 1.0}]
        ),
        "displays": pd.DataFrame(
            [{"display": d, "task": 1 + (d > 10), "ordinal": d, "start": 0, "end": 1} for d in shown]
        ),
        "control_answers": pd.DataFrame(
            [{"display": d, "expected": e, "acceptable": a, "use": "gate"} for d, e, a in controls]
        ),
        "assignments": pd.DataFrame(
            [
                {"assignment": 1, "worker": "w", "origin": "live", "state": "submitted", "counted": True},
                {
                    "assignment": 2,
                    "worker": "idle",
                    "origin": "live",
                    "state": "expired",
                    "reason": "expired",
                },
            ]
        ),
        "judgments": pd.DataFrame(made).assign(role="worker"),
    }
    for name, columns in {
        "displays": ("key", "card"),
        "tasks": ("source",),
        "control_answers": ("difficulty",),
    }.items():
        tables[name] = tables[name].assign(**dict.fromkeys(columns))
    full = conform_all({})
    for name, frame in tables.items():
        full[name] = (
            pd.concat([full[name], frame.reindex(columns=full[name].columns)]) if len(frame) else full[name]
        )
    return Study(full)


def one(*judgments, controls=()):
    frame = workers_frame(study(judgments, controls), 0.95).set_index("worker")
    return frame.loc["w"]


def test_rates_are_of_the_latest_decision_on_real_displays():
    row = one((1, "remove", None, 1.0, False), (1, "verify", None, 2.0, True), (2, "edit", "k", 4.0, True))
    assert (row["judgments"], row["verify_rate"], row["edit_rate"], row["removal_rate"]) == (2, 0.5, 0.5, 0.0)
    assert row["median_seconds"] == 3.0
    assert row["verify_rate_low"] < 0.5 < row["verify_rate_high"]


@pytest.mark.parametrize(
    ("control", "decision", "key", "right"),
    [
        (("verify", None), "verify", None, 1),
        (("verify", None), "remove", None, 0),
        (("edit", EDIT), "edit", "w:en:Athens", 1),
        (("edit", EDIT), "edit", "w:en:Athen", 0),
        (("edit", EDIT), "edit", None, 0),
        (("edit", None), "edit", None, 1),
    ],
)
def test_controls_are_right_where_decision_and_entity_are(control, decision, key, right):
    row = one((11, decision, key, 1.0, True), controls=[(11, *control)])
    assert (row["controls"], row["control_rate"], row["judgments"]) == (1, right, 0)


def test_a_worker_who_did_nothing_is_listed_with_the_reason():
    frame = workers_frame(study([(1, "verify", None, 1.0, True)]), 0.95).set_index("worker")
    assert frame.loc["idle", ["assignments", "counted", "reasons", "judgments"]].tolist() == [
        1,
        0,
        "expired",
        0,
    ]
    assert pd.isna(frame.loc["idle", "verify_rate"])


def test_agreement_with_the_rest_stands_beside_and_nobody_is_flagged_for_little():
    rows = [
        f"d{number} {source} 0-5 Paris {worker} {decision}"
        for number in range(3)
        for source, worker, decision in (
            ("GT", "a", "verify"),
            ("M", "b", "verify"),
            ("N", "c", "verify" if number else "remove"),
        )
    ]
    made = measured(rows)
    frame = workers_frame(made.study, 0.95, made).set_index("worker")
    assert frame["agreement"].to_dict() == pytest.approx({"a": 5 / 6, "b": 5 / 6, "c": 4 / 6})
    assert (frame["agreement_low"] < frame["agreement"]).all()
    assert not frame["agrees_less"].any()
