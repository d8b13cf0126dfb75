"""Coverage study: intervals of agreement hold what very many units give, one category prevailing or not."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from analysis.agreement import agreement

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "agreement-coverage.json"
COEFFICIENTS = ["observed_agreement", "multi_pi", "multi_kappa", "alpha_nominal", "ac1", "kappa_light"]
NAMES = ["verify", "other"]
TABLES = 500
ASKED = 0.93
# Enough tables without a warning to judge a cell by.
LEAST = 100
ABOUT_COVER = ("most of whose labels agree", "intervals are rough")


def _draw(r, units, design):
    """Labels of workers of slightly different accuracy, on units of which a share is right."""
    workers, missing, rate, accuracy = design
    truth = (r.random(units) >= rate).astype(np.int64)[:, None]
    skill = accuracy + np.linspace(-0.04, 0.04, workers)
    labels = np.where(r.random((units, workers)) < skill, truth, 1 - truth)
    return np.where(r.random((units, workers)) < missing, -1, labels)


def _cell(design):
    r = np.random.default_rng(11)
    found = agreement(
        _draw(r, 1_000_000, design[1:]), categories=NAMES, replicates=0, coefficients=COEFFICIENTS
    )
    target = {name: found[name]["estimate"] for name in COEFFICIENTS}
    held = {name: [] for name in COEFFICIENTS}
    for _ in range(TABLES):
        table = agreement(
            _draw(r, design[0], design[1:]), categories=NAMES, replicates=0, coefficients=COEFFICIENTS
        )
        if any(words in warning for warning in table.warnings for words in ABOUT_COVER):
            continue
        for name in COEFFICIENTS:
            record = table[name]
            held[name].append(record["low"] <= target[name] <= record["high"])
    return target, held


@pytest.mark.prove
def test_intervals_of_agreement_cover_in_every_cell_without_a_warning():
    rows = []
    for units in (50, 100, 300):
        for workers, missing in ((2, 0.0), (3, 0.2), (5, 0.0)):
            for rate in (0.5, 0.9, 0.95):
                for accuracy in (0.8, 0.9):
                    design = (units, workers, missing, rate, accuracy)
                    target, held = _cell(design)
                    rows += [_row(design, name, target[name], held[name]) for name in COEFFICIENTS]
    PROOF.write_text(f"{json.dumps({'asked': ASKED, 'rows': rows}, indent=1)}\n", encoding="utf-8")
    assert not [row for row in rows if not row["passes"]]


def _row(design, name, target, held):
    n, share = len(held), float(np.mean(held)) if held else None
    enough = n >= LEAST
    bar = ASKED - 2 * sqrt(ASKED * (1 - ASKED) / max(n, 1))
    names = ("units", "workers", "missing", "rate", "accuracy")
    return {
        **dict(zip(names, design, strict=True)),
        "coefficient": name,
        "target": target,
        "tables_without_warning": n,
        "covered": share,
        "passes": bool(not enough or (share or 0) >= bar),
    }
