"""How often intervals of simulated campaigns hold their target, cell by cell."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from math import sqrt
from typing import Any

import numpy as np

from analysis.cells import Cell, Settings, fill_spread
from analysis.engine.bootstrap import Weights, interval
from analysis.engine.contrast import difference, linearise, pooled_value
from analysis.engine.jackknife import FEW_CLUSTERS, FEW_WORKERS, limits
from analysis.engine.tally import ALL_DATASETS, Tally, evaluate_at
from analysis.metrics.registry import get
from analysis.policy import POLICIES
from tests.support.campaigns import Campaign, Design, campaign

METRICS = ("verification_rate", "posthoc_recall", "posthoc_f1", "difference")
LEVEL = 0.95
WANTED = 0.93
SETTINGS = Settings(POLICIES["recommended"], 0, 0, LEVEL, "jackknife", None, asked=False)


def designs() -> list[Design]:
    """Every cell: documents, rates, correlations, k; and the heavy tails."""
    plain = [
        Design(documents, rate, document_icc, worker_icc, k)
        for documents, rate, document_icc, worker_icc, k in product(
            (20, 50, 200), (0.6, 0.9, 0.97), (0.0, 0.1, 0.3), (0.0, 0.05, 0.15), (1, 3)
        )
    ]
    heavy = [
        Design(documents, rate, 0.1, 0.05, k, heavy=True)
        for documents, rate, k in product((20, 50, 200), (0.6, 0.9, 0.97), (1, 3))
    ]
    return [design for design in plain + heavy if design.possible]


def intervals(made: Campaign, replicates: int = 0) -> dict[str, tuple[Any, bool, Any]]:
    """The interval of each number, whether it carries a warning, and the bootstrap's."""
    out: dict[str, tuple[Any, bool, Any]] = {}
    bounds = [0, made.documents]
    weights = Weights(("d",), (made.documents,), replicates, 0) if replicates else None
    sides = []
    for name, counts in (
        ("verification_rate", made.first),
        ("posthoc_recall", made.recall),
        ("posthoc_f1", made.f1),
        ("second", made.second),
    ):
        metric = get("posthoc_precision" if name in ("verification_rate", "second") else name)
        tally = Tally(counts, bounds)
        cut = tally.cut(ALL_DATASETS)
        if counts is made.first or counts is made.second:
            sides.append((cut, linearise(cut, metric.value, metric.size, made.workers)))
        if name == "second":
            continue
        cell = Cell(metric, "d", "s", cut, metric.value, metric.size)
        fill_spread(cell, SETTINGS, anonymous=False)
        found = cell.found
        got = limits(found, LEVEL, (0.0, 1.0), 0.0)
        beside = None
        if weights is not None:
            values = evaluate_at(metric.value, weights.resample([tally])[0][-1])
            beside = interval(values, found.estimate, LEVEL, "percentile")
        out[name] = (got and got[:2], bool(cell.warnings), beside)
    (a_cut, a), (b_cut, b) = sides
    metric = get("posthoc_precision")
    workers = int(((a.worker_share != 0) | (b.worker_share != 0)).sum())
    found_ = difference(a, b, pooled_value(metric.value, a_cut, b_cut), two_way=workers >= FEW_WORKERS)
    warned = found_.df + 1 < FEW_CLUSTERS or workers < FEW_WORKERS
    out["difference"] = (found_.limits(LEVEL), warned, None)
    return out


