"""The forecast's half-widths against those that the analysis finds in simulated campaigns on wiki-fair-v2."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.support import planned
from tests.support.forecast_campaigns import AGREEMENT, HERE, RATES, Campaigns
from verifier import clock
from verifier.corpus.importing import Request, import_files
from verifier.plan.layout import Way
from verifier.plan.report import PlanReport
from verifier.store import export
from verifier.study import Study

PROOF = Path(__file__).parents[2] / "docs" / "proofs" / "forecast.json"
CAMPAIGNS = 1000
WITHIN = 0.10
FILES = {"GT": "gt", "REL": "predictions/rel", "ReFinED": "predictions/refined"}


def plan(folder: Path, corpora: Path) -> tuple[PlanReport, dict[str, pd.DataFrame]]:
    """The plan of wiki-fair-v2 and what leaves of the study before anybody works."""
    planned.configure(folder, plan="repeat_share: 0.1")
    with Study.open(folder) as study:
        for source, name in FILES.items():
            [path] = (corpora / "wiki-fair-v2").glob(f"{name}.elevant.jsonl*")
            import_files(study, Request((path,), "wiki", source), now=clock.now())
        report = planned.plan(study)
        with study.read() as session:
            return report, export.tables(session)


def foretold(report: PlanReport) -> Iterator[tuple[str, str, float | None]]:
    """Source, number and half-width of all that is forecast; rates for documents like these and for these."""
    for row in report.foresight.precision:
        yield row.source, row.metric, row.half_width
        if row.cluster:
            yield row.source, HERE, row.here


def compared(report: PlanReport, tables: dict[str, pd.DataFrame], campaigns: int) -> list[dict[str, Any]]:
    """A row for each source and number: forecast, and what campaigns came to."""
    money = report.budget
    crowd = Campaigns(tables, Way(1, 0.1, pooled=False, per_place=money.real_tasks), report.design)
    found = pd.concat([crowd.rows(seed) for seed in range(1, campaigns + 1)])
    groups = found.groupby(["source", "metric"])
    means, spread = groups[["estimate", "half"]].mean(), groups["estimate"].std()
    rows = []
    for source, metric, forecast in foretold(report):
        name = (source, metric)
        if metric in (*RATES, HERE, *AGREEMENT) and forecast is not None:
            half = float(means.loc[name, "half"])
            rows.append(
                {
                    "source": source,
                    "metric": metric,
                    "forecast half-width": round(forecast, 5),
                    "mean half-width": round(half, 5),
                    "ratio": round(forecast / half, 4),
                    "mean estimate": round(float(means.loc[name, "estimate"]), 4),
                    "1.96 standard deviations of the estimates": round(1.96 * float(spread.loc[name]), 5),
                }
            )
    return rows


def written(report: PlanReport, tables: dict[str, pd.DataFrame], campaigns: int) -> list[dict[str, Any]]:
    """The comparison, kept in docs/proofs."""
    rows = compared(report, tables, campaigns)
    design = report.design
    whole = {
        "what": "wiki-fair-v2, GT, REL and ReFinED, planned with k 1 and a tenth repeated; campaigns in which"
        " judgments are alike as assumed; half-widths of the analysis's own 95 % intervals",
        "campaigns": campaigns,
        "places": report.budget.places,
        "assumed": {name: getattr(design, name) for name in ("rate", "document", "worker", "annotation")},
        "rows": rows,
    }
    PROOF.write_text(f"{json.dumps(whole, indent=2)}\n", encoding="utf-8")
    return rows


@pytest.mark.prove
def test_half_widths_come_out_within_a_tenth_of_the_forecast(study_folder, shared_data):
    rows = written(*plan(study_folder, shared_data), CAMPAIGNS)
    assert len(rows) == 3 * len((*RATES, HERE)) + len(AGREEMENT)
    assert all(abs(row["ratio"] - 1) <= WITHIN for row in rows)


def test_a_few_campaigns_come_out_near_the_forecast(study_folder, shared_data):
    rows = compared(*plan(study_folder, shared_data), 4)
    assert all(abs(row["ratio"] - 1) <= 3 * WITHIN for row in rows)
