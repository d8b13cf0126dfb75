"""The default effect from decoys, on a study small enough to reckon by hand."""

from __future__ import annotations

import pandas as pd
import pytest

import analysis
from analysis.frames import conform_all
from analysis.outcomes import measure
from analysis.schema import TABLES
from analysis.study import Study

WORKERS = 4
# Of two documents, each with one link that the ground truth gives; the decoy stands in the same place.
# What workers made of them, in turn: verify, edit to the right entity, remove, edit to what is shown (s).
DECOYS = {0: "vver", 1: "se"}
LINKS = {0: "vv", 1: "vvvr"}


def _judgments() -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for base, made, arm in ((0, DECOYS, "decoy"), (2, LINKS, "shown")):
        for document, letters in made.items():
            right, wrong = f"w:en:Right {document}", f"w:en:Wrong {document}"
            for worker, letter in enumerate(letters):
                decision = {"v": "verify", "r": "remove"}.get(letter, "edit")
                key = {"e": right, "s": wrong}.get(letter)
                what = (
                    worker,
                    base + document,
                    decision,
                    key,
                    None,
                    3.0,
                    False,
                    len(rows),
                    True,
                    "worker",
                    arm,
                )
                rows.append(what)
    return rows


def _study() -> Study:
    two = range(2)
    rows = {
        "documents": [("d", f"t{n}", "en", None, "", 0, 9) for n in two],
        "sources": [("GT", "ground_truth", None)],
        "source_documents": [("d", f"t{n}", "GT", True, 1) for n in two],
        "annotations": [
            (n, "d", f"t{n}", "GT", 0, 5, None, f"w:en:Right {n}", None, "link", None, True, None)
            for n in two
        ],
        "segments": [(n, "d", f"t{n}", 0, 9, 1.0) for n in two],
        "tasks": [(n, "control", n, None, 1) for n in two] + [(n + 2, "real", n, "GT", 2) for n in two],
        "displays": [(n, n, 0, 0, 5, f"w:en:Wrong {n}", None) for n in two]
        + [(n + 2, n + 2, 0, 0, 5, f"w:en:Right {n}", None) for n in two],
        "credits": [(n + 2, n) for n in two],
        "control_answers": [(n, "edit", f'["w:en:Right {n}"]', None, "decoy") for n in two],
        "assignments": [
            (n, f"w{n}", None, "live", "submitted", True, *[None] * (len(TABLES["assignments"].columns) - 6))
            for n in range(WORKERS)
        ],
        "judgments": _judgments(),
    }
    tables = {
        name: pd.DataFrame(values, columns=[column.name for column in TABLES[name].columns])
        for name, values in rows.items()
    }
    return Study(conform_all(tables), {"schema_version": 2})


def test_decoys_and_the_links_they_stand_for_are_counted_apart() -> None:
    """Of 6 judgments of decoys 3 accept, one by an edit to what is shown; of 6 of right links 5 verify."""
    names = ["decoy_acceptance", "decoyed_link_acceptance", "verification_rate"]
    frame = analysis.evaluate(_study(), names, by=["dataset", "source"], policy="recommended", replicates=0)
    found = frame[frame["dataset"] == "d"].set_index("metric")
    assert found.loc["decoy_acceptance", ["estimate", "n"]].tolist() == pytest.approx([3 / 6, 6])
    assert found.loc["decoyed_link_acceptance", ["estimate", "n"]].tolist() == pytest.approx([5 / 6, 6])
    # Of the annotations themselves: (2/2 + 3/4) / 2, as if no decoy had ever been shown.
    assert found.loc["verification_rate", "estimate"] == pytest.approx(0.875)


def test_how_many_judgments_of_decoys_are_left_out_is_said() -> None:
    left = measure(_study(), "recommended").left_out
    assert left["judgments of decoy tasks, which stand for no annotation"] == 6


def test_a_study_without_decoys_is_not_told_of_them() -> None:
    tables = dict(_study().tables)
    tables["control_answers"] = tables["control_answers"].iloc[:0]
    without = measure(Study(tables, {"schema_version": 2}), "recommended")
    assert "decoy_acceptance" not in analysis.metrics(without)
