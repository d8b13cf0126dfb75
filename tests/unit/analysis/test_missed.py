"""What nobody found, from the mentions that people marked where they were asked to."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from analysis.evaluate import evaluate
from analysis.load import load
from tests.support.judged_studies import JUDGMENTS

ASKED = json.dumps({"missing_mentions": True})
ROWS = [
    # Segment a: two mentions (one in two spellings), b: one, c: one that nobody who was asked has read.
    ("t", "GT", 0, 5, "Q1", "asked", "verify", "a"),
    ("t", "A", 0, 7, "Q1", "asked", "verify", "a"),
    ("t", "GT", 10, 15, "Q2", "asked", "remove", "a"),
    ("u", "GT", 0, 5, "Q3", "asked", "verify", "b"),
    ("u", "GT", 50, 55, "Q4", "other", "verify", "c"),
]
MARKED = [
    ("asked", "t", 20, 25),
    ("asked", "t", 22, 27),  # overlaps the one before: one mention
    ("asked", "t", 3, 9),  # overlaps a link: somebody found it
    ("asked", "t", 12, 14),  # overlaps a link that was removed: somebody found it
    ("asked", "t", 30, 35),
    ("other", "u", 60, 65),  # was not asked
]


def _study(weight=1.0, options=ASKED):
    made = [("d", t, s, start, end, q, w, said, "", part) for t, s, start, end, q, w, said, part in ROWS]
    study = load(pd.DataFrame(made, columns=[*JUDGMENTS, "segment"]))
    assignments = study["assignments"]
    number = assignments.set_index("worker")["assignment"]
    marked = pd.DataFrame(
        [(number[w], "d", document, start, end, None, None) for w, document, start, end in MARKED],
        columns=["assignment", "dataset", "document", "start", "end", "mention", "made"],
    )
    given = [options if worker == "asked" else None for worker in assignments["worker"]]
    segments = study["segments"].assign(weight=weight)
    # Segments of a CSV reach as far as their links: here a is all of t.
    segments["end"] = segments["end"].mask(segments["document"] == "t", 100)
    return load(
        {
            **study.tables,
            "assignments": assignments.assign(options=given),
            "missing_mentions": marked,
            "segments": segments,
        }
    )


def _value(study, metric):
    return evaluate(study, [metric], replicates=0).set_index("dataset").loc["d"]


def test_two_are_missed_of_four_that_are_there():
    """Marked at 20-27 and at 30; found are the mentions at 0 in a and b. In c nobody was asked."""
    assert _value(_study(), "missed_mentions")["estimate"] == 2
    assert _value(_study(), "missed_mentions")["n"] == 2
    share = _value(_study(), "found_share")
    assert (share["estimate"], share["n"]) == (pytest.approx(2 / 4), 4)


def test_a_sampled_segment_stands_for_others():
    assert _value(_study(weight=5.0), "missed_mentions")["estimate"] == 10
    assert _value(_study(weight=5.0), "found_share")["estimate"] == pytest.approx(1 / 2)


@pytest.mark.parametrize("options", [None, json.dumps({"missing_mentions": False}), "{", "[]"])
def test_where_nobody_was_asked_nothing_is_known(options):
    for name in ("missed_mentions", "found_share"):
        row = _value(_study(options=options), name)
        assert pd.isna(row["estimate"])
        assert row["reason"].startswith("nobody who counts was asked")
