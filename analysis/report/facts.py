"""What was studied, in numbers: datasets, sources, people, judgments, money, what was left out and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.measured import Measured
from analysis.schema import ALL, EXPERT
from analysis.study import Study

NOT_SHOWN: Final[Mapping[str, str]] = {
    "nil": "the source says that the entity is not in the knowledge base",
    "unmapped": "an entity was given, but its key is not known",
    "no_link": "the source gave no link",
    "not_an_entity": "a quantity, a date or another label that is no entity",
    "outside_evaluation": "outside the part of the document that is evaluated",
    "duplicate": "the same source, span and entity once more",
    "crosses_segments": "came after the texts were cut, and crosses a cut",
    "not_sampled": "its segment was not drawn by the sampling plan",
    "not_planned": "imported after the last plan",
}


@dataclass(frozen=True)
class Line:
    """One (dataset, source): the counts that are not the same, and the outcomes as sums of shares."""

    dataset: str
    source: str
    documents: int
    imported: int
    shown: int
    judged: int
    judgments: int
    verified: float
    edited: float
    removed: float


@dataclass(frozen=True)
class Facts:
    """The study in numbers.

    Attributes:
        name: of the study, empty if it has none.
        ground_truth: name of that source.
        sources: names and versions, the ground truth first.
        datasets: name -> (language, documents).
        lines: one a dataset and source, `*` last.
        workers: people who took part, as far as they are named.
        workers_counted: those with an assignment that counts.
        assignments: places taken.
        assignments_counted: those that count.
        judgments: made on what was studied (controls apart), the latest of each display.
        judgments_used: those that enter under the policy.
        left_out: reason -> number.
        not_shown: (reason in words, annotations).
        money: currency -> (pay, fees, bonuses).
        origins: of the assignments.
    """

    name: str
    ground_truth: str | None
    sources: Mapping[str, str | None]
    datasets: Mapping[str, tuple[str, int]]
    lines: tuple[Line, ...]
    workers: int
    workers_counted: int
    assignments: int
    assignments_counted: int
    judgments: int
    judgments_used: int
    left_out: Mapping[str, int]
    not_shown: Mapping[str, int]
    money: Mapping[str, tuple[Decimal, Decimal, Decimal]]
    origins: tuple[str, ...]


def gather(study: Study, measured: Measured) -> Facts:
    """The facts of a study, under the policy it was measured with."""
    assignments = study["assignments"]
    assignments = assignments[assignments["state"] != EXPERT]
    counted = assignments["counted"].fillna(value=False).astype(bool)
    documents = study["documents"]
    return Facts(
        name=_name(study),
        ground_truth=study.ground_truth,
        sources={source: _version(study, source) for source in measured.sources},
        datasets={
            str(dataset): (str(rows["language"].iloc[0]), len(rows))
            for dataset, rows in documents.groupby("dataset", sort=True)
        },
        lines=_lines(measured),
        workers=_named(assignments["worker"]),
        workers_counted=_named(assignments.loc[counted, "worker"]),
        assignments=len(assignments),
        assignments_counted=int(counted.sum()),
        judgments=_judgments(study),
        judgments_used=measured.judgments,
        left_out=dict(measured.left_out),
        not_shown=_not_shown(study),
        money=_money(assignments),
        origins=tuple(sorted(map(str, assignments["origin"].dropna().unique()))),
    )


def _named(workers: pd.Series) -> int:
    """Number of different workers; a table of judgments may leave them unnamed."""
    return int(workers[workers.fillna("") != ""].nunique())


def _version(study: Study, source: str) -> str | None:
    sources = study["sources"].set_index("source")
    version = sources["version"].get(source)
    return None if pd.isna(version) else str(version)


def _name(study: Study) -> str:
    config = study.manifest.get("config")
    named = config.get("study") if isinstance(config, Mapping) else None
    return str(named.get("name") or "") if isinstance(named, Mapping) else ""


def _lines(measured: Measured) -> tuple[Line, ...]:
    groups = measured.datasets if len(measured.datasets) == 1 else (*measured.datasets, ALL)
    lines = []
    for dataset in groups:
        for source in measured.sources:
            lines.append(_line(measured, dataset, source))
            # Nobody looks at the same rows again.
            measured.forget_views()
    return tuple(lines)


def _line(measured: Measured, dataset: str, source: str) -> Line:
    view = measured.view(dataset, source)
    annotations = view.annotations
    judged = annotations[annotations["judged"].astype(bool)]
    shares = [_sum_of_shares(judged[decision], judged["n"]) for decision in ("verify", "edit", "remove")]
    return Line(
        dataset,
        source,
        len(view.documents),
        len(annotations),
        int(annotations["shown"].sum()),
        len(judged),
        len(view.votes),
        *shares,
    )


def _sum_of_shares(numerators: pd.Series, n: pd.Series) -> float:
    """Integers first, one column an n, then divided: the order of the rows does not matter."""
    sums = np.bincount(n.to_numpy(np.int64), weights=numerators.to_numpy(float))
    return float(sum(total / size for size, total in enumerate(sums) if size))


def _judgments(study: Study) -> int:
    judgments = study["judgments"]
    real = study["tasks"].loc[study["tasks"]["kind"] == "real", "task"]
    displays = study["displays"].loc[study["displays"]["task"].isin(real), "display"]
    current = judgments["current"].astype(bool) & (judgments["role"] == "worker")
    return int((current & judgments["display"].isin(displays)).sum())


def _not_shown(study: Study) -> dict[str, int]:
    annotations = study["annotations"]
    hidden = annotations.loc[~annotations["shown"].astype(bool), "reason"]
    amounts = hidden.map(lambda reason: "" if pd.isna(reason) else str(reason)).value_counts().sort_index()
    return {
        NOT_SHOWN.get(str(reason), str(reason) or "no reason is given"): int(amount)
        for reason, amount in amounts.items()
    }


def _money(assignments: pd.DataFrame) -> dict[str, tuple[Decimal, Decimal, Decimal]]:
    """Sums by currency for what was handed in; the amounts are decimal text, as money is everywhere."""
    money: dict[str, tuple[Decimal, Decimal, Decimal]] = {}
    # Only work that was handed in is paid; the others carry the pay they were offered.
    paid = assignments[assignments["state"] == "submitted"].dropna(subset=["currency"])
    for currency, rows in paid.groupby("currency", sort=True):
        pay, fees, bonuses = (_sum(rows[column]) for column in ("reward", "fee", "bonus"))
        if pay or fees or bonuses:
            money[str(currency)] = (pay, fees, bonuses)
    return money


def _sum(amounts: Any) -> Decimal:
    return sum((Decimal(str(amount)) for amount in amounts.dropna()), Decimal(0))
