"""What a report is put together from, made by hand: for tests of the report alone."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas as pd

from analysis.frames import conform_all
from analysis.policy import POLICIES
from analysis.report.facts import Facts, Line
from analysis.report.gallery import draw
from analysis.report.html import Parts
from analysis.report.numbers import Numbers
from analysis.report.resting import resting_tables
from analysis.report.tables import all_tables
from analysis.results import Results
from analysis.settings import Settings
from analysis.study import Study
from tests.support.figure_frames import frames
from tests.support.metric_rows import metrics

TEXT = "The Harbour Bridge in Sydney 🌉 was closed; <b>Paris</b> was not, said the mayor of Paris, Texas."


def facts(datasets: tuple[str, ...], sources: tuple[str, ...]) -> Facts:
    """Round numbers."""
    groups = datasets if len(datasets) == 1 else (*datasets, "*")
    lines = [Line(d, s, 20, 150, 140, 130, 380, 110.5, 12.0, 7.5) for d in groups for s in sources]
    return Facts(
        name="harbour-2026",
        ground_truth="GT" if "GT" in sources else None,
        sources={source: "2014" if source == "Alpha" else None for source in sources},
        datasets=dict.fromkeys(datasets, ("en", 20)),
        lines=tuple(lines),
        workers=32,
        workers_counted=30,
        assignments=64,
        assignments_counted=60,
        judgments=1140,
        judgments_used=1100,
        left_out={"controls failed": 3, "not submitted": 1},
        not_shown={"a quantity, a date or another label that is no entity": 12},
        money={"USD": (Decimal("192.00"), Decimal("38.40"), Decimal(0))},
        origins=("simulated",),
    )


def study(datasets: tuple[str, ...], *, simulated: bool) -> Study:
    """One document a dataset, and one assignment."""
    documents = [(d, "bridge", "en", TEXT, "0" * 64, 0, len(TEXT)) for d in datasets]
    assignments = pd.DataFrame(
        {
            "assignment": [1],
            "worker": ["w01"],
            "origin": ["simulated" if simulated else "live"],
            "state": ["submitted"],
            "counted": [True],
        }
    )
    names = ["dataset", "document", "language", "text", "text_sha256", "evaluation_start", "evaluation_end"]
    blank = conform_all({})
    return Study({**blank, "documents": pd.DataFrame(documents, columns=names), "assignments": assignments})


def workers() -> pd.DataFrame:
    """Two workers, one of whom saw nothing."""
    full: dict[str, Any] = {"assignments": 2, "counted": 2, "judgments": 40, "controls": 4}
    for rate in ("verify_rate", "edit_rate", "removal_rate", "control_rate"):
        full |= {rate: 0.75, f"{rate}_low": 0.6, f"{rate}_high": 0.85}
    idle = {
        "worker": "w02",
        "assignments": 1,
        "counted": 0,
        "reasons": "not submitted",
        "judgments": 0,
        "controls": 0,
    }
    return pd.DataFrame([{"worker": "w01", **full, "median_seconds": 6.25}, idle])


def audit(dataset: str) -> pd.DataFrame:
    """One finding of each kind."""
    common = {
        "policy": "recommended",
        "dataset": dataset,
        "document": "bridge",
        "mention": None,
        "judgments": 3,
    }
    wrong = {"finding": "not verified", "start": 22, "end": 28, "key": "w:en:Sydney", "sources": "GT|Alpha"}
    lacking = {"finding": "verified, not in the ground truth", "start": 46, "end": 51, "key": "w:en:Paris"}
    return pd.DataFrame(
        [
            {**common, **wrong, "verify": 1, "edit": 2, "remove": 0},
            {**common, **lacking, "sources": "Beta", "verify": 3, "edit": 0, "remove": 0},
        ]
    )


def parts(
    datasets: tuple[str, ...] = ("news", "wiki"),
    sources: tuple[str, ...] = ("GT", "Alpha", "Beta"),
    *,
    simulated: bool = True,
    drawn: bool = True,
    frame: pd.DataFrame | None = None,
    warnings: tuple[str, ...] = ("fewer than 20 workers",),
) -> Parts:
    """All of it."""
    frame = metrics(datasets, sources) if frame is None else frame
    more = frames(datasets, sources)
    numbers = Numbers.of(frame, "recommended", "GT", None, more)
    results = Results(
        study=study(datasets, simulated=simulated),
        settings=Settings(),
        policies=(POLICIES["recommended"],),
        measured=(),
        metrics=frame,
        comparisons=more["comparisons"],
        ranks=pd.DataFrame(),
        sensitivity=pd.DataFrame(),
        waterfall=more["waterfall"],
        choices=pd.DataFrame(),
        groups=pd.DataFrame(),
        reliability=more["reliability"],
        margin=None,
        departures=(),
        coverage=pd.DataFrame(),
        agreement=pd.DataFrame(),
        workers=workers(),
        audit=audit(datasets[0]),
        warnings=warnings,
        times=more["times"],
        controls=more["controls"],
        spending=more["spending"],
    )
    known = facts(datasets, sources)
    return Parts(
        results,
        known,
        numbers,
        [*all_tables(known, [numbers], results.workers), *resting_tables(numbers)],
        draw(numbers) if drawn else [],
        "ab" * 32,
        "0.1.0",
    )