def run(task: tuple[Design, int, int]) -> dict[str, Any]:
    """One cell: so many campaigns, or as many as fit in the seconds."""
    design, campaigns, bootstraps = task
    targets = design.targets()
    counted: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in METRICS}
    for seed in range(campaigns):
        got = intervals(campaign(design, seed), 200 if seed < bootstraps else 0)
        for name, (limit, warned, beside) in got.items():
            row, target = counted[name], targets[name]
            row["warned"].append(warned)
            if limit is None:
                row["none"].append(1)
                continue
            row["held"].append(limit[0] <= target <= limit[1])
            row["below"].append(limit[1] < target)
            row["above"].append(limit[0] > target)
            row["width"].append(limit[1] - limit[0])
            if not warned:
                row["held unwarned"].append(limit[0] <= target <= limit[1])
            if beside is not None:
                row["bootstrap held"].append(beside[0] <= target <= beside[1])
                row["bootstrap width"].append(beside[1] - beside[0])
    return {"design": design, "targets": targets, "campaigns": campaigns, "counted": counted}


def rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """What the proof keeps of one cell: a row a number."""
    design = found["design"]
    out = []
    for name in METRICS:
        counted = found["counted"][name]
        held = counted["held"]
        warned = float(np.mean(counted["warned"]))
        share = float(np.mean(held)) if held else float("nan")
        least = WANTED - 2 * sqrt(WANTED * (1 - WANTED) / max(len(held), 1))
        row = {
            "number": name,
            "documents": design.documents,
            "rate": design.rate,
            "document_icc": design.document_icc,
            "worker_icc": design.worker_icc,
            "k": design.k,
            "heavy": design.heavy,
            "target": round(found["targets"][name], 6),
            "campaigns": found["campaigns"],
            "covered": round(share, 4),
            "target under the interval": round(float(np.mean(counted["above"])), 4),
            "target over the interval": round(float(np.mean(counted["below"])), 4),
            "width": round(float(np.mean(counted["width"])), 5),
            "warned": round(warned, 4),
            "without interval": len(counted["none"]),
            "carries a warning": warned >= 0.5,
            "least": round(least, 4),
        }
        if counted["bootstrap held"]:
            row["document bootstrap covered"] = round(float(np.mean(counted["bootstrap held"])), 4)
            row["document bootstrap width"] = round(float(np.mean(counted["bootstrap width"])), 5)
        row["passes"] = bool(row["carries a warning"] or share >= least)
        out.append(row)
    return out


def study(cells: list[Design], campaigns: dict[int, int], bootstraps: int, workers: int | None = None):
    """All cells over the processors; campaigns by number of documents."""
    begun = time.monotonic()
    tasks = [(design, campaigns[design.documents], bootstraps) for design in cells]
    tasks.sort(key=lambda task: -task[0].documents * task[0].k)
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        found = list(pool.map(run, tasks, chunksize=1))
    table = [row for one in found for row in rows(one)]
    return table, time.monotonic() - begun


def proof(campaigns: dict[int, int], bootstraps: int, workers: int | None = None) -> dict[str, Any]:
    """What docs/proofs/coverage.json holds."""
    table, seconds = study(designs(), campaigns, bootstraps, workers)
    judged = [row for row in table if not row["carries a warning"]]
    return {
        "what": "How often 95 % intervals of simulated campaigns hold their target: every cell that carries"
        f" no warning has to reach {WANTED}, less two standard errors of the simulation",
        "campaigns a cell, by number of documents": campaigns,
        "cells": len(designs()),
        "numbers": len(table),
        "numbers without a warning": len(judged),
        "of these under the bar": sum(not row["passes"] for row in judged),
        "mean coverage without a warning": round(float(np.mean([row["covered"] for row in judged])), 4),
        "lowest coverage without a warning": min(row["covered"] for row in judged),
        "lowest coverage with a warning": min(
            (row["covered"] for row in table if row["carries a warning"]), default=None
        ),
        "seconds": round(seconds),
        "rows": table,
    }


def written(found: dict[str, Any]) -> str:
    """The proof as JSON, a number's row a line."""
    head = json.dumps({**found, "rows": []}, indent=1)
    rows_ = ",\n".join(f"  {json.dumps(row)}" for row in found["rows"])
    return head.replace('"rows": []', f'"rows": [\n{rows_}\n ]') + "\n"
