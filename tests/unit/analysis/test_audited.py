"""The rate by experts who decided a random part of what was verified, and of the rest."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis.audited import RATE, expert_rows
from analysis.load import load
from analysis.outcomes import measure
from analysis.results import compute
from analysis.settings import Settings
from tests.support.judged_studies import JUDGMENTS


def _study(verified, removed, right, wrong, *, seen=None):
    """Links, one a document, of nobody known; experts decided so many of each outcome.

    Args:
        verified: how many people verified.
        removed: and removed.
        right: (of verified ones that experts saw, how many they verify, how many they saw).
        wrong: (of the rest, how many they do not verify, how many they saw).
        seen: decision of a second expert on the first link.
    """
    said = ["verify"] * verified + ["remove"] * removed
    rows = [("d", f"t{n:05}", "GT", 0, 5, f"Q{n + 1}", "", word, "") for n, word in enumerate(said)]
    study = load(pd.DataFrame(rows, columns=JUDGMENTS))
    display = study["displays"].set_index("display").index
    kept = {row.annotation: row.display for row in study["credits"].itertuples()}
    made = [(n, "verify" if n < right[0] else "edit") for n in range(right[1])]
    made += [(verified + n, "remove" if n < wrong[0] else "verify") for n in range(wrong[1])]
    assert len(display) == len(rows)
    experts = [(10**6, kept[n], word) for n, word in made]
    if seen:
        experts.append((10**6 + 1, kept[0], seen))
    table = pd.DataFrame(experts, columns=["assignment", "display", "decision"]).assign(
        role="expert", current=True, sequence=1, key=None, raw=None, seconds=None, opened=None
    )
    assignments = study["assignments"]
    own = assignments.head(1).drop(columns=["assignment", "worker"])
    added = [own.assign(assignment=10**6 + n, worker=f"expert{n}") for n in range(2)]
    tables = {
        **study.tables,
        "judgments": pd.concat([study["judgments"], table], ignore_index=True),
        "assignments": pd.concat([assignments, *added], ignore_index=True),
    }
    return load(tables)


def _row(study):
    rows, said = expert_rows(measure(study), 0.95)
    return next(row for row in rows if row["dataset"] == "d"), said


def test_the_printed_example():
    """880 of 1,000 verified, 95 of 100 of them right, 50 of 100 of the rest wrong: .8960, SE .0206."""
    row, said = _row(_study(880, 120, (95, 100), (50, 100)))
    assert round(row["estimate"], 4) == 0.896
    assert (row["high"] - row["low"]) / 2 / 1.959964 == pytest.approx(0.0206, abs=5e-5)
    assert row["n"] == 200
    assert len(said) == 1
    assert "random part" in said[0]


def test_what_several_experts_decided_counts_by_their_share():
    """Of 20 seen, one is verified by one of two: 19.5 of 20 are right."""
    row, _ = _row(_study(80, 20, (20, 20), (20, 20), seen="remove"))
    assert row["estimate"] == pytest.approx(0.8 * 19.5 / 20)


def test_where_experts_all_agree_the_interval_still_has_a_width():
    row, said = _row(_study(80, 20, (10, 10), (10, 10)))
    assert row["estimate"] == pytest.approx(0.8)
    assert row["low"] < 0.7
    assert "fewer than 20 expert decisions" in said[1]


def test_what_experts_have_not_looked_at_is_said():
    assert "nothing of the rest" in _row(_study(80, 20, (9, 10), (0, 0)))[0]["reason"]
    assert "nothing of what people verified" in _row(_study(80, 20, (0, 0), (9, 10)))[0]["reason"]


def test_all_verified_needs_no_audit_of_the_rest():
    row, _ = _row(_study(80, 0, (18, 20), (0, 0)))
    assert row["estimate"] == pytest.approx(0.9)


def test_no_expert_no_row_and_with_experts_a_row_of_the_table():
    assert expert_rows(measure(_study(8, 2, (0, 0), (0, 0))), 0.95) == ([], [])
    table = compute(_study(80, 20, (18, 20), (12, 20)), Settings(replicates=0)).metrics
    assert table.loc[table["metric"] == RATE, "estimate"].iloc[0] == pytest.approx(0.8 * 0.9 + 0.2 * 0.4)
