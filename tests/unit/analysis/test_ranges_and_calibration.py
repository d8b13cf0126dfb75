"""The range that unjudged annotations leave, calibration against judgments, and what majority adds."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis.evaluate import evaluate
from analysis.load import load
from analysis.outcomes import measure
from analysis.resolution_bias import majority_notes
from tests.support.judged_studies import measured

NAMES = ["dataset", "document", "source", "start", "end", "entity", "worker", "decision"]


def _estimates(study, *metrics, **options):
    return evaluate(study, list(metrics), by=["source"], replicates=0, **options).set_index("metric")


def test_unjudged_annotations_leave_a_range():
    """Three shown: one verified, one removed, one never judged."""
    rows = ("t1 GT 0-3 A w1 verify", "t1 GT 4-6 B w1 remove", "t2 GT 0-3 A - -")
    names = ("verification_rate", "verification_rate_if_wrong", "verification_rate_if_right")
    got = _estimates(measured(rows, "paper"), *names, interval="jackknife")["estimate"]
    assert [got[name] for name in names] == pytest.approx([1 / 2, 1 / 3, 2 / 3])


def test_with_everything_judged_the_range_is_the_rate():
    rows = ("t1 GT 0-3 A w1 verify", "t1 GT 4-6 B w1 remove", "t2 GT 0-3 A w2 verify")
    got = _estimates(measured(rows), "verification_rate_if_wrong", "verification_rate_if_right")
    assert got["estimate"].to_numpy() == pytest.approx(2 / 3)


def _confident(confidences, decisions):
    rows = [("d", f"t{n}", "GT", 0, 3, "Q1", f"w{n}", decision) for n, decision in enumerate(decisions)]
    frame = pd.DataFrame(rows, columns=NAMES)
    annotations = frame[NAMES[:6]].assign(confidence=confidences)
    return load(frame, annotations=annotations)


def test_brier_and_calibration_error_by_hand():
    """.9 verified twice and .8 removed: squares .01, .01, .64; bins off by .2 together, and by .8."""
    study = _confident([0.9, 0.9, 0.8], ["verify", "verify", "remove"])
    got = _estimates(study, "brier", "calibration_error")["estimate"]
    assert got["brier"] == pytest.approx(0.66 / 3)
    assert got["calibration_error"] == pytest.approx((0.2 + 0.8) / 3)


def test_confidences_that_are_no_probabilities_are_left_out():
    got = _estimates(_confident([12.0, 7.5], ["verify", "remove"]), "brier")
    assert pd.isna(got.loc["brier", "estimate"])
    assert "confidence between 0 and 1" in got.loc["brier", "reason"]


def test_majority_says_what_it_adds():
    """Two of three verify: 2/3 by share, 1 by majority; the source with one judgment an item is not moved."""
    rows = [f"t{n} GT 0-3 A w{k} {d}" for n in range(3) for k, d in enumerate(("verify", "verify", "remove"))]
    rows += [f"t{n} M 5-8 B w{n} verify" for n in range(3)]
    study = measured(rows).study
    (note,) = majority_notes(measure(study, measured(rows).policy.override({"resolution": "majority"})))
    assert "GT +0.3333, M +0.0000; 0.3333 of a difference" in note
    assert majority_notes(measured(rows)) == []
